"""The oracle: what a read should answer, found by filtering and sorting plain records.

Whether a record belongs is what the pattern states with ``where=``, else what its bindings over
fields say; the order is what ``order=`` states, else what the key's fields decide.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sortkey.design.collection import Load
from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.design.raw.operation import RawOperation
from sortkey.operations.batch import BatchGet
from sortkey.operations.get import Get, Required
from sortkey.operations.merged import Merged
from sortkey.operations.operation import Operation
from sortkey.operations.plan import Step
from sortkey.operations.query import KeyWalk
from sortkey.operations.transact import Snapshot
from sortkey.operations.walk import Count, First, One, PageOf, Walk
from sortkey.prove.meaning import (
    NoMeaning,
    Order,
    Test,
    belongs,
    belongs_to_collection,
    bound_of,
    order_by,
    order_of,
    ranked,
)
from sortkey.prove.state import State
from sortkey.prove.wanted import Counted, Several, Single, Together, Wanted

_UNSTATED = "it is a raw read without where=, so its answer is not stated"
_UNNAMED = (
    "it is a raw read without entity= or entities=, so whose records it returns is not stated"
)
_UNBUILT = "could not be built, as check reports, so its answer is not stated"


class MeaningFails(Exception):  # noqa: N818 - says what happened
    """What a pattern states about a record cannot be asked of one that may be stored."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A pattern with the arguments of one call."""

    pattern: Pattern[..., Any]
    arguments: Mapping[str, Any]

    @property
    def test(self) -> Test | None:
        """Whether a record belongs to the answer, where the pattern states it."""
        where: Any = self.pattern.where
        if where is None:
            return None
        names = list(inspect.signature(where).parameters)[1:]
        given = {**_defaults(self.pattern), **self.arguments}
        bound = {name: given[name] for name in names}
        return lambda record: bool(_stated("where", record, lambda: where(record, **bound)))

    @property
    def order(self) -> Order | None:
        """What the answer is sorted by, where the pattern states it."""
        order = self.pattern.order
        if order is None:
            return None
        return lambda record: _stated("order", record, lambda: order(record))


