"""Concurrent calls keep the guarantees in every order of their requests.

Each race fails, in every run, if the conditions are removed from its writes.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from functools import partial
from types import ModuleType
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.commitcollect.people import (
    SPRING,
    TRACE,
    activity,
    connected,
    event,
    goal,
    grant,
    ride,
    signed_in,
    under_way,
)
from tests.systems.guards import fails_unless, with_and_without_guard
from tests.systems.racing import meet

from sortkey import DB, utc_now
from sortkey.clock import clock, now
from sortkey.expressions.tree import AttributeExists, AttributeNotExists, Or, Path
from sortkey.operations import delete, put, update, upsert
from sortkey.operations.action import Guard
from sortkey.testing import ExplorationFailed, Outcome, explore
from sortkey.wire.values import Item
from sortkey_systems.commitcollect import connecting, deleting, earning, receiving, signing_in
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
from sortkey_systems.commitcollect.design.accounts import UserProfile, profile
from sortkey_systems.commitcollect.design.adopting import SessionIndex, mark_session_index
from sortkey_systems.commitcollect.design.milestones import (
    Award,
    Milestone,
    milestone_with_awards,
    milestones,
)
from sortkey_systems.commitcollect.design.sessions import Session, sessions
from sortkey_systems.commitcollect.design.strava import (
    AthleteOwner,
    OAuthState,
    StravaConnection,
    athlete_owner,
    connection,
)
from sortkey_systems.commitcollect.design.tables import CommitCollect, CommitCollectSessions
from sortkey_systems.commitcollect.design.webhook import LEASE, WebhookClaim, claim_by_id
from sortkey_systems.commitcollect.design.webhook import Outcome as Processed
from sortkey_systems.commitcollect.design.workouts import Sport, Workout, counting_workouts, workout
from sortkey_systems.commitcollect.earning import recompute
from sortkey_systems.commitcollect.errors import CommitCollectError, DeletionUnderWay
from sortkey_systems.commitcollect.receiving import Aspect, DeliveryOutcome, StravaEvent, receive
from sortkey_systems.commitcollect.signing_in import sign_in

LATER = SPRING + timedelta(days=1)
# Schedules of each race with lost responses and lag together.
FEW, SAMPLE = 25, 100
Call = Callable[[DB, Any], Any]


def in_silence(*_: Any, **__: Any) -> None:
    """Write no audit event."""


@pytest.fixture(autouse=True)
def unaudited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Turn audit events off: each has its own key and cannot conflict, but adds schedules."""
    services: tuple[ModuleType, ...] = (connecting, deleting, earning, receiving, signing_in)
    for service in services:
        monkeypatch.setattr(service, "audit", in_silence)


@dataclass(frozen=True)
class Race:
    """The setup, the concurrent calls, and the check of the result.

    ``guards`` are the writes, as verb and entity, whose conditions the result depends on.
    """

    before: Callable[[DB], Any]
    calls: Sequence[Call]
    holds: Callable[[DB, list[Outcome]], None]
    guards: Sequence[tuple[str, type]]
    crashes: bool = False


def later(span: timedelta, call: Call) -> Call:
    """Return a call that runs later by this span."""

    def timed(db: DB, made: Any) -> Any:
        at = now() + span.total_seconds()
        with clock(lambda: at):
            return call(db, made)

    return timed


# One owner for each athlete.


def two_accounts(db: DB) -> None:
    signed_in(db, "ada")
    signed_in(db, "eve")


def ada_connected(db: DB) -> None:
    connected(db, "ada", "77")
    signed_in(db, "eve")


def connects(user_id: str, athlete_id: str) -> Call:
    return lambda db, _: connect(db, user_id, grant(athlete_id), TRACE)


def disconnects(db: DB, _: Any) -> None:
    disconnect(db, "ada", TRACE)


def owners_and_connections_agree(db: DB, _: list[Outcome]) -> None:
    held = {(found.athlete_id, u) for u in ("ada", "eve") if (found := db(connection(u)))}
    owned = {(a, found.user_id) for a in ("77", "78", "79") if (found := db(athlete_owner(a)))}
    assert owned == held, f"{owned} are owned, but {held} are connected"


