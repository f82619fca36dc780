"""ListStreams: the streams of a table, or all of them."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.named_tables import bare_name
from sortkey.engine.shapes import NumberRange, StreamArn, TableName
from sortkey.engine.streams import all_streams

_MOST = 100


class ListStreams(TypedDict):
    """The request."""

    TableName: NotRequired[TableName]
    Limit: NotRequired[Annotated[int, NumberRange(1, _MOST)]]
    ExclusiveStartStreamArn: NotRequired[StreamArn]


def list_streams(db: Database, request: ListStreams) -> dict[str, Any]:
    """Return the streams after one, also those that were disabled within the last day."""
    name = bare_name(request["TableName"]) if "TableName" in request else None
    after = request.get("ExclusiveStartStreamArn", "")
    found = [
        stream
        for stream in all_streams(db)
        if stream.arn > after and name in {None, stream.description["TableName"]}
    ]
    page = found[: request.get("Limit", _MOST)]
    answer: dict[str, Any] = {
        "Streams": [
            {
                "StreamArn": stream.arn,
                "TableName": stream.description["TableName"],
                "StreamLabel": stream.description["StreamLabel"],
            }
            for stream in page
        ]
    }
    return answer | ({"LastEvaluatedStreamArn": page[-1].arn} if len(page) < len(found) else {})
