"""An operation whose own write was stored succeeds, although the response was lost."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from tests.systems.gymcoach.people import (
    MORNING,
    advice,
    fitness,
    goal,
    joined,
    lifted,
    rule,
    started,
)
from tests.systems.gymcoach.test_crud import CHANGES, OTHERS, sample

from sortkey import DB
from sortkey.testing import Outcome, explore
from sortkey_systems.gymcoach import deleting
from sortkey_systems.gymcoach.accounts import change_account
from sortkey_systems.gymcoach.coaching import add_rule, evaluate
from sortkey_systems.gymcoach.crud import add, change, remove
from sortkey_systems.gymcoach.deleting import delete_user, finish_deletions
from sortkey_systems.gymcoach.design import (
    ERASURES,
    Records,
    UserFitnessProfile,
    WorkoutSession,
    begin_deletion,
    fitness_profiles,
)
from sortkey_systems.gymcoach.errors import GymCoachError
from sortkey_systems.gymcoach.finishing import finish
from sortkey_systems.gymcoach.notifying import notify, register_device, set_delivery_status
from sortkey_systems.gymcoach.recommending import apply
from sortkey_systems.gymcoach.reminding import (
    remind,
    remove_preferences,
    set_preferences,
)

Step = Callable[[DB], Any]


def succeeds_always(db: DB, call: Step, result: object = ...) -> None:
    """Assert that a call succeeds whichever of its responses is lost."""

    def succeeded(outcomes: list[Outcome]) -> None:
        [outcome] = outcomes
        assert outcome.succeeded, f"{outcome.error!r}"
        if result is not ...:
            assert outcome.result == result

    explored = explore(
        partial(call, db),
        db=db,
        invariant=succeeded,
        errors=(GymCoachError,),
        crashes=False,
        lost_responses=True,
    )
    assert explored.schedules > 1


@pytest.mark.parametrize("records", OTHERS, ids=lambda r: r.entity.__name__)
def test_a_record_is_created_changed_and_deleted(memory: DB, records: Records[..., Any]) -> None:
    joined(memory)
    succeeds_always(memory, lambda db: add(db, records, sample(records)))
    made = add(memory, records, sample(records))
    changes = CHANGES[records.entity.__name__]
    succeeds_always(memory, lambda db: change(db, records, made, **changes))
    succeeds_always(memory, lambda db: remove(db, records, made))


def trained(db: DB) -> None:
    joined(db)
    goal(db, "m1", 150)
    started(db, "s1", lifted("squat", 100))


def advised(db: DB) -> None:
    joined(db)
    advice(db)


def finished(db: DB) -> None:
    trained(db)
    finish(db, "ada", "s1")
    add_rule(db, rule())


def reminded(db: DB) -> None:
    joined(db)
    set_preferences(db, "ada", workout_reminder_time="09:30")


def notified(db: DB) -> None:
    joined(db)
    notify(db, "ada", notification_type="x", title="x", body="x", notification_id="n1")


def known_device(db: DB) -> None:
    joined(db)
    registers_device(db)


def registers_device(db: DB) -> Any:
    return register_device(db, "ada", "d1", device_token="t", platform="ios").device_id


def marked(db: DB) -> None:
    trained(db)
    db(begin_deletion("ada", "d1", MORNING))


def nobody(_: DB) -> None:
    pass


OPERATIONS: dict[str, tuple[Step, Step, object]] = {
    "register": (nobody, lambda db: joined(db).user_id, "ada"),
    "change an account": (joined, lambda db: change_account(db, "ada", name="A").name, "A"),
    "change a fitness profile": (
        joined,
        lambda db: change(db, fitness_profiles, fitness(db), fitness_goals=["x"]).fitness_goals,
        ["x"],
    ),
    "start a workout": (joined, lambda db: started(db, "s1").id, "s1"),
    "finish a workout": (
        trained,
        lambda db: len(finish(db, "ada", "s1").fitness.recent_performance),
        1,
    ),
    "add a rule": (nobody, lambda db: add_rule(db, rule()).id, "more"),
    "evaluate": (finished, lambda db: len(evaluate(db, "ada").recommendations), 1),
    "apply a recommendation": (advised, lambda db: apply(db, "ada", "r1").is_applied, True),
    "register a device": (joined, registers_device, "d1"),
    "register a device again": (known_device, registers_device, "d1"),
    "notify": (
        joined,
        lambda db: notify(db, "ada", notification_type="x", title="x", body="x").title,
        "x",
    ),
    "set a delivery status": (
        notified,
        lambda db: set_delivery_status(db, "ada", "n1", "Read").delivery_status,
        "Read",
    ),
    "set preferences for the first time": (
        joined,
        lambda db: set_preferences(db, "ada", workout_reminder_time="08:00").version,
        1,
    ),
    "set preferences": (
        reminded,
        lambda db: set_preferences(db, "ada", workout_reminder_time="08:00").version,
        2,
    ),
    "remove preferences": (reminded, lambda db: remove_preferences(db, "ada"), None),
    "remind": (reminded, lambda db: len(remind(db, "UTC", MORNING)), 1),
    "begin a deletion": (
        trained,
        lambda db: delete_user(db, "ada").deleted,
        {"WorkoutSession": 1, "UserFitnessProfile": 1},
    ),
    "finish a deletion": (
        marked,
        lambda db: delete_user(db, "ada", settled_after=timedelta(0)).deleted,
        {"WorkoutSession": 1, "UserFitnessProfile": 1, "UserProfile": 1},
    ),
    "finish deletions": (
        marked,
        lambda db: finish_deletions(db, settled_after=timedelta(0)).finished,
        ("ada",),
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_it_answers_as_if_nothing_was_lost(
    memory: DB, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = tuple(e for e in ERASURES if e.entity in {WorkoutSession, UserFitnessProfile})
    monkeypatch.setattr(deleting, "ERASURES", few)
    before, call, result = OPERATIONS[name]
    before(memory)

    succeeds_always(memory, call, result)