def with_a_state(db: DB) -> Any:
    session = signed_in(db)
    return session, begin_connecting(db, session).state


def comes_back(athlete_id: str) -> Call:
    return lambda db, made: finish_connecting(db, made[0], made[1], grant(athlete_id), TRACE)


def at_most_one_came_back(db: DB, outcomes: list[Outcome]) -> None:
    assert sum(outcome.succeeded for outcome in outcomes) <= 1, "the state was used twice"
    owners_and_connections_agree(db, outcomes)


# Deletion of an account.


def deletes(db: DB, _: Any = None) -> None:
    delete_account(db, "ada", TRACE, settled_after=timedelta(0))


def returns(db: DB) -> tuple[bool, str]:
    """Sign up again and set a goal."""
    return signs_in(db), sets_a_goal(db)


def the_new_account_keeps_its_goal(db: DB, outcomes: list[Outcome]) -> None:
    if outcomes[-1].succeeded and outcomes[-1].result[0]:
        assert [m.milestone_id for m in db(milestones("ada"))] == [outcomes[-1].result[1]]
        assert len(db(sessions("ada"))) == 1


def gone(db: DB, outcomes: list[Outcome]) -> None:
    """Assert that a deleted account has no records."""
    assert outcomes[0].succeeded
    left = [item["SK"]["S"] for item in stored_items(db, CommitCollect) if "userId" in item]
    assert left == []


def sets_a_goal(db: DB, _: Any = None) -> str:
    return goal(db).milestone_id


def sessions_and_states(db: DB) -> list[Item]:
    return [item for item in stored_items(db, CommitCollectSessions) if "userId" in item]


def sessions_have_accounts(db: DB, _: list[Outcome]) -> None:
    left = sessions_and_states(db)
    assert not left or db(profile("ada")) is not None, "a session of no account"
    assert len(db(sessions("ada"))) == len(left)


def signs_in(db: DB, _: Any = None) -> bool:
    return sign_in(db, "ada", "ada@example.org", TRACE).is_new


def begins_to_connect(db: DB, session: Session) -> str:
    return begin_connecting(db, session).state


def no_state_is_left(db: DB, _: list[Outcome]) -> None:
    assert sessions_and_states(db) == []


def one_signed_up(_: DB, outcomes: list[Outcome]) -> None:
    assert [outcome.result for outcome in outcomes].count(True) == 1


# Events.


def receives(delivered: StravaEvent, metres: int = 10_000) -> Call:
    details = None if delivered.aspect is Aspect.DELETE else activity(metres)
    return lambda db, _: receive(db, delivered, details, TRACE)


def applied_once(db: DB, outcomes: list[Outcome]) -> None:
    applied = sum(outcome.result is DeliveryOutcome.APPLIED for outcome in outcomes)
    assert applied <= 1, "the event was processed twice"
    claim = db(claim_by_id(event().request_id))
    finished = claim is not None and claim.is_finished
    assert (db(workout("ada", "1")) is not None) == finished, "the claim and the workout disagree"
    assert claim is None or not finished or claim.result is Processed.APPLIED, "it was done again"


def done_in_the_end(db: DB, outcomes: list[Outcome]) -> None:
    applied_once(db, outcomes)
    assert db(workout("ada", "1")) is not None, "the event is lost"


def deleted(db: DB, _: list[Outcome]) -> None:
    found = db(workout("ada", "1"))
    assert found is not None
    assert found.is_deleted, "a late event brought the workout back"
    assert found.event_time_utc == LATER


def updated(db: DB, _: list[Outcome]) -> None:
    found = db(workout("ada", "1"))
    assert found is not None
    assert not found.is_deleted, "an older deletion came after a newer update"
    assert found.distance_meters == 20_000


# Awards.


def a_ride_ahead(db: DB) -> Milestone:
    made = under_way(db)
    ride(db, "1", 60_000)
    return made


def recomputes(db: DB, made: Milestone) -> tuple[int, ...]:
    return recompute(db, "ada", made.milestone_id, TRACE).minted


def counted_and_one_more(db: DB) -> Milestone:
    """Earn two parts, and add a short ride that is not counted yet and earns none."""
    made = a_ride_ahead(db)
    recomputes(db, made)
    ride(db, "2", 1_000)
    return made


