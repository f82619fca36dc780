"""An event is processed once, and an older one never overwrites a newer one."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError
from tests.access.executors import put_item, stored_items
from tests.systems.commitcollect.people import (
    KEYS,
    SPRING,
    TRACE,
    Clock,
    activity,
    connected,
    event,
    everything,
    signed_in,
)

from sortkey import DB, Contended, Retries, TransactionFailed
from sortkey.wire.errors import TransactionCanceledException
from sortkey.wire.messages import Request
from sortkey_systems.commitcollect import receiving
from sortkey_systems.commitcollect.connecting import disconnect
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.design.audit import EventType, audit_by_type
from sortkey_systems.commitcollect.design.strava import AthleteOwner, athlete_owner
from sortkey_systems.commitcollect.design.tables import CommitCollect, CommitCollectIdempotency
from sortkey_systems.commitcollect.design.webhook import (
    KEPT_FOR,
    LEASE,
    Outcome,
    claim_by_id,
    take_event,
)
from sortkey_systems.commitcollect.design.workouts import (
    Sport,
    Workout,
    counting_workouts,
    recent_workouts,
    workout,
    workouts_since,
)
from sortkey_systems.commitcollect.errors import BadInput, EventInProgress
from sortkey_systems.commitcollect.receiving import Aspect, DeliveryOutcome, StravaEvent, receive

LATER = SPRING + timedelta(seconds=1)


def stored(db: DB, activity_id: str = "1", user_id: str = "ada") -> Workout:
    found = db(workout(user_id, activity_id))
    assert found is not None
    return found


def test_an_activity_becomes_a_workout_of_its_athletes_owner(db: DB) -> None:
    connected(db)

    assert receive(db, event(), activity(), TRACE) is DeliveryOutcome.APPLIED

    assert stored(db) == Workout(
        user_id="ada",
        activity_id="1",
        sport_type="RIDE",
        start_date_utc=SPRING,
        event_time_utc=SPRING,
        distance_meters=Decimal(10_000),
        total_elevation_gain=Decimal(100),
        activity_name="Morning Ride",
        moving_time_sec=3600,
    )


def test_what_was_measured_is_stored_exactly(db: DB) -> None:
    connected(db)
    long = Decimal("1000.000000000000000001")  # more digits than a float has

    receive(db, event(), activity(distance_meters=long, total_elevation_gain=long), TRACE)

    assert (stored(db).distance_meters, stored(db).total_elevation_gain) == (long, long)


def test_a_second_delivery_is_recognised_and_changes_nothing(db: DB) -> None:
    connected(db)
    receive(db, event(), activity(), TRACE)

    assert receive(db, event(), activity(99_999), TRACE) is DeliveryOutcome.REPEATED

    assert stored(db).distance_meters == 10_000


def test_its_id_is_that_of_the_event_and_not_of_the_delivery() -> None:
    seconds = int(SPRING.timestamp())
    assert event().request_id == f"activity:create:1:{seconds}"
    assert event().request_id == event(athlete_id="78").request_id
    others = [event("2"), event(aspect=Aspect.UPDATE), event(at=LATER)]
    assert len({e.request_id for e in (event(), *others)}) == 4


def test_an_event_of_an_athlete_without_owner_is_released_and_can_be_delivered_again(
    db: DB,
) -> None:
    signed_in(db)

    assert receive(db, event(), activity(), TRACE) is DeliveryOutcome.NO_OWNER
    assert stored_items(db, CommitCollectIdempotency) == []

    connected(db)
    assert receive(db, event(), activity(), TRACE) is DeliveryOutcome.APPLIED


def test_an_event_after_disconnecting_has_no_owner(db: DB) -> None:
    connected(db)
    disconnect(db, "ada", TRACE)

    assert receive(db, event(), activity(), TRACE) is DeliveryOutcome.NO_OWNER
    assert db(workout("ada", "1")) is None


@pytest.mark.parametrize("aspect", Aspect)
def test_an_event_of_an_athlete_with_a_new_owner_counts_for_the_new_owner(
    db: DB, monkeypatch: pytest.MonkeyPatch, aspect: Aspect
) -> None:
    connected(db)
    recording = vars(receiving)["_recording"]

    def to_another(*asked: Any) -> Any:
        if db(athlete_owner("77")) == ada:
            disconnect(db, "ada", TRACE)
            connected(db, "bob")
        return recording(*asked)

    ada = db(athlete_owner("77"))
    monkeypatch.setattr(receiving, "_recording", to_another)

    assert receive(db, event(aspect=aspect), activity(), TRACE) is DeliveryOutcome.APPLIED
    assert stored(db, user_id="bob").is_deleted == (aspect is Aspect.DELETE)
    assert db(workout("ada", "1")) is None


def test_an_event_gives_up_after_three_changes_of_owner(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected(memory)
    recording = vars(receiving)["_recording"]
    owners = ["bob", "cat", "dan", "eve"]

    def to_another(*asked: Any) -> Any:
        memory(AthleteOwner(athlete_id="77", user_id=owners.pop(0), updated_at_utc=SPRING).put())
        return recording(*asked)

    monkeypatch.setattr(receiving, "_recording", to_another)
    with pytest.raises(Contended):
        receive(memory, event(), activity(), TRACE)

    assert owners == ["eve"]
    assert stored_items(memory, CommitCollectIdempotency) == [], "it can be delivered again"
    assert [item for item in stored_items(memory, CommitCollect) if "activityId" in item] == []


def test_a_workout_is_not_deleted_by_default(db: DB) -> None:
    connected(db)
    receive(db, event(), activity(), TRACE)
    [item] = [i for i in stored_items(db, CommitCollect) if "isDeleted" in i]
    put_item(db, CommitCollect, {name: v for name, v in item.items() if name != "isDeleted"})

    assert len(db(recent_workouts("ada"))) == 1
    assert len(db(workouts_since("ada", Sport.RIDE, SPRING))) == 1
    assert len(db(counting_workouts("ada", Sport.RIDE, SPRING))) == 1


# Order.


def test_two_activities_of_one_second_are_listed_in_one_order(memory: DB) -> None:
    """DynamoDB does not define an order among equal keys of an index."""
    connected(memory)
    for activity_id in ("1", "2"):
        receive(memory, event(activity_id), activity(), TRACE)

    places = [item["GSI1SK"]["S"] for item in stored_items(memory, CommitCollect, "GSI1")]

    assert len({*places}) == len(places) == 2


@pytest.mark.parametrize("aspect", [Aspect.CREATE, Aspect.UPDATE])
def test_an_event_overwrites_what_is_older(db: DB, aspect: Aspect) -> None:
    connected(db)
    receive(db, event(), activity(), TRACE)

    receive(db, event(aspect=aspect, at=LATER), activity(20_000), TRACE)

    assert (stored(db).distance_meters, stored(db).event_time_utc) == (20_000, LATER)


@pytest.mark.parametrize("aspect", [Aspect.CREATE, Aspect.UPDATE])
def test_an_older_event_does_not_overwrite_a_newer_one(db: DB, aspect: Aspect) -> None:
    connected(db)
    receive(db, event(aspect=Aspect.UPDATE, at=LATER), activity(20_000), TRACE)

    assert receive(db, event(aspect=aspect), activity(), TRACE) is DeliveryOutcome.STALE

    assert stored(db).distance_meters == 20_000
    claim = db(claim_by_id(event(aspect=aspect).request_id))
    assert claim is not None
    assert claim.result is Outcome.STALE


def test_a_deletion_keeps_what_is_known(db: DB) -> None:
    connected(db)
    receive(db, event(), activity(), TRACE)

    receive(db, event(aspect=Aspect.DELETE, at=LATER), None, TRACE)

    gone = stored(db)
    assert (gone.is_deleted, gone.deleted_at_utc, gone.event_time_utc) == (True, LATER, LATER)
    assert (gone.sport_type, gone.distance_meters) == ("RIDE", 10_000)
    assert list(db(recent_workouts("ada"))) == []


def test_a_deletion_that_comes_with_its_activity_deletes_all_the_same(memory: DB) -> None:
    connected(memory)

    receive(memory, event(aspect=Aspect.DELETE), activity(), TRACE)

    assert stored(memory).is_deleted


def test_a_late_update_does_not_resurrect_a_deleted_workout(db: DB) -> None:
    connected(db)
    receive(db, event(), activity(), TRACE)
    receive(db, event(aspect=Aspect.DELETE, at=LATER), None, TRACE)

    assert receive(db, event(aspect=Aspect.UPDATE), activity(), TRACE) is DeliveryOutcome.STALE

    assert stored(db).is_deleted


def test_a_deletion_before_its_create_leaves_a_tombstone(db: DB) -> None:
    connected(db)

    assert (
        receive(db, event(aspect=Aspect.DELETE, at=LATER), None, TRACE) is DeliveryOutcome.APPLIED
    )
    assert receive(db, event(), activity(), TRACE) is DeliveryOutcome.STALE

    gone = stored(db)
    assert (gone.is_deleted, gone.sport_type, gone.start_date_utc) == (True, None, None)
    assert list(db(recent_workouts("ada"))) == []


@pytest.mark.parametrize("deleted_first", [True, False])
@pytest.mark.parametrize("aspect", [Aspect.CREATE, Aspect.UPDATE])
def test_in_the_same_second_the_deletion_wins(db: DB, aspect: Aspect, deleted_first: bool) -> None:
    connected(db)
    deliveries = [(event(aspect=aspect), activity()), (event(aspect=Aspect.DELETE), None)]

    for delivered, details in reversed(deliveries) if deleted_first else deliveries:
        receive(db, delivered, details, TRACE)

    assert stored(db).is_deleted


@pytest.mark.parametrize("updated_first", [True, False])
def test_in_the_same_second_an_update_follows_its_create(db: DB, updated_first: bool) -> None:
    connected(db)
    deliveries = [
        (event(), activity(10_000)),
        (event(aspect=Aspect.UPDATE), activity(20_000)),
    ]

    for delivered, details in reversed(deliveries) if updated_first else deliveries:
        receive(db, delivered, details, TRACE)

    assert stored(db).distance_meters == 20_000


@pytest.mark.parametrize("deleted", [None, False, True])
def test_in_the_same_second_an_update_replaces_what_is_not_deleted(
    db: DB, deleted: bool | None
) -> None:
    """A workout without `isDeleted` is not deleted."""
    connected(db)
    receive(db, event(), activity(), TRACE)
    [item] = [i for i in stored_items(db, CommitCollect) if "isDeleted" in i]
    item.pop("isDeleted")
    put_item(
        db, CommitCollect, item | ({} if deleted is None else {"isDeleted": {"BOOL": deleted}})
    )

    outcome = receive(db, event(aspect=Aspect.UPDATE), activity(20_000), TRACE)

    assert outcome is (DeliveryOutcome.STALE if deleted else DeliveryOutcome.APPLIED)
    assert stored(db).distance_meters == (10_000 if deleted else 20_000)


def test_a_workout_needs_its_sport_and_start_unless_it_is_deleted() -> None:
    Workout(user_id="a", activity_id="1", event_time_utc=SPRING, is_deleted=True)
    known: dict[str, Any]
    for known in ({}, {"sport_type": "RIDE"}, {"start_date_utc": SPRING}):
        with pytest.raises(ValidationError, match="required unless is_deleted"):
            Workout(user_id="a", activity_id="1", event_time_utc=SPRING, **known)


# Crashes and time.


def test_while_a_delivery_is_processed_another_gets_an_error(db: DB, now: Clock) -> None:
    connected(db)
    db(take_event(event().request_id))

    with pytest.raises(EventInProgress) as busy:
        receive(db, event(), activity(), TRACE)

    assert busy.value.until == now.moment + LEASE
    claim = db(claim_by_id(event().request_id))
    assert claim is not None
    assert claim.state == "IN_PROGRESS"


def test_after_a_crash_a_later_delivery_finishes_the_work(db: DB, now: Clock) -> None:
    connected(db)
    db(take_event(event().request_id))  # and nothing more: the process is gone

    now.pass_by(minutes=1)

    assert receive(db, event(), activity(), TRACE) is DeliveryOutcome.APPLIED
    claim = db(claim_by_id(event().request_id))
    assert claim is not None
    assert (claim.state, claim.result) == ("DONE", Outcome.APPLIED)


def test_an_event_whose_workout_another_is_writing_is_not_taken_for_stale(
    now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with DB.memory(*TABLES, secrets=KEYS, retries=Retries(attempts=1)) as db:
        connected(db)
        send = db._transport.send

        def busy(request: Request) -> Any:
            if len(request.body.get("TransactItems", ())) > 1:
                raise TransactionCanceledException(
                    [{"Code": c} for c in ("None", "TransactionConflict", "None", "None")]
                )
            return send(request)

        with monkeypatch.context() as meanwhile:
            meanwhile.setattr(db._transport, "send", busy)
            with pytest.raises(TransactionFailed):
                receive(db, event(), activity(), TRACE)

        now.seconds += LEASE.total_seconds()
        assert receive(db, event(), activity(), TRACE) is DeliveryOutcome.APPLIED


def test_a_claim_is_remembered_for_a_week(db: DB, now: Clock) -> None:
    connected(db)
    receive(db, event(), activity(), TRACE)

    now.seconds += KEPT_FOR.total_seconds() - 1
    assert receive(db, event(), activity(), TRACE) is DeliveryOutcome.REPEATED
    now.pass_by(seconds=1)
    assert db(claim_by_id(event().request_id)) is None
    assert timedelta(days=7) == KEPT_FOR


# Rejected input, and audit events.


def test_a_create_without_its_activity_is_rejected_and_nothing_is_written(db: DB) -> None:
    connected(db)
    before = everything(db)

    with pytest.raises(BadInput) as refused:
        receive(db, event(), None, TRACE)

    assert refused.value.field == "activity"
    assert everything(db) == before


@pytest.mark.parametrize("aspect", [Aspect.CREATE, Aspect.UPDATE])
def test_an_event_that_was_rejected_is_accepted_once_it_is_corrected(
    db: DB, aspect: Aspect
) -> None:
    connected(db)
    too_early = datetime(1969, 11, 1, tzinfo=UTC)
    with pytest.raises(BadInput) as refused:
        receive(db, event(aspect=aspect), activity(start_date=too_early), TRACE)

    assert refused.value.field == "start_date_utc"
    assert stored_items(db, CommitCollectIdempotency) == []
    assert receive(db, event(aspect=aspect), activity(), TRACE) is DeliveryOutcome.APPLIED


@pytest.mark.parametrize("field", ["object_id", "athlete_id"])
def test_an_event_with_an_invalid_id_is_rejected(field: str) -> None:
    values = event().model_dump() | {field: "1#2"}
    with pytest.raises(ValidationError, match=field):
        StravaEvent.model_validate(values)


@pytest.mark.parametrize(
    ("field", "least", "beyond"),
    [
        ("sport_type", "X", ""),
        ("distance_meters", Decimal(0), Decimal("-0.01")),
        ("total_elevation_gain", Decimal(0), Decimal("-0.01")),
        ("moving_time_sec", 0, -1),
    ],
)
def test_an_activity_has_no_negative_measures(field: str, least: Any, beyond: Any) -> None:
    assert getattr(activity(**{field: least}), field) == least
    with pytest.raises(ValidationError, match=field):
        activity(**{field: beyond})


def test_a_time_has_whole_seconds() -> None:
    within = SPRING + timedelta(milliseconds=999)

    assert event(at=within).event_time == SPRING
    assert activity(start_date=within).start_date == SPRING


def test_each_event_is_audited(db: DB, now: Clock) -> None:
    connected(db)
    receive(db, event(), activity(), TRACE)
    receive(db, event(aspect=Aspect.DELETE, at=LATER), None, TRACE)

    [created] = db(audit_by_type(EventType.STRAVA_ACTIVITY_CREATE, now.moment))
    [deleted] = db(audit_by_type(EventType.STRAVA_ACTIVITY_DELETE, now.moment))
    assert created.data == {"activityId": "1", "outcome": "applied"}
    assert deleted.user_id == "ada"
