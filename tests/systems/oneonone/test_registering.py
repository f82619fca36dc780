"""Users are registered at their first sign-in."""

from functools import partial

import pytest
from tests.systems.oneonone.conftest import MORNING, Watch, user
from tests.systems.racing import explore

from sortkey import DB, Entity
from sortkey.testing import ExplorationFailed, Outcome
from sortkey_systems.oneonone.design import User, register_user
from sortkey_systems.oneonone.errors import BadInput
from sortkey_systems.oneonone.queueing import join
from sortkey_systems.oneonone.registering import register


def test_a_new_user_has_the_points_of_the_day(db: DB) -> None:
    register(db, "ann", "ann@example.org")

    assert user(db, "ann") == User(
        user_id="ann", points_left=15, points_day=MORNING.date(), email="ann@example.org"
    )


def test_a_second_registration_changes_nothing(db: DB) -> None:
    register(db, "ann")
    join(db, "ann")

    again = register(db, "ann", "other@example.org")

    assert again == user(db, "ann")
    assert again.queue == "WAITING"
    assert again.email is None


@pytest.mark.parametrize("user_id", ["", "a b", "a#b", "x" * 129])
def test_an_invalid_id_is_rejected_by_name(memory: DB, user_id: str) -> None:
    with pytest.raises(BadInput, match="user_id must have") as refused:
        register(memory, user_id)

    assert refused.value.field == "user_id"
    assert memory(User.scan()) == []


@pytest.mark.parametrize("email", ["", "ann", "ann@", "a nn@example.org", f"{'x' * 260}@a.org"])
def test_an_invalid_address_is_rejected_by_name(memory: DB, email: str) -> None:
    with pytest.raises(BadInput, match="email must be") as refused:
        register(memory, "ann", email)

    assert refused.value.field == "email"
    assert memory(User.scan()) == []


def test_an_address_has_254_characters_at_most(memory: DB) -> None:
    longest = "x" * 248 + "@a.org"

    assert register(memory, "ann", longest).email == longest
    with pytest.raises(BadInput, match="email must be"):
        register(memory, "bob", f"x{longest}")


def register_and_join(db: DB) -> None:
    register(db, "ann")
    join(db, "ann")


def ann_waits(db: DB, outcomes: list[Outcome]) -> None:
    if outcomes[0].succeeded:
        assert user(db, "ann").queue == "WAITING", "ann has joined, and is not in the queue"


def test_two_registrations_at_once_make_one_user(memory: DB, watch: Watch) -> None:
    explore(
        lambda: register_and_join(memory),
        lambda: register(memory, "ann"),
        db=memory,
        invariant=partial(ann_waits, memory),
        errors=(Exception,),
    )


def test_without_its_condition_a_registration_takes_another_out_of_the_queue(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Entity, "create", Entity.put)
    assert "ConditionExpression" not in register_user("ann", None, MORNING.date()).params()

    with pytest.raises(ExplorationFailed, match="is not in the queue"):
        explore(
            lambda: register_and_join(memory),
            lambda: register(memory, "ann"),
            db=memory,
            invariant=partial(ann_waits, memory),
            errors=(Exception,),
        )
