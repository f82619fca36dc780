"""Get by a unique field: the lock of the value names the record that has it.

This takes two reads and no index. Between them the value may move to another record, and a read
may see the lock before its record; if the two do not match, both are read again, consistently.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sortkey.errors import NotFound
from sortkey.expressions.tree import Value
from sortkey.operations.get import get
from sortkey.operations.kind import Kind, Unique
from sortkey.operations.lock import OWNER
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan, Step
from sortkey.operations.reading import is_expired
from sortkey.operations.revising import revised
from sortkey.wire.messages import Request

E = TypeVar("E")


@dataclass(frozen=True, slots=True)
class GetBy(Operation[E | None], Generic[E]):
    """A read of one record by a unique field; None if there is none or it has expired."""

    _kind: Kind[E]
    _unique: Unique
    _values: Mapping[str, Any]
    _lock_key: Mapping[str, Value]
    _consistent: bool = False

    def consistently(self) -> "GetBy[E]":
        """Use strongly consistent reads."""
        return revised(self, _consistent=True)

    def required(self) -> "RequiredBy[E]":
        """Raise `NotFound` instead of returning None."""
        return RequiredBy(self)

    def _lock(self, *, consistent: bool) -> Step:
        kind = self._kind
        return Step("GetItem", kind.table, (kind.name,), key=self._lock_key, consistent=consistent)

    def _plan(self) -> Plan:
        """Return the get of the lock, then that of the record, whose key the lock has."""
        found = get(self._kind, self._kind.key_outline(self._values))
        step = revised(found._step, consistent=self._consistent)
        return Plan("single", (self._lock(consistent=self._consistent),), (step,))

    def _steps(self, context: Context = ANYWHERE) -> Conversation[E | None]:
        """Send two gets; four if the first two do not match."""
        key = yield from self._owner(context, consistent=self._consistent)
        if key is None:
            return None
        record = yield from self._owned(key, context, consistent=self._consistent)
        if record is not None or self._consistent:
            return record
        key = yield from self._owner(context, consistent=True)
        return None if key is None else (yield from self._owned(key, context, consistent=True))

    def _owner(
        self, context: Context, *, consistent: bool
    ) -> Conversation[dict[str, Value] | None]:
        """Return the key of the record that has the value."""
        step = self._lock(consistent=consistent)
        answer = yield Request("GetItem", step.body(context.environment))
        lock, expires = answer.get("Item"), self._kind.expires
        if lock is None or (expires is not None and is_expired(lock, expires, context.now())):
            return None
        return {name: Value(part) for name, part in lock[OWNER]["M"].items()}

    def _owned(
        self, key: dict[str, Value], context: Context, *, consistent: bool
    ) -> Conversation[E | None]:
        """Return the record, if it still has the value."""
        found = get(self._kind, key)
        record = yield from (found.consistently() if consistent else found)._steps(context)
        if record is None:
            return None
        fields = self._kind.values(record)
        return record if all(fields[n] == value for n, value in self._values.items()) else None


@dataclass(frozen=True, slots=True)
class RequiredBy(Operation[E], Generic[E]):
    """A get by a unique field that raises `NotFound` instead of returning None."""

    _get: GetBy[E]

    def _plan(self) -> Plan:
        """Return the plan of the get."""
        return self._get._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[E]:
        """Run the get, and raise `NotFound` if it finds nothing."""
        found = yield from self._get._steps(context)
        if found is None:
            name, unique = self._get._kind.name, self._get._unique.field
            raise NotFound(f"no {name} has this {unique}", entity=name, key=dict(self._get._values))
        return found
