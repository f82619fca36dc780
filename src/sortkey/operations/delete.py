"""Delete and erase: records that go away."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Generic, Self, TypeVar

from sortkey.errors import Refused
from sortkey.expressions.tree import Value
from sortkey.operations import lock
from sortkey.operations.action import Action, Guard, action, is_absent, is_there, is_version
from sortkey.operations.guards import unchanged
from sortkey.operations.kind import Kind
from sortkey.operations.operation import ANYWHERE, Answer, Context, Conversation
from sortkey.operations.plan import Plan
from sortkey.operations.put import version_of, where
from sortkey.operations.reading import is_expired
from sortkey.operations.write import Write, new_token, send, transaction

E = TypeVar("E")

ALL_OLD: Final = {"ReturnValues": "ALL_OLD"}


@dataclass(frozen=True, slots=True)
class Delete(Write[E | None], Generic[E]):
    """A record, removed; the result is the record as it was, or None where there was none."""

    kind: Kind[E]
    key: dict[str, Value]
    time: float
    loaded: E | None = None
    erases: bool = False
    must: bool = False
    asked: tuple[Guard, ...] = ()

    def where(self, test: Callable[[E], bool]) -> Self:
        """The same, only if the record is there and this holds for it."""
        return replace(self, asked=(*self.asked, where(self.kind, test)), must=True)

    def required(self) -> Self:
        """The same, with `NotFound` raised where there is no such record."""
        return replace(self, must=True)

    def actions(self) -> tuple[Action, ...]:
        """The removal, and that of the record's locks."""
        kind = self.kind
        self._refuse()
        guards: list[Guard] = []
        versioned = kind.version is not None and not self.erases
        tied = self.loaded is not None and (versioned or bool(kind.uniques))
        if self.must or tied:
            guards.append(is_there(kind, self.time))
        if self.loaded is not None and versioned:
            guards.append(is_version(kind, version_of(kind, self.loaded)))
        if self.loaded is not None:
            # Even an erased record takes its own locks along, and no others.
            guards += unchanged(kind, self.loaded, [u.field for u in kind.uniques])
        own = action("DeleteItem", kind, self.key, (*guards, *self.asked))
        if self.loaded is None:
            return (own,)
        stored = kind.encode(self.loaded)
        locks = [a for u in kind.uniques for a in lock.release(kind, u, self.key, stored)]
        return (own, *locks)

    def steps(self, context: Context = ANYWHERE) -> Conversation[E | None]:
        """The removal; one that takes locks along is a transaction."""
        actions = self.actions()
        if len(actions) == 1:
            return self.result((yield from send(actions[0], context, ALL_OLD)))
        yield from transaction(actions, new_token(), context)
        return self.loaded

    def result(self, answer: Answer, /) -> E | None:
        """The record as it was, unless it had expired."""
        item = answer.get("Attributes")
        if item is None:
            return None
        if self.kind.expires is not None and is_expired(item, self.kind.expires, self.time):
            return None
        return self.kind.read(item)

    def _refuse(self) -> None:
        kind = self.kind
        if kind.immutable and not self.erases:
            raise Refused(f"{kind.name} is immutable: erase() removes it all the same")
        if self.loaded is not None:
            return
        if kind.uniques:
            raise Refused(
                f"{kind.name} has a unique field, whose lock goes with the record: load the "
                f"{kind.name} and use loaded.delete()"
            )
        if kind.version is not None and not self.erases and not self.asked:
            raise Refused(
                f"{kind.name} has a version, and a delete by key alone could remove somebody's "
                "change: use loaded.delete(), state the condition with where(), or erase()"
            )


@dataclass(frozen=True, slots=True)
class Check(Write[None], Generic[E]):
    """A record that must be there, as it is stated, for a transaction to happen."""

    kind: Kind[E]
    key: dict[str, Value]
    time: float
    loaded: E | None = None
    absent: bool = False
    asked: tuple[Guard, ...] = ()

    def where(self, test: Callable[[E], bool]) -> Self:
        """The same, only if this holds for the record."""
        return replace(self, asked=(*self.asked, where(self.kind, test)))

    def is_absent(self) -> Self:
        """The opposite: there is no such record."""
        return replace(self, absent=True)

    def actions(self) -> tuple[Action, ...]:
        """One condition check."""
        kind = self.kind
        guards = [is_absent(kind, self.time) if self.absent else is_there(kind, self.time)]
        if self.loaded is not None and kind.version is not None:
            guards.append(is_version(kind, version_of(kind, self.loaded)))
        return (action("ConditionCheck", kind, self.key, (*guards, *self.asked)),)

    def plan(self) -> Plan:
        """A transaction: DynamoDB has no other request that only checks."""
        return Plan("transaction", tuple(action.step for action in self.actions()))

    def steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        """A transaction of its own, where it is not part of another."""
        yield from transaction(self.actions(), new_token(), context)

    def result(self, _answer: Answer, /) -> None:
        """Nothing: it is the failure that tells."""
