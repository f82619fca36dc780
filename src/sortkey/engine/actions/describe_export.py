"""DescribeExport: an export, and what came of it."""

from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.exports import export_description
from sortkey.engine.jobs import find_job
from sortkey.engine.shapes import ExportArn
from sortkey.engine.upkeep import finish_unless_tended
from sortkey.wire.errors import ExportNotFoundException


class DescribeExport(TypedDict):
    """The request."""

    ExportArn: ExportArn


def describe_export(db: Database, request: DescribeExport) -> dict[str, Any]:
    """Return the export with its status, its counts, and the key of its manifest."""
    # Another process may have ended before its export was complete.
    finish_unless_tended(db)
    job = find_job(db, request["ExportArn"])
    if job is None or job.kind != "export":
        raise ExportNotFoundException(f"Export not found: {request['ExportArn']}")
    return {"ExportDescription": export_description(job)}
