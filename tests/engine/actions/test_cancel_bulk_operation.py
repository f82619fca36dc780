"""CancelBulkOperation; the end of the operation is tested in test_bulk_puts."""

from pathlib import Path

import pytest
from tests.engine.bucketed import TABLE, Bucketed, items

from sortkey.wire.errors import ResourceNotFoundException, ValidationException


@pytest.fixture
def served(tmp_path: Path) -> Bucketed:
    """An engine that is tended by hand, as a server tends it."""
    found = Bucketed(tmp_path, grouped=True)
    found.ask("CreateTable", **TABLE)
    found.place(items("a"))
    return found


class TestShape:
    def test_an_arn_is_long(self, served: Bucketed) -> None:
        with pytest.raises(ValidationException, match="bulkOperationArn"):
            served.ask("CancelBulkOperation", BulkOperationArn="arn")


class TestValidation:
    def test_the_operation_must_exist(self, served: Bucketed) -> None:
        with pytest.raises(ResourceNotFoundException):
            served.ask("CancelBulkOperation", BulkOperationArn="x" * 40)

    def test_the_operation_must_be_in_progress(self, served: Bucketed) -> None:
        arn = served.bulk_put()["BulkOperationArn"]
        with pytest.raises(ValidationException, match="not in progress"):
            served.ask("CancelBulkOperation", BulkOperationArn=arn)


class TestBehaviour:
    def test_an_operation_that_has_not_begun_writes_nothing(self, served: Bucketed) -> None:
        arn = served.begin_bulk()["BulkOperationArn"]
        for _ in range(2):
            answer = served.ask("CancelBulkOperation", BulkOperationArn=arn)
            assert answer["BulkOperationStatus"] == "CANCELLING"
        served.tend()
        assert served.described_bulk(arn)["BulkOperationStatus"] == "CANCELLED"
        assert served.items() == []
