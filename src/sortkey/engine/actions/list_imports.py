"""ListImports: the imports of the last 90 days, a page at a time."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.imports import import_summary
from sortkey.engine.definitions.transfers import HEX_GROUPS, PageSize
from sortkey.engine.job_pages import latest_first, page_of
from sortkey.engine.jobs import jobs_of
from sortkey.engine.shapes import Length, Matches

_MOST = 25


class ListImports(TypedDict):
    """The request."""

    TableArn: NotRequired[Annotated[str, Length(1, 1024)]]
    PageSize: NotRequired[PageSize]
    NextToken: NotRequired[Annotated[str, Length(112, 1024), Matches(HEX_GROUPS)]]


def list_imports(db: Database, request: ListImports) -> dict[str, Any]:
    """Return the imports, of a table or of all, the latest first."""
    arn = request.get("TableArn")
    found = latest_first(jobs_of(db, "import"))
    jobs = [job for job in found if arn in {None, job.content["TableArn"]}]
    page, token = page_of(jobs, request.get("PageSize", _MOST), request.get("NextToken"))
    answer: dict[str, Any] = {"ImportSummaryList": [import_summary(job) for job in page]}
    return answer | ({} if token is None else {"NextToken": token})
