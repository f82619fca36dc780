"""An account goes with everything but its audit events, and going can be repeated."""

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

from sortkey import DB
from sortkey_systems.commitcollect import deleting
from sortkey_systems.commitcollect.deleting import delete_account
from sortkey_systems.commitcollect.design import (
    CommitCollect,
    CommitCollectSessions,
    EventType,
    Result,
    audit_of_user,
    profile,
)
from sortkey_systems.commitcollect.errors import AccountGone, BadInput, Contended, NotSignedIn
from sortkey_systems.commitcollect.milestones import recompute
from sortkey_systems.commitcollect.receiving import Handling
from sortkey_systems.commitcollect.signing_in import resolve_session, sign_in


def lived(db: DB) -> None:
    """Ada with all that an account can have, beside Eve and the models."""
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
    """The partitions that still hold something."""
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
    "step", ["delete_profile", "delete_workouts", "delete_earned", "end_sessions"]
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


def test_what_was_left_undone_is_audited(
    db: DB, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(db)

    def failing(*_: object) -> None:
        raise OSError("the line is cut")

    monkeypatch.setattr(deleting, "delete_earned", failing)
    with pytest.raises(OSError, match="cut"):
        delete_account(db, "ada", TRACE)

    assert results(db, now) == {Result.ATTEMPT: 1, Result.PARTIAL: 1}


def test_an_account_whose_athlete_cannot_be_let_go_stays_whole(
    memory: DB, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    connected(memory)
    before = stored_items(memory, CommitCollect)

    def refusing(*_: object) -> None:
        raise Contended("the connection of ada is being changed")

    monkeypatch.setattr(deleting, "disconnect", refusing)
    with pytest.raises(Contended):
        delete_account(memory, "ada", TRACE)

    assert stored_items(memory, CommitCollect) == before
    assert results(memory, now) == {Result.ATTEMPT: 1, Result.FAILED: 1}


def test_nothing_lands_after_the_account_is_gone(db: DB) -> None:
    lived(db)
    delete_account(db, "ada", TRACE)

    assert ride(db, "99", 1) is Handling.NO_OWNER
    with pytest.raises(AccountGone):
        goal(db, "ada")
    assert left(db) == {"ada2"}


def test_who_comes_back_signs_up_anew(db: DB) -> None:
    signed_in(db)
    delete_account(db, "ada", TRACE)

    assert sign_in(db, "ada", "new@example.org", TRACE).is_new
    found = db(profile("ada"))
    assert found is not None
    assert found.email == "new@example.org"


def test_bad_input_is_refused_with_its_field(db: DB) -> None:
    with pytest.raises(BadInput) as refused:
        delete_account(db, "a#b", TRACE)
    assert refused.value.field == "user_id"
