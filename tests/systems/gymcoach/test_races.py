"""Wherever two callers can meet, every order of their requests ends well.

Each race fails, in every run, once its conditions are taken out of the writes.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from tests.systems.guards import Unguard
from tests.systems.gymcoach.people import (
    MORNING,
    advice,
    everything,
    fitness,
    goal,
    joined,
    lifted,
    remaining,
    rule,
    started,
)
from tests.systems.racing import meet

from sortkey import (
    DB,
    AlreadyExists,
    ConditionFailed,
    Entity,
    NotFound,
    RecordError,
    VersionConflict,
)
from sortkey.testing import ExplorationFailed, Outcome, explore
from sortkey_systems.gymcoach import deleting
from sortkey_systems.gymcoach.accounts import change_account
from sortkey_systems.gymcoach.coaching import add_rule, evaluate
from sortkey_systems.gymcoach.crud import change, find, remove
from sortkey_systems.gymcoach.deleting import delete_user, finish_deletions, sweep
from sortkey_systems.gymcoach.design import (
    AdviceGiven,
    IndexSearch,
    Milestone,
    NotificationPreferences,
    Reminder,
    StrengthProgress,
    UserFitnessProfile,
    UserProfile,
    WorkoutRecommendation,
    WorkoutSession,
    begin_deletion,
    fitness_profile,
    fitness_profiles,
    milestone,
    milestones,
    notification_setup,
    open_recommendations,
    record_search,
    strength_on_day,
    strength_progress,
    user,
    workout_recommendations,
    workout_recommendations_of_user,
    workout_session,
    workout_sessions,
)
from sortkey_systems.gymcoach.design.deleting import DELETED_NAME, ERASURES
from sortkey_systems.gymcoach.design.progress import percent
from sortkey_systems.gymcoach.errors import GymCoachError, SessionFinished
from sortkey_systems.gymcoach.finishing import best_weights, finish
from sortkey_systems.gymcoach.recommending import apply
from sortkey_systems.gymcoach.reminding import reminders_of, set_preferences
from sortkey_systems.gymcoach.training import log_exercises

Call = Callable[[DB], Any]
Guarded = tuple[str, type[RecordError]]
TODAY = MORNING.date()
AT_ONCE = timedelta(0)
# Schedules of each race with faults and lag together.
FEW, SAMPLE = 50, 200


@dataclass(frozen=True)
class Race:
    """The records at first, the concurrent calls, and what must hold afterwards.

    ``guards`` are conditions without which it would not hold: of an entity's writes, those that
    raise such an error.
    """

    before: Callable[[DB], Any]
    calls: Sequence[Call]
    holds: Callable[[DB, list[Outcome]], None]
    guards: Sequence[Guarded]
    crashes: bool = False
    # The entities to delete; others only add schedules, because there are no records of them.
    kinds: Sequence[type[Entity]] = ()


# Finishing workouts.


def one_workout(db: DB) -> None:
    joined(db)
    goal(db, "m1", 150)
    started(db, "s1", lifted("squat", 100))


def two_workouts(db: DB) -> None:
    one_workout(db)
    started(db, "s2", lifted("squat", 120), lifted("row", 40))


def finishes(session_id: str) -> Call:
    return lambda db: finish(db, "ada", session_id, rating=4)


def counted_as_often_as_finished(db: DB, outcomes: list[Outcome]) -> None:
    done = [s for s in sessions(db) if s.completed_at is not None]
    assert sum(outcome.succeeded for outcome in outcomes) <= len(done), "one was finished twice"
    what_is_done_is_counted(db, outcomes)


def what_is_done_is_counted(db: DB, _: list[Outcome]) -> None:
    """Assert that profile, strength and milestone match the finished workouts."""
    done = [s for s in sessions(db) if s.completed_at is not None]
    profile = fitness(db)
    found = sorted(performance.workout_id for performance in profile.recent_performance)
    assert found == sorted(session.id for session in done), f"{found} are remembered"
    best = max((best_weights(session).get("squat", 0) for session in done), default=0)
    assert profile.current_strength_levels.get("squat", 0) == best, "another best weight"
    moved = db(milestone("m1"))
    assert moved is not None
    assert moved.current_value == best, "the milestone is elsewhere"
    recorded = db(strength_on_day("ada", "squat", TODAY))
    assert (recorded.current_max_weight if recorded else 0) == best, "the day has another weight"
    assert recorded is None or recorded.previous_max_weight == 0, "it rose from elsewhere"


def sessions(db: DB) -> list[WorkoutSession]:
    return [s for s in (db(workout_session(f"s{n}")) for n in (1, 2)) if s is not None]


def logs_more(db: DB) -> Any:
    session = find(db, workout_sessions, "s1")
    return log_exercises(db, session, [lifted("squat", 130)])


def nineteen_before(db: DB) -> None:
    two_workouts(db)
    remembered = [
        {"workout_id": f"old{n}", "date": TODAY, "completion_rate": Decimal(1)} for n in range(19)
    ]
    change(db, fitness_profiles, fitness(db), recent_performance=remembered)


def the_last_twenty(db: DB, _: list[Outcome]) -> None:
    found = [p.workout_id for p in fitness(db).recent_performance]
    done = {s.id for s in sessions(db) if s.completed_at is not None}
    assert len(found) == min(20, 19 + len(done)), f"{len(found)} are remembered"
    assert {w for w in found if not w.startswith("old")} == done, "a workout is forgotten"


def raises_the_target(db: DB) -> Milestone:
    return change(db, milestones, find(db, milestones, "m1"), target_value=Decimal(400))


def stored(db: DB, entity: type[Entity]) -> dict[str, Decimal]:
    """Return the stored numbers of the only record of an entity; reading derives some again."""
    [item] = [item for item in everything(db) if item["_type"]["S"] == entity.__name__]
    return {name: Decimal(value["N"]) for name, value in item.items() if "N" in value}


def percentage_is_true(db: DB, _: list[Outcome]) -> None:
    found = stored(db, Milestone)
    true = percent(found["currentValue"], found["targetValue"])
    assert found["progressPercentage"] == true, "of another target"


def finished_this_morning(db: DB) -> None:
    one_workout(db)
    finish(db, "ada", "s1")
    started(db, "s2", lifted("squat", 120))


def corrects_the_day(db: DB) -> Any:
    found = find(db, strength_progress, "ada", "squat", TODAY)
    return change(db, strength_progress, found, previous_max_weight=Decimal(90))


def the_day_adds_up(db: DB, _: list[Outcome]) -> None:
    found = stored(db, StrengthProgress)
    rose = found["currentMaxWeight"] - found["previousMaxWeight"]
    assert found["weightIncrease"] == rose, "it rose by something else"


# Coaching.


def a_rule_that_holds(db: DB) -> None:
    joined(db)
    started(db, "s1", lifted("squat", 100))
    finish(db, "ada", "s1")
    add_rule(db, rule())


def evaluates(db: DB) -> int:
    return len(evaluate(db, "ada").recommendations)


def advised_once(db: DB, outcomes: list[Outcome]) -> None:
    found = [o.result for o in outcomes if o.succeeded]
    assert sum(found) <= 1, "both recommended it"
    assert len([*db(workout_recommendations_of_user("ada"))]) <= 1


def evaluates_and_deletes(db: DB) -> int:
    made = evaluate(db, "ada").recommendations
    for recommended in made:
        remove(db, workout_recommendations, recommended)
    return len(made)


def open_advice(db: DB) -> None:
    joined(db)
    advice(db)


def applies(db: DB) -> Any:
    return apply(db, "ada", "r1")


def applied_once(db: DB, outcomes: list[Outcome]) -> None:
    assert sum(outcome.succeeded for outcome in outcomes) <= 1, "both applied it"
    if any(outcome.succeeded for outcome in outcomes):
        assert [*db(open_recommendations("ada"))] == [], "it is still open"


# Preferences.


def some_preferences(db: DB) -> None:
    joined(db)
    set_preferences(db, "ada", nutrition_reminder_times=["08:00", "13:00"], timezone="UTC")


def chooses(**chosen: Any) -> Call:
    return lambda db: set_preferences(db, "ada", **chosen)


def reminders_are_in_step(db: DB, _: list[Outcome]) -> None:
    setup = db(notification_setup("ada"))
    wanted = reminders_of(setup.preferences) if setup.preferences else []
    stored = sorted((r.kind, r.at, r.timezone) for r in setup.reminders)
    assert stored == sorted((r.kind, r.at, r.timezone) for r in wanted), f"{stored} are stored"


def both_choices_count(db: DB, outcomes: list[Outcome]) -> None:
    reminders_are_in_step(db, outcomes)
    found = db(notification_setup("ada")).preferences
    assert found is not None
    if all(outcome.succeeded for outcome in outcomes):
        assert found.timezone == "Europe/Berlin", "one change undid the other"
        assert found.workout_reminder_time == "18:00", "one change undid the other"


# The end of an account.


def searched(db: DB) -> None:
    """A table of which is known that it has no items of the former application."""
    db(record_search(IndexSearch(finished_at=MORNING)))


def deletes(db: DB) -> Any:
    return delete_user(db, "ada", settled_after=AT_ONCE)


def nothing_is_left(db: DB, outcomes: list[Outcome]) -> None:
    assert outcomes[0].succeeded
    assert [item["SK"]["S"] for item in remaining(db)] == [], "something is left"


def starts(db: DB) -> Any:
    return started(db, "s9", lifted("squat", 100))


def nothing_but_rules_is_left(db: DB, outcomes: list[Outcome]) -> None:
    assert outcomes[0].succeeded
    left = [item["SK"]["S"] for item in remaining(db)]
    assert left == ["RULE#more"], f"{left} are left"


def being_deleted(db: DB) -> None:
    joined(db)
    db(begin_deletion("ada", "d1", MORNING))


def being_deleted_by_an_earlier_version(db: DB) -> None:
    """Its marks have no id."""
    joined(db)
    db(UserProfile.update(user_id="ada").set(deleting_since=MORNING))


def sweeps(db: DB) -> Any:
    """A deletion that began before, and has not heard that another finished it."""
    return sweep(db, "ada", "d1")


def finishes_deletions(db: DB) -> Any:
    found = finish_deletions(db, settled_after=AT_ONCE)
    assert found.failed == {}


def registers(db: DB) -> Any:
    return joined(db)


def all_who_joined_are_there(db: DB, outcomes: list[Outcome]) -> None:
    if outcomes[-1].succeeded:
        assert db(user("ada")) is not None, "the new account is gone"
        assert db(fitness_profile("ada")) is not None, "a record of the new account is gone"


def a_new_account_keeps_its_records(db: DB, _: list[Outcome]) -> None:
    found = db(user("ada"))
    if found is not None and found.deleting_since is None:
        assert db(fitness_profile("ada")) is not None, "a record of the new account is gone"


def renames(db: DB) -> Any:
    return change_account(db, "ada", name="Ada Lovelace", fitness_goals="private")


def marks(db: DB) -> Any:
    return delete_user(db, "ada")


def the_mark_says_nothing(db: DB, outcomes: list[Outcome]) -> None:
    assert outcomes[0].succeeded
    [mark] = [item for item in everything(db) if item["_type"]["S"] == "UserProfile"]
    assert mark["name"] == {"S": DELETED_NAME}, "the name is back"
    assert "fitnessGoals" not in mark, "the goals are back"


ACCOUNT = (("UserProfile", ConditionFailed), ("UserProfile", NotFound))
RACES = {
    "one workout is finished twice": Race(
        one_workout,
        (finishes("s1"), finishes("s1")),
        counted_as_often_as_finished,
        [
            ("WorkoutSession", ConditionFailed),
            ("WorkoutSession", VersionConflict),
            ("UserFitnessProfile", VersionConflict),
            ("StrengthProgress", AlreadyExists),
            ("Milestone", VersionConflict),
        ],
    ),
    "two workouts are finished at once": Race(
        two_workouts,
        (finishes("s1"), finishes("s2")),
        counted_as_often_as_finished,
        [
            ("UserFitnessProfile", VersionConflict),
            ("StrengthProgress", AlreadyExists),
            ("Milestone", VersionConflict),
        ],
    ),
    "two workouts are finished at once after nineteen": Race(
        nineteen_before,
        (finishes("s1"), finishes("s2")),
        the_last_twenty,
        [
            ("UserFitnessProfile", VersionConflict),
            ("StrengthProgress", AlreadyExists),
            ("Milestone", VersionConflict),
        ],
    ),
    "a workout is finished while a set is logged": Race(
        one_workout,
        (finishes("s1"), logs_more),
        what_is_done_is_counted,
        [("WorkoutSession", VersionConflict), ("WorkoutSession", ConditionFailed)],
    ),
    "a workout is finished while a target is raised": Race(
        one_workout,
        (finishes("s1"), raises_the_target),
        percentage_is_true,
        [("Milestone", VersionConflict)],
    ),
    "a workout is finished while the day is corrected": Race(
        finished_this_morning,
        (finishes("s2"), corrects_the_day),
        the_day_adds_up,
        [("StrengthProgress", VersionConflict)],
    ),
    "rules are evaluated twice": Race(
        a_rule_that_holds,
        (evaluates, evaluates),
        advised_once,
        [("WorkoutRecommendation", AlreadyExists), ("AdviceGiven", AlreadyExists)],
        crashes=True,
    ),
    "rules are evaluated while their advice is deleted": Race(
        a_rule_that_holds,
        (evaluates_and_deletes, evaluates),
        advised_once,
        [("AdviceGiven", AlreadyExists)],
    ),
    "a recommendation is applied twice": Race(
        open_advice,
        (applies, applies),
        applied_once,
        [("WorkoutRecommendation", ConditionFailed)],
        crashes=True,
    ),
    "preferences are changed twice": Race(
        some_preferences,
        (chooses(timezone="Europe/Berlin"), chooses(workout_reminder_time="18:00")),
        both_choices_count,
        [("NotificationPreferences", VersionConflict)],
        crashes=True,
    ),
    "preferences are set for the first time twice": Race(
        joined,
        (chooses(workout_reminder_time="06:00"), chooses(workout_reminder_time="18:00")),
        reminders_are_in_step,
        [("NotificationPreferences", AlreadyExists)],
    ),
    "a workout begins while the account is deleted": Race(
        joined,
        (deletes, starts),
        nothing_is_left,
        ACCOUNT,
        kinds=(WorkoutSession, UserFitnessProfile),
    ),
    "a workout is finished while the account is deleted": Race(
        one_workout,
        (deletes, finishes("s1")),
        nothing_is_left,
        ACCOUNT,
        # Strength goes before what it follows from, so that only the account is in its way.
        kinds=(StrengthProgress, Milestone, WorkoutSession, UserFitnessProfile),
    ),
    "preferences are set while the account is deleted": Race(
        joined,
        (deletes, chooses(workout_reminder_time="08:00")),
        nothing_is_left,
        ACCOUNT,
        kinds=(NotificationPreferences, Reminder, UserFitnessProfile),
    ),
    "rules are evaluated while the account is deleted": Race(
        a_rule_that_holds,
        (deletes, evaluates),
        nothing_but_rules_is_left,
        ACCOUNT,
        kinds=(
            *(WorkoutSession, WorkoutRecommendation, AdviceGiven),
            *(StrengthProgress, UserFitnessProfile),
        ),
    ),
    "an account is changed while it is deleted": Race(
        joined,
        (marks, renames),
        the_mark_says_nothing,
        ACCOUNT[:1],
        kinds=(UserFitnessProfile,),
    ),
    "an account is deleted and registered again while another deletion runs": Race(
        being_deleted,
        (deletes, sweeps, registers),
        a_new_account_keeps_its_records,
        ACCOUNT[:1],
        kinds=(UserFitnessProfile,),
    ),
    "an account is registered again while deletions of an earlier version are finished": Race(
        being_deleted_by_an_earlier_version,
        (finishes_deletions, finishes_deletions, registers),
        all_who_joined_are_there,
        ACCOUNT[:1],
        kinds=(UserFitnessProfile,),
    ),
    "an account is registered again while deletions are finished twice": Race(
        being_deleted,
        (finishes_deletions, finishes_deletions, registers),
        all_who_joined_are_there,
        ACCOUNT[:1],
        kinds=(UserFitnessProfile,),
    ),
}


@pytest.fixture(autouse=True)
def few_kinds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A deletion that looks only for what there is."""
    if "name" not in request.fixturenames:
        return
    race = RACES[request.getfixturevalue("name")]
    found = tuple(erasure for erasure in ERASURES if erasure.entity in race.kinds)
    ordered = sorted(found, key=lambda erasure: race.kinds.index(erasure.entity))
    monkeypatch.setattr(deleting, "ERASURES", tuple(ordered))


