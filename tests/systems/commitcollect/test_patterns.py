"""Every pattern matches its specification on generated data."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any, get_origin

import pytest
from tests.systems.commitcollect.people import KEYS, Clock

from sortkey import DB, Collection, Entity, Page, Pattern, load_design
from sortkey.access.filling import fill
from sortkey.design.plans.value import plan_of
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.design.accounts import UserProfile, profile
from sortkey_systems.commitcollect.design.audit import (
    AuditEvent,
    EventType,
    audit_by_correlation,
    audit_by_type,
    audit_of_user,
)
from sortkey_systems.commitcollect.design.deleting import (
    award_keys,
    milestone_keys,
    session_keys,
    workout_keys,
)
from sortkey_systems.commitcollect.design.milestones import (
    Award,
    Milestone,
    awards,
    milestone,
    milestone_with_awards,
    milestones,
)
from sortkey_systems.commitcollect.design.models import (
    ModelMeta,
    ModelPart,
    active_models,
    model_parts,
    model_with_parts,
)
from sortkey_systems.commitcollect.design.sessions import Session, session, sessions
from sortkey_systems.commitcollect.design.strava import (
    AthleteOwner,
    StravaConnection,
    athlete_owner,
    connection,
)
from sortkey_systems.commitcollect.design.workouts import (
    Sport,
    Workout,
    WorkoutMeasures,
    counting_workouts,
    recent_workouts,
    workout,
    workouts_since,
)
from sortkey_systems.commitcollect.generator import SPAN, records

USERS = 12
DESIGN = load_design("sortkey_systems.commitcollect.design")


@pytest.fixture
def stored(opened: Callable[..., DB], now: Clock) -> tuple[DB, list[Entity]]:
    """Return a database with generated records, and the records."""
    made = [record for group in records(USERS) for record in group]
    db = opened(*TABLES, secrets=KEYS)
    fill(db, made)
    return db, made


def expected(
    pattern: Pattern[..., Any], made: Iterable[Entity], kind: type, **arguments: Any
) -> list[Any]:
    """Return the records that match the specification of a pattern, in its order."""
    where: Any = pattern.where
    found = [r for r in made if isinstance(r, kind) and where(r, **arguments)]
    if pattern.order is not None:
        found.sort(key=pattern.order, reverse=pattern.descending)
    return found


def all_pages(db: DB, pattern: Callable[..., Any], *arguments: Any) -> list[Any]:
    """Return the records of all pages."""
    found: list[Any] = []
    after: str | None = None
    while True:
        page: Page[Any] = db(pattern(*arguments, after=after))
        found += page
        after = page.cursor
        if after is None:
            return found


def with_version(made: Iterable[Any]) -> list[Any]:
    """Return the records with the version that they have once stored."""
    return [record.model_copy(update={"version": 1}) for record in made]


def test_lists_of_a_user_match_their_specifications(
    stored: tuple[DB, list[Entity]], now: Clock
) -> None:
    db, made = stored
    people = [f"user{number}" for number in (*range(1, USERS + 1), 99)]
    assert any(r.user_id == "user12" for r in made if isinstance(r, Workout))
    for user_id in people:
        since: datetime = now.moment - SPAN + timedelta(days=120)
        for sport in Sport:
            args: dict[str, Any] = {"user_id": user_id, "sport": sport, "since": since}
            assert db(workouts_since(**args)) == expected(workouts_since, made, Workout, **args)
        assert all_pages(db, recent_workouts, user_id) == expected(
            recent_workouts, made, Workout, user_id=user_id
        )
        assert db(milestones(user_id)) == with_version(
            expected(milestones, made, Milestone, user_id=user_id)
        )
        assert [(s.session_id, s.user_id, s.created_at_utc) for s in db(sessions(user_id))] == [
            (s.session_id, s.user_id, s.created_at_utc)
            for s in expected(sessions, made, Session, user_id=user_id)
        ]
        args: dict[str, Any] = {
            "user_id": user_id,
            "since": now.moment - timedelta(days=61),
            "until": now.moment,
        }
        assert all_pages(db, audit_of_user, *args.values()) == expected(
            audit_of_user, made, AuditEvent, **args
        )


def test_patterns_of_a_milestone_match_their_specifications(
    stored: tuple[DB, list[Entity]],
) -> None:
    db, made = stored
    goals = [record for record in made if isinstance(record, Milestone)]
    assert any(goal.parts_earned for goal in goals)
    for goal in goals:
        args = {"user_id": goal.user_id, "milestone_id": goal.milestone_id}
        found = db(milestone_with_awards(**args))
        earned = expected(awards, made, Award, **args)
        assert db(awards(**args)) == earned == found.awards
        assert [found.milestone] == with_version([goal]) == [db(milestone(**args))]


def test_patterns_of_models_and_events_match_their_specifications(
    stored: tuple[DB, list[Entity]], now: Clock
) -> None:
    db, made = stored
    assert db(active_models()) == expected(active_models, made, ModelMeta)
    for model in (record for record in made if isinstance(record, ModelMeta)):
        found = db(model_with_parts(model.model_id))
        parts = [p for p in made if isinstance(p, ModelPart) and p.model_id == model.model_id]
        assert (found.model, found.parts) == (model, parts)
        assert db(model_parts(model.model_id)) == expected(
            model_parts, made, ModelPart, model_id=model.model_id
        )
    events = [record for record in made if isinstance(record, AuditEvent)]
    for correlation_id in {event.correlation_id for event in events[::7]}:
        assert all_pages(db, audit_by_correlation, correlation_id) == expected(
            audit_by_correlation, made, AuditEvent, correlation_id=correlation_id
        )
    for event_type in EventType:
        for month in (now.moment, now.moment - timedelta(days=60)):
            assert all_pages(db, audit_by_type, event_type, month) == expected(
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


def test_what_is_removed_with_an_account_is_found(
    stored: tuple[DB, list[Entity]], now: Clock
) -> None:
    db, made = stored
    for user_id in ("user1", "user12"):
        for keys, kind in (
            (workout_keys, Workout),
            (milestone_keys, Milestone),
            (award_keys, Award),
            (session_keys, Session),
        ):
            whole = expected(keys, made, kind, user_id=user_id)
            found = db(keys(user_id))
            assert [key.model_dump() for key in found] == [
                record.model_dump(include={*key.model_dump()})
                for key, record in zip(found, whole, strict=True)
            ]
        args: dict[str, Any] = {"user_id": user_id, "sport": Sport.RIDE, "since": now.moment - SPAN}
        assert db(counting_workouts(**args)) == [
            WorkoutMeasures(
                distance_meters=w.distance_meters, total_elevation_gain=w.total_elevation_gain
            )
            for w in expected(counting_workouts, made, Workout, **args)
        ]


# Properties of every pattern, from its plan.


def test_only_the_search_for_sessions_scans_and_each_pattern_has_a_plan_and_a_rate() -> None:
    for plan in plan_of(DESIGN)["patterns"]:
        assert "error" not in plan, plan
        assert "rate" in plan, plan["name"]
        scans = any(step["operation"] == "Scan" for step in plan["steps"])
        assert scans == (plan["name"] == "unlisted_sessions"), plan["name"]


def test_what_must_be_fresh_is_read_consistently() -> None:
    for plan in plan_of(DESIGN)["patterns"]:
        if plan.get("fresh"):
            assert all(step.get("consistent") for step in plan["steps"]), plan["name"]
    fresh = {pattern.name for pattern in DESIGN.patterns if pattern.fresh}
    assert {"session", "athlete_owner", "milestone", "counting_workouts"} <= fresh


def test_a_page_is_as_long_as_its_pattern_says() -> None:
    paged = [plan for plan in plan_of(DESIGN)["patterns"] if "page" in plan]

    assert len(paged) == 5
    for plan in paged:
        assert [step["limit"] for step in plan["steps"]] == [plan["page"]], plan["name"]


@pytest.mark.parametrize(
    ("name", "held"),
    [
        ("connected_athlete", {"athleteId"}),
        ("counting_workouts", {"distanceMeters", "total_elevation_gain"}),
        ("workout_keys", {"userId", "activityId"}),
    ],
)
def test_what_needs_only_some_attributes_is_projected(name: str, held: set[str]) -> None:
    [plan] = [plan for plan in plan_of(DESIGN)["patterns"] if plan["name"] == name]
    assert {*plan["steps"][0]["projection"]} - {"PK", "SK", "_type"} == held


def test_every_pattern_that_reads_several_records_says_which() -> None:
    several = [p for p in DESIGN.patterns if returns_several(p)]
    assert [p.name for p in several if p.where is None] == []
    # The lists of a collection are in order of their keys.
    unordered = {p.name for p in several if p.order is None}
    assert unordered == {"milestone_with_awards", "model_with_parts"}


def returns_several(pattern: Pattern[..., Any]) -> bool:
    """Return whether the pattern returns a list, a page or a collection."""
    returns = pattern.returns
    return get_origin(returns) in {list, Page} or (
        isinstance(returns, type) and issubclass(returns, Collection)
    )


def test_every_pattern_belongs_to_a_role() -> None:
    granted = {pattern.name for role in DESIGN.roles for pattern in role.patterns}
    assert {pattern.name for pattern in DESIGN.patterns} == granted


def test_a_seed_generates_the_same_records_with_edge_cases() -> None:
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
