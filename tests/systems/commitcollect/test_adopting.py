"""A table that exists already is adopted: the smallest items that the item catalog allows.

They are read, served and erased as they are. `sortkey backfill` turns them into what the system
writes now; then they are listed, changed and erased like all others.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from tests.access.executors import put_item, stored_items
from tests.systems.commitcollect.people import (
    TRACE,
    Clock,
    activity,
    event,
    everything,
    grant,
    signed_in,
)
from tests.systems.sending import Send, sending

from sortkey import DB, Backfill, Contended, Op, Table, TransactionFailed
from sortkey.wire.values import AttributeValue, Item
from sortkey_systems.commitcollect import deleting
from sortkey_systems.commitcollect.adopting import search_sessions
from sortkey_systems.commitcollect.api import api
from sortkey_systems.commitcollect.connecting import connect, disconnect
from sortkey_systems.commitcollect.deleting import (
    FinishedDeletions,
    delete_account,
    finish_deletions,
)
from sortkey_systems.commitcollect.design.accounts import AccountRole, Plan, UserProfile, profile
from sortkey_systems.commitcollect.design.adopting import SEARCHED, SessionIndex
from sortkey_systems.commitcollect.design.deleting import SessionKey, session_keys
from sortkey_systems.commitcollect.design.milestones import (
    Award,
    Milestone,
    MilestoneStatus,
    awards,
    milestone,
    milestone_with_awards,
    milestones,
)
from sortkey_systems.commitcollect.design.models import (
    ModelMeta,
    ModelPart,
    active_models,
    add_model,
    model_with_parts,
)
from sortkey_systems.commitcollect.design.sessions import Session, session, sessions
from sortkey_systems.commitcollect.design.strava import (
    AthleteOwner,
    StravaConnection,
    athlete_owner,
    connected_athlete,
    connection,
)
from sortkey_systems.commitcollect.design.tables import CommitCollect, CommitCollectSessions
from sortkey_systems.commitcollect.design.workouts import (
    Sport,
    Workout,
    counting_workouts,
    recent_workouts,
    workout,
    workouts_since,
)
from sortkey_systems.commitcollect.earning import recompute
from sortkey_systems.commitcollect.operating import change_plan
from sortkey_systems.commitcollect.receiving import Aspect, DeliveryOutcome, receive
from sortkey_systems.commitcollect.signing_in import resolve_session, sign_in

AT_ONCE = timedelta(0)
START = datetime.fromtimestamp(1_700_000_000, UTC)
LATER = START + timedelta(days=1)
ENTITIES = (
    *(UserProfile, StravaConnection, AthleteOwner, Workout, Milestone, Award),
    *(ModelMeta, ModelPart, Session),
)

# Only the attributes that the catalog requires, as another program stored them. One milestone's id
# begins as another's.
GOAL = {
    "modelId": {"S": "nike"},
    "sport": {"S": "RIDE"},
    "targetType": {"S": "DISTANCE_METERS"},
    "totalTarget": {"N": "100000"},
    "partTarget": {"N": "25000"},
    "partsTotal": {"N": "4"},
    "periodStartAtUtc": {"N": "1600000000"},
}
EARNED = {
    "progressValue": {"N": "30000"},
    "percentComplete": {"N": "30"},
    "partsEarned": {"N": "1"},
    "version": {"N": "3"},
}
PART = {"partName": {"S": "wing"}, "meshFile": {"S": "wing.glb"}, "attachPoint": {"S": "left"}}
RIDE = {"sportType": {"S": "RIDE"}, "startDateUtc": {"N": "1700000000"}}
ITEMS: dict[tuple[str, str], Item] = {
    ("USER#u1", "PROFILE"): {
        "userId": {"S": "u1"},
        "email": {"S": "u1@example.org"},
        "createdAtUtc": {"N": "1700000000"},
    },
    ("USER#u1", "STRAVA#CONNECTION"): {
        "athleteId": {"S": "77"},
        "accessToken": {"S": "clear-access"},
        "refreshToken": {"S": "clear-refresh"},
        "expiresAtUtc": {"N": "1700000000"},
    },
    ("STRAVA#ATHLETE#77", "OWNER"): {"userId": {"S": "u1"}},
    ("USER#u1", "WORKOUT#STRAVA#1"): {
        "activityId": {"S": "1"},
        "distanceMeters": {"N": "30000"},
        **RIDE,
    },
    ("USER#u1", "WORKOUT#STRAVA#2"): {
        "activityId": {"N": "2"},
        "distanceMeters": {"N": "30000"},
        **RIDE,
    },
    ("USER#u1", "WORKOUT#STRAVA#3"): {
        "activityId": {"N": "3"},
        "isDeleted": {"BOOL": True},
        **RIDE,
    },
    ("USER#u1", "MILESTONE#m1"): GOAL,
    ("USER#u1", "MILESTONE#m10"): {**GOAL, **EARNED},
    ("USER#u1", "MILESTONE#m10#AWARD#01"): {
        "partIndex": {"N": "1"},
        "awardedAtUtc": {"N": "1700000000"},
        **PART,
    },
    ("MODEL#nike", "META"): {"partsTotal": {"N": "4"}, "status": {"S": "ACTIVE"}},
    **{("MODEL#nike", f"PART#{index:02d}"): PART for index in range(1, 5)},
}
# The same items as a program stores them that does not pad numbers, and has ids of Strava as
# numbers.
UNPADDED: dict[tuple[str, str], Item] = {
    (partition, sort.replace("#0", "#")): item for (partition, sort), item in ITEMS.items()
} | {
    ("USER#u1", "STRAVA#CONNECTION"): {
        **ITEMS["USER#u1", "STRAVA#CONNECTION"],
        "athleteId": {"N": "77"},
    },
    ("STRAVA#ATHLETE#77", "OWNER"): {"userId": {"S": "u1"}, "athleteId": {"N": "77"}},
}
SESSION: Item = {
    "userId": {"S": "u1"},
    "createdAtUtc": {"N": "1700000000"},
    "expiresAtUtc": {"N": "4000000000"},
}


@pytest.fixture(params=[ITEMS, UNPADDED], ids=["padded", "unpadded"])
def adopted(db: DB, request: pytest.FixtureRequest) -> DB:
    """Return a database with these items, verbatim."""
    for (partition, sort), item in request.param.items():
        put(db, CommitCollect, partition, sort, item)
    put(db, CommitCollectSessions, "SESSION#s1", "META", SESSION)
    return db


@pytest.fixture
def filled(adopted: DB) -> DB:
    """Return this database after the back-fill."""
    back_filled(adopted)
    return adopted


def back_filled(db: DB) -> None:
    for progress in Backfill(db, ENTITIES).run():
        assert not progress.failures, progress.failures


@pytest.fixture
def send(adopted: DB) -> Iterator[Send]:
    with sending(api, adopted) as send:
        yield send


def put(db: DB, table: type[Table], partition: str, sort: str, item: Item) -> None:
    put_item(db, table, {"PK": {"S": partition}, "SK": {"S": sort}, **item})


def left(db: DB) -> list[str]:
    """Return the sort keys of records that are not the model's."""
    found = [*stored_items(db, CommitCollect), *stored_items(db, CommitCollectSessions)]
    others = ("MODEL#", "SESSION_INDEX")
    return [i["SK"]["S"] for i in found if not i["PK"]["S"].startswith(others)]


