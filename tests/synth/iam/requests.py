"""A request as IAM sees it: an action on a resource, with the context of the request."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sortkey.design.tables.table import TableDefinition
from sortkey.wire.messages import Request

ACCOUNT = "123456789012"
ARN = f"arn:aws:dynamodb:eu-central-1:{ACCOUNT}:table/"

_MEMBERS = {
    "Get": "GetItem",
    "Put": "PutItem",
    "Update": "UpdateItem",
    "Delete": "DeleteItem",
    "ConditionCheck": "ConditionCheckItem",
}
_EXPRESSIONS = (
    "KeyConditionExpression",
    "FilterExpression",
    "ConditionExpression",
    "UpdateExpression",
    "ProjectionExpression",
)
# A name at the beginning of a path: #n0 of "#n0.#n1[3]", not #n1.
_FIRST = re.compile(r"(?<![\w.])#\w+")
_EQUAL = re.compile(r"(#\w+) = (:\w+)")

Values = str | list[str]


@dataclass(frozen=True)
class Check:
    """One question to IAM."""

    action: str
    resource: str
    context: Mapping[str, Values] = field(default_factory=dict[str, Values])

    @property
    def pair(self) -> tuple[str, str]:
        """The action and the resource alone."""
        return self.action, self.resource


def checks_of(request: Request, tables: Mapping[str, TableDefinition]) -> Iterator[Check]:
    """Every question that IAM is asked for a request; ``tables`` are by their names."""
    operation, body = request
    match operation:
        case "BatchGetItem":
            for name, asked in body["RequestItems"].items():
                yield _check(operation, name, asked["Keys"], tables[name], asked)
        case "BatchWriteItem":
            for name, members in body["RequestItems"].items():
                items = [one for member in members for one in _written(member)]
                yield _check(operation, name, items, tables[name], {"Items": items})
        case "TransactGetItems" | "TransactWriteItems":
            for member in body["TransactItems"]:
                [(verb, part)] = member.items()
                yield from checks_of(Request(_MEMBERS[verb], part), tables)
        case _:
            name = body["TableName"]
            yield _check(operation, name, _keys(operation, body), tables[name], body)


def _written(member: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    if "PutRequest" in member:
        yield member["PutRequest"]["Item"]
    else:
        yield member["DeleteRequest"]["Key"]


def _keys(operation: str, body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    match operation:
        case "Query":
            pairs = _EQUAL.findall(body["KeyConditionExpression"])
            names, values = body["ExpressionAttributeNames"], body["ExpressionAttributeValues"]
            return [{names[name]: values[value] for name, value in pairs}]
        case "Scan":
            return []
        case "PutItem":
            return [body["Item"]]
        case _:
            return [body["Key"]]


def _check(
    operation: str,
    name: str,
    keys: list[Mapping[str, Any]],
    table: TableDefinition,
    body: Mapping[str, Any],
) -> Check:
    index = body.get("IndexName")
    partition = (table.primary if index is None else table.indexes[index]).partition
    context: dict[str, Values] = {}
    if len(partition) == 1 and keys:
        values = (key[partition[0].name] for key in keys)
        context["dynamodb:LeadingKeys"] = [str(next(iter(value.values()))) for value in values]
    attributes = _attributes(operation, keys, body)
    if attributes:
        context["dynamodb:Attributes"] = attributes
    if operation in {"Query", "Scan", "GetItem", "BatchGetItem"}:
        select = "SPECIFIC_ATTRIBUTES" if "ProjectionExpression" in body else "ALL_ATTRIBUTES"
        context["dynamodb:Select"] = body.get("Select", select)
    resource = ARN + name + ("" if index is None else f"/index/{index}")
    return Check(f"dynamodb:{operation}", resource, context)


def _attributes(
    operation: str, keys: list[Mapping[str, Any]], body: Mapping[str, Any]
) -> list[str]:
    """The attributes that a request names; a read of whole items names none."""
    is_read = operation in {"Query", "Scan", "GetItem", "BatchGetItem"}
    if is_read and "ProjectionExpression" not in body:
        return []
    names = body.get("ExpressionAttributeNames", {})
    texts = [body[member] for member in _EXPRESSIONS if member in body]
    named = {names[name] for text in texts for name in _FIRST.findall(text)}
    return sorted(named.union(*(key.keys() for key in keys)))
