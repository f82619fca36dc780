"""The page about CommitCollect matches the code: its units are measured, its names exist."""

from datetime import timedelta
from functools import cache

import pytest
from tests.access.executors import put_item
from tests.systems.commitcollect.people import (
    KEYS,
    SPRING,
    TRACE,
    Clock,
    activity,
    connected,
    event,
    goal,
    grant,
    ride,
    signed_in,
    statue,
    under_way,
)
from tests.systems.pages import Page, names, operations

from sortkey import DB, Call, load_design
from sortkey_systems.commitcollect.api import api
from sortkey_systems.commitcollect.auditing import Trace
from sortkey_systems.commitcollect.connecting import (
    begin_connecting,
    connect,
    disconnect,
    finish_connecting,
)
from sortkey_systems.commitcollect.deleting import (
    SETTLED_AFTER,
    delete_account,
    finish_deletions,
)
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.design.accounts import AccountRole, Plan, UserProfile, profile
from sortkey_systems.commitcollect.design.audit import (
    EventType,
    audit_by_correlation,
    audit_by_type,
    audit_of_user,
)
from sortkey_systems.commitcollect.design.milestones import (
    awards,
    milestone_with_awards,
    milestones,
)
from sortkey_systems.commitcollect.design.models import active_models, model_with_parts
from sortkey_systems.commitcollect.design.sessions import sessions
from sortkey_systems.commitcollect.design.strava import AthleteOwner, connection
from sortkey_systems.commitcollect.design.tables import CommitCollect
from sortkey_systems.commitcollect.design.webhook import claim_by_id
from sortkey_systems.commitcollect.design.workouts import (
    Sport,
    recent_workouts,
    workout,
    workouts_since,
)
from sortkey_systems.commitcollect.earning import recompute
from sortkey_systems.commitcollect.operating import change_plan, change_role
from sortkey_systems.commitcollect.publishing import publish, retire
from sortkey_systems.commitcollect.receiving import Aspect, receive
from sortkey_systems.commitcollect.signing_in import resolve_session, sign_out

PAGE = Page("commitcollect")
DESIGN = load_design("sortkey_systems.commitcollect.design")
LATER = SPRING + timedelta(days=1)


def measured(now: Clock) -> dict[str, Call]:
    """Return the last call of each pattern in a story with records of typical size."""
    calls: list[Call] = []
    with DB.memory(*TABLES, secrets=KEYS, observers=[calls.append]) as db:
        story(db, now)
    return {call.pattern: call for call in calls if call.pattern and call.error is None}


def story(db: DB, now: Clock) -> None:
    """Run the life of a user with 40 rides and a statue of 12 parts."""
    publish(db, *statue(parts=12))
    session = signed_in(db)
    resolve_session(db, session.session_id)
    state = begin_connecting(db, session)
    finish_connecting(db, session, state.state, grant("76"), TRACE)
    connect(db, "ada", grant("76"), TRACE)
    connect(db, "ada", grant("77"), TRACE)
    for number in range(1, 41):
        ride(db, f"{number}", 1_000, start_date=SPRING + timedelta(hours=number))
    receive(db, event("1", Aspect.UPDATE, at=LATER), activity(1_500), TRACE)
    receive(db, event("1", Aspect.UPDATE, at=SPRING), activity(1_500), TRACE)
    receive(db, event("2", Aspect.DELETE, at=LATER), None, TRACE)
    receive(db, event("99", athlete_id="1"), activity(), TRACE)
    db(claim_by_id(event("1").request_id))
    made = goal(db, parts=12)
    recompute(db, "ada", made.milestone_id, TRACE)
    db(profile("ada"))
    change_plan(db, "ada", Plan.PRO, operator="olga", trace=Trace("r"))
    change_role(db, "ada", AccountRole.ADMIN, operator="olga", trace=Trace("r"))
    db(connection("ada"))
    db(workout("ada", "1"))
    db(workouts_since("ada", Sport.RIDE, SPRING))
    db(recent_workouts("ada"))
    db(milestones("ada"))
    db(milestone_with_awards("ada", made.milestone_id))
    db(awards("ada", made.milestone_id))
    db(model_with_parts("nike"))
    db(active_models())
    db(audit_of_user("ada", now.moment, now.moment))
    db(audit_by_correlation(TRACE.request_id))
    db(audit_by_type(EventType.STRAVA_ACTIVITY_CREATE, now.moment))
    sign_out(db, signed_in(db).session_id, TRACE)
    retire(db, "nike")
    for user_id, owner, leave in (
        ("bob", "eve", disconnect),
        ("cid", None, disconnect),
        ("dan", "eve", delete_account),
        ("dot", None, delete_account),
    ):
        connected(db, user_id, "90")
        db(AthleteOwner.delete(athlete_id="90"))
        if owner:
            db(AthleteOwner(athlete_id="90", user_id=owner, updated_at_utc=SPRING).put())
        leave(db, user_id, TRACE)
        db(AthleteOwner.delete(athlete_id="90"))
    delete_unreadable(db)
    signed_in(db, "eli")
    db(UserProfile.erase(user_id="eli"))
    delete_account(db, "eli", TRACE)
    db(sessions("ada"))
    disconnect(db, "ada", TRACE)
    connect(db, "ada", grant("77"), TRACE)
    begin_connecting(db, session)
    now.seconds += SETTLED_AFTER.total_seconds()
    finish_deletions(db, TRACE)
    delete_account(db, "ada", TRACE, settled_after=timedelta(0))