# As they are.


def test_the_items_are_read_by_their_documented_keys(adopted: DB) -> None:
    assert adopted(profile("u1")) == UserProfile(
        user_id="u1",
        email="u1@example.org",
        created_at_utc=START,
        plan=Plan.FREE,
        role=AccountRole.USER,
    )
    held = adopted(connection("u1"))
    assert held is not None
    assert (held.user_id, held.athlete_id) == ("u1", "77")
    assert (held.access_token, held.refresh_token) == ("clear-access", "clear-refresh")
    owner = adopted(athlete_owner("77"))
    assert owner is not None
    assert (owner.athlete_id, owner.user_id, owner.updated_at_utc) == ("77", "u1", None)
    for activity_id in ("1", "2", "3"):
        ride = adopted(workout("u1", activity_id))
        assert ride is not None
        assert (ride.user_id, ride.activity_id, ride.event_time_utc) == ("u1", activity_id, None)
        assert ride.is_deleted == (activity_id == "3")
    goal = adopted(milestone("u1", "m1"))
    assert goal is not None
    assert (goal.milestone_id, goal.status) == ("m1", MilestoneStatus.ACTIVE)
    assert (goal.parts_earned, goal.version) == (0, 0)
    [award] = adopted(awards("u1", "m10"))
    assert (award.milestone_id, award.part_index) == ("m10", 1)
    both = adopted(milestone_with_awards("u1", "m1"))
    assert (both.milestone, both.awards) == (goal, [])
    model = adopted(model_with_parts("nike"))
    assert model.model is not None
    assert (model.model.model_id, model.model.name) == ("nike", None)
    assert [part.index for part in model.parts] == [1, 2, 3, 4]
    found = adopted(session("s1"))
    assert found is not None
    assert (found.session_id, resolve_session(adopted, "s1").user_id) == ("s1", "u1")


