"""Answers: what a pattern really returns, over all of its pages."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from sortkey.access.db import DB
from sortkey.design.design import Design
from sortkey.design.drawn import Drawn
from sortkey.design.pattern import Pattern
from sortkey.design.raw.operation import RawOperation
from sortkey.design.tracing import Call, calls
from sortkey.operations.operation import Operation
from sortkey.operations.page import Page
from sortkey.operations.walk import PageOf

_SIZES = (1, 2, 3, 1_000)
_USUAL = 2
# No trial has as many records.
_MOST_PAGES = 200


class EndlessPages(Exception):  # noqa: N818 - says what was found
    """Page after page comes back, and none is the last."""


@dataclass(frozen=True, slots=True)
class Paging:
    """Which arguments of a pattern continue after a cursor, and say how long a page is."""

    cursor: str | None = None
    size: str | None = None

    @property
    def first_page(self) -> dict[str, Any]:
        """The arguments that ask for the first page, where they must be given."""
        said = {self.cursor: None, self.size: _USUAL}
        return {name: value for name, value in said.items() if name is not None}


def paging_of(pattern: Pattern[..., Any], design: Design) -> Paging:
    """How a pattern is asked for its next page, seen from calls of it."""
    pages = [(call.drawn, page) for call in calls(pattern, design) if (page := _page_of(call))]
    # A pattern may pass on only some cursors, but a number may be a size by chance.
    cursors = [_named(drawn, page.after) for drawn, page in pages]
    sizes = [_named(drawn, page.size) for drawn, page in pages]
    size = sizes[0] if len({*sizes}) == 1 else None
    return Paging(next(filter(None, cursors), None), size)


def _page_of(call: Call) -> PageOf[Any] | None:
    operation: Any = call.operation
    return cast("PageOf[Any]", operation) if isinstance(operation, PageOf) else None


def _named(drawn: Drawn, value: Any) -> str | None:
    values = drawn.values.items()
    return next((n for n, v in values if type(v) is type(value) and v == value), None)


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read an answer: in pages of a size, or as it comes."""

    page: int | None
    read: Callable[[DB], Any]


def readings(
    operation: Operation[Any],
    pattern: Pattern[..., Any],
    arguments: Mapping[str, Any],
    paging: Paging,
) -> Iterator[Reading]:
    """Every way in which an answer should be the same: whole, and at every size of its pages."""
    if isinstance(operation, PageOf):
        page = cast("PageOf[Any]", operation)
        yield Reading(None, lambda db: _by_pattern(db, page, pattern, arguments, paging))
        for size in _SIZES:
            yield Reading(size, lambda db, size=size: _by_size(db, page, size))
    elif isinstance(operation, RawOperation) and operation.has_pages:
        for size in (None, *_SIZES):
            yield Reading(size, lambda db, size=size: _raw_pages(db, operation, size))
    else:
        yield Reading(None, lambda db: db(operation))


def _by_pattern(
    db: DB, page: PageOf[Any], pattern: Pattern[..., Any], given: Mapping[str, Any], paging: Paging
) -> list[Any]:
    """All pages as the application asks for them, by the pattern's own cursor."""
    name = paging.cursor

    def following(cursor: str) -> Operation[Page[Any]]:
        if name is None:
            return replace(page, after=cursor)
        return pattern(**{**given, name: cursor})

    return _joined(db, page, following)


def _by_size(db: DB, page: PageOf[Any], size: int) -> list[Any]:
    sized = replace(page, size=size)
    return _joined(db, sized, lambda cursor: replace(sized, after=cursor))


def _raw_pages(db: DB, operation: RawOperation, size: int | None) -> list[Any]:
    [step] = operation.parts
    sized = operation if size is None else replace(operation, parts=(replace(step, limit=size),))
    return _joined(db, sized, sized.after)


def _joined(
    db: DB, first: Operation[Page[Any]], following: Callable[[str], Operation[Page[Any]]]
) -> list[Any]:
    found: list[Any] = []
    operation = first
    for _ in range(_MOST_PAGES):
        page = db(operation)
        found += page.items
        if page.cursor is None:
            return found
        operation = following(page.cursor)
    raise EndlessPages("page after page comes back, and none is the last")
