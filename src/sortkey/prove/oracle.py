"""The oracle: the expected answer of a read, computed by filtering and sorting plain records.

The pattern's ``where=`` decides whether a record belongs to the answer, else its bindings over
fields do; ``order=`` decides the order, else the fields of the key do.
"""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sortkey.design.declaring.collection import CollectionRead
from sortkey.design.declaring.design import Design
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.pattern import Pattern
from sortkey.design.raw.operation import RawOperation
from sortkey.design.records.kind import EntityKind
from sortkey.operations.batch import BatchGet
from sortkey.operations.get import Get, Required
from sortkey.operations.get_by import GetBy, RequiredBy
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
from sortkey.prove.state import RecordState
from sortkey.prove.wanted import Counted, Several, Single, Wanted, WantedParts
from sortkey.wording.prose import a

_UNSTATED = "it is a raw read without where=, so its answer is not stated"
_UNNAMED = "it is a raw read without entity= or entities=, so its entity is not stated"
_UNBUILT = "could not be built (see `sortkey check`), so its answer is not stated"


class MeaningFails(Exception):  # noqa: N818 - named after the fault
    """The pattern's where= or order= raises an error for a record that can be stored."""


@dataclass(frozen=True, slots=True)
class PatternCall:
    """A pattern with the arguments of one call."""

    pattern: Pattern[..., Any]
    arguments: Mapping[str, Any]

    @property
    def test(self) -> Test | None:
        """The test of whether a record belongs to the answer, if the pattern states it."""
        where: Any = self.pattern.where
        if where is None:
            return None
        names = list(inspect.signature(where).parameters)[1:]
        arguments = {**_defaults(self.pattern), **self.arguments}
        bound = {name: arguments[name] for name in names}
        return lambda record: bool(_stated("where", record, lambda: where(record, **bound)))

    @property
    def order(self) -> Order | None:
        """The sort order of the answer, if the pattern states it."""
        order = self.pattern.order
        if order is None:
            return None
        return lambda record: _stated("order", record, lambda: order(record))


def _stated(member: str, record: Any, call: Callable[[], Any]) -> Any:
    try:
        return call()
    except Exception as error:
        message = f"its {member}= raises {type(error).__name__} ({error}) for {record!r}"
        raise MeaningFails(message) from error


def _defaults(pattern: Pattern[..., Any]) -> dict[str, Any]:
    parameters = inspect.signature(pattern.function).parameters
    return {n: p.default for n, p in parameters.items() if p.default is not p.empty}