def test_the_items_are_served(send: Send) -> None:
    me = send("u1", "GET", "/me").json()
    assert (me["user_id"], me["plan"], me["role"]) == ("u1", "free", "user")
    assert send("unused", "GET", "/strava", token="s1").json() == {"athlete_id": "77"}
    ride = send("u1", "GET", "/workouts/2").json()
    assert (ride["activity_id"], ride["event_time_utc"]) == ("2", None)
    assert send("u1", "GET", "/workouts/3").status_code == 404
    goal = send("u1", "GET", "/milestones/m10").json()
    assert goal["milestone"]["parts_earned"] == len(goal["awards"]) == 1
    assert send("u1", "GET", "/models/nike").json()["model"]["name"] is None
    minted = send("u1", "POST", "/milestones/m1/recompute").json()["minted"]
    assert minted == [1, 2]


def test_they_are_counted_and_recomputed(adopted: DB) -> None:
    counted = adopted(counting_workouts("u1", Sport.RIDE, START))
    assert [ride.distance_meters for ride in counted] == [30_000, 30_000]

    assert recompute(adopted, "u1", "m1", TRACE).minted == (1, 2)
    again = recompute(adopted, "u1", "m10", TRACE)

    assert again.minted == (2,)
    assert again.milestone.version == 4
    assert {award.part_index for award in adopted(awards("u1", "m10"))} == {1, 2}


@pytest.mark.parametrize("is_filled", [False, True], ids=["as it is", "back-filled"])
def test_a_workout_with_the_name_that_strava_writes_counts(adopted: DB, *, is_filled: bool) -> None:
    ride = {**RIDE, "activityId": {"S": "4"}, "sportType": {"S": "Ride"}}
    put(adopted, CommitCollect, "USER#u1", "WORKOUT#STRAVA#4", ride)
    if is_filled:
        back_filled(adopted)

    found = adopted(workout("u1", "4"))

    assert found is not None
    assert found.sport_type == "RIDE"
    assert len(adopted(counting_workouts("u1", Sport.RIDE, START))) == 3
    listed = adopted(workouts_since("u1", Sport.RIDE, START))
    assert ("4" in [each.activity_id for each in listed]) is is_filled


@pytest.mark.parametrize("activity_id", ["1", "2"])
@pytest.mark.parametrize("aspect", Aspect)
def test_an_event_changes_a_workout_that_is_older_than_every_event(
    adopted: DB, aspect: Aspect, activity_id: str
) -> None:
    details = None if aspect is Aspect.DELETE else activity(40_000)

    outcome = receive(adopted, event(activity_id, aspect, at=LATER), details, TRACE)

    assert outcome is DeliveryOutcome.APPLIED
    ride = adopted(workout("u1", activity_id))
    assert ride is not None
    assert (ride.event_time_utc, ride.is_deleted) == (LATER, aspect is Aspect.DELETE)
    assert ride.distance_meters == (30_000 if aspect is Aspect.DELETE else 40_000)


