"""Signing in creates an account once, and a session ends when it expires."""

from datetime import timedelta

import pytest
from tests.systems.commitcollect.people import TRACE, Clock, everything, signed_in

from sortkey import DB, Contended, Done, Op, TransactionFailed, utc_now
from sortkey_systems.commitcollect import signing_in
from sortkey_systems.commitcollect.auditing import Trace
from sortkey_systems.commitcollect.design.accounts import AccountRole, Plan, UserProfile, profile
from sortkey_systems.commitcollect.design.audit import EventType, audit_by_type
from sortkey_systems.commitcollect.design.sessions import Session, open_session, sessions
from sortkey_systems.commitcollect.errors import BadInput, NotSignedIn
from sortkey_systems.commitcollect.signing_in import (
    SESSION_LIFETIME,
    resolve_session,
    sign_in,
    sign_out,
)


def types(db: DB, now: Clock) -> list[EventType]:
    return [
        event.event_type
        for kind in (EventType.AUTH_SIGNUP, EventType.AUTH_LOGIN, EventType.AUTH_LOGOUT)
        for event in db(audit_by_type(kind, now.moment))
    ]


def test_the_first_time_is_a_sign_up_and_the_second_a_log_in(db: DB, now: Clock) -> None:
    first = sign_in(db, "ada", "ada@example.org", TRACE)
    now.pass_by(seconds=1)
    second = sign_in(db, "ada", "other@example.org", TRACE)

    assert (first.is_new, second.is_new) == (True, False)
    found = db(profile("ada"))
    assert found is not None
    assert (found.email, found.plan, found.role) == ("ada@example.org", Plan.FREE, AccountRole.USER)
    assert types(db, now) == [EventType.AUTH_SIGNUP, EventType.AUTH_LOGIN]
    assert [s.session_id for s in db(sessions("ada"))] == [
        first.session.session_id,
        second.session.session_id,
    ]


def test_a_session_is_resolved_until_its_time_is_over(db: DB, now: Clock) -> None:
    session = sign_in(db, "ada", "ada@example.org", TRACE).session

    now.seconds += SESSION_LIFETIME.total_seconds() - 1
    assert resolve_session(db, session.session_id) == session
    now.pass_by(seconds=1)
    with pytest.raises(NotSignedIn):
        resolve_session(db, session.session_id)
    assert timedelta(days=30) == SESSION_LIFETIME


@pytest.mark.parametrize("session_id", ["unknown", "", "a#b", "a" * 5_000])
def test_an_unknown_session_gets_the_same_error(db: DB, session_id: str) -> None:
    with pytest.raises(NotSignedIn):
        resolve_session(db, session_id)


def test_signing_out_ends_the_session_and_may_be_repeated(db: DB, now: Clock) -> None:
    session = sign_in(db, "ada", "ada@example.org", TRACE).session

    sign_out(db, session.session_id, Trace("out"))
    sign_out(db, session.session_id, Trace("again"))

    with pytest.raises(NotSignedIn):
        resolve_session(db, session.session_id)
    assert types(db, now) == [EventType.AUTH_SIGNUP, EventType.AUTH_LOGOUT]


@pytest.mark.parametrize(
    ("user_id", "email", "field"),
    [
        ("a#b", "ada@example.org", "user_id"),
        ("", "ada@example.org", "user_id"),
        ("ada", "nowhere", "email"),
    ],
)
def test_bad_input_is_rejected_with_its_field_and_nothing_is_written(
    db: DB, user_id: str, email: str, field: str
) -> None:
    with pytest.raises(BadInput) as refused:
        sign_in(db, user_id, email, TRACE)

    assert refused.value.field == field
    assert everything(db) == []


def test_a_sign_in_gives_up_after_three_deletions_of_the_account(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    deletions = 0

    def too_late(opened: Session) -> Op[None]:
        nonlocal deletions
        deletions += 1
        memory(UserProfile.delete(user_id="ada"))
        return open_session(opened)

    def as_before(user_id: str) -> Op[UserProfile | None]:
        return Done(UserProfile(user_id=user_id, email="a@b", created_at_utc=utc_now()))

    monkeypatch.setattr(signing_in, "open_session", too_late)
    monkeypatch.setattr(signing_in, "profile", as_before)
    with pytest.raises(Contended):
        sign_in(memory, "ada", "ada@example.org", TRACE)

    assert deletions == 3
    assert everything(memory) == []


def test_a_session_is_created_once_and_not_overwritten(memory: DB) -> None:
    opened = signed_in(memory, "ada")
    signed_in(memory, "eve")

    with pytest.raises(TransactionFailed):
        memory(open_session(opened.model_copy(update={"user_id": "eve"})))

    assert resolve_session(memory, opened.session_id) == opened
