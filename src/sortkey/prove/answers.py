"""Answers: the actual results of a pattern, over all of its pages."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from sortkey.access.db import DB
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.drawn import Drawn
from sortkey.design.plans.tracing import TracedCall, calls
from sortkey.design.raw.operation import RawOperation
from sortkey.operations.operation import Operation
from sortkey.operations.page import Page
from sortkey.operations.walk import PageOf

_SIZES = (1, 2, 3, 1_000)
_USUAL = 2
# More pages than any trial has records.
_MOST_PAGES = 200


class EndlessPages(Exception):  # noqa: N818 - named after the fault
    """Every page has a cursor, so that none is the last."""


@dataclass(frozen=True, slots=True)
class Paging:
    """The names of the arguments of a pattern that are the cursor and the page size."""

    cursor: str | None = None
    size: str | None = None

    @property
    def first_page(self) -> dict[str, Any]:
        """The arguments that request the first page."""
        arguments = {self.cursor: None, self.size: _USUAL}
        return {name: value for name, value in arguments.items() if name is not None}


def paging_of(pattern: Pattern[..., Any], design: Design) -> Paging:
    """Return how a pattern requests its next page, inferred from calls of it."""
    pages = [(call.drawn, page) for call in calls(pattern, design) if (page := _page_of(call))]
    # A pattern may pass on only some cursors; a number may equal the size by chance.
    cursors = [_named(drawn, page._after) for drawn, page in pages]
    sizes = [_named(drawn, page._size) for drawn, page in pages]
    size = sizes[0] if len({*sizes}) == 1 else None
    return Paging(next(filter(None, cursors), None), size)


def _page_of(call: TracedCall) -> PageOf[Any] | None:
    operation: Any = call.operation
    return cast("PageOf[Any]", operation) if isinstance(operation, PageOf) else None


def _named(drawn: Drawn, value: Any) -> str | None:
    values = drawn.values.items()
    return next((n for n, v in values if type(v) is type(value) and v == value), None)


@dataclass(frozen=True, slots=True)
class AnswerMode:
    """One way to read an answer: whole, or in pages of a size."""

    page: int | None
    read: Callable[[DB], Any]


def readings(
    operation: Operation[Any],
    pattern: Pattern[..., Any],
    arguments: Mapping[str, Any],
    paging: Paging,
) -> Iterator[AnswerMode]:
    """Yield every way to read an answer, all with the same result: whole, and by page size."""
    if isinstance(operation, PageOf):
        page = cast("PageOf[Any]", operation)
        yield AnswerMode(None, lambda db: _by_pattern(db, page, pattern, arguments, paging))
        for size in _SIZES:
            yield AnswerMode(size, lambda db, size=size: _by_size(db, page, size))
    elif isinstance(operation, RawOperation) and operation._has_pages:
        for size in (None, *_SIZES):
            yield AnswerMode(size, lambda db, size=size: _raw_pages(db, operation, size))
    else:
        yield AnswerMode(None, lambda db: db(operation))


def _by_pattern(
    db: DB,
    page: PageOf[Any],
    pattern: Pattern[..., Any],
    arguments: Mapping[str, Any],
    paging: Paging,
) -> list[Any]:
    """Read all pages as the application does, by the pattern's own cursor."""
    name = paging.cursor

    def following(cursor: str) -> Operation[Page[Any]]:
        if name is None:
            return replace(page, _after=cursor)
        return pattern(**{**arguments, name: cursor})

    return _joined(db, page, following)


def _by_size(db: DB, page: PageOf[Any], size: int) -> list[Any]:
    sized = replace(page, _size=size)
    return _joined(db, sized, lambda cursor: replace(sized, _after=cursor))


def _raw_pages(db: DB, operation: RawOperation, size: int | None) -> list[Any]:
    [step] = operation._parts
    sized = operation if size is None else replace(operation, _parts=(replace(step, limit=size),))
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
    raise EndlessPages("the pages never end: each has a cursor to another")
