"""ListExports: the exports of the last 90 days, a page at a time."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.exports import export_summary
from sortkey.engine.jobs import jobs_of
from sortkey.engine.shapes import Length, NumberRange
from sortkey.wire.errors import ValidationException

_MOST = 25


class ListExports(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableArn: NotRequired[Annotated[str, Length(1, 1024)]]
    MaxResults: NotRequired[Annotated[int, NumberRange(1, _MOST)]]
    NextToken: NotRequired[str]


def list_exports(db: Database, request: ListExports) -> dict[str, Any]:
    """Return the exports after those of the page before, by their ARN backwards."""
    token = request.get("NextToken")
    if token is not None and "/export/" not in token:
        raise ValidationException("Invalid Request: NextToken is not valid")
    table = request.get("TableArn")
    found = [
        job
        for job in jobs_of(db, "export")
        if (table is None or job.content["TableArn"] == table)
        and (token is None or job.arn < token)
    ]
    page = found[: request.get("MaxResults", _MOST)]
    answer: dict[str, Any] = {"ExportSummaries": [export_summary(job) for job in page]}
    return answer | ({"NextToken": page[-1].arn} if len(page) < len(found) else {})
