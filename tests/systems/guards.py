"""Taking out what a guarantee rests on, to see that its test then fails."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import pytest

from sortkey import ConditionFailed, WriteFailed
from sortkey.expressions.tree import AttributeExists, AttributeNotExists, Or, Path
from sortkey.operations import delete, put, update, upsert
from sortkey.operations.action import Action, Guard, action
from sortkey.operations.kind import Kind
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.operations.transact import Transaction
from sortkey.testing import ExplorationFailed

Unguard = Callable[..., None]

# That a test fails without the guard need not be seen before each commit.
with_and_without_guard = pytest.mark.parametrize(
    "guarded",
    [True, pytest.param(False, marks=pytest.mark.acceptance)],
    ids=["guarded", "without its guard"],
)


def fails_unless(*, guarded: bool, match: str) -> AbstractContextManager[object]:
    """An exploration that fails where its guard was taken out, and passes where it was not."""
    return nullcontext() if guarded else pytest.raises(ExplorationFailed, match=match)


@pytest.fixture
def unguard(monkeypatch: pytest.MonkeyPatch) -> Unguard:
    """Take conditions on an entity's records out of every write: those that raise such errors."""
    taken: dict[str, tuple[type[WriteFailed], ...]] = {}

    def unguarded(
        verb: Any, kind: Kind[Any], key: Any, guards: tuple[Guard, ...], **more: Any
    ) -> Action:
        kept = tuple(g for g in guards if not issubclass(g.error, taken.get(kind.name, ())))
        if verb == "ConditionCheck" and not kept:
            path = Path((kind.key_names[0],))
            anything = Or((AttributeExists(path), AttributeNotExists(path)))
            kept = (Guard(anything, ConditionFailed, ""),)
        return action(verb, kind, key, kept, **more)

    def take_out(entity: str, *errors: type[WriteFailed]) -> None:
        taken[entity] = errors or (ConditionFailed,)
        for module in (put, update, upsert, delete):
            monkeypatch.setattr(module, "action", unguarded)

    return take_out


@dataclass(frozen=True)
class InTurn(Operation[None]):
    """The writes of a transaction one after the other, as if there were none."""

    transaction: Transaction

    def plan(self) -> Plan:
        return self.transaction.plan()

    def steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        for write in self.transaction.writes:
            yield from write.steps(context)
