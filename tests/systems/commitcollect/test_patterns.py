"""Every pattern returns what its meaning says, of data that looks real."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, get_origin

import pytest
from tests.systems.commitcollect.people import KEYS, Clock

from sortkey import DB, Entity, Page, Pattern, load_design
from sortkey.access.filling import fill
from sortkey.design.plans import plan_of
from sortkey_systems.commitcollect.design import (
    TABLES,
    AthleteOwner,
    AuditEvent,
    Award,
    EventType,
    Measured,
    Milestone,
    ModelMeta,
    ModelPart,
    Session,
    Sport,
    StravaConnection,
    UserProfile,
    Workout,
    active_models,
    athlete_owner,
    audit_by_correlation,
    audit_by_type,
    audit_of_user,
    awards,
    connection,
    counting_workouts,
    earned,
    milestone,
    milestone_with_awards,
    milestones,
    model_with_parts,
    parts_between,
    profile,
    recent_workouts,
    session,
    sessions,
    workout,
    workout_keys,
    workouts_since,
)
from sortkey_systems.commitcollect.generator import TODAY, YEAR, records

USERS = 12
DESIGN = load_design("sortkey_systems.commitcollect.design")


@pytest.fixture
def now(now: Clock) -> Clock:
    """The day on which the generated data ends, at which nothing has expired."""
    now.seconds = TODAY.timestamp()
    return now


@pytest.fixture
def stored(opened: Callable[..., DB], now: Clock) -> tuple[DB, list[Entity]]:
    """A database with what the generator makes, and the same records beside it."""
    made = [record for group in records(USERS) for record in group]
    db = opened(*TABLES, secrets=KEYS)
    fill(db, made)
    return db, made


def meant(
    pattern: Pattern[..., Any], made: Iterable[Entity], kind: type, **given: Any
) -> list[Any]:
    """What a pattern should return of these records, in plain Python."""
    belongs: Any = pattern.where
    found = [r for r in made if isinstance(r, kind) and belongs(r, **given)]
    if pattern.order is not None:
        found.sort(key=pattern.order, reverse=pattern.descending)
    return found


def whole(db: DB, pattern: Callable[..., Any], *given: Any) -> list[Any]:
    """All pages of a pattern."""
    found: list[Any] = []
    after: str | None = None
    while True:
        page: Page[Any] = db(pattern(*given, after=after))
        found += page
        after = page.cursor
        if after is None:
            return found


def with_version(made: Iterable[Any]) -> list[Any]:
    """As they are once they are stored."""
    return [record.model_copy(update={"version": 1}) for record in made]


def test_patterns_return_what_they_mean(stored: tuple[DB, list[Entity]]) -> None:
    db, made = stored
    people = [f"user{number}" for number in (*range(1, USERS + 1), 99)]
    assert any(r.user_id == "user12" for r in made if isinstance(r, Workout))
    for user_id in people:
        since: datetime = YEAR + timedelta(days=120)
        for sport in Sport:
            args: dict[str, Any] = {"user_id": user_id, "sport": sport, "since": since}
            assert db(workouts_since(**args)) == meant(workouts_since, made, Workout, **args)
        assert whole(db, recent_workouts, user_id) == meant(
            recent_workouts, made, Workout, user_id=user_id
        )
        assert db(milestones(user_id)) == with_version(
            meant(milestones, made, Milestone, user_id=user_id)
        )
        assert [(s.session_id, s.user_id, s.created_at_utc) for s in db(sessions(user_id))] == [
            (s.session_id, s.user_id, s.created_at_utc)
            for s in meant(sessions, made, Session, user_id=user_id)
        ]
        args: dict[str, Any] = {
            "user_id": user_id,
            "since": TODAY - timedelta(days=61),
            "until": TODAY,
        }
        assert whole(db, audit_of_user, *args.values()) == meant(
            audit_of_user, made, AuditEvent, **args
        )


def test_patterns_of_a_milestone_return_what_they_mean(stored: tuple[DB, list[Entity]]) -> None:
    db, made = stored
    goals = [record for record in made if isinstance(record, Milestone)]
    assert any(goal.parts_earned for goal in goals)
    for goal in goals:
        args = {"user_id": goal.user_id, "milestone_id": goal.milestone_id}
        found = db(milestone_with_awards(**args))
        earned = meant(awards, made, Award, **args)
        assert db(awards(**args)) == earned == found.awards
        assert [found.milestone] == with_version([goal]) == [db(milestone(**args))]


def test_patterns_of_models_and_events_return_what_they_mean(
    stored: tuple[DB, list[Entity]],
) -> None:
    db, made = stored
    assert db(active_models()) == meant(active_models, made, ModelMeta)
    for model in (record for record in made if isinstance(record, ModelMeta)):
        found = db(model_with_parts(model.model_id))
        parts = [p for p in made if isinstance(p, ModelPart) and p.model_id == model.model_id]
        assert (found.model, found.parts) == (model, parts)
        args: dict[str, Any] = {"model_id": model.model_id, "first": 2, "last": 9}
        assert db(parts_between(**args)) == meant(parts_between, made, ModelPart, **args)
    events = [record for record in made if isinstance(record, AuditEvent)]
    for correlation_id in {event.correlation_id for event in events[::7]}:
        assert whole(db, audit_by_correlation, correlation_id) == meant(
            audit_by_correlation, made, AuditEvent, correlation_id=correlation_id
        )
    for event_type in EventType:
        for month in (TODAY, TODAY - timedelta(days=60)):
            assert whole(db, audit_by_type, event_type, month) == meant(
                audit_by_type, made, AuditEvent, event_type=event_type, month=month
            )


def test_patterns_of_one_record_find_it_and_no_other(stored: tuple[DB, list[Entity]]) -> None:
    db, made = stored
    for user_id in ("user1", "user12"):
        own = [r for r in made if getattr(r, "user_id", "") == user_id]
        assert [db(profile(user_id))] == [r for r in own if isinstance(r, UserProfile)]
        held = [r for r in own if isinstance(r, StravaConnection)]
        assert db(connection(user_id)) == (held[0] if held else None)
        for ride in (r for r in own if isinstance(r, Workout)):
            assert db(workout(user_id, ride.activity_id)) == ride
            assert db(workout("user99", ride.activity_id)) is None
    for owner in (r for r in made if isinstance(r, AthleteOwner)):
        assert db(athlete_owner(owner.athlete_id)) == owner
    for record in (r for r in made if isinstance(r, Session)):
        assert db(session(record.session_id)) == record
    assert db(profile("user")) is None


def test_what_is_removed_with_an_account_is_found(stored: tuple[DB, list[Entity]]) -> None:
    db, made = stored
    for user_id in ("user1", "user12"):
        assert [(k.user_id, k.activity_id) for k in db(workout_keys(user_id))] == [
            (user_id, w.activity_id) for w in meant(workout_keys, made, Workout, user_id=user_id)
        ]
        all_of_it = db(earned(user_id))
        assert all_of_it.milestones == with_version(
            sorted(meant(earned, made, Milestone, user_id=user_id), key=lambda m: m.milestone_id)
        )
        assert all_of_it.awards == sorted(
            meant(earned, made, Award, user_id=user_id),
            key=lambda a: (a.milestone_id, a.part_index),
        )
        args: dict[str, Any] = {"user_id": user_id, "sport": Sport.RIDE, "since": YEAR}
        assert db(counting_workouts(**args)) == [
            Measured(distance_meters=w.distance_meters, total_elevation_gain=w.total_elevation_gain)
            for w in meant(counting_workouts, made, Workout, **args)
        ]


# What every pattern promises, read from its plan.


def test_no_pattern_scans_and_each_has_a_plan_and_a_rate() -> None:
    for plan in plan_of(DESIGN)["patterns"]:
        assert "error" not in plan, plan
        assert "rate" in plan, plan["name"]
        for step in plan["steps"]:
            assert step["operation"] != "Scan", plan["name"]


def test_what_must_be_fresh_is_read_consistently() -> None:
    for plan in plan_of(DESIGN)["patterns"]:
        if plan.get("fresh"):
            assert all(step.get("consistent") for step in plan["steps"]), plan["name"]
    fresh = {pattern.name for pattern in DESIGN.patterns if pattern.fresh}
    assert {"session", "athlete_owner", "milestone", "counting_workouts"} <= fresh


def test_a_page_is_as_long_as_its_pattern_says() -> None:
    paged = [plan for plan in plan_of(DESIGN)["patterns"] if "page" in plan]

    assert len(paged) == 4
    for plan in paged:
        assert [step["limit"] for step in plan["steps"]] == [plan["page"]], plan["name"]


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("held_athlete", {"athleteId"}),
        ("counting_workouts", {"distanceMeters", "total_elevation_gain"}),
        ("workout_keys", {"userId", "activityId"}),
    ],
)
def test_what_needs_only_some_attributes_is_projected(name: str, held: set[str]) -> None:
    [plan] = [plan for plan in plan_of(DESIGN)["patterns"] if plan["name"] == name]
    assert {*plan["steps"][0]["projection"]} - {"PK", "SK", "_type"} == held


def test_every_pattern_that_reads_several_records_says_which() -> None:
    read = [p for p in DESIGN.patterns if p.function.__module__.endswith("design")]
    assert [p.name for p in read if p.where is None and returns_several(p)] == []
    # A collection has its order from its lists.
    unordered = {p.name for p in read if p.order is None and returns_several(p)}
    assert unordered == {"earned", "milestone_with_awards", "model_with_parts"}


def returns_several(pattern: Pattern[..., Any]) -> bool:
    """Whether it returns a list, a page or a collection, and not one record or none."""
    return get_origin(pattern.returns) in {list, Page} or isinstance(pattern.returns, type)


def test_every_pattern_belongs_to_a_role() -> None:
    granted = {pattern.name for role in DESIGN.roles for pattern in role.patterns}
    assert {pattern.name for pattern in DESIGN.patterns} == granted


def test_the_generator_makes_the_same_again_and_the_awkward_too() -> None:
    made = [record for group in records(30) for record in group]
    assert made == [record for group in records(30) for record in group]
    assert made != [record for group in records(30, seed=2) for record in group]
    rides = [record for record in made if isinstance(record, Workout)]
    starts = [(w.user_id, w.start_date_utc) for w in rides if w.start_date_utc]
    assert len({*starts}) < len(starts), "two in the same second"
    assert any(w.start_date_utc is None for w in rides), "a tombstone"
    counts = sorted(sum(w.user_id == f"user{n}" for w in rides) for n in range(1, 31))
    assert counts[-1] > 10 * max(1, counts[15]), "some do far more than others"
    assert not all(str(ride.activity_name).isascii() for ride in rides)
