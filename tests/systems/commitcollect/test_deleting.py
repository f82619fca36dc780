"""An account is deleted with all records except audit events, and deletion can be repeated."""

from collections import Counter
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.commitcollect.people import (
    KEYS,
    SPRING,
    TRACE,
    Clock,
    connected,
    everything,
    goal,
    grant,
    ride,
    signed_in,
    under_way,
)

from sortkey import DB, RecordError, TransactionFailed, ulid
from sortkey_systems.commitcollect import deleting
from sortkey_systems.commitcollect.auditing import Trace, audit_event
from sortkey_systems.commitcollect.connecting import begin_connecting, connect
from sortkey_systems.commitcollect.deleting import (
    SETTLED_AFTER,
    Deletion,
    FinishedDeletions,
    delete_account,
    finish_deletions,
)
from sortkey_systems.commitcollect.design import TABLES
from sortkey_systems.commitcollect.design.accounts import UserProfile, profile
from sortkey_systems.commitcollect.design.adopting import SessionIndex, mark_session_index
from sortkey_systems.commitcollect.design.audit import (
    EventType,
    Result,
    audit_by_correlation,
    audit_of_user,
)
from sortkey_systems.commitcollect.design.deleting import (
    DELETED_EMAIL,
    Mark,
    begin_deletion,
    begin_deletion_without_account,
    deletions_under_way,
    end_deletion,
    erase_connection,
    erase_foreign_connection,
    erase_unowned_connection,
)
from sortkey_systems.commitcollect.design.milestones import Award, awards, milestones
from sortkey_systems.commitcollect.design.sessions import Session
from sortkey_systems.commitcollect.design.strava import AthleteOwner, athlete_owner, connection
from sortkey_systems.commitcollect.design.tables import (
    CommitCollect,
    CommitCollectSessions,
)
from sortkey_systems.commitcollect.design.workouts import recent_workouts
from sortkey_systems.commitcollect.earning import recompute
from sortkey_systems.commitcollect.errors import (
    AccountNotFound,
    BadInput,
    DeletionUnderWay,
    NotSignedIn,
)
from sortkey_systems.commitcollect.receiving import DeliveryOutcome
from sortkey_systems.commitcollect.signing_in import resolve_session, sign_in

AT_ONCE = timedelta(0)


def lived(db: DB) -> Session:
    """Store records of every kind for Ada, and an account for another user."""
    made = under_way(db)
    session = signed_in(db)
    begin_connecting(db, session)
    for number in range(1, 28):
        ride(db, f"{number}", 3_000)
    recompute(db, "ada", made.milestone_id, TRACE)
    connected(db, "ada2", "79")
    goal(db, "ada2")
    return session


def results(db: DB, now: Clock) -> Counter[Result]:
    day = timedelta(days=1)
    events = db(audit_of_user("ada", now.moment - day, now.moment + day))
    return Counter(e.result for e in events if e.event_type is EventType.ACCOUNT_DELETE)


def left(db: DB) -> set[str]:
    """Return the users who have records."""
    found = [*stored_items(db, CommitCollect), *stored_items(db, CommitCollectSessions)]
    return {item["userId"]["S"] for item in found if "userId" in item}


def of_ada(db: DB) -> list[str]:
    """Return the sort keys of Ada's records."""
    found = [*stored_items(db, CommitCollect), *stored_items(db, CommitCollectSessions)]
    return [item["SK"]["S"] for item in found if item.get("userId") == {"S": "ada"}]