def run(race: Race, db: DB, *, crashes: bool = False) -> None:
    race.before(db)
    searched(db)
    meet(
        db,
        *(partial(call, db) for call in race.calls),
        holds=partial(race.holds, db),
        refusal=GymCoachError,
        crashes=crashes,
    )


@pytest.mark.parametrize("name", RACES)
def test_it_holds_in_every_order(name: str, memory: DB) -> None:
    run(RACES[name], memory)


@pytest.mark.acceptance
@pytest.mark.parametrize("name", [name for name, race in RACES.items() if race.crashes])
def test_it_holds_with_a_crash_or_a_lost_response_anywhere(name: str, memory: DB) -> None:
    run(RACES[name], memory, crashes=True)


@pytest.mark.acceptance
@pytest.mark.parametrize("name", RACES)
def test_it_holds_while_indexes_and_reads_lag(name: str, memory: DB) -> None:
    """What a deletion did not find yet, the next call finds."""
    race = RACES[name]
    race.before(memory)
    searched(memory)

    explored = explore(
        *(partial(call, memory) for call in race.calls),
        db=memory,
        invariant=partial(race.holds, memory),
        then=partial(deletes, memory) if deletes in race.calls else None,
        errors=(GymCoachError,),
        crashes=False,
        lost_responses=False,
        index_lag=True,
        stale_reads=True,
    )

    assert explored.schedules > 1


