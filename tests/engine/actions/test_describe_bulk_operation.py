"""DescribeBulkOperation."""

from pathlib import Path

import pytest
from tests.engine.bucketed import TABLE, Bucketed, items

from sortkey.wire.errors import ResourceNotFoundException, ValidationException


@pytest.fixture
def shop(tmp_path: Path) -> Bucketed:
    return Bucketed(tmp_path)


class TestShape:
    def test_an_arn_is_long(self, shop: Bucketed) -> None:
        with pytest.raises(ValidationException, match="bulkOperationArn"):
            shop.described_bulk("arn")


class TestValidation:
    def test_the_operation_must_exist(self, shop: Bucketed) -> None:
        shop.place(items("a"))
        for arn in ("x" * 40, shop.begin_import()["ImportArn"]):
            with pytest.raises(ResourceNotFoundException):
                shop.described_bulk(arn)


class TestBehaviour:
    @pytest.mark.ion
    def test_a_failed_operation_has_a_reason_and_no_total(self, shop: Bucketed) -> None:
        shop.ask("CreateTable", **TABLE)
        source = {"S3Bucket": "missing", "InputFormat": "ION"}
        done = shop.bulk_put(InputS3Configuration=source)
        assert (done["BulkOperationStatus"], done["FailureCode"]) == ("FAILED", "S3NoSuchBucket")
        assert done["FailureMessage"].startswith("The specified bucket does not exist")
        assert done["EndTime"] == done["StartTime"]
        assert "TotalInputBytes" not in done