def rides_and_recomputes(db: DB, made: Milestone) -> tuple[int, ...]:
    long_ride = Workout(
        user_id="ada",
        activity_id="3",
        sport_type="RIDE",
        start_date_utc=SPRING,
        event_time_utc=SPRING,
        distance_meters=Decimal(30_000),
    )
    db(long_ride.put())
    return recomputes(db, made)


def each_part_once(db: DB, outcomes: list[Outcome]) -> None:
    minted = [part for outcome in outcomes for part in outcome.result or ()]
    assert len({*minted}) == len(minted), f"the parts {minted} were minted"
    counts_are_true(db, outcomes)


def counts_are_true(db: DB, outcomes: list[Outcome]) -> None:
    [found] = db(Milestone.query(user_id="ada").consistently())
    whole = db(milestone_with_awards("ada", found.milestone_id))
    assert found.parts_earned == len(whole.awards), "the count and the awards differ"
    rides = db(counting_workouts("ada", Sport.RIDE, found.period_start_at_utc))
    done = sum(measured.distance_meters or 0 for measured in rides)
    if all(outcome.succeeded for outcome in outcomes):
        assert found.progress_value == done, "an older sum came after a newer one"


PROFILE_CHECK = ("ConditionCheck", UserProfile)
RACES = {
    "two people connect one athlete": Race(
        two_accounts,
        (connects("ada", "77"), connects("eve", "77")),
        owners_and_connections_agree,
        [("PutItem", AthleteOwner)],
        crashes=True,
    ),
    "one person connects two athletes": Race(
        two_accounts,
        (connects("ada", "77"), connects("ada", "78")),
        owners_and_connections_agree,
        [("PutItem", StravaConnection)],
        crashes=True,
    ),
    "one person changes to two athletes": Race(
        ada_connected,
        (connects("ada", "78"), connects("ada", "79")),
        owners_and_connections_agree,
        [("PutItem", StravaConnection), ("DeleteItem", AthleteOwner)],
    ),
    "one person connects the same athlete again and another": Race(
        ada_connected,
        (connects("ada", "77"), connects("ada", "78")),
        owners_and_connections_agree,
        [("PutItem", StravaConnection), ("DeleteItem", AthleteOwner)],
        crashes=True,
    ),
    "an athlete is left and taken": Race(
        ada_connected,
        (connects("ada", "78"), connects("eve", "77")),
        owners_and_connections_agree,
        [("PutItem", AthleteOwner)],
        crashes=True,
    ),
    "disconnecting meets another athlete": Race(
        ada_connected,
        (disconnects, connects("ada", "78")),
        owners_and_connections_agree,
        [("DeleteItem", StravaConnection), ("DeleteItem", AthleteOwner)],
        crashes=True,
    ),
    "a state comes back twice": Race(
        with_a_state,
        (comes_back("77"), comes_back("78")),
        at_most_one_came_back,
        [("DeleteItem", OAuthState)],
        crashes=True,
    ),
    "two sign-ups of one person": Race(
        lambda _: None, (signs_in, signs_in), one_signed_up, [("PutItem", UserProfile)]
    ),
    "signing in meets the end of the account": Race(
        signed_in, (deletes, signs_in), sessions_have_accounts, [PROFILE_CHECK]
    ),
    "connecting meets the end of the account": Race(
        signed_in, (deletes, connects("ada", "77")), gone, [PROFILE_CHECK]
    ),
    "a goal meets the end of the account": Race(
        under_way, (deletes, sets_a_goal), gone, [PROFILE_CHECK]
    ),
    "an event meets the end of the account": Race(
        connected,
        (deletes, receives(event())),
        gone,
        [("ConditionCheck", AthleteOwner), PROFILE_CHECK],
    ),
    "a state meets the end of the account": Race(
        signed_in, (deletes, begins_to_connect), no_state_is_left, [PROFILE_CHECK]
    ),
    "a recompute meets the end of the account": Race(
        a_ride_ahead,
        (deletes, recomputes),
        gone,
        [PROFILE_CHECK, ("UpdateItem", Milestone)],
    ),
    "two deliveries of one event": Race(
        connected,
        (receives(event()), receives(event())),
        applied_once,
        [("PutItem", WebhookClaim), ("UpdateItem", WebhookClaim)],
    ),
    "a slow delivery meets its successor": Race(
        connected,
        (receives(event()), later(LEASE, receives(event()))),
        applied_once,
        [("UpdateItem", WebhookClaim)],
    ),
    "an update and a later deletion": Race(
        connected,
        (receives(event(aspect=Aspect.UPDATE)), receives(event(aspect=Aspect.DELETE, at=LATER))),
        deleted,
        [("PutItem", Workout)],
    ),
    "a deletion and a later update": Race(
        connected,
        (
            receives(event(aspect=Aspect.DELETE)),
            receives(event(aspect=Aspect.UPDATE, at=LATER), 20_000),
        ),
        updated,
        [("UpdateItem", Workout)],
    ),
    "two recomputes": Race(
        a_ride_ahead,
        (recomputes, recomputes),
        each_part_once,
        [("UpdateItem", Milestone), ("PutItem", Award)],
    ),
    "a recompute and one that knows of another ride": Race(
        counted_and_one_more,
        (recomputes, rides_and_recomputes),
        each_part_once,
        [("UpdateItem", Milestone)],
    ),
}


