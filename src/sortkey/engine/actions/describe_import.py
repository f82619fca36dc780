"""DescribeImport: the status of an import, its counts and its request."""

from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.imports import describe_import as description
from sortkey.engine.definitions.transfers import TransferArn
from sortkey.engine.jobs import find_job
from sortkey.engine.upkeep import finish_unless_tended
from sortkey.wire.errors import ImportNotFoundException


class DescribeImport(TypedDict):
    """The request."""

    ImportArn: TransferArn


def describe_import(db: Database, request: DescribeImport) -> dict[str, Any]:
    """Return the description of the import."""
    # Another process may have ended before the import was complete.
    finish_unless_tended(db)
    job = find_job(db, request["ImportArn"])
    if job is None or job.kind != "import":
        raise ImportNotFoundException(f"Import not found: {request['ImportArn']}")
    return {"ImportTableDescription": description(job)}