def _stated(member: str, record: Any, ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Exception as error:
        told = f"its {member}= raises {type(error).__name__} ({error}) for {record!r}"
        raise MeaningFails(told) from error


def _defaults(pattern: Pattern[..., Any]) -> dict[str, Any]:
    parameters = inspect.signature(pattern.function).parameters
    return {n: p.default for n, p in parameters.items() if p.default is not p.empty}


class Oracle:
    """Knows every record, and asks nothing else."""

    def __init__(self, design: Design) -> None:
        self._kinds = {(str(kind.table), kind.name): kind for kind in design.kinds}

    def wanted(self, operation: Operation[Any], asked: Asked, state: State) -> Wanted:
        """What a read should answer; `NoMeaning` where nothing says so."""
        try:
            return self._wanted(operation, asked, state)
        except TypeError as error:
            raise MeaningFails(f"its records cannot be sorted by order=: {error}") from error

    def _wanted(self, operation: Operation[Any], asked: Asked, state: State) -> Wanted:
        match operation:
            case Get():
                return self._got(operation, asked, state)
            case Required(get):
                found = self._got(get, asked, state)
                return Single(found.options, required=True)
            case BatchGet() | Snapshot():
                each = cast("Sequence[Get[Any]]", cast("Any", operation).gets)
                alone = Asked(_without_meaning(asked.pattern), asked.arguments)
                return Together({n: self._got(get, alone, state) for n, get in enumerate(each)})
            case Load():
                return self._collected(operation, asked, state)
            case RawOperation():
                return self._raw(operation, asked, state)
            case _:
                return self._walked(operation, asked, state)

    def _walked(self, operation: Operation[Any], asked: Asked, state: State) -> Wanted:
        match operation:
            case PageOf():
                return self._several(cast("PageOf[Any]", operation).walk, asked, state)
            case First():
                groups = self._several(cast("First[Any]", operation).walk, asked, state).groups
                return Single(groups[0] if groups else ())
            case One():
                walk = cast("One[Any]", operation).walk
                return Single(self._several(walk, asked, state).records, sole=True)
            case Count():
                return Counted(self._several(operation.walk, asked, state).records)
            case Walk():
                return self._several(cast("Walk[Any]", operation), asked, state)
            case _:
                name = type(operation).__name__
                raise NoMeaning(f"the result of a {name} is not derived")

    def _got(self, get: Get[Any], asked: Asked, state: State) -> Single:
        kind = cast("EntityKind[Any]", get.kind)
        test = asked.test or belongs(get.step, kind)
        expired = get.reading.expires is None
        return Single([r for r in state.of(kind, expired=expired) if test(r)])

    def _several(self, walk: Walk[Any], asked: Asked, state: State) -> Several:
        steps = walk.plan().steps
        kinds = list(dict.fromkeys(k for s in (walk.source, *steps) for k in self.kinds_of(s)))
        expired = walk.reading.expires is None
        test = asked.test or _any_of(steps, kinds)
        found = [r for kind in kinds for r in state.of(kind, expired=expired) if test(r)]
        return Several(_ordered(found, walk, asked, steps), walk.most)

    def _collected(self, load: Load[Any], asked: Asked, state: State) -> Together:
        walk = load.walk
        bound = bound_of(walk.plan().steps[0])
        parts: dict[str | int, Several | Single] = {}
        for member in load.collection.__collection__.members:
            test = asked.test or belongs_to_collection(member.key, bound)
            found = [r for r in state.of(member.kind) if test(r)]
            fixed = {
                (slot.field, slot.spec)
                for part in member.key.sort
                for slot in part.template.slots
                if slot.field in bound
            }
            order = asked.order or order_by(member.key, fixed)
            forward = not asked.pattern.descending if asked.order else walk.source.forward
            parts[member.name] = (
                Several(ranked(found, order, forward=forward))
                if member.many
                else Single(found, sole=True)
            )
        return Together(parts)

    def _raw(self, operation: RawOperation, asked: Asked, state: State) -> Wanted:
        test, kinds = asked.test, self._raw_kinds(operation)
        if test is None:
            raise NoMeaning(_UNSTATED)
        found = [record for kind in kinds for record in state.of(kind) if test(record)]
        if operation.operation == "GetItem":
            return Single(found)
        if operation.requests[0].select == "COUNT":
            return Counted(found)
        return Several(_stated_order(found, asked), operation.first)

    def _raw_kinds(self, operation: RawOperation) -> list[EntityKind[Any]]:
        named = [kind for step in operation.parts for kind in self.kinds_of(step)]
        tables = {str(step.table) for step in operation.parts}
        there = [kind for (table, _), kind in self._kinds.items() if table in tables]
        stated = dict.fromkeys(name for step in operation.parts for name in step.entities)
        if stated and not named:
            raise NoMeaning(f"{', '.join(stated)} {_UNBUILT}")
        if named or len(there) == 1:
            return list(dict.fromkeys(named or there))
        raise NoMeaning(_UNNAMED)

    def kinds_of(self, step: Step) -> Iterator[EntityKind[Any]]:
        """The entities whose records a step is about."""
        for name in step.entities:
            kind = self._kinds.get((str(step.table), name))
            if kind is not None:
                yield kind


def _without_meaning(pattern: Pattern[..., Any]) -> Pattern[..., Any]:
    """The pattern as if it stated nothing: of several records by key, each has its own."""
    return Pattern(pattern.function, pattern.title)


def _any_of(steps: Sequence[Step], kinds: Sequence[EntityKind[Any]]) -> Test:
    tests = [(kind, belongs(step, kind)) for step in steps for kind in kinds]
    return lambda record: any(record.__kind__ is kind and test(record) for kind, test in tests)


def _ordered(
    found: list[Entity], walk: Walk[Any], asked: Asked, steps: Sequence[Step]
) -> list[list[Any]]:
    if asked.order is not None:
        return _stated_order(found, asked)
    match walk:
        case Merged():
            return ranked(found, walk.by, forward=walk.source.forward)
        case KeyWalk() if steps:
            order = order_of(cast("Any", walk.access), steps[0])
            return ranked(found, order, forward=walk.source.forward)
        case _:
            return [found] if found else []


def _stated_order(found: list[Entity], asked: Asked) -> list[list[Any]]:
    if asked.order is None:
        return [found] if found else []
    return ranked(found, asked.order, forward=not asked.pattern.descending)
