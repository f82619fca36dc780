"""Requests as readable text: expressions with their names and values in place."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sortkey.expressions.render import render_condition
from sortkey.expressions.tree import Condition
from sortkey.wire.messages import Request
from sortkey.wire.values import AttributeValue, Item, kind_of

_PLACEHOLDER = re.compile(r"[#:][A-Za-z0-9_]+")
_EXPRESSIONS = {
    "KeyConditionExpression": "",
    "FilterExpression": "filter ",
    "UpdateExpression": "",
    "ConditionExpression": "if ",
    "ProjectionExpression": "only ",
}
_ACTIONS = ("Get", "Put", "Update", "Delete", "ConditionCheck")
# At most so many requests are shown.
_MOST = 3


def request_lines(requests: Sequence[Request]) -> list[str]:
    """Return the first few requests of a call, a line for each expression."""
    lines = [line for request in requests[:_MOST] for line in _lines(*request)]
    left = len(requests) - _MOST
    return [*lines, f"and {left} more"] if left > 0 else lines


def condition_text(condition: Condition) -> str:
    """Return a condition with its names and values in place."""
    rendered = render_condition(condition)
    return _filled(rendered.text, rendered.names, rendered.values)


def value_text(value: AttributeValue) -> str:
    """Return a stored value: a text in quotes, anything else as it is."""
    held: Any = value[kind_of(value)]
    return json.dumps(held, ensure_ascii=False) if "N" not in value else str(held)


def key_text(item: Item, names: Sequence[str]) -> str:
    """Return the attributes of an item that are keys, as ``PK = "a", SK = "b"``."""
    return ", ".join(f"{name} = {value_text(item[name])}" for name in names if name in item)


def _lines(operation: str, body: Mapping[str, Any]) -> Iterator[str]:
    if "TransactItems" in body:
        yield operation
        for member in body["TransactItems"]:
            for action in _ACTIONS:
                if action in member:
                    yield from (f"  {line}" for line in _lines(action, member[action]))
    elif "RequestItems" in body:
        yield operation
        for table, requests in body["RequestItems"].items():
            yield from (f"  {line}" for line in _batch(table, requests))
    else:
        yield f"{operation} {_place(body)}"
        yield from (f"  {line}" for line in _members(body))


def _batch(table: str, requests: Any) -> Iterator[str]:
    is_get = "Keys" in requests
    for member in [{"Get": {"Key": key}} for key in requests["Keys"]] if is_get else requests:
        for name, body in member.items():
            yield from _lines(name.removesuffix("Request"), {"TableName": table, **body})


def _place(body: Mapping[str, Any]) -> str:
    index = body.get("IndexName")
    return f"{body['TableName']}, index {index}" if index else str(body["TableName"])


def _members(body: Mapping[str, Any]) -> Iterator[str]:
    for member in ("Key", "Item"):
        if member in body:
            yield key_text(body[member], tuple(body[member]))
    names = body.get("ExpressionAttributeNames", {})
    values = body.get("ExpressionAttributeValues", {})
    for member, before in _EXPRESSIONS.items():
        if member in body:
            yield f"{before}{_filled(body[member], names, values)}"
    if "ExclusiveStartKey" in body:
        start = body["ExclusiveStartKey"]
        yield f"after {key_text(start, tuple(start))}"
    parts = [
        f"{name}={body[name]}" for name in ("Limit", "ScanIndexForward", "Select") if name in body
    ]
    if parts:
        yield ", ".join(parts)


def _filled(text: str, names: Mapping[str, str], values: Mapping[str, AttributeValue]) -> str:
    def put(found: re.Match[str]) -> str:
        placeholder = found[0]
        if placeholder in values:
            return value_text(values[placeholder])
        return names.get(placeholder, placeholder)

    return _PLACEHOLDER.sub(put, text)
