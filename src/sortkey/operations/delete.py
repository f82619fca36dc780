"""Delete, erase and check: writes that need only a record's key."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, Self, TypeVar

from sortkey.errors import Refused
from sortkey.expressions.tree import Value
from sortkey.operations import lock
from sortkey.operations.action import Action, Guard, action, is_absent, is_there, is_version
from sortkey.operations.get import Get, get
from sortkey.operations.guards import unchanged
from sortkey.operations.kind import Kind
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation
from sortkey.operations.plan import Plan
from sortkey.operations.put import version_of, where
from sortkey.operations.reading import is_expired
from sortkey.operations.revising import revised
from sortkey.operations.write import Write, new_token, send, transaction

E = TypeVar("E")

ALL_OLD: Final = {"ReturnValues": "ALL_OLD"}


@dataclass(frozen=True, slots=True)
class Delete(Write[E | None], Generic[E]):
    """A deletion; the result is the deleted record, or None if there was none."""

    _kind: Kind[E]
    _key: dict[str, Value]
    _time: float
    _loaded: E | None = None
    _erases: bool = False
    _required: bool = False
    _conditions: tuple[Guard, ...] = ()

    def where(self, test: Callable[[E], int]) -> Self:
        """Delete the record only if it exists and meets this condition."""
        return revised(
            self, _conditions=(*self._conditions, where(self._kind, test)), _required=True
        )

    def required(self) -> Self:
        """Raise `NotFound` if there is no such record."""
        return revised(self, _required=True)

    def _actions(self) -> tuple[Action, ...]:
        """Return the deletion of the record, and of its locks."""
        kind = self._kind
        self._refuse()
        guards: list[Guard] = []
        versioned = kind.version is not None and not self._erases
        tied = self._loaded is not None and (versioned or bool(kind.uniques))
        if self._required or tied:
            guards.append(is_there(kind, self._time))
        if self._loaded is not None and versioned:
            guards.append(is_version(kind, version_of(kind, self._loaded)))
        if self._loaded is not None:
            # Even erase() deletes the record's own locks, and no others.
            tied_fields = sorted({name for unique in kind.uniques for name in unique.fields})
            guards += unchanged(kind, self._loaded, tied_fields)
        own = action("DeleteItem", kind, self._key, (*guards, *self._conditions))
        earlier = None if own.guards else kind.sole_earlier_key(self._key)
        if earlier is not None:
            # Without a condition, the record need not be read, nor moved to its own key.
            both = (own, action("DeleteItem", kind, earlier, ()))
            return tuple(revised(one, moving=None) for one in both)
        if self._loaded is None:
            return (own,)
        stored = kind.encode(self._loaded)
        locks = [a for u in kind.uniques for a in lock.release(kind, u, self._key, stored)]
        return (own, *locks)

    def _steps(self, context: Context = ANYWHERE) -> Conversation[E | None]:
        """Delete the record, in a transaction if it has locks."""
        actions = self._actions()
        if len(actions) == 1:
            return self._result((yield from send(actions[0], context, ALL_OLD)))
        return (yield from self._once(new_token(), context))

    def _plan_once(self) -> Plan:
        """Return a transaction, and the read of the record if it is not known."""
        plan = self._plan()
        read = (self._read()._step,) if self._is_read_before(self._actions()) else ()
        return Plan("transaction", plan.steps, (*plan.later, *read))

    def _once(self, token: str, context: Context) -> Conversation[E | None]:
        """Delete in a transaction under a token, and read the record before if it is not known."""
        actions = self._actions()
        deleted = self._loaded
        if self._is_read_before(actions):
            deleted = yield from self._read()._steps(context)
        yield from transaction(actions, token, context)
        return deleted

    def _is_read_before(self, actions: tuple[Action, ...]) -> bool:
        """Return whether a transaction does not show which record it deletes."""
        return self._loaded is None or not actions[0].guards

    def _read(self) -> Get[E]:
        return get(self._kind, self._key).consistently()

    def _result(self, answer: Answer, /) -> E | None:
        """Return the deleted record, unless it had expired."""
        item = answer.get("Attributes")
        if item is None:
            return None
        if self._kind.expires is not None and is_expired(item, self._kind.expires, self._time):
            return None
        return self._kind.read(item)

    def _refuse(self) -> None:
        kind = self._kind
        if kind.immutable and not self._erases:
            raise Refused(f"{kind.name} is immutable: use erase() to delete it anyway")
        if self._loaded is not None:
            return
        if kind.uniques:
            raise Refused(
                f"{kind.name} has a unique field, whose lock must be deleted with the record: load "
                f"the {kind.name} and use loaded.delete()"
            )
        if kind.version is not None and not self._erases and not self._conditions:
            raise Refused(
                f"{kind.name} has a version, and a delete by key alone could discard a concurrent "
                "change: use loaded.delete(), add a condition with where(), or use erase()"
            )


@dataclass(frozen=True, slots=True)
class Check(Write[None], Generic[E]):
    """A condition on a record that a transaction checks without writing the record."""

    _kind: Kind[E]
    _key: dict[str, Value]
    _time: float
    _loaded: E | None = None
    _absent: bool = False
    _conditions: tuple[Guard, ...] = ()

    def where(self, test: Callable[[E], int]) -> Self:
        """Require that the record meets this condition."""
        return revised(self, _conditions=(*self._conditions, where(self._kind, test)))

    def is_absent(self) -> Self:
        """Require that there is no such record."""
        return revised(self, _absent=True)

    def _actions(self) -> tuple[Action, ...]:
        """Return one condition check."""
        kind = self._kind
        guards = [is_absent(kind, self._time) if self._absent else is_there(kind, self._time)]
        if self._loaded is not None and kind.version is not None:
            guards.append(is_version(kind, version_of(kind, self._loaded)))
        return (action("ConditionCheck", kind, self._key, (*guards, *self._conditions)),)

    def _plan(self) -> Plan:
        """Return a transaction: DynamoDB has no other request that only checks."""
        return Plan("transaction", tuple(action.step for action in self._actions()))

    def _steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        """Check in a transaction of its own."""
        yield from transaction(self._actions(), new_token(), context)

    def _result(self, _answer: Answer, /) -> None:
        """Return nothing: only a failure has something to report."""
