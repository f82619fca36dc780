"""An action reports which of its guards failed."""

from typing import Any

import pytest
from tests.operations.conversation import NOW
from tests.operations.design import Note, Task, Visit

from sortkey.design.declaring.entity import kind_of
from sortkey.errors import (
    AlreadyExists,
    ConditionFailed,
    NotFound,
    NotUnique,
    RecordError,
    VersionConflict,
)
from sortkey.expressions.evaluate import holds
from sortkey.expressions.tree import And, AttributeExists, Compare, Path, Value
from sortkey.operations.action import (
    Action,
    Guard,
    action,
    all_of,
    describe_key,
    is_absent,
    is_there,
    is_version,
    shown_key,
)

KEY = {"PK": Value({"S": "PROJECT#p"}), "SK": Value({"S": "TASK#000001"})}
STORED = {"PK": {"S": "PROJECT#p"}, "rev": {"N": "3"}}
PAST, COMING = {"N": str(int(NOW))}, {"N": str(int(NOW) + 1)}


def deletion(*guards: Guard) -> Action:
    return action("DeleteItem", kind_of(Task), KEY, guards)


def test_a_write_without_guards_has_no_condition() -> None:
    assert deletion().step.condition is None


def test_all_guards_make_one_condition() -> None:
    there, version = is_there(kind_of(Task), NOW), is_version(kind_of(Task), 3)

    assert deletion(there).step.condition == there.condition
    assert deletion(there, version).step.condition == And((there.condition, version.condition))


def test_all_of_none_is_none() -> None:
    assert all_of(()) is None


def test_an_item_is_its_own_key() -> None:
    put = action("PutItem", kind_of(Task), KEY, (), item={"PK": {"S": "x"}})

    assert put.step.key is None
    assert put.step.item == {"PK": {"S": "x"}}
    assert put.key == KEY


@pytest.mark.parametrize(
    ("stored", "error", "message"),
    [
        (None, NotFound, "Task PROJECT#p / TASK#000001 does not exist"),
        (
            {**STORED, "rev": {"N": "4"}},
            VersionConflict,
            (
                "Task PROJECT#p / TASK#000001 was changed after it was loaded: load it again and "
                "decide again"
            ),
        ),
    ],
)
def test_the_first_guard_that_does_not_hold_is_the_error(
    stored: Any, error: type[RecordError], message: str
) -> None:
    kind = kind_of(Task)
    failure = deletion(is_there(kind, NOW), is_version(kind, 3)).failure(stored)

    assert type(failure) is error
    assert str(failure) == message
    assert failure.entity == "Task"
    assert failure.key == {"PK": "PROJECT#p", "SK": "TASK#000001"}
    assert failure.stored == stored


def test_if_all_guards_hold_again_the_record_is_being_changed() -> None:
    failure = deletion(is_there(kind_of(Task), NOW)).failure(STORED)

    assert type(failure) is VersionConflict
    assert str(failure) == "Task PROJECT#p / TASK#000001 is being changed"


def test_a_value_that_is_taken_names_its_field() -> None:
    guard = Guard(AttributeExists(Path(("free",))), NotUnique, "taken", "email")
    failure = deletion(guard).failure(STORED)

    assert isinstance(failure, NotUnique)
    assert failure.field == "email"


def test_other_errors_have_no_field() -> None:
    guard = Guard(AttributeExists(Path(("free",))), ConditionFailed, "no", "email")

    assert not hasattr(deletion(guard).failure(STORED), "field")


@pytest.mark.parametrize(
    ("item", "there"),
    [
        ({}, False),
        ({"PK": {"S": "k"}}, True),
        ({"PK": {"S": "k"}, "expires": PAST}, False),
        ({"PK": {"S": "k"}, "expires": COMING}, True),
    ],
)
def test_a_record_past_its_time_is_not_there(item: Any, there: bool) -> None:
    kind = kind_of(Visit)

    assert holds(is_there(kind, NOW).condition, item) is there
    assert holds(is_absent(kind, NOW).condition, item) is not there


def test_without_an_expiry_only_the_key_counts() -> None:
    kind = kind_of(Note)
    old = {"PK": {"S": "k"}, "expires": PAST}

    assert holds(is_there(kind, NOW).condition, old)
    assert not holds(is_absent(kind, NOW).condition, old)
    assert is_absent(kind, NOW).error is AlreadyExists


def test_a_version_is_compared_as_a_number() -> None:
    version = is_version(kind_of(Task), 3)

    assert version.condition == Compare("=", Path(("rev",)), Value({"N": "3"}))


def test_a_key_is_shown_without_its_types() -> None:
    shown = shown_key({"a": Value({"S": "x"}), "b": Value({"N": "1"})})

    assert shown == {"a": "x", "b": "1"}
    assert describe_key(shown) == "x / 1"