def test_everything_of_the_user_goes_and_nothing_of_others(db: DB, now: Clock) -> None:
    lived(db)

    begun = delete_account(db, "ada", TRACE)

    assert begun.retry_at == now.moment.replace(microsecond=0) + SETTLED_AFTER
    assert begun.deleted == {
        "StravaConnection": 1,
        "Workout": 27,
        "Milestone": 1,
        "Award": 3,
        "Session": 2,
        "OAuthState": 1,
    }
    assert of_ada(db) == ["PROFILE"]
    assert results(db, now) == {Result.ATTEMPT: 1, Result.PARTIAL: 1}
    now.seconds += SETTLED_AFTER.total_seconds()
    assert delete_account(db, "ada", TRACE) == Deletion({"UserProfile": 1})
    assert left(db) == {"ada2"}
    assert results(db, now) == {Result.ATTEMPT: 2, Result.PARTIAL: 1, Result.SUCCESS: 1}
    assert len(stored_items(db, CommitCollect)) == 4 + 5  # ada2's and the model's


def test_more_records_than_fit_into_a_transaction_are_deleted(memory: DB) -> None:
    connected(memory)
    for number in range(200):
        ride(memory, f"{number}", 1_000)

    deleted = delete_account(memory, "ada", TRACE, settled_after=AT_ONCE).deleted

    assert deleted["Workout"] == 200
    assert left(memory) == set()


def test_more_awards_than_fit_into_a_transaction_are_deleted(memory: DB) -> None:
    made = under_way(memory)
    part = {"part_name": "", "mesh_file": "", "attach_point": "", "awarded_at_utc": SPRING}
    for index in range(1, 100):
        award = {"user_id": "ada", "milestone_id": made.milestone_id, "part_index": index}
        memory(Award.model_validate(award | part).create())

    deleted = delete_account(memory, "ada", TRACE, settled_after=AT_ONCE).deleted

    assert deleted["Award"] == 99
    assert left(memory) == set()


def test_it_ends_all_sessions(db: DB) -> None:
    first, second = signed_in(db), signed_in(db)

    delete_account(db, "ada", TRACE)

    for session in (first, second):
        with pytest.raises(NotSignedIn):
            resolve_session(db, session.session_id)


def test_expired_sessions_and_states_that_are_still_stored_are_deleted_too(
    memory: DB, now: Clock
) -> None:
    begin_connecting(memory, signed_in(memory))
    now.pass_by(days=31)

    deleted = delete_account(memory, "ada", TRACE, settled_after=AT_ONCE).deleted

    assert deleted == {"Session": 1, "OAuthState": 1, "UserProfile": 1}
    assert left(memory) == set()


def test_the_mark_says_nothing_of_the_person(db: DB) -> None:
    connected(db)

    delete_account(db, "ada", TRACE)

    [mark] = stored_items(db, CommitCollect)
    assert mark["email"] == {"S": DELETED_EMAIL}
    assert "example.org" not in str(everything(db))


def test_the_end_is_recorded_with_the_account_and_says_nothing_of_the_person(
    db: DB, now: Clock
) -> None:
    connected(db)
    begun = Trace("first", "journey")
    delete_account(db, "ada", begun)
    now.seconds += SETTLED_AFTER.total_seconds()

    finish_deletions(db, Trace("schedule"))

    *begun_by, ended = db(audit_by_correlation("journey"))
    assert {event.result for event in begun_by} == {Result.ATTEMPT, Result.PARTIAL}
    assert ended.result is Result.SUCCESS
    assert (ended.request_id, ended.data) == ("schedule", None)


