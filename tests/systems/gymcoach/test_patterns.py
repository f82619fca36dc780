"""Every pattern returns what its meaning says, of data that looks real."""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Any, get_origin

import pytest
from tests.access.executors import PLACES, OnALoop
from tests.systems.gymcoach.people import KEYS, MORNING, generated

from sortkey import DB, AsyncDB, Entity, Page, Pattern, load_design
from sortkey.access.filling import fill
from sortkey.design.declaring.entity import kind_of
from sortkey.testing import clock
from sortkey_systems.gymcoach.design import (
    AdaptivePlan,
    AdviceGiven,
    BodyMeasurement,
    CoachingRule,
    DeviceToken,
    Exercise,
    ExerciseSubstitution,
    FinishedDeletion,
    GymCoach,
    IndexSearch,
    Level,
    Milestone,
    NotificationPreferences,
    NotificationRecord,
    PerformanceTrend,
    ProgressChart,
    ProgressMetrics,
    ProgressPhoto,
    RecoveryPlan,
    Reminder,
    StrengthProgress,
    UserFitnessProfile,
    UserProfile,
    WorkoutPlan,
    WorkoutRecommendation,
    WorkoutSession,
    active_adaptive_plans,
    active_rules,
    active_rules_of_type,
    active_workout_plans,
    adaptive_plan,
    adaptive_plans_of_user,
    advice_given,
    advice_given_to,
    all_coaching_rules,
    all_exercises,
    body_measurement,
    coaching_rule,
    device_token,
    devices_of_user,
    exercise,
    exercise_substitution,
    exercise_substitutions_of_user,
    exercises_of_category,
    exercises_of_difficulty,
    finished_deletion,
    fitness_profile,
    index_search,
    measurements_between,
    metrics_of_period,
    metrics_of_user,
    milestone,
    milestones_of_user,
    milestones_under_way,
    notification_preferences,
    notification_record,
    notification_records_of_user,
    notification_setup,
    open_recommendations,
    performance_trend,
    progress_chart,
    progress_charts_of_user,
    progress_photo,
    progress_photos_of_user,
    recovery_plan,
    recovery_plans_of_user,
    reminder,
    reminders_due,
    strength_between,
    strength_of_day,
    strength_on_day,
    trends_between,
    user,
    workout_plan,
    workout_plans_of_user,
    workout_recommendation,
    workout_recommendations_of_user,
    workout_session,
    workout_sessions_of_user,
)
from sortkey_systems.gymcoach.design.deleting import ERASURES
from sortkey_systems.gymcoach.exporting import pages

USERS = 12
DESIGN = load_design("sortkey_systems.gymcoach.design")
PEOPLE = [f"user{number}" for number in (*range(1, USERS + 1), 99)]
LISTS: list[tuple[Pattern[..., Page[Any]], type[Entity], str]] = [
    (workout_plans_of_user, WorkoutPlan, "created_at"),
    (workout_sessions_of_user, WorkoutSession, "started_at"),
    (exercise_substitutions_of_user, ExerciseSubstitution, "created_at"),
    (workout_recommendations_of_user, WorkoutRecommendation, "created_at"),
    (adaptive_plans_of_user, AdaptivePlan, "created_at"),
    (recovery_plans_of_user, RecoveryPlan, "starts_at"),
    (progress_photos_of_user, ProgressPhoto, "taken_at"),
    (progress_charts_of_user, ProgressChart, "created_at"),
    (milestones_of_user, Milestone, "created_at"),
    (notification_records_of_user, NotificationRecord, "sent_at"),
]
DAYS: list[tuple[Pattern[..., Page[Any]], type[Entity]]] = [
    (strength_between, StrengthProgress),
    (measurements_between, BodyMeasurement),
    (trends_between, PerformanceTrend),
]
# Enough for user3 that lists have several pages.
MADE = generated(USERS, 5)


@pytest.fixture(scope="module", params=PLACES)
def stored(request: pytest.FixtureRequest) -> Iterator[DB]:
    """A database with what the generator makes, which no test of this module changes."""
    given: dict[str, Any] = {"secrets": KEYS, "environment": "patterns"}
    match request.param:
        case "memory":
            db = DB.memory(GymCoach, **given)
        case "asynchronous":
            db = OnALoop(AsyncDB.memory(GymCoach, **given))
        case place:
            db = DB.endpoint(request.getfixturevalue(f"{place}_url"), GymCoach, **given)
            db.create_tables()
    with clock(MORNING.timestamp):
        fill(db, MADE)
    yield db
    db.close()


@pytest.fixture(autouse=True)
def today() -> Iterator[None]:
    """The day on which the generated data ends."""
    with clock(MORNING.timestamp):
        yield


