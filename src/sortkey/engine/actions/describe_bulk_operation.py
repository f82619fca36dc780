"""DescribeBulkOperation: the status of a bulk operation, its counts and its request."""

from typing import Any, TypedDict

from sortkey.engine.bulk_puts import bulk_operation
from sortkey.engine.database import Database
from sortkey.engine.definitions.bulk_operations import describe_bulk
from sortkey.engine.definitions.transfers import TransferArn
from sortkey.engine.upkeep import finish_unless_tended


class DescribeBulkOperation(TypedDict):
    """The request."""

    BulkOperationArn: TransferArn


def describe_bulk_operation(db: Database, request: DescribeBulkOperation) -> dict[str, Any]:
    """Return the description of the operation."""
    # Another process may have ended before the operation was complete.
    finish_unless_tended(db)
    job = bulk_operation(db, request["BulkOperationArn"])
    return {"BulkOperationDescription": describe_bulk(job)}
