"""A write succeeds only if the record is as it was loaded."""

from tests.operations.design import Task

from sortkey.design.declaring.entity import kind_of
from sortkey.errors import VersionConflict
from sortkey.expressions.tree import AttributeNotExists, Compare, Path, Value
from sortkey.operations.guards import unchanged

TASK = Task(project="p", task_id=1, title="t", state="open")


def test_a_field_must_be_stored_as_it_was_loaded() -> None:
    [state, owner] = unchanged(kind_of(Task), TASK, ["state", "owner"])

    assert state.condition == Compare("=", Path(("state",)), Value({"S": "open"}))
    assert owner.condition == AttributeNotExists(Path(("owner",)))


def test_the_guard_says_which_field_differs_and_what_to_do() -> None:
    [guard] = unchanged(kind_of(Task), TASK, ["state"])

    assert guard.error is VersionConflict
    assert guard.message.format(entity="Task", key="p / 1") == (
        "Task p / 1 has a different state than when it was loaded: load it again"
    )
