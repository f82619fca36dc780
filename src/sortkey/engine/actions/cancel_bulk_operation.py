"""CancelBulkOperation: stop a bulk operation; what it has written stays."""

from typing import Any, TypedDict

from sortkey.engine.bulk_puts import bulk_operation, cancel_bulk_put
from sortkey.engine.database import Database
from sortkey.engine.definitions.transfers import TransferArn
from sortkey.engine.upkeep import finish_unless_tended
from sortkey.wire.errors import ValidationException


class CancelBulkOperation(TypedDict):
    """The request."""

    BulkOperationArn: TransferArn


def cancel_bulk_operation(db: Database, request: CancelBulkOperation) -> dict[str, Any]:
    """Stop the operation, which is CANCELLING here and CANCELLED later."""
    with db.transaction():
        job = bulk_operation(db, request["BulkOperationArn"])
        if job.ended is not None:
            raise ValidationException(f"The bulk operation is not in progress: {job.arn}")
        cancelling = cancel_bulk_put(db, job)
    finish_unless_tended(db)
    return {
        "BulkOperationArn": job.arn,
        "BulkOperationStatus": cancelling.content["Status"],
    }