def delete_unreadable(db: DB) -> None:
    """Delete an account whose connection cannot be read."""
    signed_in(db, "fay")
    key = {"PK": {"S": "USER#fay"}, "SK": {"S": "STRAVA#CONNECTION"}}
    put_item(db, CommitCollect, key | {"accessToken": {"S": "clear"}})
    delete_account(db, "fay", TRACE)


@pytest.mark.parametrize("pattern", DESIGN.patterns, ids=lambda p: p.name)
def test_the_units_of_each_pattern_are_as_measured(pattern: object, now: Clock) -> None:
    name, title = str(getattr(pattern, "name", "")), getattr(pattern, "title", "")
    call = all_measured(now.seconds)[name]
    units = f"{len(call.exchanges)} | {call.read_units:g} | {call.write_units:g}"
    assert f"| `{name}` | {title} | {units} |" in PAGE.text


@cache
def all_measured(seconds: float) -> dict[str, Call]:
    return measured(Clock(seconds))


@pytest.mark.parametrize("heading", ["Guarantees", "Requirements"])
def test_every_name_on_the_page_exists(heading: str) -> None:
    found = [names(row[1:]) for row in PAGE.rows(heading)]

    assert found
    assert all(found)
    assert [name for row in found for name in row if not PAGE.exists(name)] == []


def test_every_pattern_is_in_the_requirements() -> None:
    named = set(names([cell for row in PAGE.rows("Requirements") for cell in row[1:]]))

    homes = [(pattern.function.__module__, pattern.name) for pattern in DESIGN.patterns]
    package, raw = "sortkey_systems.commitcollect.", "sortkey.design.raw.pattern"
    wanted = {f"{home.removeprefix(package)}.{name}" for home, name in homes if home != raw}
    assert wanted | {"design.adopting.unlisted_sessions"} <= named


def test_every_operation_of_the_api_is_on_the_page(memory: DB) -> None:
    assert [row[:2] for row in PAGE.rows("Over HTTP")] == operations(api, memory)


def test_every_attribute_is_in_the_catalog() -> None:
    named = {name for row in PAGE.rows("Item catalog") for name in names(row)}

    for kind in DESIGN.kinds:
        for stored_name in kind.stored_names.values():
            assert stored_name in named, (kind.name, stored_name)


def test_the_cost_of_each_flow_is_as_documented(memory: DB, now: Clock) -> None:
    made = under_way(memory)
    with memory.budget(reads=1, requests=4):  # claim, owner, transaction, audit
        ride(memory, "1", 60_000)
    # The milestone, workouts, parts, transaction and audit event; the other key of each part.
    with memory.budget(requests=5 + 2):
        minted = recompute(memory, "ada", made.milestone_id, Trace("r")).minted
    assert minted == (1, 2)
    with memory.budget(writes=0, requests=2):
        recompute(memory, "ada", made.milestone_id, Trace("r"))
