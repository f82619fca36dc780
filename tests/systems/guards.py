"""Remove the condition that a guarantee depends on, to see that its test then fails."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import pytest

from sortkey import ConditionFailed, RecordError
from sortkey.expressions.tree import AttributeExists, AttributeNotExists, Or, Path
from sortkey.operations import delete, put, update, upsert
from sortkey.operations.action import Action, Guard, action
from sortkey.operations.kind import Kind
from sortkey.testing import ExplorationFailed

Unguard = Callable[..., None]

# Failing without the guard is checked only in the second tier.
with_and_without_guard = pytest.mark.parametrize(
    "guarded",
    [True, pytest.param(False, marks=pytest.mark.acceptance)],
    ids=["guarded", "without its guard"],
)


def fails_unless(*, guarded: bool, match: str) -> AbstractContextManager[object]:
    """Expect the exploration to fail without its guard, and to pass with it."""
    return nullcontext() if guarded else pytest.raises(ExplorationFailed, match=match)


@pytest.fixture
def unguard(monkeypatch: pytest.MonkeyPatch) -> Unguard:
    """Remove conditions on an entity's records from every write: those that raise these errors."""
    taken: dict[str, tuple[type[RecordError], ...]] = {}

    def unguarded(
        verb: Any, kind: Kind[Any], key: Any, guards: tuple[Guard, ...], **more: Any
    ) -> Action:
        kept = tuple(g for g in guards if not issubclass(g.error, taken.get(kind.name, ())))
        if verb == "ConditionCheck" and not kept:
            path = Path((kind.key_names[0],))
            anything = Or((AttributeExists(path), AttributeNotExists(path)))
            kept = (Guard(anything, ConditionFailed, ""),)
        return action(verb, kind, key, kept, **more)

    def take_out(entity: str, *errors: type[RecordError]) -> None:
        taken[entity] = errors or (ConditionFailed,)
        for module in (put, update, upsert, delete):
            monkeypatch.setattr(module, "action", unguarded)

    return take_out
