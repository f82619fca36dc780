"""One-on-One's HTTP API, for signed-in callers only."""

from collections.abc import Iterator

import pytest
from tests.systems.oneonone.conftest import Watch, matched, registered, user
from tests.systems.oneonone.test_history import alternating, stored
from tests.systems.sending import Send, sending

from sortkey import DB
from sortkey_systems.api.identity import Caller
from sortkey_systems.oneonone.api import api, demo_caller
from sortkey_systems.oneonone.queueing import join


@pytest.fixture
def send(db: DB) -> Iterator[Send]:
    with sending(api, db) as send:
        yield send


def test_a_new_caller_is_registered(send: Send, db: DB) -> None:
    answer = send("ann", "GET", "/me")

    assert answer.json()["points_left"] == 15
    assert user(db, "ann").email == "ann@example.org"


def test_two_users_who_join_are_matched(send: Send, watch: Watch) -> None:
    assert send("ann", "POST", "/queue").json()["waiting_since"]
    watch.wait(seconds=1)

    session = send("bob", "POST", "/queue").json()["session_id"]

    assert session
    assert send("ann", "GET", "/me").json()["session_id"] == session


def test_a_user_who_waits_is_in_a_call_or_has_no_points_cannot_join(
    send: Send, db: DB, watch: Watch
) -> None:
    registered(db, "dan")
    join(db, "dan")
    watch.wait(seconds=1)
    assert send("dan", "POST", "/queue").json()["type"] == "urn:problem:already-waiting"

    send("ann", "POST", "/queue")
    talking = send("ann", "POST", "/queue")

    assert talking.status_code == 409
    assert talking.json()["type"] == "urn:problem:already-in-call"


def test_a_user_who_leaves_is_not_waiting(send: Send) -> None:
    send("ann", "POST", "/queue")

    assert send("ann", "DELETE", "/queue").json()["waiting_since"] is None
    assert send("ann", "DELETE", "/queue").status_code == 200


def test_both_of_a_call_enter_it_and_end_it_once(send: Send, db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob").session_id

    assert send("ann", "POST", f"/sessions/{session}/token").json()["room_name"] == session
    watch.wait(minutes=3)
    first = send("bob", "POST", f"/sessions/{session}/end").json()
    second = send("ann", "POST", f"/sessions/{session}/end").json()

    assert first == second
    assert first["duration"] == 3
    assert send("ann", "POST", f"/sessions/{session}/token").status_code == 410
    assert send("ann", "GET", "/me").json()["points_left"] == 12


@pytest.mark.parametrize("operation", ["token", "end"])
def test_a_caller_cannot_reach_the_call_of_others(
    send: Send, db: DB, watch: Watch, operation: str
) -> None:
    session = matched(db, watch, "ann", "bob").session_id

    body = {"user_id": "ann", "userId": "ann"}
    assert send("eve", "POST", f"/sessions/{session}/{operation}", json=body).status_code == 403
    assert send("ann", "POST", f"/sessions/none/{operation}").status_code == 404


def test_a_history_comes_in_pages(send: Send, db: DB) -> None:
    calls = alternating(5)
    stored(db, calls)
    me = calls[0].user_a

    ids: list[str] = []
    cursor: str | None = None
    while True:
        given = {"cursor": cursor} if cursor else {}
        page = send(me, "GET", "/sessions", params={"size": 2, **given}).json()
        ids += [session["session_id"] for session in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break

    newest_first = sorted(calls, key=lambda call: call.start_time, reverse=True)
    assert ids == [call.session_id for call in newest_first]


def test_a_cursor_of_another_user_is_rejected(send: Send, db: DB) -> None:
    calls = alternating(5)
    stored(db, calls)
    cursor = send(calls[0].user_a, "GET", "/sessions?size=1").json()["cursor"]

    assert send("eve", "GET", "/sessions", params={"cursor": cursor}).status_code == 400
    assert send("eve", "GET", "/sessions?first=2031-01-01&last=2030-01-01").status_code == 400


def test_every_generated_user_can_sign_in(db: DB) -> None:
    registered(db, "ann")

    assert demo_caller(user(db, "ann")) == Caller("ann", user(db, "ann").email)
    assert demo_caller(object()) is None