@pytest.mark.acceptance
@pytest.mark.parametrize("sample", [FEW, pytest.param(SAMPLE, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", RACES)
def test_it_holds_with_faults_and_lag_together(name: str, sample: int, memory: DB) -> None:
    """There are too many schedules to run them all."""
    race = RACES[name]
    race.before(memory)
    searched(memory)

    explored = explore(
        *(partial(call, memory) for call in race.calls),
        db=memory,
        invariant=partial(race.holds, memory),
        then=partial(deletes, memory) if deletes in race.calls else None,
        errors=(GymCoachError,),
        crashes=False,
        index_lag=True,
        stale_reads=True,
        sample=sample,
    )

    assert explored.schedules > 10


@pytest.mark.acceptance
@pytest.mark.parametrize("name", RACES)
def test_it_fails_without_its_guards(name: str, memory: DB, unguard: Unguard) -> None:
    taken: dict[str, list[type[RecordError]]] = {}
    for entity, error in RACES[name].guards:
        taken.setdefault(entity, []).append(error)
    for entity, errors in taken.items():
        unguard(entity, *errors)

    with pytest.raises(ExplorationFailed):
        run(RACES[name], memory)


def test_an_account_is_gone_after_a_crash_anywhere(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deleting again removes what a crashed deletion left."""
    one_workout(memory)
    searched(memory)
    kinds = (Milestone, WorkoutSession, UserFitnessProfile)
    few = tuple(erasure for erasure in ERASURES if erasure.entity in kinds)
    monkeypatch.setattr(deleting, "ERASURES", few)

    explored = explore(
        partial(deletes, memory),
        db=memory,
        then=partial(deletes, memory),
        invariant=lambda: remaining(memory) == [],
        errors=(GymCoachError,),
        index_lag=True,
        stale_reads=True,
    )

    assert explored.schedules > 10


@pytest.mark.acceptance
@pytest.mark.parametrize(
    ("lag", "sample"),
    [
        pytest.param(False, None, marks=pytest.mark.slow),
        (True, FEW),
        pytest.param(True, SAMPLE, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("other", [deletes, renames, registers])
def test_a_deletion_and_another_call_end_well_after_a_crash_anywhere(
    memory: DB, monkeypatch: pytest.MonkeyPatch, other: Call, *, lag: bool, sample: int | None
) -> None:
    """What is left is nothing, or the whole of the new account."""
    being_deleted(memory)
    searched(memory)
    few = tuple(erasure for erasure in ERASURES if erasure.entity is UserFitnessProfile)
    monkeypatch.setattr(deleting, "ERASURES", few)

    def nothing_or_a_new_account(_: list[Outcome]) -> None:
        left = {item["_type"]["S"] for item in remaining(memory)}
        assert left in (set(), {"UserProfile", "UserFitnessProfile"}), f"{left} are left"
        assert "deletingSince" not in str(remaining(memory)), "the mark is left"

    explored = explore(
        partial(deletes, memory),
        partial(other, memory),
        db=memory,
        then=partial(finishes_deletions, memory),
        invariant=nothing_or_a_new_account,
        errors=(GymCoachError,),
        index_lag=lag,
        stale_reads=lag,
        sample=sample,
    )
    assert explored.schedules > 10


def test_a_registration_during_the_deletion_of_no_account_is_kept_or_deleted(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched(memory)
    few = tuple(erasure for erasure in ERASURES if erasure.entity is UserFitnessProfile)
    monkeypatch.setattr(deleting, "ERASURES", few)

    def all_or_nothing(_: list[Outcome]) -> None:
        assert len(remaining(memory)) in {0, 2}, "a part of the account is gone"

    explored = explore(
        partial(deletes, memory),
        partial(registers, memory),
        db=memory,
        then=partial(finishes_deletions, memory),
        invariant=all_or_nothing,
        errors=(GymCoachError,),
        index_lag=True,
        stale_reads=True,
    )

    assert explored.schedules > 1


def test_a_workout_is_counted_once_after_a_crash_anywhere(memory: DB) -> None:
    """A second call finishes it, or reports that it is finished."""
    one_workout(memory)

    explored = explore(
        partial(finishes("s1"), memory),
        db=memory,
        then=partial(finishes_or_knows, memory),
        invariant=partial(done_and_counted, memory),
        errors=(GymCoachError,),
        index_lag=True,
        stale_reads=True,
    )

    assert explored.schedules > 5


def finishes_or_knows(db: DB) -> None:
    with suppress(SessionFinished):
        finish(db, "ada", "s1")


def done_and_counted(db: DB) -> None:
    assert all(session.completed_at is not None for session in sessions(db)), "it is lost"
    what_is_done_is_counted(db, [])
