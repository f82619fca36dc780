"""ListBulkOperations: the bulk operations of the last 90 days, a page at a time."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.bulk_operations import bulk_summary
from sortkey.engine.definitions.transfers import HEX_GROUPS, PageSize
from sortkey.engine.job_pages import latest_first, page_of
from sortkey.engine.jobs import jobs_of
from sortkey.engine.shapes import Length, Matches

_USUAL = 10


class ListBulkOperations(TypedDict):
    """The request."""

    MaxResults: NotRequired[PageSize]
    NextToken: NotRequired[Annotated[str, Length(1, 1024), Matches(HEX_GROUPS)]]


def list_bulk_operations(db: Database, request: ListBulkOperations) -> dict[str, Any]:
    """Return the operations, the latest first."""
    most = request.get("MaxResults", _USUAL)
    jobs = latest_first(jobs_of(db, "bulk"))
    page, token = page_of(jobs, most, request.get("NextToken"))
    answer: dict[str, Any] = {"BulkOperationsSummaryList": [bulk_summary(job) for job in page]}
    return answer | ({} if token is None else {"NextToken": token})
