"""A raw table, and short ways to declare patterns on it."""

from collections.abc import Mapping
from typing import Any

from sortkey import DB, RawPattern, RawRequest, Table, gsi, lsi, number
from sortkey import raw_pattern as declared
from sortkey.design.raw.operation import RawOperation, joined
from sortkey.design.raw.request import EXPRESSIONS
from sortkey.design.raw.values import filled
from sortkey.operations.operation import Operation
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

KEY = {"PK": "USER#{user}", "SK": "A"}


class Legacy(Table, raw=True, name="legacy-{environment}"):
    by_mail = gsi("GSI1PK", "GSI1SK", name="ByMail")
    keys_only = gsi("GSI2PK", number("GSI2SK"), project="KEYS_ONLY")
    by_date = lsi("LSI1SK", project=["title"])


def raw_pattern(title: str = "p", **said: Any) -> RawPattern:
    whole: dict[str, Any] = {"table": Legacy, "arguments": {"user": str, "count": int}}
    return declared(title, **(whole | said))


def query(**said: Any) -> RawPattern:
    whole: dict[str, Any] = {
        "operation": "Query",
        "key_condition": "PK = :pk",
        "values": {":pk": "USER#{user}", **said.pop("values", {})},
    }
    return raw_pattern(**(whole | said))


def get(**said: Any) -> RawPattern:
    whole: dict[str, Any] = {"operation": "GetItem", "key": KEY}
    return raw_pattern(**(whole | said))


def put(**said: Any) -> RawPattern:
    whole: dict[str, Any] = {"operation": "PutItem", "item": KEY}
    return raw_pattern(**(whole | said))


def update(text: str | None, **said: Any) -> RawPattern:
    whole: dict[str, Any] = {"operation": "UpdateItem", "key": KEY, "update": text}
    return raw_pattern(**(whole | said))


def codes(pattern: RawPattern) -> list[str]:
    return [finding.code for finding in pattern.findings]


def raw(operation: Operation[Any]) -> RawOperation:
    """The operation, which a raw pattern made."""
    assert isinstance(operation, RawOperation)
    return operation


def verbatim(operation: RawOperation) -> Request:
    """The request with its texts as they were written, for the engine to judge."""
    bodies = [_body(request, operation._given) for request in operation._requests]
    return joined(operation._operation, operation._parts, bodies)


def _body(request: RawRequest, given: Mapping[str, Any]) -> dict[str, Any]:
    members: dict[str, Any] = {
        "TableName": request.table.definition.name_in("dev"),
        "IndexName": request.index_name,
        "Key": _written(request.key, given),
        "Item": _written(request.item, given),
        **{wire: getattr(request, member) for member, wire in EXPRESSIONS.items()},
        "ExpressionAttributeNames": dict(request.names) or None,
        "ExpressionAttributeValues": _written(request.values, given) or None,
        "ConsistentRead": request.consistent or None,
        "ScanIndexForward": None if request.scan_forward else False,
        "Limit": request.limit,
        "Select": request.select,
        "ReturnValues": request.return_values,
    }
    return {name: value for name, value in members.items() if value is not None}


def _written(values: Mapping[str, Any] | None, given: Mapping[str, Any]) -> Item | None:
    if values is None:
        return None
    return {name: filled(value, given).value for name, value in values.items()}


def save(db: DB, *items: dict[str, Any]) -> None:
    write = raw_pattern(
        operation="BatchWriteItem", actions=[RawRequest("Put", Legacy, item=item) for item in items]
    )
    assert db(write("u", 1)) is None
