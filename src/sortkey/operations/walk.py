"""Reading many records: request after request, until there is enough or no more.

Query and Scan are both walks. Records of another kind and expired ones are passed over here, so
every way of reading many is as exact as every other.
"""

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, Generic, Self, TypeVar, cast

from sortkey.errors import Refused, TooMany
from sortkey.operations.cursor import digest, read_cursor, write_cursor
from sortkey.operations.lane import LARGEST_LIMIT, PAGE_REQUESTS, Lane
from sortkey.operations.merge import merge, share
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.page import Page
from sortkey.operations.plan import Plan, Step
from sortkey.operations.reading import Reading
from sortkey.operations.sealing import expect_keys, opened_all
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

R = TypeVar("R")

_COUNTED = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk(Operation[list[R]], Generic[R]):
    """All records that a query or scan finds, in its order."""

    source: Step
    reading: Reading[R]
    position_names: tuple[str, ...]
    primary_names: tuple[str, ...] = ()
    most: int | None = None

    @abstractmethod
    def lanes(self) -> tuple[Lane[R], ...]:
        """The requests that are asked again and again; several are merged in order."""

    def consistently(self) -> Self:
        """The same, seeing every write that was acknowledged before."""
        return replace(self, source=replace(self.source, consistent=True))

    def with_expired(self) -> Self:
        """The same, and records whose time is over as long as DynamoDB has not removed them."""
        return replace(self, reading=replace(self.reading, expires=None))

    def limit(self, most: int) -> Self:
        """The same, ending after so many records."""
        return replace(self, most=_positive(most, "limit"))

    def page(
        self, size: int, after: str | None = None, *, requests: int = PAGE_REQUESTS
    ) -> "PageOf[R]":
        """One page of so many records, continuing after a cursor.

        It is shorter only at the end of the data, or when ``requests`` requests did not find
        enough; then its cursor goes on.
        """
        self.refuse_limited("a page has a size of its own")
        return PageOf(self, _positive(size, "page"), after, _positive(requests, "requests"))

    def refuse_limited(self, why: str) -> None:
        """Refuse a walk that is to end early, where it cannot be kept to that."""
        if self.most is not None:
            raise Refused(f"{why}: leave out limit({self.most})")

    def first(self) -> "First[R]":
        """The first record, or None."""
        return First(self)

    def one(self) -> "One[R]":
        """The only record, or None; `TooMany` if there are more."""
        self.refuse_limited("one() looks for a second record")
        return One(self)

    def plan(self) -> Plan:
        """One request for each page."""
        return self.plan_of(self.most)

    def plan_of(self, size: int | None, peek: int = 0) -> Plan:
        """The requests for so many records, and ``peek`` items more; for all of them with None."""
        steps = tuple(lane.step for lane in self.lanes())
        if size is not None:
            # What is merged is known to go on by what was read ahead.
            asked = share(size, len(steps)) if len(steps) > 1 else size + peek
            steps = tuple(replace(step, limit=min(asked, LARGEST_LIMIT)) for step in steps)
        return Plan("pages", steps)

    def steps(self, context: Context = ANYWHERE) -> Conversation[list[R]]:
        """Page after page."""
        if self.most is not None:
            found, _ = yield from self.some(context, self.most, None, requests=None, peek=0)
            return found
        lanes = self.lanes()
        if len(lanes) != 1:
            found, _ = yield from self._merged(lanes, context, None, None, requests=None)
            return found
        [lane] = lanes
        living, secrets = self.reading.reader(context.now()), self.reading.secrets
        expect_keys(secrets, context)
        found = list[R]()
        body = lane.step.body(context.environment)
        while True:
            answer = yield Request(lane.step.verb, body)
            items = answer["Items"]
            if secrets:
                items = yield from opened_all(items, secrets, context)
            for item in items:
                record = living(item)
                if record is not None:
                    found.append(record)
            position = answer.get("LastEvaluatedKey")
            if position is None:
                return found
            body = body | {"ExclusiveStartKey": position}

    def some(
        self,
        context: Context,
        size: int,
        start: Item | None,
        *,
        requests: int | None = PAGE_REQUESTS,
        peek: int = 1,
    ) -> Conversation[tuple[list[R], Item | None]]:
        """At most ``size`` records after a position, and the position to go on from, if any.

        ``peek`` items more are read, to know whether there is anything to go on to.
        """
        lanes = self.lanes()
        if not lanes:
            return [], None
        if len(lanes) == 1:
            found = yield from lanes[0].stretch(context, size, start, requests=requests, peek=peek)
            return found.records, found.position
        return (yield from self._merged(lanes, context, size, start, requests=requests))

    def _merged(
        self,
        lanes: tuple[Lane[R], ...],
        context: Context,
        size: int | None,
        start: Item | None,
        *,
        requests: int | None,
    ) -> Conversation[tuple[list[R], Item | None]]:
        return merge(
            lanes,
            self.place,
            context,
            size,
            start,
            requests=requests,
            forward=self.source.forward,
            primary=self.primary_names,
        )

    def place(self, item: Item, record: R) -> Any:
        """Where a record stands among those of several lanes."""
        raise NotImplementedError

    def identity(self, context: Context) -> str:
        """What a cursor of this walk must have been made for."""
        bodies = [lane.step.body(context.environment) for lane in self.lanes()]
        return digest(self.pattern, bodies)


