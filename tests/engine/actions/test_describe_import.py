"""DescribeImport."""

from pathlib import Path

import pytest
from tests.engine.bucketed import TABLE, Bucketed, items

from sortkey.wire.errors import ImportNotFoundException, ValidationException


@pytest.fixture
def shop(tmp_path: Path) -> Bucketed:
    return Bucketed(tmp_path)


class TestShape:
    def test_an_arn_is_long(self, shop: Bucketed) -> None:
        with pytest.raises(ValidationException, match="importArn"):
            shop.described_import("arn")


class TestValidation:
    def test_the_import_must_exist(self, shop: Bucketed) -> None:
        shop.ask("CreateTable", **TABLE)
        shop.place(items("a"))
        for arn in ("x" * 40, shop.begin_bulk()["BulkOperationArn"]):
            with pytest.raises(ImportNotFoundException):
                shop.described_import(arn)


class TestBehaviour:
    def test_a_running_import_has_no_end(self, tmp_path: Path) -> None:
        served = Bucketed(tmp_path, grouped=True)
        served.place(items("a"))
        begun = served.begin_import()
        running = served.described_import(begun["ImportArn"])
        assert running == begun
        assert "EndTime" not in running
        served.clock.move(5)
        served.tend()
        done = served.described_import(begun["ImportArn"])
        assert done["EndTime"] == begun["StartTime"] + 5

    def test_it_is_kept_when_the_table_is_deleted(self, shop: Bucketed) -> None:
        shop.place(items("a"))
        arn = shop.imported()["ImportArn"]
        shop.ask("DeleteTable", TableName="target")
        assert shop.described_import(arn)["ImportStatus"] == "COMPLETED"
