"""Create, put and replace: whole records."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Generic, Literal, Self, TypeVar

from sortkey.clock import now
from sortkey.errors import ConditionFailed, Refused
from sortkey.expressions.tree import Or, Value
from sortkey.operations import lock
from sortkey.operations.action import Action, Guard, action, is_absent, is_there, is_version
from sortkey.operations.guards import same_frozen, unchanged
from sortkey.operations.kind import Kind, Unique
from sortkey.operations.operation import Answer
from sortkey.operations.plan import Plan
from sortkey.operations.revising import revised
from sortkey.operations.write import Write, plan_of
from sortkey.wire.values import Item

E = TypeVar("E")

Mode = Literal["create", "put", "replace"]


@dataclass(frozen=True, slots=True)
class Put(Write[E], Generic[E]):
    """A write of a whole record; the result is the record as it is stored."""

    _kind: Kind[E]
    _mode: Mode
    record: E
    _before: E | None
    _key: dict[str, Value]
    _time: float
    _loaded_version: int
    _conditions: tuple[Guard, ...] = ()

    def where(self, test: Callable[[E], int]) -> Self:
        """Write only if the record that is stored now meets this condition."""
        guard = where(self._kind, test)
        return revised(self, _conditions=(*self._conditions, guard))

    def _result(self, _answer: Answer, /) -> E:
        """Return the record as it is stored."""
        return self.record

    def _actions(self) -> tuple[Action, ...]:
        """Return the put of the record, and the writes of its locks."""
        kind = self._kind
        stored = kind.encode(self.record)
        guards = (*self._guards(), *self._conditions)
        own = action("PutItem", kind, self._key, guards, item=stored)
        if not kind.uniques:
            return (own,)
        if self._before is None:
            locks = [
                a for u in kind.uniques for a in lock.take(kind, u, self._key, stored, self._time)
            ]
        else:
            old = kind.encode(self._before)
            locks = [a for u in kind.uniques for a in self._moved_lock(u, old, stored)]
        return (own, *locks)

    def _moved_lock(self, unique: Unique, before: Item, after: Item) -> Iterator[Action]:
        """The lock of one unique field; a record of an earlier shape may not have it yet."""
        kind, key = self._kind, self._key
        if kind.shape > 1 and lock.is_kept(unique, before, after):
            return lock.claim(kind, unique, (key, key), after, self._time)
        return lock.move(kind, unique, key, before, after=after, now=self._time)

    def _plan(self) -> Plan:
        """Return one request, or a transaction that takes, moves or keeps locks."""
        plan = plan_of(self._actions())
        if self._before is None or not self._kind.uniques:
            return plan
        kept = lock.kept_steps(self._kind, self._key, self._kind.encode(self._before))
        return revised(plan, later=(*kept, *plan.later))

    def _guards(self) -> tuple[Guard, ...]:
        kind = self._kind
        if self._mode == "create":
            return (is_absent(kind, self._time),)
        if kind.version is not None:
            if self._mode == "put" and self._loaded_version == 0:
                return (is_absent(kind, self._time),)
            there = (is_there(kind, self._time), is_version(kind, self._loaded_version))
            return (*there, *self._tied(), *same_frozen(kind, self.record))
        if self._mode == "put":
            return tuple(self._absent_or(guard) for guard in same_frozen(kind, self.record))
        return (is_there(kind, self._time), *self._tied(), *same_frozen(kind, self.record))

    def _absent_or(self, guard: Guard) -> Guard:
        """Apply a guard only if a record exists: a new one has nothing to preserve."""
        absent = is_absent(self._kind, self._time).condition
        return revised(guard, condition=Or((absent, guard.condition)))

    def _tied(self) -> Iterator[Guard]:
        """Require that locked values are stored as loaded, which the version does not ensure."""
        if self._before is not None and self._kind.uniques:
            tied = lock.fields(self._kind, self._kind.uniques)
            yield from unchanged(self._kind, self._before, sorted(tied))


def version_of(kind: Kind[E], record: E) -> int:
    """Return the version that a record was loaded with; 0 if it was never stored."""
    return 0 if kind.version_field is None else int(kind.values(record)[kind.version_field])


def put(kind: Kind[E], mode: Mode, record: E, before: E | None = None) -> Put[E]:
    """Return the write of a whole record, with the current time and the next version."""
    if kind.immutable and mode != "create":
        raise Refused(f"{kind.name} is immutable: create() is the only way to write it")
    if kind.uniques and mode == "put":
        raise Refused(
            f"{kind.name} has a unique field, so put() would need the value that it overwrites: "
            "use create() for a new record, or replace(before=loaded) for an existing one"
        )
    if kind.uniques and mode == "replace" and before is None:
        raise Refused(
            f"{kind.name} has a unique field, so replace() needs the value that it overwrites: "
            "use replace(before=loaded)"
        )
    key = kind.key_of(record)
    time = now()
    version = 0 if mode == "create" else version_of(kind, record if before is None else before)
    stamped = kind.with_values(record, _stamps(kind, record, mode, version, time))
    return Put(kind, mode, stamped, before, key, time, version)


def _stamps(kind: Kind[E], record: E, mode: Mode, version: int, time: float) -> dict[str, Any]:
    """Return the fields that sortkey maintains: the version and the times."""
    moment = datetime.fromtimestamp(time, UTC)
    kept: dict[str, Any] = {}
    if kind.version_field is not None:
        kept[kind.version_field] = version + 1
    if kind.updated_field is not None:
        kept[kind.updated_field] = moment
    created = kind.created_field
    if created is not None and mode != "replace" and not kind.was_set(record, created):
        kept[created] = moment
    return kept


def where(kind: Kind[E], test: Callable[[E], int]) -> Guard:
    """Return the guard for a condition that was passed to ``where``."""
    return Guard(
        kind.condition(test), ConditionFailed, "{entity} {key} does not meet the condition"
    )
