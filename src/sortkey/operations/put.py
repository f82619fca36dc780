"""Create, put and replace: whole records."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic, Literal, Self, TypeVar

from sortkey.errors import ConditionFailed, Refused
from sortkey.expressions.tree import Or, Value
from sortkey.operations import lock
from sortkey.operations.action import Action, Guard, action, is_absent, is_there, is_version
from sortkey.operations.clock import now
from sortkey.operations.guards import same_frozen, unchanged
from sortkey.operations.kind import Kind
from sortkey.operations.operation import Answer
from sortkey.operations.plan import Plan
from sortkey.operations.write import Write

E = TypeVar("E")

Mode = Literal["create", "put", "replace"]


@dataclass(frozen=True, slots=True)
class Put(Write[E], Generic[E]):
    """A whole record, written; the result is the record as it is stored."""

    kind: Kind[E]
    mode: Mode
    record: E
    before: E | None
    key: dict[str, Value]
    time: float
    loaded_version: int
    asked: tuple[Guard, ...] = ()

    def where(self, test: Callable[[E], bool]) -> Self:
        """The same, only if this holds for the record that is stored before."""
        guard = where(self.kind, test)
        return replace(self, asked=(*self.asked, guard))

    def result(self, _answer: Answer, /) -> E:
        """The record as it is stored."""
        return self.record

    def actions(self) -> tuple[Action, ...]:
        """The record, and the locks of its unique fields."""
        kind = self.kind
        stored = kind.encode(self.record)
        guards = (*self._guards(), *self.asked)
        own = action("PutItem", kind, self.key, guards, item=stored)
        if not kind.uniques:
            return (own,)
        if self.before is None:
            locks = [
                a for u in kind.uniques for a in lock.take(kind, u, self.key, stored, self.time)
            ]
        else:
            old = kind.encode(self.before)
            locks = [
                a
                for u in kind.uniques
                for a in lock.move(kind, u, self.key, old, after=stored, now=self.time)
            ]
        return (own, *locks)

    def plan(self) -> Plan:
        """One request, or a transaction that takes, moves or keeps locks."""
        steps = tuple(action.step for action in self.actions())
        shape = "single" if len(steps) == 1 else "transaction"
        if self.before is None or not self.kind.uniques:
            return Plan(shape, steps)
        before = self.kind.encode(self.before)
        return Plan(shape, steps, lock.kept_steps(self.kind, self.key, before))

    def _guards(self) -> tuple[Guard, ...]:
        kind = self.kind
        if self.mode == "create":
            return (is_absent(kind, self.time),)
        if kind.version is not None:
            if self.mode == "put" and self.loaded_version == 0:
                return (is_absent(kind, self.time),)
            there = (is_there(kind, self.time), is_version(kind, self.loaded_version))
            return (*there, *self._tied(), *same_frozen(kind, self.record))
        if self.mode == "put":
            return tuple(self._absent_or(guard) for guard in same_frozen(kind, self.record))
        return (is_there(kind, self.time), *self._tied(), *same_frozen(kind, self.record))

    def _absent_or(self, guard: Guard) -> Guard:
        """The same where a record is there; a new one has nothing to keep."""
        absent = is_absent(self.kind, self.time).condition
        return replace(guard, condition=Or((absent, guard.condition)))

    def _tied(self) -> Iterator[Guard]:
        """The values that hold locks must still be the stored ones: the version does not tell."""
        if self.before is not None and self.kind.uniques:
            tied = lock.fields(self.kind, self.kind.uniques)
            yield from unchanged(self.kind, self.before, sorted(tied))


def version_of(kind: Kind[E], record: E) -> int:
    """The version that a record was loaded with; 0 where it was never stored."""
    return 0 if kind.version_field is None else int(kind.values(record)[kind.version_field])


def put(kind: Kind[E], mode: Mode, record: E, before: E | None = None) -> Put[E]:
    """The write of a whole record, stamped with the time and the next version."""
    if kind.immutable and mode != "create":
        raise Refused(f"{kind.name} is immutable: create() is the only way to write it")
    if kind.uniques and mode == "put":
        raise Refused(
            f"{kind.name} has a unique field, so put() would need the value that it overwrites: "
            "use create() for a new record, replace(before=loaded) for one that exists"
        )
    if kind.uniques and mode == "replace" and before is None:
        raise Refused(
            f"{kind.name} has a unique field: replace(before=loaded) needs the record as it was"
        )
    key = kind.key_of(record)
    time = now()
    version = 0 if mode == "create" else version_of(kind, record if before is None else before)
    stamped = kind.with_values(record, _stamps(kind, record, mode, version, time))
    return Put(kind, mode, stamped, before, key, time, version)


def _stamps(kind: Kind[E], record: E, mode: Mode, version: int, time: float) -> dict[str, Any]:
    """The values that sortkey keeps: the version and the times."""
    moment = datetime.fromtimestamp(time, UTC)
    kept: dict[str, Any] = {}
    if kind.version_field is not None:
        kept[kind.version_field] = version + 1
    if kind.updated_field is not None:
        kept[kind.updated_field] = moment
    created = kind.created_field
    if created is not None and mode != "replace" and not kind.was_given(record, created):
        kept[created] = moment
    return kept


def where(kind: Kind[E], test: Callable[[E], bool]) -> Guard:
    """The guard that a condition given by the caller makes."""
    return Guard(
        kind.condition(test), ConditionFailed, "{entity} {key} does not meet the condition"
    )