def test_an_account_is_not_gone_if_its_end_cannot_be_recorded(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    signed_in(memory)

    def failing(*_: object) -> None:
        raise OSError("the line is cut")

    with monkeypatch.context() as broken:
        broken.setattr(deleting, "end_deletion", failing)
        with pytest.raises(OSError, match="cut"):
            delete_account(memory, "ada", TRACE, settled_after=AT_ONCE)
    with pytest.raises(DeletionUnderWay):
        signed_in(memory)

    assert finish_deletions(memory, TRACE, settled_after=AT_ONCE).finished == ("ada",)


def test_it_may_be_called_again_at_any_time(db: DB, now: Clock) -> None:
    signed_in(db)
    first = delete_account(db, "ada", TRACE).retry_at
    now.pass_by(minutes=4)
    assert delete_account(db, "ada", TRACE).retry_at == first, "the first mark counts"
    now.pass_by(minutes=1)
    assert delete_account(db, "ada", TRACE).is_complete
    assert delete_account(db, "ada", TRACE) == Deletion({})
    assert left(db) == set()


def test_a_deletion_is_finished_without_another_request_of_the_user(db: DB, now: Clock) -> None:
    for user_id in ("ada", "bob"):
        signed_in(db, user_id)
        delete_account(db, user_id, TRACE)
        now.pass_by(minutes=3)

    assert finish_deletions(db, TRACE).finished == ("ada",), "bob has two minutes left"
    assert finish_deletions(db, TRACE) == FinishedDeletions((), {})
    now.pass_by(minutes=2)
    assert finish_deletions(db, TRACE).finished == ("bob",)
    assert left(db) == set()


def test_a_deletion_that_fails_is_reported_and_the_others_continue(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    for user_id in ("ada", "eve", "zoe"):
        signed_in(memory, user_id)
        delete_account(memory, user_id, TRACE)

    def ending(mark: Mark, *more: Any) -> Any:
        if mark.user_id == "eve":
            raise ValueError("unreadable")
        return end_deletion(mark, *more)

    with monkeypatch.context() as broken:
        broken.setattr(deleting, "end_deletion", ending)
        done = finish_deletions(memory, TRACE, settled_after=AT_ONCE)

    assert done.finished == ("ada", "zoe")
    assert [*done.failed] == ["eve"]
    assert finish_deletions(memory, TRACE, settled_after=AT_ONCE).finished == ("eve",)


ERASING = [
    "begin_deletion",
    "erase_connection",
    "erase_workouts",
    "erase_awards",
    "erase_milestones",
    "erase_sessions",
    "erase_states",
    "end_deletion",
]


def crashing(db: DB, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """Begin a deletion that crashes before this step."""

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        for each in deleting.__dict__["_ERASURES"]:
            if each.erase.__name__ == step:
                others = [e._replace(erase=crash) if e is each else e for e in erasures()]
                broken.setattr(deleting, "_ERASURES", tuple(others))
                break
        else:
            broken.setattr(deleting, step, crash)
        with pytest.raises(KeyboardInterrupt):
            delete_account(db, "ada", TRACE, settled_after=AT_ONCE)


def erasures() -> Any:
    return deleting.__dict__["_ERASURES"]


@pytest.mark.parametrize("step", ERASING)
def test_after_a_crash_a_schedule_or_the_next_call_deletes_the_rest(
    memory: DB, now: Clock, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    lived(memory)
    crashing(memory, monkeypatch, step)

    if step == "begin_deletion":
        assert results(memory, now) == {Result.ATTEMPT: 1, Result.FAILED: 1}
        delete_account(memory, "ada", TRACE, settled_after=AT_ONCE)
    else:
        assert results(memory, now) == {Result.ATTEMPT: 1, Result.PARTIAL: 1}
        finish_deletions(memory, TRACE, settled_after=AT_ONCE)

    assert left(memory) == {"ada2"}
    assert results(memory, now)[Result.SUCCESS] == 1


@pytest.mark.parametrize("step", ERASING[1:])
def test_after_a_crash_nobody_sees_the_old_records_in_a_new_account(
    memory: DB, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    lived(memory)
    crashing(memory, monkeypatch, step)

    with pytest.raises(DeletionUnderWay, match="is being deleted"):
        sign_in(memory, "ada", "new@example.org", TRACE)

    finish_deletions(memory, TRACE, settled_after=AT_ONCE)
    assert sign_in(memory, "ada", "new@example.org", TRACE).is_new
    assert memory(milestones("ada")) == []
    assert list(memory(recent_workouts("ada"))) == []
    assert memory(connection("ada")) is None


def started_again(db: DB) -> None:
    """Finish the deletion of Ada's account, and let her begin again."""
    delete_account(db, "ada", TRACE, settled_after=AT_ONCE)
    connected(db)
    made = goal(db)
    ride(db, "100", 60_000)
    recompute(db, "ada", made.milestone_id, TRACE)
    begin_connecting(db, signed_in(db))


@pytest.mark.parametrize("step", ERASING[1:])
def test_a_slow_deletion_removes_nothing_of_the_new_account(
    memory: DB, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    lived(memory)
    during: list[Any] = []

    def overtaken(write: Any, *arguments: Any) -> Any:
        if not during:
            during.append(None)
            started_again(memory)
            during[0] = [i for i in everything(memory) if "eventType" not in i]
        return write(*arguments)

    if hasattr(deleting, step) and step in ("erase_connection", "end_deletion"):
        monkeypatch.setattr(deleting, step, partial(overtaken, vars(deleting)[step]))
    else:
        slow = [
            e._replace(erase=partial(overtaken, e.erase)) if e.erase.__name__ == step else e
            for e in erasures()
        ]
        monkeypatch.setattr(deleting, "_ERASURES", tuple(slow))
    delete_account(memory, "ada", TRACE, settled_after=AT_ONCE)

    assert [i for i in everything(memory) if "eventType" not in i] == during[0]
    [made] = memory(milestones("ada"))
    assert len(memory(awards("ada", made.milestone_id))) == made.parts_earned == 2


# The keys are those of records that exist; only the mark is another one.
@pytest.mark.parametrize("step", ["connection", "foreign", "unowned", *ERASING[2:-1], "end"])
def test_nothing_is_erased_under_another_mark(
    memory: DB, now: Clock, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    lived(memory)
    crashing(memory, monkeypatch, "erase_connection")
    if step == "unowned":
        memory(AthleteOwner.delete(athlete_id="77"))
    elif step == "foreign":
        memory(AthleteOwner(athlete_id="77", user_id="eve").put())
    other = Mark(
        user_id="ada",
        deletion_id=ulid(),
        deletion_correlation_id="r",
        deleting_since_utc=now.moment,
    )
    ended = audit_event(
        TRACE, "ada", EventType.ACCOUNT_DELETE, Result.SUCCESS, event_id=other.deletion_id
    )
    writes: dict[str, Any] = {
        "connection": erase_connection(other, "77"),
        "foreign": erase_foreign_connection(other, "77"),
        "unowned": erase_unowned_connection(other, "77"),
        "end": end_deletion(other, ended),
        **{e.erase.__name__: e.erase(other, memory(e.keys("ada"))) for e in erasures()},
    }
    before = everything(memory)

    with pytest.raises(TransactionFailed) as refused:
        memory(writes[step])

    assert isinstance(refused.value.failures[0], RecordError)
    assert [failure for failure in refused.value.failures[1:] if failure] == []
    assert everything(memory) == before


def test_a_mark_is_not_replaced(memory: DB, now: Clock) -> None:
    signed_in(memory)
    delete_account(memory, "ada", TRACE)
    before = everything(memory)
    other = Mark(
        user_id="ada",
        deletion_id=ulid(),
        deletion_correlation_id="r",
        deleting_since_utc=now.moment,
    )

    for marking in (
        lambda: memory(begin_deletion(other)),
        lambda: memory(begin_deletion_without_account(other)),
    ):
        with pytest.raises((TransactionFailed, RecordError)):
            marking()

    assert everything(memory) == before


@pytest.mark.parametrize("owned_by", ["eve", None])
def test_a_connection_without_its_owner_record_is_deleted_too(db: DB, owned_by: str | None) -> None:
    connected(db)
    db(AthleteOwner.delete(athlete_id="77"))
    if owned_by is not None:
        db(AthleteOwner(athlete_id="77", user_id=owned_by, updated_at_utc=SPRING).create())

    delete_account(db, "ada", TRACE, settled_after=AT_ONCE)

    owner = db(athlete_owner("77"))
    assert (owner and owner.user_id) == owned_by
    assert "ada" not in left(db)


def test_records_without_an_account_are_deleted_too(db: DB, now: Clock) -> None:
    lived(db)
    db(UserProfile.erase(user_id="ada"))

    assert not delete_account(db, "ada", TRACE).is_complete
    assert of_ada(db) == ["PROFILE"]
    now.seconds += SETTLED_AFTER.total_seconds()
    assert finish_deletions(db, TRACE).finished == ("ada",)
    assert left(db) == {"ada2"}


def test_without_records_an_unknown_user_is_not_marked(db: DB, now: Clock) -> None:
    db(mark_session_index(SessionIndex(checked_at_utc=now.moment - SETTLED_AFTER)))

    assert delete_account(db, "ada", TRACE) == Deletion({})
    assert left(db) == set()
    assert results(db, now) == {Result.ATTEMPT: 1, Result.SUCCESS: 1}


def test_nothing_is_written_for_an_account_that_is_being_deleted(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = lived(memory)
    [made] = memory(milestones("ada"))
    ride(memory, "98", 90_000)
    crashing(memory, monkeypatch, "erase_connection")
    before = [i for i in everything(memory) if "eventType" not in i]

    for refused in (
        lambda: goal(memory, "ada"),
        lambda: connect(memory, "ada", grant("78"), TRACE),
        lambda: connect(memory, "ada", grant("77", "new"), TRACE),
        lambda: recompute(memory, "ada", made.milestone_id, TRACE),
        lambda: begin_connecting(memory, session),
    ):
        with pytest.raises(AccountNotFound):
            refused()
    with pytest.raises(DeletionUnderWay):
        sign_in(memory, "ada", "ada@example.org", TRACE)
    assert ride(memory, "99", 1) is DeliveryOutcome.NO_OWNER

    assert [i for i in everything(memory) if "eventType" not in i] == before


def test_an_event_during_a_deletion_can_be_delivered_to_the_new_account(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(memory)
    crashing(memory, monkeypatch, "erase_connection")
    assert ride(memory, "99", 1) is DeliveryOutcome.NO_OWNER
    finish_deletions(memory, TRACE, settled_after=AT_ONCE)
    connected(memory)

    assert ride(memory, "99", 1) is DeliveryOutcome.APPLIED
    assert ride(memory, "1", 3_000) is DeliveryOutcome.REPEATED, "it was the old account's"
    assert [w.activity_id for w in memory(recent_workouts("ada"))] == ["99"]


def test_nothing_is_written_after_the_account_is_deleted(db: DB) -> None:
    lived(db)
    delete_account(db, "ada", TRACE, settled_after=AT_ONCE)

    assert ride(db, "99", 1) is DeliveryOutcome.NO_OWNER
    with pytest.raises(AccountNotFound):
        goal(db, "ada")
    assert left(db) == {"ada2"}


def test_a_user_who_returns_signs_up_again_once_the_deletion_is_finished(
    db: DB, now: Clock
) -> None:
    signed_in(db)
    delete_account(db, "ada", TRACE)
    with pytest.raises(DeletionUnderWay):
        sign_in(db, "ada", "new@example.org", TRACE)
    now.seconds += SETTLED_AFTER.total_seconds()
    finish_deletions(db, TRACE)

    assert sign_in(db, "ada", "new@example.org", TRACE).is_new
    found = db(profile("ada"))
    assert found is not None
    assert (found.email, found.deletion_id) == ("new@example.org", None)
    assert db(deletions_under_way(now.moment)) == []


def test_a_deletion_needs_no_encryption_key(tmp_path: Path) -> None:
    with DB.open(tmp_path / "data.db", *TABLES, secrets=KEYS) as db:
        lived(db)
    with DB.open(tmp_path / "data.db", *TABLES) as keyless:
        delete_account(keyless, "ada", TRACE, settled_after=AT_ONCE)

        assert left(keyless) == {"ada2"}


def test_bad_input_is_rejected_with_its_field(db: DB) -> None:
    with pytest.raises(BadInput) as refused:
        delete_account(db, "a#b", TRACE)
    assert refused.value.field == "user_id"
    assert everything(db) == []