def run(race: Race, db: DB, *, crashes: bool = False) -> None:
    made = race.before(db)
    meet(
        db,
        *(partial(call, db, made) for call in race.calls),
        holds=partial(race.holds, db),
        refusal=CommitCollectError,
        crashes=crashes,
    )


@pytest.mark.parametrize("name", RACES)
def test_it_holds_in_every_order(name: str, memory: DB) -> None:
    run(RACES[name], memory)


@pytest.mark.acceptance
@pytest.mark.parametrize("name", [name for name, race in RACES.items() if race.crashes])
def test_it_holds_with_a_crash_or_a_lost_response_anywhere(name: str, memory: DB) -> None:
    run(RACES[name], memory, crashes=True)


def begins_to_delete(db: DB, _: Any) -> None:
    delete_account(db, "ada", TRACE)


def finishes_deletions(db: DB, _: Any) -> None:
    finish_deletions(db, TRACE)


@pytest.mark.acceptance
@pytest.mark.parametrize("sample", [FEW, pytest.param(SAMPLE, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", RACES)
def test_it_holds_with_lost_responses_and_lag_together(name: str, sample: int, memory: DB) -> None:
    """There are too many schedules to run them all."""
    race = RACES[name]
    made = race.before(memory)
    # A deletion finds sessions and states in an index, and waits until it has settled.
    calls = [begins_to_delete if call is deletes else call for call in race.calls]
    finish = partial(later(SETTLED_AFTER, finishes_deletions), memory, made)

    explored = explore(
        *(partial(call, memory, made) for call in calls),
        db=memory,
        then=finish if deletes in race.calls else None,
        invariant=partial(race.holds, memory),
        errors=(CommitCollectError,),
        crashes=False,
        index_lag=True,
        stale_reads=True,
        sample=sample,
    )

    assert explored.schedules > 10


@pytest.mark.acceptance
@pytest.mark.parametrize("name", RACES)
def test_it_fails_without_its_guards(
    name: str, memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    unguard(monkeypatch, RACES[name].guards)

    with pytest.raises(ExplorationFailed):
        run(RACES[name], memory)


def test_an_event_is_processed_once_after_a_crash_anywhere(memory: DB) -> None:
    """A delivery after the lease finishes the work of a crashed delivery."""
    connected(memory)
    deliver = receives(event())

    explored = explore(
        partial(deliver, memory, None),
        partial(deliver, memory, None),
        db=memory,
        then=partial(later(LEASE, deliver), memory, None),
        invariant=partial(done_in_the_end, memory),
        errors=(CommitCollectError,),
    )

    assert explored.schedules > 20


def test_a_recompute_is_finished_by_the_next_after_a_crash_anywhere(memory: DB) -> None:
    made = a_ride_ahead(memory)

    def all_is_earned() -> None:
        whole = memory(milestone_with_awards("ada", made.milestone_id))
        assert [award.part_index for award in whole.awards] == [1, 2]
        assert whole.milestone is not None
        assert (whole.milestone.parts_earned, whole.milestone.version) == (2, 2)

    explored = explore(
        partial(recomputes, memory, made),
        db=memory,
        then=partial(recomputes, memory, made),
        invariant=all_is_earned,
    )

    assert explored.schedules > 5


def test_an_account_is_gone_after_a_crash_anywhere(memory: DB) -> None:
    """A second deletion removes the records that a crashed deletion left."""
    made = under_way(memory)
    ride(memory, "1", 60_000)
    recompute(memory, "ada", made.milestone_id, TRACE)

    def nothing_is_left() -> None:
        left = [i["SK"]["S"] for i in stored_items(memory, CommitCollect) if "userId" in i]
        assert left == []
        assert sessions_and_states(memory) == []

    explored = explore(
        partial(deletes, memory, None),
        db=memory,
        then=partial(deletes, memory, None),
        invariant=nothing_is_left,
        errors=(CommitCollectError,),
    )

    assert explored.schedules > 10


def test_after_a_crash_anywhere_a_new_account_shows_nothing_of_the_old_one(memory: DB) -> None:
    made = under_way(memory)
    ride(memory, "1", 60_000)
    recompute(memory, "ada", made.milestone_id, TRACE)
    new: list[bool] = []

    def returns_or_is_refused() -> None:
        new.clear()
        with suppress(DeletionUnderWay):
            new.append(signs_in(memory))

    def nothing_old_is_shown() -> None:
        if new == [True]:
            left = {i["SK"]["S"] for i in stored_items(memory, CommitCollect) if "userId" in i}
            assert left == {"PROFILE"}

    explored = explore(
        partial(deletes, memory),
        db=memory,
        then=returns_or_is_refused,
        invariant=nothing_old_is_shown,
        errors=(CommitCollectError,),
    )

    assert explored.schedules > 10


@pytest.mark.parametrize("lost_responses", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_deletion_removes_nothing_of_the_account_that_follows(
    memory: DB, lost_responses: bool
) -> None:
    under_way(memory)

    explored = explore(
        partial(deletes, memory),
        partial(returns, memory),
        db=memory,
        invariant=partial(the_new_account_keeps_its_goal, memory),
        errors=(CommitCollectError,),
        crashes=False,
        lost_responses=lost_responses,
    )

    assert explored.schedules > 10


@pytest.mark.acceptance
@pytest.mark.parametrize("sample", [FEW, pytest.param(SAMPLE, marks=pytest.mark.slow)])
def test_a_deletion_removes_nothing_of_the_account_that_follows_although_indexes_lag(
    memory: DB, sample: int
) -> None:
    """The deletion waits until the index has settled; the user returns before and after it."""
    under_way(memory)
    back: list[tuple[bool, str]] = []

    def returns_later() -> None:
        # After a crash, the first finds that every session is in the index, and the second ends.
        for waited in (SETTLED_AFTER, 2 * SETTLED_AFTER):
            later(waited, finishes_deletions)(memory, None)
        back[:] = [returns(memory)]

    def the_goals_are_there(outcomes: list[Outcome]) -> None:
        goals = {found.milestone_id for found in memory(milestones("ada"))}
        made = {outcome.result[1] for outcome in outcomes[1:] if outcome.succeeded}
        assert back[0][1] in goals, "the last goal is gone"
        if not back[0][0]:  # no deletion came between
            assert made <= goals, "a goal is gone"

    explored = explore(
        partial(begins_to_delete, memory, None),
        partial(returns, memory),
        db=memory,
        then=returns_later,
        invariant=the_goals_are_there,
        errors=(CommitCollectError,),
        index_lag=True,
        stale_reads=True,
        sample=sample,
    )

    assert explored.schedules > 10


@pytest.mark.acceptance
@with_and_without_guard
def test_a_deletion_that_is_finished_late_removes_nothing_of_the_account_that_follows(
    memory: DB, monkeypatch: pytest.MonkeyPatch, *, guarded: bool
) -> None:
    """Both finish the deletion, one of them also signs up again, and the index lags."""
    under_way(memory)
    begins_to_delete(memory, None)
    if not guarded:
        unguard(monkeypatch, [PROFILE_CHECK])

    def finishes_and_returns() -> tuple[bool, str]:
        begins_to_delete(memory, None)
        return returns(memory)

    settled = now() + SETTLED_AFTER.total_seconds()
    with (
        clock(lambda: settled),
        fails_unless(guarded=guarded, match="the invariant does not hold"),
    ):
        explored = explore(
            partial(finishes_deletions, memory, None),
            finishes_and_returns,
            db=memory,
            invariant=partial(the_new_account_keeps_its_goal, memory),
            errors=(CommitCollectError,),
            crashes=False,
            index_lag=True,
            stale_reads=True,
            sample=SAMPLE,
        )
        assert explored.schedules > 10


@pytest.mark.acceptance
def test_two_deletions_at_once_both_succeed(memory: DB) -> None:
    signed_in(memory)
    # A deletion before has found that every session is in the index.
    memory(mark_session_index(SessionIndex(checked_at_utc=utc_now() - SETTLED_AFTER)))

    explored = explore(
        partial(deletes, memory),
        partial(deletes, memory),
        db=memory,
        invariant=partial(gone, memory),
        crashes=False,
        lost_responses=False,
    )

    assert explored.endings == (("returned", "returned"),)


@pytest.mark.acceptance
@pytest.mark.parametrize("sample", [FEW, pytest.param(SAMPLE, marks=pytest.mark.slow)])
def test_two_deletions_at_once_leave_nothing_although_indexes_lag(memory: DB, sample: int) -> None:
    signed_in(memory)

    def gone_or_crashed(outcomes: list[Outcome]) -> None:
        assert all(outcome.succeeded or outcome.crashed for outcome in outcomes), f"{outcomes}"
        if any(outcome.succeeded for outcome in outcomes):
            assert memory(profile("ada")) is None, "the account is left"
            assert sessions_and_states(memory) == [], "a session is left"

    explored = explore(
        partial(begins_to_delete, memory, None),
        partial(begins_to_delete, memory, None),
        db=memory,
        then=partial(later(SETTLED_AFTER, finishes_deletions), memory, None),
        invariant=gone_or_crashed,
        index_lag=True,
        stale_reads=True,
        sample=sample,
    )

    assert explored.schedules > 10


def test_a_session_that_the_index_does_not_have_yet_ends_with_the_account(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index has settled when the deletion is finished."""
    session = signed_in(memory)
    monkeypatch.setattr(connecting, "token_urlsafe", lambda: "state")
    monkeypatch.setattr(signing_in, "token_urlsafe", lambda: "session")

    def no_session_is_left() -> None:
        assert sessions_and_states(memory) == []
        assert memory(profile("ada")) is None

    explored = explore(
        lambda: delete_account(memory, "ada", TRACE),
        lambda: begin_connecting(memory, session) and signs_in(memory),
        db=memory,
        then=partial(later(SETTLED_AFTER, finishes_deletions), memory, None),
        invariant=no_session_is_left,
        errors=(CommitCollectError,),
        index_lag=True,
        crashes=False,
        lost_responses=False,
    )

    assert explored.schedules > 10


ANYTHING = Or((AttributeExists(Path(("PK",))), AttributeNotExists(Path(("PK",)))))


def unguard(monkeypatch: pytest.MonkeyPatch, writes: Sequence[tuple[str, type]]) -> None:
    """Remove the conditions from these writes."""
    without = {(verb, entity.__name__) for verb, entity in writes}
    modules: tuple[Any, ...] = (put, update, upsert, delete)

    def unguarded(action: Any) -> Any:
        def made(verb: str, kind: Any, key: Any, guards: tuple[Guard, ...], **written: Any) -> Any:
            if (verb, kind.name) in without:
                # A check must have a condition, so it gets one that always holds.
                guards = tuple(Guard(ANYTHING, g.error, g.message) for g in guards)
            return action(verb, kind, key, guards, **written)

        return made

    for module in modules:
        monkeypatch.setattr(module, "action", unguarded(module.action))
