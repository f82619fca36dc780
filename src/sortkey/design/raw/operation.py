"""A raw pattern with its arguments: an operation like any other, whose results are plain items."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, TypeAlias

from sortkey.design.codecs.dynamic import decode_any
from sortkey.design.findings import DesignError, Finding
from sortkey.design.raw.request import RawRequest
from sortkey.errors import Refused
from sortkey.operations.batch import pause
from sortkey.operations.cursor import digest, read_cursor, write_cursor
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
    """What a raw pattern asks: one request, or several that are sent together.

    A read by key gives a plain item or None; a query or scan all items in a list, with a limit
    those that DynamoDB reads under it, or where ``is_paged`` one `Page` of them; with ``COUNT``
    their number, where ``is_paged`` of all pages; a batch the items that it finds, in no order; a
    write what ``return_values`` says. Errors are DynamoDB's own. ``first`` says how many records
    are wanted.
    """

    operation: str
    shape: Shape
    requests: tuple[RawRequest, ...]
    parts: tuple[Step, ...]
    given: Mapping[str, Any]
    findings: tuple[Finding, ...] = ()
    is_paged: bool = False
    first: int | None = None
    start: str | None = None

    def after(self, cursor: str | None) -> Self:
        """The same, continuing after a page's cursor."""
        if cursor is not None and not self.has_pages:
            raise Refused(
                f"{self.pattern} has no pages to continue: give a Query or Scan a limit and page=, "
                "and it is read page by page"
            )
        return replace(self, start=cursor)

    @property
    def has_pages(self) -> bool:
        """Whether the result is a page, with a cursor for the next."""
        return self.is_paged and self._is_limited and not self._counts

    @property
    def ends_at_limit(self) -> bool:
        """Whether what DynamoDB reads under a limit is the whole result."""
        return self._is_limited and not self.is_paged

    @property
    def _is_limited(self) -> bool:
        return self.shape == "pages" and self.parts[0].limit is not None

    @property
    def _counts(self) -> bool:
        return self.requests[0].select == "COUNT"

    def plan(self) -> Plan:
        """The requests, as far as their texts can be read."""
        return Plan(self.shape, self.parts)

    def steps(self, context: Context = ANYWHERE) -> Conversation[Any]:
        """The conversation, or `DesignError` where DynamoDB would refuse the request."""
        if self.findings:
            raise DesignError(self.findings)
        match self.operation:
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
                return (yield from (self._page if self.has_pages else self._all)(context))
            case _:
                answer = yield self._request(context)
                return _found(answer, "Item" if self.operation == "GetItem" else "Attributes")

    def _request(self, context: Context) -> Request:
        bodies = [step.body(context.environment) for step in self.parts]
        return joined(self.operation, self.parts, bodies)

    def _all(self, context: Context) -> Conversation[list[PlainItem] | int]:
        operation, body = self._request(context)
        found: list[PlainItem] = []
        counted = 0
        while True:
            answer = yield Request(operation, body)
            found += map(plain_item, answer.get("Items", ()))
            counted += answer["Count"]
            position = answer.get("LastEvaluatedKey")
            if position is None or self.ends_at_limit:
                return counted if self._counts else found
            body = body | {"ExclusiveStartKey": position}

    def _page(self, context: Context) -> Conversation[Page[PlainItem]]:
        operation, body = self._request(context)
        identity = digest(self.pattern, [body])
        if self.start is not None:
            start = read_cursor(self.start, identity, context.cursors)
            body = body | {"ExclusiveStartKey": start}
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
    """An item's attributes as plain Python values."""
    return {name: decode_any(value) for name, value in item.items()}


def _found(answer: Mapping[str, Any], member: str = "Item") -> PlainItem | None:
    item = answer.get(member)
    return None if item is None else plain_item(item)


def joined(operation: str, parts: tuple[Step, ...], bodies: list[dict[str, Any]]) -> Request:
    """The bodies as one request of the operation that sends them."""
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
        # What else is said holds for all items of the table.
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