def test_a_user_signs_in_connects_and_disconnects(adopted: DB) -> None:
    assert not sign_in(adopted, "u1", "u1@example.org", TRACE).is_new
    connect(adopted, "u1", grant("77", "new"), TRACE)
    held = adopted(connection("u1"))
    assert held is not None
    assert held.access_token == "new-access"
    assert "new-access" not in str(everything(adopted)), "every write encrypts"
    disconnect(adopted, "u1", TRACE)
    assert adopted(athlete_owner("77")) is None


def test_the_items_are_erased_as_they_are(adopted: DB) -> None:
    deleted = delete_account(adopted, "u1", TRACE, settled_after=AT_ONCE).deleted

    assert left(adopted) == []
    assert deleted == {
        "StravaConnection": 1,
        "Workout": 3,
        "Award": 1,
        "Milestone": 2,
        "Session": 1,
        "UserProfile": 1,
    }


def unlisted(db: DB, session_id: str = "s1", user_id: str = "u1", **values: AttributeValue) -> None:
    """Store a session as another program did, without the keys of the index."""
    item = SESSION | {"userId": {"S": user_id}} | values
    put(db, CommitCollectSessions, f"SESSION#{session_id}", "META", item)


def stored_sessions(db: DB) -> list[str]:
    found = stored_items(db, CommitCollectSessions)
    return [i["PK"]["S"] for i in found if i["PK"]["S"].startswith("SESSION#")]


def test_sessions_are_erased_although_nothing_else_of_their_user_is_stored(
    db: DB, now: Clock
) -> None:
    unlisted(db)
    unlisted(db, "s2", expiresAtUtc={"N": str(int(now.seconds) - 1)})
    unlisted(db, "s3", createdAtUtc={"S": "it cannot be read"})

    assert not delete_account(db, "u1", TRACE).is_complete
    assert stored_sessions(db) == []
    now.pass_by(minutes=5)

    assert finish_deletions(db, TRACE) == FinishedDeletions(("u1",), {})
    assert left(db) == []


def test_no_deletion_is_finished_before_the_sessions_of_others_are_back_filled(
    db: DB, now: Clock
) -> None:
    signed_in(db, "u1")
    unlisted(db, "s2", "u2")
    delete_account(db, "u1", TRACE)
    now.pass_by(minutes=5)

    refused = finish_deletions(db, TRACE)
    assert (refused.finished, [*refused.failed]) == ((), ["u1"])
    assert "sortkey backfill sortkey_systems.commitcollect.design" in str(refused.failed["u1"])
    assert stored_sessions(db) == ["SESSION#s2"]

    back_filled(db)
    assert finish_deletions(db, TRACE) == FinishedDeletions((), {}), "the index has not settled"
    now.pass_by(minutes=5)
    assert finish_deletions(db, TRACE).finished == ("u1",)


@pytest.mark.parametrize("has_account", [True, False])
def test_a_deletion_waits_until_the_index_has_the_sessions_that_were_back_filled(
    memory: DB, now: Clock, monkeypatch: pytest.MonkeyPatch, *, has_account: bool
) -> None:
    if has_account:
        put(memory, CommitCollect, "USER#u1", "PROFILE", ITEMS["USER#u1", "PROFILE"])
        delete_account(memory, "u1", TRACE, settled_after=timedelta(minutes=1))
        memory(SessionIndex.erase())
        now.pass_by(minutes=1)
    unlisted(memory)
    back_filled(memory)

    def lagging(_: str) -> Op[list[SessionKey]]:
        return session_keys("nobody")

    with monkeypatch.context() as patch:
        erasures = vars(deleting)["_ERASURES"]
        behind = [e._replace(keys=lagging) if e.entity is Session else e for e in erasures]
        patch.setattr(deleting, "_ERASURES", tuple(behind))
        assert not delete_account(memory, "u1", TRACE).is_complete
    now.pass_by(minutes=5)

    assert finish_deletions(memory, TRACE).finished == ("u1",)
    assert left(memory) == []