def meant(pattern: Pattern[..., Any], kind: type, **given: Any) -> list[Any]:
    """The expected result of a pattern, in plain Python."""
    belongs: Any = pattern.where
    found = [r for r in MADE if isinstance(r, kind) and belongs(r, **given)]
    if pattern.order is not None:
        found.sort(key=pattern.order, reverse=pattern.descending)
    return [plain(record) for record in found]


def plain(record: Entity) -> dict[str, Any]:
    """A record without what changes when it is written."""
    kind = kind_of(type(record))
    return record.model_dump(exclude={kind.version_field or "", kind.updated_field or ""})


def found(records: Iterable[Entity]) -> list[dict[str, Any]]:
    return [plain(record) for record in records]


def test_lists_of_one_user_match_their_specification(stored: DB) -> None:
    for pattern, kind, _ in LISTS:
        for user_id in PEOPLE:
            everything = {
                "user_id": user_id,
                "since": datetime.min.replace(tzinfo=UTC),
                "until": datetime.max.replace(tzinfo=UTC),
            }
            listed = found(pages(stored, pattern, user_id))
            assert listed == meant(pattern, kind, **everything), (pattern.name, user_id)


def test_lists_have_several_pages(stored: DB) -> None:
    page = stored(workout_sessions_of_user("user3"))
    assert len(page) == 25
    assert page.cursor is not None
    assert len([*pages(stored, workout_sessions_of_user, "user3")]) == 50


def test_lists_of_one_user_between_two_times_include_both(stored: DB) -> None:
    for pattern, kind, moment in LISTS:
        own = sorted(
            getattr(record, moment)
            for record in MADE
            if isinstance(record, kind) and record.__dict__["user_id"] == "user1"
        )
        # Without the newest, where there are more.
        ends = (
            {"since": own[0], "until": own[-2:][0]} if own else {"since": MORNING, "until": MORNING}
        )
        listed = found(pages(stored, pattern, "user1", *ends.values()))
        assert listed == meant(pattern, kind, user_id="user1", **ends), pattern.name
        assert bool(listed) == bool(own)


def test_days_of_one_user_include_the_first_and_the_last(stored: DB) -> None:
    for pattern, kind in DAYS:
        for user_id in PEOPLE:
            for first, last in (
                (date.min, date.max),
                (date(2032, 2, 29), date(2032, 3, 1)),
                (date(2032, 2, 1), date(2032, 2, 29)),
                (date(2032, 3, 1), date(2032, 2, 1)),
            ):
                given: dict[str, Any] = {"user_id": user_id, "first": first, "last": last}
                listed = found(pages(stored, pattern, *given.values()))
                assert listed == meant(pattern, kind, **given), (pattern.name, given)


def test_the_strength_of_a_day_has_all_exercises(stored: DB) -> None:
    days = {r.measurement_date.date() for r in MADE if isinstance(r, StrengthProgress)}
    for user_id in PEOPLE:
        for day in (*days, date.min, date.max):
            given: dict[str, Any] = {"user_id": user_id, "day": day}
            listed = found(stored(strength_of_day(**given)))
            assert listed == meant(strength_of_day, StrengthProgress, **given), given


def test_the_last_second_of_the_last_day_is_included(stored: DB) -> None:
    today = MORNING.date()
    listed = [*pages(stored, measurements_between, "user1", today, today)]
    assert {m.measurement_type for m in listed} == {"weight", "waist"}
    assert max(m.measured_at for m in listed).time().second == 59


def test_active_and_open_records_are_found(stored: DB) -> None:
    for user_id in PEOPLE:
        for pattern, kind in (
            (active_workout_plans, WorkoutPlan),
            (active_adaptive_plans, AdaptivePlan),
            (milestones_under_way, Milestone),
            (advice_given_to, AdviceGiven),
        ):
            assert found(stored(pattern(user_id))) == meant(pattern, kind, user_id=user_id)
        assert found(pages(stored, open_recommendations, user_id)) == meant(
            open_recommendations, WorkoutRecommendation, user_id=user_id
        )
        assert found(pages(stored, metrics_of_user, user_id)) == meant(
            metrics_of_user, ProgressMetrics, user_id=user_id
        )
    assert any(r.is_applied for r in MADE if isinstance(r, WorkoutRecommendation))


def test_exercises_and_rules_are_found_by_what_they_are(stored: DB) -> None:
    assert found(pages(stored, all_exercises)) == meant(all_exercises, Exercise)
    for category in ("strength", "core", "cardio", "mobility", "none"):
        assert found(pages(stored, exercises_of_category, category)) == meant(
            exercises_of_category, Exercise, category=category
        )
    for difficulty in Level:
        assert found(pages(stored, exercises_of_difficulty, difficulty)) == meant(
            exercises_of_difficulty, Exercise, difficulty=difficulty
        )
    assert found(pages(stored, all_coaching_rules)) == meant(all_coaching_rules, CoachingRule)
    assert found(stored(active_rules())) == meant(active_rules, CoachingRule)
    for rule_type in ("progression", "motivation", "recovery", "none"):
        assert found(stored(active_rules_of_type(rule_type))) == meant(
            active_rules_of_type, CoachingRule, rule_type=rule_type
        )


