"""One-on-One's HTTP API, for signed-in callers only."""

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.systems.conftest import LIVEKIT
from tests.systems.oneonone.conftest import (
    Watch,
    matched,
    registered,
    user,
    waiting,
    with_points,
)
from tests.systems.oneonone.test_history import alternating, stored
from tests.systems.sending import Send, sending

from sortkey import DB
from sortkey.access.filling import fill
from sortkey_systems.api.callers import Caller
from sortkey_systems.oneonone.api import api, demo_caller, trial
from sortkey_systems.oneonone.design import Sessions, Users
from sortkey_systems.oneonone.generator import records
from sortkey_systems.oneonone.shapes import Call
from sortkey_systems.oneonone.tokens import claims_of


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


def test_a_user_who_joins_again_is_answered_alike(send: Send, watch: Watch) -> None:
    waits = send("dan", "POST", "/queue").json()
    watch.wait(seconds=1)
    assert send("dan", "POST", "/queue").json() == waits

    talks = send("ann", "POST", "/queue").json()
    assert talks["session_id"]
    assert send("ann", "POST", "/queue").json() == talks
    assert send("dan", "POST", "/queue").json()["session_id"] == talks["session_id"]


def test_a_call_shows_no_key_of_an_index(send: Send, db: DB, watch: Watch) -> None:
    session = matched(db, watch, "ann", "bob").session_id

    [listed] = send("ann", "GET", "/sessions").json()["items"]
    ended = send("ann", "POST", f"/sessions/{session}/end").json()

    assert listed.keys() == ended.keys() == Call.model_fields.keys()
    assert "open_calls" not in listed


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


def test_only_users_who_can_join_sign_in_to_a_demo(db: DB, watch: Watch) -> None:
    registered(db, "ann")
    with_points(db, "poor", 0)
    waiting(db, watch, "eve")
    call = matched(DB.memory(Users, Sessions), watch, "cat", "dan")

    assert demo_caller(user(db, "ann")) == Caller("ann", user(db, "ann").email)
    assert demo_caller(user(db, "poor")) is None
    assert demo_caller(user(db, "eve")) is None
    assert demo_caller(call) is None


@pytest.mark.parametrize("users", [1, 2, 100])
@pytest.mark.parametrize("later", [{}, {"minutes": 30}], ids=["at once", "later"])
def test_two_people_of_a_demo_meet(
    memory: DB, watch: Watch, users: int, later: dict[str, float]
) -> None:
    groups = list(records(users))
    for group in groups:
        fill(memory, group)
    tried = trial(memory, groups)
    watch.wait(**later)

    answers: list[Any] = []
    with TestClient(tried.app) as client:
        for request in tried.requests:
            headers = {"authorization": f"Bearer {tried.tokens[request.user_id]}"}
            answers.append(client.request(request.method, request.path, headers=headers).json())

    first, second, again = answers
    assert first["waiting_since"]
    assert second["session_id"] == again["session_id"] is not None


def test_a_demo_has_tokens_for_a_livekit_server_in_development_mode(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in LIVEKIT:
        monkeypatch.delenv(variable)
    tried = trial(memory, [])
    me, other = tried.tokens
    call = matched(memory, watch, me, other).session_id

    with TestClient(tried.app) as client:
        headers = {"authorization": f"Bearer {tried.tokens[me]}"}
        given = client.post(f"/sessions/{call}/token", headers=headers).json()

    assert given["url"] == "ws://127.0.0.1:7880"
    assert claims_of(given["token"], "devkey", "secret")["sub"] == me