def test_the_sessions_are_searched_once(db: DB, now: Clock) -> None:
    for number in range(2):
        signed_in(db, f"u{number}")
        with db.budget() as calls:
            delete_account(db, f"u{number}", TRACE)
            now.pass_by(minutes=5)
            assert finish_deletions(db, TRACE).finished == (f"u{number}",)
        searches = [call for call in calls if call.pattern == "unlisted_sessions"]
        assert len(searches) == 1 - number


def test_a_search_reads_every_page(memory: DB) -> None:
    for number in range(SEARCHED + 1):
        listed = {"_type": {"S": "Session"}, "GSI1PK": {"S": "USER#u2"}}
        unlisted(memory, f"s{number}", "u2", **listed)
    unlisted(memory, "z1")
    unlisted(memory, "z2")

    found = search_sessions(memory, "u1")

    assert sorted(key.session_id for key in found.unlisted) == ["z1", "z2"]
    assert found.listed_since is None


def of_twelve(db: DB) -> None:
    """Store a model of twelve parts without leading zeros, and a milestone of it."""
    put(db, CommitCollect, "MODEL#big", "META", {"partsTotal": {"N": "12"}})
    for number in range(1, 13):
        put(db, CommitCollect, "MODEL#big", f"PART#{number}", PART)
    whole = {"modelId": {"S": "big"}, "partsTotal": {"N": "12"}, "partTarget": {"N": "5000"}}
    put(db, CommitCollect, "USER#u1", "MILESTONE#m2", GOAL | whole)


def test_parts_without_a_leading_zero_are_awarded_and_ordered_by_the_back_fill(
    adopted: DB,
) -> None:
    of_twelve(adopted)
    unordered = [1, 10, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9]
    assert [part.index for part in adopted(model_with_parts("big")).parts] == unordered

    assert recompute(adopted, "u1", "m2", TRACE).minted == tuple(range(1, 13))
    with pytest.raises(TransactionFailed):
        adopted(add_model(ModelMeta(model_id="next", parts_total=1), [part_of("big", 3)]))

    assert [award.part_index for award in adopted(awards("u1", "m2"))] == [*range(1, 13)]
    list(Backfill(adopted, ENTITIES).run())
    assert [part.index for part in adopted(model_with_parts("big")).parts] == [*range(1, 13)]


def part_of(model_id: str, index: int) -> ModelPart:
    return ModelPart(model_id=model_id, index=index, part_name="", mesh_file="", attach_point="")


def test_an_award_that_is_stored_is_not_minted_under_its_other_key(adopted: DB) -> None:
    """The milestone lost its count, so the first part seems to be due."""
    put(adopted, CommitCollect, "USER#u1", "MILESTONE#m10", GOAL)

    with pytest.raises(Contended):
        recompute(adopted, "u1", "m10", TRACE)

    assert [award.part_index for award in adopted(awards("u1", "m10"))] == [1]


# Items that cannot be read.

UNREADABLE: dict[tuple[str, str], Item] = {
    ("USER#u1", "PROFILE"): {"createdAtUtc": {"S": "yesterday"}, "userId": {"N": "1"}},
    ("USER#u1", "STRAVA#CONNECTION"): {"accessToken": {"S": "clear"}},
    ("USER#u1", "WORKOUT#STRAVA#1"): {"userId": {"N": "1"}, "activityId": {"L": []}},
    ("USER#u1", "MILESTONE#m1"): {"userId": {"N": "1"}, "milestoneId": {"N": "1"}},
    ("USER#u1", "MILESTONE#m1#AWARD#2"): {"userId": {"N": "1"}, "partIndex": {"S": "two"}},
    ("USER#u1", "MILESTONE#m1#AWARD#03"): {"milestoneId": {"S": "another"}},
    ("USER#u1", "MILESTONE#m1#AWARD#11"): {"partIndex": {"N": "12"}},
}


