"""Reading many records: request after request, until there are enough or no more.

Query and Scan are both walks. Records of other kinds and expired ones are skipped here, so that
every way to read many records returns the same ones.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar, cast

from sortkey.errors import Refused, TooMany
from sortkey.operations.cursor import (
    checked_position,
    continued,
    digest,
    read_cursor,
    write_cursor,
)
from sortkey.operations.encryption import decrypted_all, expect_keys
from sortkey.operations.lane import LARGEST_LIMIT, PAGE_REQUESTS, Lane
from sortkey.operations.merge import checked_merged_position, merge, share
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.page import Page
from sortkey.operations.plan import Plan, Step
from sortkey.operations.reading import Reading
from sortkey.operations.revising import revised
from sortkey.wire.messages import Request
from sortkey.wire.values import Item
from sortkey.wording.prose import a

R = TypeVar("R")

_COUNTED = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk(Operation[list[R]], Generic[R]):
    """All records of a query or scan, in its order."""

    _source: Step
    _reading: Reading[R]
    _position_names: tuple[str, ...]
    _primary_names: tuple[str, ...] = ()
    _limit: int | None = None

    @abstractmethod
    def _lanes(self) -> tuple[Lane[R], ...]:
        """Return the requests that are repeated page by page; several are merged in order."""

    def consistently(self) -> Self:
        """Use strongly consistent reads."""
        return revised(self, _source=revised(self._source, consistent=True))

    def with_expired(self) -> Self:
        """Include expired records that DynamoDB has not deleted yet."""
        return revised(self, _reading=revised(self._reading, expires=None))

    def limit(self, count: int) -> Self:
        """Return at most ``count`` records."""
        return revised(self, _limit=_positive(count, "the count of limit()"))

    def page(
        self, size: int, after: str | None = None, *, requests: int = PAGE_REQUESTS
    ) -> "PageOf[R]":
        """Return a page of ``size`` records, which starts after a cursor if one is passed.

        A page is shorter only at the end of the data, or if ``requests`` requests did not find
        enough records; then it has a cursor to continue.
        """
        self._refuse_limited("page() has its own size")
        most = _positive(requests, "the requests of page()")
        return PageOf(self, _positive(size, "the size of page()"), after, most)

    def _refuse_limited(self, why: str) -> None:
        """Refuse a walk with a limit."""
        if self._limit is not None:
            raise Refused(f"{why}: remove limit({self._limit})")

    def first(self) -> "First[R]":
        """Return the first record, or None."""
        return First(self)

    def one(self) -> "One[R]":
        """Return the only record, or None; raise `TooMany` if there are more."""
        self._refuse_limited("one() looks for a second record")
        return One(self)

    def _plan(self) -> Plan:
        """Return the request, which is repeated for each page."""
        return self._plan_of(self._limit)

    def _plan_of(self, size: int | None, peek: int = 0) -> Plan:
        """Return the requests for ``size`` records and ``peek`` more items; None for all."""
        steps = tuple(lane.step for lane in self._lanes())
        if size is not None:
            # A merge needs no peek: the records read ahead show whether anything follows.
            limit = share(size, len(steps)) if len(steps) > 1 else size + peek
            steps = tuple(revised(step, limit=min(limit, LARGEST_LIMIT)) for step in steps)
        return Plan("pages", steps)

    def _steps(self, context: Context = ANYWHERE) -> Conversation[list[R]]:
        """Read page after page."""
        if self._limit is not None:
            found, _ = yield from self._read_chunk(
                context, self._limit, None, requests=None, peek=0
            )
            return found
        lanes = self._lanes()
        if len(lanes) != 1:
            found, _ = yield from self._merged(lanes, context, None, None, requests=None)
            return found
        [lane] = lanes
        read, secrets = self._reading.reader(context.now()), self._reading.secrets
        expect_keys(secrets, context)
        found = list[R]()
        body = lane.step.body(context.environment)
        while True:
            answer = yield Request(lane.step.verb, body)
            items = answer["Items"]
            if secrets:
                items = yield from decrypted_all(items, secrets, context)
            found += [record for record in map(read, items) if record is not None]
            position = answer.get("LastEvaluatedKey")
            if position is None:
                return found
            body = body | {"ExclusiveStartKey": position}

    def _read_chunk(
        self,
        context: Context,
        size: int,
        start: Item | None,
        *,
        requests: int | None = PAGE_REQUESTS,
        peek: int = 1,
    ) -> Conversation[tuple[list[R], Item | None]]:
        """Return at most ``size`` records after a position, and the next position, if any.

        ``peek`` more items are read to find out whether anything follows.
        """
        lanes = self._lanes()
        if not lanes:
            return [], None
        if len(lanes) == 1:
            found = yield from lanes[0].read(context, size, start, requests=requests, peek=peek)
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
            self._place,
            context,
            size,
            start,
            requests=requests,
            forward=self._source.forward,
            primary=self._primary_names,
        )

    def _checked(self, position: Any) -> Item:
        """Return the position of a cursor; raise `BadCursor` if this walk cannot have it."""
        lanes = self._lanes()
        if len(lanes) == 1:
            return checked_position(position, lanes[0].step)
        return checked_merged_position(position, lanes)

    def _place(self, item: Item, record: R) -> Any:
        """Return the place of a record in the order of several lanes."""
        raise NotImplementedError

    def _identity(self, context: Context) -> str:
        """Return the digest that a cursor of this walk must have."""
        bodies = [lane.step.body(context.environment) for lane in self._lanes()]
        return digest(self._pattern, bodies)


def _positive(number: int, name: str) -> int:
    if number < 1:
        raise Refused(f"{name} must be at least 1, not {number}")
    return number


@dataclass(frozen=True, slots=True)
class PageOf(Operation[Page[R]], Generic[R]):
    """One page of a walk."""

    _walk: Walk[R]
    _size: int
    _after: str | None
    _requests: int

    def _of_pattern(self, name: str) -> Self:
        """Note the pattern that made this page: only that pattern accepts its cursors."""
        return revised(self, _walk=self._walk._of_pattern(name), _pattern=name)

    def _plan(self) -> Plan:
        """Return the walk's request, with this page's size."""
        return self._walk._plan_of(self._size, peek=1)

    def _steps(self, context: Context = ANYWHERE) -> Conversation[Page[R]]:
        """Send as many requests as the page needs."""
        # The digest is computed only if a cursor is read or written.
        walk, start = self._walk, None
        if self._after is not None:
            given = read_cursor(self._after, walk._identity(context), context.cursors)
            start = walk._checked(given)
        steps = walk._read_chunk(context, self._size, start, requests=self._requests)
        found, position = yield from steps if start is None else continued(steps)
        if position is None:
            return Page(found)
        return Page(found, write_cursor(walk._identity(context), position, context.cursors))


@dataclass(frozen=True, slots=True)
class First(Operation[R | None], Generic[R]):
    """The first record of a walk."""

    _walk: Walk[R]

    def _plan(self) -> Plan:
        """Return the walk's request, for one record."""
        return self._walk._plan_of(1)

    def _steps(self, context: Context = ANYWHERE) -> Conversation[R | None]:
        """Send requests until a record is found or there are no more."""
        for_one = revised(self._walk, _limit=1)
        found = yield from for_one._steps(context)
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class One(Operation[R | None], Generic[R]):
    """The only record of a walk."""

    _walk: Walk[R]

    def _plan(self) -> Plan:
        """Return the walk's request, for two records."""
        return self._walk._plan_of(2)

    def _steps(self, context: Context = ANYWHERE) -> Conversation[R | None]:
        """Send requests until a second record is found or there are no more."""
        for_two = revised(self._walk, _limit=2)
        found = yield from for_two._steps(context)
        if len(found) > 1:
            step = self._walk._source
            where = f"{step.entity} in {step.index}" if step.index else step.entity
            raise TooMany(f"one() expects at most one record, and found a second {where}")
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class Count(Operation[int]):
    """The number of records of a walk."""

    _walk: Walk[Any]

    def _plan(self) -> Plan:
        """Return the walk's plan."""
        return self._walk._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[int]:
        """Read every page and count its records."""
        position: Item | None = None
        total = 0
        while True:
            found, position = yield from self._walk._read_chunk(
                context, _COUNTED, position, requests=1
            )
            total += len(found)
            if position is None:
                return total


@dataclass(frozen=True, slots=True)
class ReadChunk(Operation[tuple[list[R], Item | None]], Generic[R]):
    """Some records after a position, and the next position."""

    walk: Walk[R]
    size: int
    after: Item | None

    def _plan(self) -> Plan:
        """Return the walk's plan."""
        return self.walk._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[tuple[list[R], Item | None]]:
        """Send as many requests as a page of this size needs."""
        self.walk._refuse_limited("each() reads all records")
        return (yield from self.walk._read_chunk(context, self.size, self.after))


def read_chunk(operation: Operation[list[R]], size: int, after: Item | None) -> ReadChunk[R]:
    """Return an operation that reads some records of a query or scan after a position."""
    if not isinstance(operation, Walk):
        raise Refused(
            f"each() takes a query or a scan, and this is {a(type(operation).__name__)}: "
            "run it with db(...)"
        )
    walk = cast("Walk[R]", operation)
    return ReadChunk(walk, size, after, _pattern=walk._pattern)
