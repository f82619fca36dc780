"""A raw pattern with its arguments: an operation like any other, whose results are plain items."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

from sortkey.design.findings import DesignError, Finding
from sortkey.design.raw.request import RawRequest
from sortkey.design.records.codecs.dynamic import decode_any
from sortkey.errors import Refused
from sortkey.operations.batch import pause
from sortkey.operations.cursor import (
    checked_position,
    continued,
    digest,
    read_cursor,
    write_cursor,
)
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.page import Page
from sortkey.operations.plan import Plan, Shape, Step, Verb
from sortkey.operations.write import new_token
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

PlainItem: TypeAlias = dict[str, Any]

_ACTIONS: Mapping[Verb, str] = {
    "GetItem": "Get",
    "PutItem": "Put",
    "UpdateItem": "Update",
    "DeleteItem": "Delete",
    "ConditionCheck": "ConditionCheck",
}


@dataclass(frozen=True, slots=True)
class RawOperation(Operation[Any]):
    """The operation of a raw pattern: one request, or several that are sent together.

    A read by key returns a plain item or None. A query or scan returns all items in a list, with a
    limit those that DynamoDB reads within it, or one `Page` of them if ``is_paged``; with ``COUNT``
    their number, of all pages if ``is_paged``. A batch returns the items that it finds, in no
    order; a write returns what ``return_values`` requests. Errors are DynamoDB's own. ``first`` is
    the number of wanted records.
    """

    _operation: str
    _shape: Shape
    _requests: tuple[RawRequest, ...]
    _parts: tuple[Step, ...]
    _given: Mapping[str, Any]
    _findings: tuple[Finding, ...] = ()
    _is_paged: bool = False
    _first: int | None = None
    _start: str | None = None

    def after(self, cursor: str | None) -> Self:
        """Continue after a page's cursor."""
        if cursor is not None and not self._has_pages:
            raise Refused(
                f"{self._pattern} has no pages to continue: give the request limit= and page="
            )
        return replace(self, _start=cursor)

    @property
    def _has_pages(self) -> bool:
        """Whether the result is a page, with a cursor for the next."""
        return self._is_paged and self._is_limited and not self._counts

    @property
    def _ends_at_limit(self) -> bool:
        """Whether the items that DynamoDB reads within a limit are the whole result."""
        return self._is_limited and not self._is_paged

    @property
    def _is_limited(self) -> bool:
        return self._shape == "pages" and self._parts[0].limit is not None

    @property
    def _counts(self) -> bool:
        return self._requests[0].select == "COUNT"

    def _plan(self) -> Plan:
        """Return the requests, as far as their texts can be parsed."""
        return Plan(self._shape, self._parts)

    def _steps(self, context: Context = ANYWHERE) -> Conversation[Any]:
        """Send the requests; raise `DesignError` if DynamoDB would reject them."""
        if self._findings:
            raise DesignError(self._findings)
        match self._operation:
            case "TransactGetItems":
                answer = yield self._request(context)
                return [_found(response) for response in answer["Responses"]]
            case "BatchGetItem":
                return (yield from self._read_batch(context))
            case "BatchWriteItem":
                return (yield from self._write_batch(context))
            case "TransactWriteItems":
                request = self._request(context)
                token = {"ClientRequestToken": new_token()}
                yield Request(request.operation, request.body | token)
                return None
            case "Query" | "Scan":
                steps = self._page(context) if self._has_pages else self._all(context)
                return (yield from steps if self._start is None else continued(steps))
            case _:
                answer = yield self._request(context)
                return _found(answer, "Item" if self._operation == "GetItem" else "Attributes")

    def _request(self, context: Context) -> Request:
        bodies = [step.body(context.environment) for step in self._parts]
        return joined(self._operation, self._parts, bodies)

    def _all(self, context: Context) -> Conversation[list[PlainItem] | int]:
        operation, body = self._request(context)
        found: list[PlainItem] = []
        counted = 0
        while True:
            answer = yield Request(operation, body)
            found += map(plain_item, answer.get("Items", ()))
            counted += answer["Count"]
            position = answer.get("LastEvaluatedKey")
            if position is None or self._ends_at_limit:
                return counted if self._counts else found
            body = body | {"ExclusiveStartKey": position}

    def _page(self, context: Context) -> Conversation[Page[PlainItem]]:
        operation, body = self._request(context)
        identity = digest(self._pattern, [body])
        if self._start is not None:
            given = read_cursor(self._start, identity, context.cursors)
            body = body | {"ExclusiveStartKey": checked_position(given, self._parts[0])}
        answer = yield Request(operation, body)
        position = answer.get("LastEvaluatedKey")
        cursor = None if position is None else write_cursor(identity, position, context.cursors)
        return Page([plain_item(item) for item in answer["Items"]], cursor)

    def _read_batch(self, context: Context) -> Conversation[list[PlainItem]]:
        operation, body = self._request(context)
        found: list[PlainItem] = []
        attempt = 0
        while True:
            answer = yield Request(operation, body)
            found += [plain_item(item) for items in answer["Responses"].values() for item in items]
            left = answer.get("UnprocessedKeys")
            if not left:
                return found
            attempt += 1
            yield pause(attempt, is_stuck=left == body["RequestItems"])
            body = {"RequestItems": left}

    def _write_batch(self, context: Context) -> Conversation[None]:
        operation, body = self._request(context)
        attempt = 0
        while True:
            answer = yield Request(operation, body)
            left = answer.get("UnprocessedItems")
            if not left:
                return
            attempt += 1
            yield pause(attempt, is_stuck=left == body["RequestItems"])
            body = {"RequestItems": left}


