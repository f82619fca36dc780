"""ListTables: the names of all tables, a page at a time."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.shapes import NumberRange, ResourceName

_LARGEST_PAGE = 100


class ListTables(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    ExclusiveStartTableName: NotRequired[ResourceName]
    Limit: NotRequired[Annotated[int, NumberRange(1, _LARGEST_PAGE)]]


def list_tables(db: Database, request: ListTables) -> dict[str, Any]:
    """Return the names in order, and the last of them if there are more."""
    start = request.get("ExclusiveStartTableName", "").encode()
    limit = request.get("Limit", _LARGEST_PAGE)
    every = db.names
    if db.weather is not None:
        every = sorted({*every, *db.weather.changes.deleted_names}, key=str.encode)
    names = [name for name in every if name.encode() > start]

    answer: dict[str, Any] = {"TableNames": names[:limit]}
    if len(names) > limit:
        answer["LastEvaluatedTableName"] = names[limit - 1]
    return answer