def test_devices_preferences_and_reminders_are_found(stored: DB) -> None:
    for user_id in PEOPLE:
        assert found(stored(devices_of_user(user_id))) == meant(
            devices_of_user, DeviceToken, user_id=user_id
        )
        setup = stored(notification_setup(user_id))
        chosen = [p for p in (setup.preferences, stored(notification_preferences(user_id))) if p]
        mine = [r for r in MADE if isinstance(r, NotificationPreferences) and r.user_id == user_id]
        assert found(chosen) == [plain(one) for one in mine for _ in range(2)]
        reminders = [r for r in MADE if isinstance(r, Reminder) and r.user_id == user_id]
        assert sorted(map(str, setup.reminders)) == sorted(map(str, reminders))
    due = {(r.timezone, r.at) for r in MADE if isinstance(r, Reminder)}
    assert len(due) > 3
    for timezone, at in due | {("UTC", "03:33")}:
        assert found(stored(reminders_due(timezone, at))) == meant(
            reminders_due, Reminder, timezone=timezone, at=at
        )


GETS: dict[type[Entity], Callable[[Any], Any]] = {
    UserProfile: lambda r: user(r.user_id),
    UserFitnessProfile: lambda r: fitness_profile(r.user_id),
    WorkoutPlan: lambda r: workout_plan(r.id),
    WorkoutSession: lambda r: workout_session(r.id),
    Exercise: lambda r: exercise(r.id),
    ExerciseSubstitution: lambda r: exercise_substitution(r.id),
    WorkoutRecommendation: lambda r: workout_recommendation(r.id),
    AdaptivePlan: lambda r: adaptive_plan(r.id),
    RecoveryPlan: lambda r: recovery_plan(r.id),
    CoachingRule: lambda r: coaching_rule(r.id),
    ProgressPhoto: lambda r: progress_photo(r.id),
    ProgressMetrics: lambda r: metrics_of_period(r.user_id, r.period, r.start_date),
    StrengthProgress: lambda r: strength_on_day(
        r.user_id, r.exercise_id, r.measurement_date.date()
    ),
    BodyMeasurement: lambda r: body_measurement(
        r.user_id, r.measured_at.date(), r.measurement_type, r.id
    ),
    ProgressChart: lambda r: progress_chart(r.chart_id),
    Milestone: lambda r: milestone(r.id),
    PerformanceTrend: lambda r: performance_trend(r.user_id, r.start_date, r.metric_type, r.period),
    DeviceToken: lambda r: device_token(r.user_id, r.device_id),
    NotificationRecord: lambda r: notification_record(r.user_id, r.notification_id),
    NotificationPreferences: lambda r: notification_preferences(r.user_id),
    Reminder: lambda r: reminder(r.user_id, r.kind, r.at),
    AdviceGiven: lambda r: advice_given(r.user_id, r.recommendation_id),
    FinishedDeletion: lambda r: finished_deletion(r.id),
    IndexSearch: lambda _: index_search(),
}


def test_every_record_is_found_by_its_key(stored: DB) -> None:
    assert {kind.model for kind in DESIGN.kinds} == set(GETS)
    for kind, get in GETS.items():
        own = [record for record in MADE if isinstance(record, kind)][:6]
        assert own, kind
        for record in own:
            assert plain(stored(get(record))) == plain(record)


def test_the_keys_of_a_users_records_are_found(stored: DB) -> None:
    for erasure in ERASURES:
        for user_id in ("user1", "user12", "user99"):
            names = sorted(kind_of(erasure.entity).key_fields)
            own = [
                [getattr(record, name) for name in names]
                for record in MADE
                if isinstance(record, erasure.entity) and record.__dict__["user_id"] == user_id
            ]
            keys = [[getattr(k, name) for name in names] for k in stored(erasure.keys(user_id))]
            assert sorted(map(str, keys)) == sorted(map(str, own)), erasure.entity


def test_expired_records_are_in_no_list(stored: DB) -> None:
    later = MORNING + timedelta(days=8)
    with clock(later.timestamp):
        for user_id in PEOPLE:
            assert [*pages(stored, notification_records_of_user, user_id)] == []
            assert [*pages(stored, open_recommendations, user_id)] == []


def test_every_pattern_that_reads_several_records_says_which() -> None:
    reads = [p for p in DESIGN.patterns if get_origin(p.returns) in {list, Page}]
    assert [p.name for p in reads if p.where is None] == []
    unordered = {p.name for p in reads if p.order is None}
    # Erasing needs no order.
    assert unordered == {erasure.keys.name for erasure in ERASURES}