def plain_item(item: Item) -> PlainItem:
    """Return an item's attributes as plain Python values."""
    return {name: decode_any(value) for name, value in item.items()}


def _found(answer: Mapping[str, Any], member: str = "Item") -> PlainItem | None:
    item = answer.get(member)
    return None if item is None else plain_item(item)


def joined(operation: str, parts: tuple[Step, ...], bodies: list[dict[str, Any]]) -> Request:
    """Join the bodies into one request of the operation that sends them."""
    join = _JOINED.get(operation)
    if join is None:
        return Request(parts[0].verb, bodies[0])
    return Request(operation, join(parts, bodies))


def _transaction(parts: tuple[Step, ...], bodies: list[dict[str, Any]]) -> dict[str, Any]:
    for body in bodies:
        body.pop("ConsistentRead", None)  # a transaction's reads always are
    items = [{_ACTIONS[p.verb]: body} for p, body in zip(parts, bodies, strict=True)]
    return {"TransactItems": items}


def _batch_get(_: tuple[Step, ...], bodies: list[dict[str, Any]]) -> dict[str, Any]:
    tables: dict[str, dict[str, Any]] = {}
    for body in bodies:
        asked = tables.setdefault(body.pop("TableName"), {"Keys": []})
        asked["Keys"].append(body.pop("Key"))
        # The other members apply to all items of the table.
        asked.update(body)
    return {"RequestItems": tables}


def _batch_write(_: tuple[Step, ...], bodies: list[dict[str, Any]]) -> dict[str, Any]:
    tables: dict[str, list[dict[str, Any]]] = {}
    for body in bodies:
        member = (
            {"PutRequest": {"Item": body["Item"]}}
            if "Item" in body
            else {"DeleteRequest": {"Key": body["Key"]}}
        )
        tables.setdefault(body["TableName"], []).append(member)
    return {"RequestItems": tables}


_Join: TypeAlias = Callable[[tuple[Step, ...], list[dict[str, Any]]], dict[str, Any]]
_JOINED: Mapping[str, _Join] = {
    "TransactWriteItems": _transaction,
    "TransactGetItems": _transaction,
    "BatchGetItem": _batch_get,
    "BatchWriteItem": _batch_write,
}