def _positive(number: int, name: str) -> int:
    if number < 1:
        raise Refused(f"{name} wants a number of at least 1, not {number}")
    return number


@dataclass(frozen=True, slots=True)
class PageOf(Operation[Page[R]], Generic[R]):
    """One page of a walk."""

    walk: Walk[R]
    size: int
    after: str | None
    requests: int

    def of_pattern(self, name: str) -> Self:
        """The same, made by a pattern, which alone continues its cursors."""
        return replace(self, walk=self.walk.of_pattern(name), pattern=name)

    def plan(self) -> Plan:
        """The walk's request, with this page's size."""
        return self.walk.plan_of(self.size, peek=1)

    def steps(self, context: Context = ANYWHERE) -> Conversation[Page[R]]:
        """As many requests as the page needs."""
        # The digest is of the first request, so it costs nothing where there is no cursor.
        start = None
        if self.after is not None:
            start = read_cursor(self.after, self.walk.identity(context), context.cursors)
        found, position = yield from self.walk.some(
            context, self.size, start, requests=self.requests
        )
        if position is None:
            return Page(found)
        return Page(found, write_cursor(self.walk.identity(context), position, context.cursors))


@dataclass(frozen=True, slots=True)
class First(Operation[R | None], Generic[R]):
    """The first record of a walk."""

    walk: Walk[R]

    def plan(self) -> Plan:
        """The walk's request, for one record."""
        return self.walk.plan_of(1)

    def steps(self, context: Context = ANYWHERE) -> Conversation[R | None]:
        """Requests until a record is found or there are no more."""
        for_one = replace(self.walk, most=1)
        found = yield from for_one.steps(context)
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class One(Operation[R | None], Generic[R]):
    """The only record of a walk."""

    walk: Walk[R]

    def plan(self) -> Plan:
        """The walk's request, for the record and one that should not be there."""
        return self.walk.plan_of(2)

    def steps(self, context: Context = ANYWHERE) -> Conversation[R | None]:
        """Requests until a second record is found or there are no more."""
        for_two = replace(self.walk, most=2)
        found = yield from for_two.steps(context)
        if len(found) > 1:
            step = self.walk.source
            where = f"{step.entity} in {step.index}" if step.index else step.entity
            raise TooMany(f"more than one {where} where one() expects at most one")
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Count(Operation[int]):
    """How many records a walk finds."""

    walk: Walk[Any]

    def plan(self) -> Plan:
        """The walk's plan."""
        return self.walk.plan()

    def steps(self, context: Context = ANYWHERE) -> Conversation[int]:
        """Every page, read for its count alone."""
        position: Item | None = None
        total = 0
        while True:
            found, position = yield from self.walk.some(context, _COUNTED, position, requests=1)
            total += len(found)
            if position is None:
                return total


@dataclass(frozen=True, slots=True)
class Stretch(Operation[tuple[list[R], Item | None]], Generic[R]):
    """Some records after a position, and the position after them: for whoever walks on."""

    walk: Walk[R]
    size: int
    after: Item | None

    def plan(self) -> Plan:
        """The walk's plan."""
        return self.walk.plan()

    def steps(self, context: Context = ANYWHERE) -> Conversation[tuple[list[R], Item | None]]:
        """As many requests as a page of this size needs."""
        self.walk.refuse_limited("each() goes on to the end")
        return (yield from self.walk.some(context, self.size, self.after))


def stretch(operation: Operation[list[R]], size: int, after: Item | None) -> Stretch[R]:
    """Some records of a query or a scan after a position; a pattern may have made it."""
    if not isinstance(operation, Walk):
        raise Refused(
            f"each() goes through a query or a scan, and this is a {type(operation).__name__}: "
            "run it with db(...)"
        )
    walk = cast("Walk[R]", operation)
    return Stretch(walk, size, after, pattern=walk.pattern)
