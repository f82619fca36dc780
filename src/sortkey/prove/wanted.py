"""The expected answer of a call, and how the actual one differs from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from pydantic import ValidationError

from sortkey.design.declaring.entity import Entity
from sortkey.errors import NotFound, TooMany
from sortkey.wording.prose import counted

MismatchName: TypeAlias = Literal[
    "missing",
    "unexpected",
    "twice",
    "order",
    "number",
    "count",
    "projection",
    "error",
    "meaning",
    "write",
]

_UNEXPECTED = "a record is returned that does not belong to the answer"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The difference between an answer and the expected one, in one sentence.

    ``about`` has the records or items that show it: the missing ones, the unexpected ones, or the
    first two in the wrong order.
    """

    message: str
    wanted: Any
    found: Any
    name: MismatchName = "error"
    about: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Several:
    """Groups of records: the groups have an order, the records within a group do not."""

    groups: Sequence[Sequence[Any]]
    most: int | None = None

    @property
    def records(self) -> list[Any]:
        """The records of all groups."""
        return [record for group in self.groups for record in group]

    @property
    def shown(self) -> list[Any]:
        """The expected records, at most ``most``."""
        return self.records[: self.most]


@dataclass(frozen=True, slots=True)
class Single:
    """One of these records, or None if there are none; with ``sole``, a second is an error."""

    options: Sequence[Any]
    sole: bool = False
    required: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """The number of these records."""

    records: Sequence[Any]

    @property
    def count(self) -> int:
        """The number that should be returned."""
        return len(self.records)


@dataclass(frozen=True, slots=True)
class WantedParts:
    """Several answers: the members of a collection, or the records of a batch by position."""

    parts: Mapping[str | int, "Several | Single"]


Wanted: TypeAlias = Several | Single | Counted | WantedParts


def count_of(wanted: Wanted) -> int:
    """Return how many records an answer should have."""
    match wanted:
        case Several():
            return len(wanted.records)
        case Single(options):
            return len(options)
        case WantedParts(parts):
            return sum(map(count_of, parts.values()))
        case Counted():
            return wanted.count


def records_of(wanted: Wanted) -> list[Any]:
    """Return every record that an answer should contain or count."""
    match wanted:
        case Several() | Counted():
            return list(wanted.records)
        case Single(options):
            return list(options)
        case WantedParts(parts):
            return [record for part in parts.values() for record in records_of(part)]


def raised(wanted: Wanted, error: Exception) -> Mismatch | None:
    """Return the mismatch of an error raised instead of an answer; None if it is expected."""
    match wanted:
        case Single(options, sole=True) if len(options) > 1 and isinstance(error, TooMany):
            return None
        case Single((), required=True) if isinstance(error, NotFound):
            return None
        case WantedParts(parts) if isinstance(error, TooMany) and any(
            isinstance(part, Single) and len(part.options) > 1 for part in parts.values()
        ):
            return None
        case _:
            return Mismatch(
                f"the call raises {type(error).__name__}: {error}", shown(wanted), error
            )


def compared(wanted: Wanted, found: Any) -> Mismatch | None:
    """Return the first mismatch of an answer, or None."""
    return next(mismatches(wanted, found), None)


def mismatches(wanted: Wanted, found: Any) -> Iterator[Mismatch]:
    """Yield every mismatch of an answer."""
    match wanted:
        case Counted():
            if found != wanted.count:
                message = f"the count is {found} but should be {wanted.count}"
                yield Mismatch(message, wanted.count, found, "count")
        case Single():
            yield from _single(wanted, found)
        case Several():
            yield from _several(wanted, list(found))
        case WantedParts(parts):
            for name, part in parts.items():
                own = found[name] if isinstance(name, int) else getattr(found, name)
                for mismatch in mismatches(part, own):
                    yield replace(mismatch, message=f"{name}: {mismatch.message}")


def shown(wanted: Wanted) -> Any:
    """Return the expected answer as it is shown in a report."""
    match wanted:
        case Counted():
            return wanted.count
        case Single(options):
            return options[0] if options else None
        case Several():
            return wanted.shown
        case WantedParts(parts):
            return {name: shown(part) for name, part in parts.items()}


def _single(wanted: Single, found: Any) -> Iterator[Mismatch]:
    options = wanted.options
    expected = options[0] if options else None
    if found is None:
        if options:
            yield Mismatch("a record is missing", expected, None, "missing", (expected,))
    elif not any(seen(record, found) == found for record in options):
        yield Mismatch(_UNEXPECTED, expected, found, "unexpected", (found,))


def _several(wanted: Several, found: list[Any]) -> Iterator[Mismatch]:
    expected = [seen(record, found[0]) if found else record for record in wanted.records]
    extra = without(found, expected)
    twice = [record for record in extra if record in expected]
    if twice:
        yield Mismatch("a record is returned twice", wanted.shown, found, "twice", (twice[0],))
    foreign = [record for record in extra if record not in expected]
    if foreign:
        yield Mismatch(_UNEXPECTED, wanted.shown, found, "unexpected", tuple(foreign))
    count = len(expected) if wanted.most is None else min(wanted.most, len(expected))
    if len(found) - len(extra) < count:
        pairs = zip(expected, wanted.records, strict=True)
        left = without(expected, found)
        missing = tuple(record for seen_as, record in pairs if seen_as in left)
        yield Mismatch("a record is missing", wanted.shown, found, "missing", missing)
    elif not extra and len(found) > count:
        message = f"the call returns {counted(len(found), 'record')} instead of {count}"
        yield Mismatch(message, wanted.shown, found, "number", tuple(found[count:]))
    elif not extra:
        mismatch = _order(wanted, found)
        if mismatch is not None:
            yield mismatch


def _order(wanted: Several, found: list[Any]) -> Mismatch | None:
    place = 0
    for group in wanted.groups:
        own = found[place : place + len(group)]
        if not own:
            return None
        early = without(own, [seen(record, own[0]) for record in group])
        if early:
            late = without([seen(record, own[0]) for record in group], own)
            message = "the records are returned in the wrong order"
            return Mismatch(message, wanted.shown, found, "order", (early[0], *late[:1]))
        place += len(own)
    return None


def without(some: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """Return ``some`` after removing each of the others once."""
    left = list(some)
    for other in others:
        if other in left:
            left.remove(other)
    return left


def seen(record: Any, like: Any) -> Any:
    """Return a record of the oracle in the shape of an answer's record."""
    shape = cast("Any", type(like))  # pyright: ignore[reportUnknownArgumentType]
    # A record of another entity keeps its own shape.
    if isinstance(like, Entity) or not hasattr(shape, "model_fields"):
        return record
    values = {name: getattr(record, name, None) for name in shape.model_fields}
    try:
        return shape.model_validate(values, by_name=True)
    except ValidationError:
        return record
