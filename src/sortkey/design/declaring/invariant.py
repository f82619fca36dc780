"""Invariants: statements that are true of a design's records after each write."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import update_wrapper
from itertools import product
from typing import (
    Generic,
    ParamSpec,
    TypeAlias,
    TypeGuard,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from sortkey.design.declaring.entity import Entity
from sortkey.design.tables.table import TableDefinition
from sortkey.errors import Refused

P = ParamSpec("P")

# The stored records of each entity.
Records: TypeAlias = Mapping[type[Entity], Sequence[Entity]]


@dataclass(frozen=True, slots=True)
class InvariantArgument:
    """One argument of an invariant: each record of an entity in turn, or the list of all."""

    name: str
    entity: type[Entity]
    each: bool


@dataclass(frozen=True, slots=True)
class Breach:
    """The records for which an invariant does not hold; none if it is about all of them."""

    records: tuple[Entity, ...]
    error: str = ""

    def describe(self, shown: Callable[[Entity], str] = repr) -> str:
        """Return the records that break it, as ``shown`` writes them, and any exception."""
        whose = f"broken by {' and '.join(map(shown, self.records))}" if self.records else "broken"
        return f"{whose}: it raises {self.error}" if self.error else whose


class Invariant(Generic[P]):
    """A statement about records that every write of the design must keep true.

    Calling it calls the function, as a test might.
    """

    def __init__(self, function: Callable[P, bool], title: str) -> None:
        self.function = function
        self.name = function.__name__
        self.title = title
        self.doc = inspect.getdoc(function) or ""
        update_wrapper(self, function)
        self.wanted = tuple(self._wanted())
        for table in self.tables:
            _declare(self, table)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> bool:
        """Return whether it is true of these records."""
        return self.function(*args, **kwargs)

    @property
    def entities(self) -> tuple[type[Entity], ...]:
        """The entities whose records it looks at."""
        return tuple(dict.fromkeys(wanted.entity for wanted in self.wanted))

    @property
    def tables(self) -> tuple[TableDefinition, ...]:
        """The tables of these entities."""
        return tuple(dict.fromkeys(entity.__kind__.table for entity in self.entities))

    def breach(self, records: Records) -> Breach | None:
        """Return the first records for which it does not hold, or None."""
        choices = [
            list(records[wanted.entity]) if wanted.each else [list(records[wanted.entity])]
            for wanted in self.wanted
        ]
        function = cast("Callable[..., object]", self.function)  # an annotation may be wrong
        for chosen in product(*choices):
            each = tuple(r for wanted, r in zip(self.wanted, chosen, strict=True) if wanted.each)
            named = tuple(record for record in each if isinstance(record, Entity))
            try:
                held = function(*chosen)
            except Exception as error:  # noqa: BLE001 - whatever a design's own function raises
                return Breach(named, f"{type(error).__name__}: {error}")
            if not isinstance(held, bool):
                raise Refused(
                    f"the invariant {self.name} returned {held!r}: return True if it holds and "
                    "False if it is broken"
                )
            if not held:
                return Breach(named)
        return None

    def _wanted(self) -> Iterator[InvariantArgument]:
        signature = inspect.signature(self.function)
        if not signature.parameters:
            raise self._refusal("it takes no records")
        try:
            types = get_type_hints(self.function)
        except NameError as error:
            raise self._refusal(f"its annotations cannot be read, since {error}") from None
        for name, parameter in signature.parameters.items():
            annotation = types.get(name)
            inner = get_args(annotation)
            is_list = get_origin(annotation) is list and len(inner) == 1
            entity = inner[0] if is_list else annotation
            if parameter.kind is not parameter.POSITIONAL_OR_KEYWORD:
                raise self._refusal(f"{name} is not a plain parameter")
            if not _is_stored(entity):
                raise self._refusal(f"{name} is not annotated with an entity that has a table")
            yield InvariantArgument(name, entity, not is_list)

    def _refusal(self, why: str) -> Refused:
        return Refused(
            f"the invariant {self.name}: {why}. Annotate a parameter with an entity to look at "
            "each of its records, or with a list of an entity to look at all of them together"
        )

    def __repr__(self) -> str:
        return f"<invariant {self.name}: {self.title}>"


def _is_stored(kind: object) -> TypeGuard[type[Entity]]:
    return isinstance(kind, type) and issubclass(kind, Entity) and "__kind__" in vars(kind)


def invariant(title: str) -> Callable[[Callable[P, bool]], Invariant[P]]:
    """Declare a statement that is true of the stored records after every write of the design.

    The function returns whether it holds. A parameter that is annotated with an entity receives
    each of its records; one with a list of an entity, all of them: ``def balanced(account: Account,
    entries: list[Entry]) -> bool``. An expired record counts as long as it is stored. `prove` looks
    for writes that break it, and `explore` for races that do.
    """
    if not isinstance(title, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # @invariant alone
        raise Refused('an invariant has a title: write @invariant("What is always true")')

    def make(function: Callable[P, bool]) -> Invariant[P]:
        return Invariant(function, title)

    return make


def _declare(declared: Invariant[...], table: TableDefinition) -> None:
    """Add it to its tables, replacing the same one from an earlier load of its module."""
    others = [
        other
        for other in table.invariants
        if (other.__module__, other.name) != (declared.__module__, declared.name)
    ]
    table.invariants[:] = [*others, declared]