@pytest.mark.parametrize("key", UNREADABLE, ids=lambda key: key[1])
def test_an_item_that_cannot_be_read_does_not_stop_an_erasure(
    adopted: DB, key: tuple[str, str]
) -> None:
    put(adopted, CommitCollect, *key, UNREADABLE[key])

    begun = delete_account(adopted, "u1", TRACE)
    ended = finish_deletions(adopted, TRACE, settled_after=timedelta(minutes=-1))

    assert (begun.is_complete, ended.finished, ended.failed) == (False, ("u1",), {})
    kept = ["OWNER"] if key[1] == "STRAVA#CONNECTION" else []
    assert left(adopted) == kept


def test_an_owner_that_cannot_be_read_does_not_stop_an_erasure(adopted: DB) -> None:
    put(adopted, CommitCollect, "STRAVA#ATHLETE#77", "OWNER", {})

    delete_account(adopted, "u1", TRACE, settled_after=AT_ONCE)

    assert left(adopted) == ["OWNER"]


def test_an_unreadable_connection_without_an_account_is_erased(db: DB) -> None:
    put(db, CommitCollect, "USER#u1", "STRAVA#CONNECTION", {})

    delete_account(db, "u1", TRACE, settled_after=AT_ONCE)

    assert left(db) == []


def test_an_award_under_both_of_its_keys_is_erased(adopted: DB) -> None:
    for sort in ("1", "01"):
        put(adopted, CommitCollect, "USER#u1", f"MILESTONE#m10#AWARD#{sort}", PART)

    deleted = delete_account(adopted, "u1", TRACE, settled_after=AT_ONCE).deleted

    assert (deleted["Award"], left(adopted)) == (1, [])


# After the back-fill.


def test_the_back_fill_makes_them_what_the_system_writes(filled: DB) -> None:
    items = {(i["PK"]["S"], i["SK"]["S"]): i for i in stored_items(filled, CommitCollect)}
    assert items.keys() == ITEMS.keys()
    held = items["USER#u1", "STRAVA#CONNECTION"]
    assert held["athleteId"] == items["STRAVA#ATHLETE#77", "OWNER"]["athleteId"] == {"S": "77"}
    assert {*held["accessToken"], *held["refreshToken"]} == {"B"}
    assert "clear-" not in str(everything(filled))
    for number in ("1", "2", "3"):
        assert items["USER#u1", f"WORKOUT#STRAVA#{number}"]["activityId"] == {"S": number}
    assert all("_type" in item for item in items.values())
    again = list(Backfill(filled, ENTITIES).run())[-1]
    assert again.rewritten == 0


def test_after_the_back_fill_they_are_listed(filled: DB) -> None:
    assert [w.activity_id for w in filled(recent_workouts("u1"))] == ["2", "1"]
    assert [w.activity_id for w in filled(workouts_since("u1", Sport.RIDE, START))] == ["1", "2"]
    assert [m.milestone_id for m in filled(milestones("u1"))] == ["m1", "m10"]
    assert [m.model_id for m in filled(active_models())] == ["nike"]
    assert [s.session_id for s in filled(sessions("u1"))] == ["s1"]
    held = filled(connection("u1"))
    assert held is not None
    assert held.access_token == "clear-access"


def test_after_the_back_fill_they_are_changed_and_erased(filled: DB) -> None:
    assert change_plan(filled, "u1", Plan.PRO, operator="olga", trace=TRACE).plan is Plan.PRO
    assert receive(filled, event("2", Aspect.UPDATE), activity(90_000), TRACE) == "applied"
    assert recompute(filled, "u1", "m10", TRACE).minted == (2, 3, 4)
    connect(filled, "u1", grant("78"), TRACE)
    assert filled(connected_athlete("u1")).athlete_id == "78"  # pyright: ignore[reportOptionalMemberAccess]
    signed_in(filled, "u1")

    delete_account(filled, "u1", TRACE, settled_after=AT_ONCE)

    assert left(filled) == []
