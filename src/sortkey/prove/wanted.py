"""What an answer should be, and how one that is not differs from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from sortkey.design.entity import Entity
from sortkey.errors import NotFound, TooMany

OTHER_ORDER = "the records come back in another order"


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with an answer, in one sentence, beside what it should have been."""

    told: str
    wanted: Any
    found: Any


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
    """How many there are."""

    count: int


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
        case Counted(count):
            return count


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
            return Fault(f"it raises {type(error).__name__}: {error}", shown(wanted), error)


def compared(wanted: Wanted, found: Any) -> Fault | None:
    """What is wrong with an answer, if anything."""
    match wanted:
        case Counted(count):
            return (
                None if found == count else Fault(f"it counts {found}, not {count}", count, found)
            )
        case Single():
            return _single(wanted, found)
        case Several():
            return _several(wanted, list(found))
        case Together(parts):
            for name, part in parts.items():
                own = found[name] if isinstance(name, int) else getattr(found, name)
                fault = compared(part, own)
                if fault is not None:
                    return Fault(f"{name}: {fault.told}", fault.wanted, fault.found)
            return None


def shown(wanted: Wanted) -> Any:
    """What should have come back, for people."""
    match wanted:
        case Counted(count):
            return count
        case Single(options):
            return options[0] if options else None
        case Several():
            return wanted.shown
        case Together(parts):
            return {name: shown(part) for name, part in parts.items()}


def _single(wanted: Single, found: Any) -> Fault | None:
    options = wanted.options
    if found is None:
        return Fault("a record is missing", options[0], None) if options else None
    if any(seen(record, found) == found for record in options):
        return None
    told = "a record comes back that does not belong to the answer"
    return Fault(told, options[0] if options else None, found)


def _several(wanted: Several, found: list[Any]) -> Fault | None:
    expected = [seen(record, found[0]) if found else record for record in wanted.records]
    extra = without(found, expected)
    if extra:
        twice = any(record == extra[0] for record in expected)
        told = (
            "a record comes back twice"
            if twice
            else "a record comes back that does not belong to the answer"
        )
        return Fault(told, wanted.shown, found)
    count = len(expected) if wanted.most is None else min(wanted.most, len(expected))
    if len(found) < count:
        return Fault("a record is missing", wanted.shown, found)
    if len(found) > count:
        return Fault(f"{len(found)} records come back, not {count}", wanted.shown, found)
    return _order(wanted, found)


def _order(wanted: Several, found: list[Any]) -> Fault | None:
    place = 0
    for group in wanted.groups:
        own = found[place : place + len(group)]
        if not own:
            return None
        if without(own, [seen(record, own[0]) for record in group]):
            return Fault(OTHER_ORDER, wanted.shown, found)
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
    return shape.model_validate(values, by_name=True)