class Oracle:
    """Computes expected answers from plain records alone."""

    def __init__(self, design: Design) -> None:
        self._kinds = {(str(kind.table), kind.name): kind for kind in design.kinds}

    def wanted(self, operation: Operation[Any], call: PatternCall, state: RecordState) -> Wanted:
        """Return the expected answer of a read.

        Raises `NoMeaning` if it is neither stated nor derivable, and `MeaningFails` if where= or
        order= raises an error.
        """
        try:
            return self._wanted(operation, call, state)
        except TypeError as error:
            raise MeaningFails(f"its records cannot be sorted by order=: {error}") from error

    def _wanted(self, operation: Operation[Any], call: PatternCall, state: RecordState) -> Wanted:
        match operation:
            case Get():
                return self._got(operation, call, state)
            case Required(get):
                found = self._got(get, call, state)
                return Single(found.options, required=True)
            case GetBy():
                return self._got_by(operation, call, state)
            case RequiredBy(get):
                return Single(self._got_by(get, call, state).options, required=True)
            case BatchGet() | Snapshot():
                each = cast("Sequence[Get[Any]]", cast("Any", operation)._gets)
                alone = PatternCall(_without_meaning(call.pattern), call.arguments)
                return WantedParts({n: self._got(get, alone, state) for n, get in enumerate(each)})
            case CollectionRead():
                return self._collected(operation, call, state)
            case RawOperation():
                return self._raw(operation, call, state)
            case _:
                return self._walked(operation, call, state)

    def _walked(self, operation: Operation[Any], call: PatternCall, state: RecordState) -> Wanted:
        match operation:
            case PageOf():
                return self._several(cast("PageOf[Any]", operation)._walk, call, state)
            case First():
                groups = self._several(cast("First[Any]", operation)._walk, call, state).groups
                return Single(groups[0] if groups else ())
            case One():
                walk = cast("One[Any]", operation)._walk
                return Single(self._several(walk, call, state).records, sole=True)
            case Count():
                return Counted(self._several(operation._walk, call, state).records)
            case Walk():
                return self._several(cast("Walk[Any]", operation), call, state)
            case _:
                name = type(operation).__name__
                raise NoMeaning(f"the expected result of {a(name)} cannot be derived")

    def _got(self, get: Get[Any], call: PatternCall, state: RecordState) -> Single:
        kind = cast("EntityKind[Any]", get._kind)
        test = call.test or belongs(get._step, kind)
        expired = get._reading.expires is None
        return Single([r for r in state.of(kind, expired=expired) if test(r)])

    def _got_by(self, get: GetBy[Any], call: PatternCall, state: RecordState) -> Single:
        kind = cast("EntityKind[Any]", get._kind)

        def has_values(record: Entity) -> bool:
            return all(getattr(record, name) == value for name, value in get._values.items())

        test = call.test or has_values
        return Single([record for record in state.of(kind) if test(record)])

    def _several(self, walk: Walk[Any], call: PatternCall, state: RecordState) -> Several:
        steps = walk._plan().steps
        kinds = list(dict.fromkeys(k for s in (walk._source, *steps) for k in self.kinds_of(s)))
        expired = walk._reading.expires is None
        test = call.test or _any_of(steps, kinds)
        found = [r for kind in kinds for r in state.of(kind, expired=expired) if test(r)]
        return Several(_ordered(found, walk, call, steps), walk._limit)

    def _collected(
        self, load: CollectionRead[Any], call: PatternCall, state: RecordState
    ) -> WantedParts:
        walk = load._walk
        bound = bound_of(walk._plan().steps[0])
        parts: dict[str | int, Several | Single] = {}
        for member in load._collection.__collection__.members:
            test = call.test or belongs_to_collection(member.key, bound)
            found = [r for r in state.of(member.kind) if test(r)]
            fixed = {
                (slot.field, slot.spec)
                for part in member.key.sort
                for slot in part.template.slots
                if slot.field in bound
            }
            order = call.order or order_by(member.key, fixed)
            forward = not call.pattern.descending if call.order else walk._source.forward
            parts[member.name] = (
                Several(ranked(found, order, forward=forward))
                if member.many
                else Single(found, sole=True)
            )
        return WantedParts(parts)

    def _raw(self, operation: RawOperation, call: PatternCall, state: RecordState) -> Wanted:
        test, kinds = call.test, self._raw_kinds(operation)
        if test is None:
            raise NoMeaning(_UNSTATED)
        found = [record for kind in kinds for record in state.of(kind) if test(record)]
        if operation._operation == "GetItem":
            return Single(found)
        if operation._requests[0].select == "COUNT":
            return Counted(found)
        return Several(_stated_order(found, call), operation._first)

    def _raw_kinds(self, operation: RawOperation) -> list[EntityKind[Any]]:
        named = [kind for step in operation._parts for kind in self.kinds_of(step)]
        tables = {str(step.table) for step in operation._parts}
        there = [kind for (table, _), kind in self._kinds.items() if table in tables]
        stated = dict.fromkeys(name for step in operation._parts for name in step.entities)
        if stated and not named:
            raise NoMeaning(f"{', '.join(stated)} {_UNBUILT}")
        if named or len(there) == 1:
            return list(dict.fromkeys(named or there))
        raise NoMeaning(_UNNAMED)

    def kinds_of(self, step: Step) -> Iterator[EntityKind[Any]]:
        """Yield the entities of a step."""
        for name in step.entities:
            kind = self._kinds.get((str(step.table), name))
            if kind is not None:
                yield kind


def _without_meaning(pattern: Pattern[..., Any]) -> Pattern[..., Any]:
    """Return the pattern without where= and order=, which do not apply to reads by key."""
    return Pattern(pattern.function, pattern.title)


def _any_of(steps: Sequence[Step], kinds: Sequence[EntityKind[Any]]) -> Test:
    tests = [(kind, belongs(step, kind)) for step in steps for kind in kinds]
    return lambda record: any(record.__kind__ is kind and test(record) for kind, test in tests)


def _ordered(
    found: list[Entity], walk: Walk[Any], call: PatternCall, steps: Sequence[Step]
) -> list[list[Any]]:
    if call.order is not None:
        return _stated_order(found, call)
    match walk:
        case Merged():
            return ranked(found, walk.by, forward=walk._source.forward)
        case KeyWalk() if steps:
            order = order_of(cast("Any", walk._access), steps[0])
            return ranked(found, order, forward=walk._source.forward)
        case _:
            return [found] if found else []


def _stated_order(found: list[Entity], call: PatternCall) -> list[list[Any]]:
    if call.order is None:
        return [found] if found else []
    return ranked(found, call.order, forward=not call.pattern.descending)
