"""An account is deleted with all records except audit events, and deletion can be repeated."""

from collections import Counter
from datetime import timedelta

import pytest
from tests.access.executors import stored_items
from tests.systems.commitcollect.people import (
    TRACE,
    Clock,
    connected,
    goal,
    ride,
    signed_in,
    under_way,
)

from sortkey import DB, Contended
from sortkey_systems.commitcollect import deleting
from sortkey_systems.commitcollect.deleting import delete_account
from sortkey_systems.commitcollect.design.accounts import profile
from sortkey_systems.commitcollect.design.audit import EventType, Result, audit_of_user
from sortkey_systems.commitcollect.design.tables import CommitCollect, CommitCollectSessions
from sortkey_systems.commitcollect.earning import recompute
from sortkey_systems.commitcollect.errors import AccountNotFound, BadInput, NotSignedIn
from sortkey_systems.commitcollect.receiving import DeliveryOutcome
from sortkey_systems.commitcollect.signing_in import resolve_session, sign_in


def lived(db: DB) -> None:
    """Store records of every kind for Ada, and an account for Eve."""
    made = under_way(db)
    signed_in(db)
    for number in range(1, 28):
        ride(db, f"{number}", 3_000)
    recompute(db, "ada", made.milestone_id, TRACE)
    connected(db, "ada2", "79")
    goal(db, "ada2")


def results(db: DB, now: Clock) -> Counter[Result]:
    day = timedelta(days=1)
    events = db(audit_of_user("ada", now.moment - day, now.moment + day))
    return Counter(e.result for e in events if e.event_type is EventType.ACCOUNT_DELETE)


def left(db: DB) -> set[str]:
    """Return the partitions that have records."""
    found = [*stored_items(db, CommitCollect), *stored_items(db, CommitCollectSessions)]
    return {item["userId"]["S"] for item in found if "userId" in item}


def test_everything_of_the_user_goes_and_nothing_of_others(db: DB, now: Clock) -> None:
    lived(db)

    delete_account(db, "ada", TRACE)

    assert left(db) == {"ada2"}
    assert results(db, now) == {Result.ATTEMPT: 1, Result.SUCCESS: 1}
    assert len(stored_items(db, CommitCollect)) == 4 + 5  # ada2's and the model's


def test_it_ends_all_sessions(db: DB) -> None:
    first, second = signed_in(db), signed_in(db)

    delete_account(db, "ada", TRACE)

    for session in (first, second):
        with pytest.raises(NotSignedIn):
            resolve_session(db, session.session_id)


@pytest.mark.parametrize(
    "step", ["delete_profile", "delete_workouts", "delete_milestones", "end_sessions"]
)
def test_after_a_crash_it_is_run_again(
    db: DB, now: Clock, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    lived(db)

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(deleting, step, crash)
        with pytest.raises(KeyboardInterrupt):
            delete_account(db, "ada", TRACE)

    delete_account(db, "ada", TRACE)

    assert left(db) == {"ada2"}
    assert results(db, now)[Result.SUCCESS] == 1


def test_an_incomplete_deletion_is_audited(
    db: DB, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(db)

    def failing(*_: object) -> None:
        raise OSError("the line is cut")

    monkeypatch.setattr(deleting, "delete_milestones", failing)
    with pytest.raises(OSError, match="cut"):
        delete_account(db, "ada", TRACE)

    assert results(db, now) == {Result.ATTEMPT: 1, Result.PARTIAL: 1}


def test_an_account_whose_athlete_cannot_be_released_keeps_its_records(
    memory: DB, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected(memory)
    before = stored_items(memory, CommitCollect)

    def refusing(*_: object) -> None:
        raise Contended("the connection of ada is being changed", attempts=3)

    monkeypatch.setattr(deleting, "disconnect", refusing)
    with pytest.raises(Contended):
        delete_account(memory, "ada", TRACE)

    assert stored_items(memory, CommitCollect) == before
    assert results(memory, now) == {Result.ATTEMPT: 1, Result.FAILED: 1}


def test_nothing_is_written_after_the_account_is_deleted(db: DB) -> None:
    lived(db)
    delete_account(db, "ada", TRACE)

    assert ride(db, "99", 1) is DeliveryOutcome.NO_OWNER
    with pytest.raises(AccountNotFound):
        goal(db, "ada")
    assert left(db) == {"ada2"}


def test_a_user_who_returns_signs_up_again(db: DB) -> None:
    signed_in(db)
    delete_account(db, "ada", TRACE)

    assert sign_in(db, "ada", "new@example.org", TRACE).is_new
    found = db(profile("ada"))
    assert found is not None
    assert found.email == "new@example.org"


def test_bad_input_is_rejected_with_its_field(db: DB) -> None:
    with pytest.raises(BadInput) as refused:
        delete_account(db, "a#b", TRACE)
    assert refused.value.field == "user_id"
