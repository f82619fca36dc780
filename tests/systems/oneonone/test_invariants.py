"""Invariants of the records, and records that break them."""

from datetime import UTC, datetime

import pytest

from sortkey_systems.oneonone.design import (
    QUEUE,
    Session,
    User,
    entered_the_queue,
    is_in_own_call,
    is_of_two_users,
    named,
    waits_in_a_queue,
)

AT = datetime(2026, 3, 1, tzinfo=UTC)
ADA, BEN = (User.model_construct(user_id=name, current_session="s1") for name in ("ada", "ben"))
CALL = Session.model_construct(session_id="s1", user_a="ada", user_b="ben")
OTHER = Session.model_construct(session_id="s2", user_a="ada", user_b="ben")


@pytest.mark.parametrize(
    ("waiting", "queue", "holds"),
    [(True, QUEUE, True), (False, None, True), (True, None, False), (False, QUEUE, False)],
)
def test_a_user_waits_in_a_queue(waiting: bool, queue: str | None, holds: bool) -> None:
    user = User.model_construct(is_waiting_in_queue=waiting, queue=queue)

    assert waits_in_a_queue(user) is holds


@pytest.mark.parametrize(
    ("queue", "at", "holds"), [(None, None, True), (QUEUE, AT, True), (QUEUE, None, False)]
)
def test_a_user_in_a_queue_has_entered_it(
    queue: str | None, at: datetime | None, holds: bool
) -> None:
    assert entered_the_queue(User.model_construct(queue=queue, last_queue_entry=at)) is holds


@pytest.mark.parametrize(
    ("one", "other", "holds"),
    [("ada", "ben", True), ("ada", "ada", False), ("ada", "unknown", False)],
)
def test_a_session_is_of_two_users_who_are_registered(one: str, other: str, holds: bool) -> None:
    session = Session.model_construct(session_id="s1", user_a=one, user_b=other)

    assert is_of_two_users(session, [ADA, BEN]) is holds


def test_a_user_in_a_call_is_one_of_its_two() -> None:
    assert is_in_own_call(ADA, [OTHER, CALL])
    assert is_in_own_call(User.model_construct(user_id="eve", current_session=None), [CALL])
    assert not is_in_own_call(ADA, [OTHER])
    assert not is_in_own_call(User.model_construct(user_id="eve", current_session="s1"), [CALL])


def test_a_table_has_its_documented_name_in_production_alone() -> None:
    assert named("Users")("prod") == "Users"
    assert named("Users")("dev") == "dev-Users"
