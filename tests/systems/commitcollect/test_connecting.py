"""A Strava athlete has one owner, and an account one athlete."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.commitcollect.people import (
    SPRING,
    TRACE,
    Clock,
    connected,
    everything,
    grant,
    signed_in,
)

from sortkey import DB, Contended, Op, RecordError, TransactionFailed
from sortkey_systems.commitcollect import connecting
from sortkey_systems.commitcollect.connecting import (
    begin_connecting,
    connect,
    disconnect,
    finish_connecting,
)
from sortkey_systems.commitcollect.deleting import delete_account
from sortkey_systems.commitcollect.design.accounts import UserProfile
from sortkey_systems.commitcollect.design.audit import EventType, Result, audit_by_type
from sortkey_systems.commitcollect.design.strava import (
    AthleteOwner,
    StravaConnection,
    add_state,
    athlete_owner,
    connect_again,
    connect_other,
    connection,
    consume_state,
    disconnect_athlete,
    drop_foreign,
    drop_unowned,
)
from sortkey_systems.commitcollect.design.tables import CommitCollect
from sortkey_systems.commitcollect.errors import (
    AccountNotFound,
    AthleteAlreadyConnected,
    BadInput,
    StateInvalid,
)


def owner(db: DB, athlete_id: str = "77") -> str | None:
    found = db(athlete_owner(athlete_id))
    return None if found is None else found.user_id


def held(db: DB, user_id: str = "ada") -> str | None:
    found = db(connection(user_id))
    return None if found is None else found.athlete_id


def test_a_user_who_returns_with_the_state_is_connected(db: DB) -> None:
    session = signed_in(db)

    state = begin_connecting(db, session)
    finish_connecting(db, session, state.state, grant(), TRACE)

    stored = db(connection("ada"))
    assert stored is not None
    assert (stored.athlete_id, stored.access_token, stored.refresh_token, stored.scope) == (
        "77",
        "hush-access",
        "hush-refresh",
        "read",
    )
    assert stored.expires_at_utc == SPRING
    assert owner(db) == "ada"


def test_a_state_is_used_once(db: DB) -> None:
    session = signed_in(db)
    state = begin_connecting(db, session)
    finish_connecting(db, session, state.state, grant(), TRACE)

    with pytest.raises(StateInvalid):
        finish_connecting(db, session, state.state, grant("78"), TRACE)

    assert (held(db), owner(db, "78")) == ("77", None)


def test_a_state_lasts_ten_minutes(db: DB, now: Clock) -> None:
    session = signed_in(db)
    state = begin_connecting(db, session)

    now.pass_by(seconds=600)

    with pytest.raises(StateInvalid):
        finish_connecting(db, session, state.state, grant(), TRACE)
    assert held(db) is None


@pytest.mark.parametrize("whose", ["eve", "ada"])
def test_a_state_of_another_session_is_not_consumed(db: DB, whose: str) -> None:
    mine, theirs = signed_in(db), signed_in(db, whose)
    state = begin_connecting(db, mine)

    with pytest.raises(StateInvalid):
        finish_connecting(db, theirs, state.state, grant(), TRACE)

    finish_connecting(db, mine, state.state, grant(), TRACE)
    assert (held(db), held(db, "eve")) == ("77", None)


def test_an_athlete_of_another_user_is_rejected_and_nothing_is_written(db: DB) -> None:
    connected(db, "ada", "77")
    connected(db, "eve", "78")
    before = stored_items(db, CommitCollect)

    with pytest.raises(AthleteAlreadyConnected) as refused:
        connect(db, "eve", grant("77"), TRACE)

    assert refused.value.athlete_id == "77"
    assert stored_items(db, CommitCollect) == before


def test_connecting_the_same_athlete_again_renews_the_tokens(db: DB) -> None:
    connected(db)

    connect(db, "ada", grant(token="new"), TRACE)

    stored = db(connection("ada"))
    assert stored is not None
    assert (stored.access_token, owner(db)) == ("new-access", "ada")


def test_another_athlete_takes_the_place_of_the_first_which_is_free_again(db: DB) -> None:
    connected(db)

    connect(db, "ada", grant("78"), TRACE)
    connected(db, "eve", "77")

    assert (owner(db, "78"), owner(db, "77")) == ("ada", "eve")
    assert (held(db), held(db, "eve")) == ("78", "77")


def test_disconnecting_frees_the_athlete_and_may_be_repeated(db: DB) -> None:
    connected(db)

    disconnect(db, "ada", TRACE)
    disconnect(db, "ada", TRACE)

    assert (held(db), owner(db)) == (None, None)


@pytest.mark.parametrize("owned_by", ["eve", None])
def test_disconnecting_keeps_the_owner_record_of_another_user(db: DB, owned_by: str | None) -> None:
    connected(db)
    db(AthleteOwner.delete(athlete_id="77"))
    if owned_by is not None:
        db(AthleteOwner(athlete_id="77", user_id=owned_by, updated_at_utc=SPRING).create())

    disconnect(db, "ada", TRACE)

    assert (held(db), owner(db)) == (None, owned_by)


def test_a_deleted_account_gets_no_connection(db: DB) -> None:
    signed_in(db)
    delete_account(db, "ada", TRACE)

    with pytest.raises(AccountNotFound):
        connect(db, "ada", grant(), TRACE)

    assert (held(db), owner(db)) == (None, None)


@pytest.mark.parametrize("athlete_id", ["77", "78"])
def test_an_account_that_is_being_deleted_gets_no_other_connection(
    memory: DB, athlete_id: str
) -> None:
    connected(memory)
    memory(UserProfile.delete(user_id="ada"))
    before = everything(memory)

    with pytest.raises(AccountNotFound):
        connect(memory, "ada", grant(athlete_id, token="new"), TRACE)

    assert everything(memory) == before


def connects_another(db: DB) -> None:
    connect(db, "ada", grant("78"), TRACE)


def disconnects(db: DB) -> None:
    disconnect(db, "ada", TRACE)


@pytest.mark.parametrize(
    ("write", "call"),
    [("connect_other", connects_another), ("disconnect_athlete", disconnects)],
)
def test_connecting_gives_up_after_three_conflicts(
    memory: DB, monkeypatch: pytest.MonkeyPatch, write: str, call: Callable[[DB], None]
) -> None:
    connected(memory)
    written = vars(connecting)[write]
    meanwhile = ["90", "91", "92", "93"]

    def too_late(*given: Any) -> Op[None]:
        memory(other(memory, meanwhile.pop(0)).put())
        return written(*given)

    monkeypatch.setattr(connecting, write, too_late)
    with pytest.raises(Contended):
        call(memory)

    assert meanwhile == ["93"]
    assert (held(memory), owner(memory), owner(memory, "78")) == ("92", "ada", None)


def test_bad_input_is_rejected_with_its_field_and_nothing_is_written(db: DB) -> None:
    session = signed_in(db)
    state = begin_connecting(db, session)
    before = everything(db)

    with pytest.raises(BadInput) as refused:
        finish_connecting(db, session, state.state, grant("7#7"), TRACE)

    assert refused.value.field == "athlete_id"
    assert everything(db) == before


def test_tokens_are_encrypted_and_in_no_index(db: DB) -> None:
    connected(db)

    [stored] = [i for i in stored_items(db, CommitCollect) if i["SK"]["S"] == "STRAVA#CONNECTION"]
    assert {*stored["accessToken"], *stored["refreshToken"]} == {"B"}
    assert "hush" not in str(everything(db))
    assert not any("accessToken" in item for item in stored_items(db, CommitCollect, "GSI1"))
    assert "hush" not in repr(db(StravaConnection.get(user_id="ada")))
    assert "hush" not in repr(grant())


def test_connecting_is_audited_whether_or_not_it_succeeds(db: DB, now: Clock) -> None:
    connected(db, "ada")
    with pytest.raises(AthleteAlreadyConnected):
        connected(db, "eve")
    disconnect(db, "ada", TRACE)

    asked = db(audit_by_type(EventType.STRAVA_AUTHORIZE, now.moment))
    assert {(e.user_id, e.result) for e in asked} == {
        ("ada", Result.SUCCESS),
        ("eve", Result.FAILED),
    }
    [left] = db(audit_by_type(EventType.STRAVA_DEAUTHORIZE, now.moment))
    assert (left.user_id, left.data) == ("ada", {"athleteId": "77"})


# The conditions of the writes themselves.


def test_a_state_is_consumed_only_by_its_user(db: DB) -> None:
    session = signed_in(db)
    state = begin_connecting(db, session).state

    with pytest.raises(RecordError):
        db(consume_state(state, "eve", session.session_id))

    assert db(consume_state(state, "ada", session.session_id)) is not None


def test_a_state_is_created_once(memory: DB) -> None:
    state = begin_connecting(memory, signed_in(memory))
    before = everything(memory)

    with pytest.raises(TransactionFailed):
        memory(add_state(state.model_copy(update={"user_id": "eve"})))

    assert everything(memory) == before


def other(db: DB, athlete_id: str = "88") -> StravaConnection:
    """Return a connection of Ada with another athlete."""
    stored = db(connection("ada"))
    assert stored is not None
    return stored.model_copy(update={"athlete_id": athlete_id})


def owns(db: DB, user_id: str, athlete_id: str) -> None:
    """Store an owner record without a connection, as an import may leave it."""
    db(AthleteOwner(athlete_id=athlete_id, user_id=user_id, updated_at_utc=SPRING).put())


def test_another_athlete_replaces_only_the_connected_one(db: DB) -> None:
    connected(db)
    owns(db, "ada", "55")
    before = everything(db)

    with pytest.raises(TransactionFailed):
        db(connect_other(other(db), previous="55"))

    assert everything(db) == before


def test_an_athlete_of_another_user_is_not_released(db: DB) -> None:
    connected(db)
    owns(db, "eve", "77")
    before = everything(db)

    with pytest.raises(TransactionFailed):
        db(connect_other(other(db), previous="77"))

    assert everything(db) == before


def test_only_the_connected_athlete_is_disconnected(db: DB) -> None:
    connected(db)
    owns(db, "ada", "55")
    before = everything(db)

    with pytest.raises(TransactionFailed):
        db(disconnect_athlete("ada", "55"))

    assert everything(db) == before


def test_the_same_athlete_is_connected_again_only_if_it_is_connected(memory: DB) -> None:
    connected(memory)
    before = everything(memory)

    with pytest.raises(TransactionFailed):
        memory(connect_again(other(memory)))

    assert everything(memory) == before


@pytest.mark.parametrize(
    ("athlete_id", "owned_by", "drop"),
    [
        ("77", "ada", drop_foreign),
        ("77", None, drop_foreign),
        ("55", "eve", drop_foreign),
        ("77", "ada", drop_unowned),
        ("77", "eve", drop_unowned),
        ("55", None, drop_unowned),
    ],
)
def test_a_connection_is_deleted_alone_only_if_its_athlete_has_another_owner_or_none(
    memory: DB, athlete_id: str, owned_by: str | None, drop: Callable[[str, str], Op[None]]
) -> None:
    connected(memory)
    memory(AthleteOwner.delete(athlete_id=athlete_id))
    if owned_by is not None:
        owns(memory, owned_by, athlete_id)
    before = everything(memory)

    with pytest.raises(TransactionFailed):
        memory(drop("ada", athlete_id))

    assert everything(memory) == before
