"""What an answer should be, and how one that is not differs from it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, cast

from pydantic import ValidationError

from sortkey.design.entity import Entity
from sortkey.errors import NotFound, TooMany

FaultName: TypeAlias = Literal[
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
class Fault:
    """What is wrong with an answer, in one sentence, beside what it should have been.

    ``about`` are the records or items that show it: those that are missing, or that are returned
    and should not be, or the first two that come in the wrong order.
    """

    told: str
    wanted: Any
    found: Any
    name: FaultName = "error"
    about: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Several:
    """Records in groups: these in their order, those within a group in any."""

    groups: Sequence[Sequence[Any]]
    most: int | None = None

    @property
    def records(self) -> list[Any]:
        """All of them."""
        return [record for group in self.groups for record in group]

    @property
    def shown(self) -> list[Any]:
        """As many as there should be."""
        return self.records[: self.most]


@dataclass(frozen=True, slots=True)
class Single:
    """One of these records; None where there are none. ``sole`` where there may be no second."""

    options: Sequence[Any]
    sole: bool = False
    required: bool = False


@dataclass(frozen=True, slots=True)
class Counted:
    """How many of these records there are."""

    records: Sequence[Any]

    @property
    def count(self) -> int:
        """The number that should be returned."""
        return len(self.records)


@dataclass(frozen=True, slots=True)
class Together:
    """Several answers: the members of a collection, or the records of a batch by their place."""

    parts: Mapping[str | int, "Several | Single"]


Wanted: TypeAlias = Several | Single | Counted | Together


def count_of(wanted: Wanted) -> int:
    """Return how many records an answer should have."""
    match wanted:
        case Several():
            return len(wanted.records)
        case Single(options):
            return len(options)
        case Together(parts):
            return sum(map(count_of, parts.values()))
        case Counted():
            return wanted.count


def records_of(wanted: Wanted) -> list[Any]:
    """Return every record that an answer should have, or count."""
    match wanted:
        case Several() | Counted():
            return list(wanted.records)
        case Single(options):
            return list(options)
        case Together(parts):
            return [record for part in parts.values() for record in records_of(part)]


def raised(wanted: Wanted, error: Exception) -> Fault | None:
    """What is wrong with an error in the place of an answer, if anything."""
    match wanted:
        case Single(options, sole=True) if len(options) > 1 and isinstance(error, TooMany):
            return None
        case Single((), required=True) if isinstance(error, NotFound):
            return None
        case Together(parts) if isinstance(error, TooMany) and any(
            isinstance(part, Single) and len(part.options) > 1 for part in parts.values()
        ):
            return None
        case _:
            return Fault(f"the call raises {type(error).__name__}: {error}", shown(wanted), error)


def compared(wanted: Wanted, found: Any) -> Fault | None:
    """The first thing that is wrong with an answer, if anything."""
    return next(faults(wanted, found), None)


def faults(wanted: Wanted, found: Any) -> Iterator[Fault]:
    """Everything that is wrong with an answer."""
    match wanted:
        case Counted():
            if found != wanted.count:
                told = f"the count is {found}, and should be {wanted.count}"
                yield Fault(told, wanted.count, found, "count")
        case Single():
            yield from _single(wanted, found)
        case Several():
            yield from _several(wanted, list(found))
        case Together(parts):
            for name, part in parts.items():
                own = found[name] if isinstance(name, int) else getattr(found, name)
                for fault in faults(part, own):
                    yield replace(fault, told=f"{name}: {fault.told}")


def shown(wanted: Wanted) -> Any:
    """What should have come back, for people."""
    match wanted:
        case Counted():
            return wanted.count
        case Single(options):
            return options[0] if options else None
        case Several():
            return wanted.shown
        case Together(parts):
            return {name: shown(part) for name, part in parts.items()}


def _single(wanted: Single, found: Any) -> Iterator[Fault]:
    options = wanted.options
    expected = options[0] if options else None
    if found is None:
        if options:
            yield Fault("a record is missing", expected, None, "missing", (expected,))
    elif not any(seen(record, found) == found for record in options):
        yield Fault(_UNEXPECTED, expected, found, "unexpected", (found,))


def _several(wanted: Several, found: list[Any]) -> Iterator[Fault]:
    expected = [seen(record, found[0]) if found else record for record in wanted.records]
    extra = without(found, expected)
    twice = [record for record in extra if record in expected]
    if twice:
        yield Fault("a record is returned twice", wanted.shown, found, "twice", (twice[0],))
    foreign = [record for record in extra if record not in expected]
    if foreign:
        yield Fault(_UNEXPECTED, wanted.shown, found, "unexpected", tuple(foreign))
    count = len(expected) if wanted.most is None else min(wanted.most, len(expected))
    if len(found) - len(extra) < count:
        pairs = zip(expected, wanted.records, strict=True)
        left = without(expected, found)
        missing = tuple(record for seen_as, record in pairs if seen_as in left)
        yield Fault("a record is missing", wanted.shown, found, "missing", missing)
    elif not extra and len(found) > count:
        told = f"{len(found)} records are returned, and should be {count}"
        yield Fault(told, wanted.shown, found, "number", tuple(found[count:]))
    elif not extra:
        fault = _order(wanted, found)
        if fault is not None:
            yield fault


def _order(wanted: Several, found: list[Any]) -> Fault | None:
    place = 0
    for group in wanted.groups:
        own = found[place : place + len(group)]
        if not own:
            return None
        early = without(own, [seen(record, own[0]) for record in group])
        if early:
            late = without([seen(record, own[0]) for record in group], own)
            told = "the records are returned in another order"
            return Fault(told, wanted.shown, found, "order", (early[0], *late[:1]))
        place += len(own)
    return None


def without(some: Sequence[Any], others: Sequence[Any]) -> list[Any]:
    """What is left of some when each of the others is taken away once."""
    left = list(some)
    for other in others:
        if other in left:
            left.remove(other)
    return left


def seen(record: Any, like: Any) -> Any:
    """A record of the oracle in the shape in which an answer has it."""
    shape = cast("Any", type(like))  # pyright: ignore[reportUnknownArgumentType]
    # A record of another entity keeps its own shape.
    if isinstance(like, Entity) or not hasattr(shape, "model_fields"):
        return record
    values = {name: getattr(record, name, None) for name in shape.model_fields}
    try:
        return shape.model_validate(values, by_name=True)
    except ValidationError:
        return record
