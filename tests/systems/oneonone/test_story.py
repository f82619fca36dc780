"""Two users meet, talk in a room of the fake LiveKit, and leave: the parts of the system together.

The story is played over HTTP, and the schedule by calls of its function; the clock moves when the
story says so.
"""

import http.client
import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from tests.systems.oneonone.conftest import Watch

from sortkey import DB
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import Tokens
from sortkey_systems.oneonone import functions
from sortkey_systems.oneonone.api import api
from sortkey_systems.oneonone.fake_livekit import serving
from sortkey_systems.oneonone.fake_rooms import FakeLiveKit
from sortkey_systems.oneonone.livekit import LiveKit, LiveKitSettings


class Story:
    """The API, the schedule and LiveKit, with requests of users."""

    def __init__(self, db: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
        self.db, self.watch, self._monkeypatch = db, watch, monkeypatch
        self._tokens = Tokens()
        self.app: FastAPI = api.app(db, self._tokens, rates=None)
        self.client = TestClient(self.app)
        settings = LiveKitSettings("ws://127.0.0.1", "APIstory", "the secret of the story")
        self.livekit = FakeLiveKit(settings, watch.read, self._receive, lambda _: None)
        self.received: list[str] = []

    def use(self, url: str) -> LiveKit:
        """Give the API and the schedule the address of LiveKit."""
        settings = LiveKitSettings(url, "APIstory", "the secret of the story")
        client = LiveKit(settings)
        self.app.state.livekit = client
        self._monkeypatch.setattr(functions, "livekit", lambda: client)
        return client

    def _receive(self, body: bytes, headers: Mapping[str, str]) -> int:
        answer = self.client.post("/livekit/webhook", content=body, headers=dict(headers))
        self.received.append(f"{json.loads(body)['event']}: {answer.json()['outcome']}")
        return answer.status_code

    def send(self, who: str, method: str, path: str) -> Any:
        headers = {"authorization": f"Bearer {self._tokens.sign(Caller(who))}"}
        answer = self.client.request(method, path, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def webhooks(self) -> list[str]:
        """Let LiveKit send its events, and return what became of them."""
        self.livekit.tick()
        self.livekit.deliver()
        arrived, self.received = self.received, []
        return arrived

    def enter(self, who: str, call: str) -> str:
        """Get a pass and join the room; return the pass."""
        given = self.send(who, "POST", f"/sessions/{call}/token")
        connection = http.client.HTTPConnection(urlsplit(str(given["url"])).netloc, timeout=10)
        headers = {"authorization": f"Bearer {given['token']}"}
        connection.request("POST", "/fake/connect", b"{}", headers)
        assert connection.getresponse().status == 200
        connection.close()
        return given["token"]

    def minute(self) -> dict[str, int]:
        """Run the schedule, and leave out what is 0."""
        swept = functions.sweep.__wrapped__({"source": "aws.events"}, None, self.db)
        return {name: count for name, count in swept.items() if count}

    def meet(self) -> str:
        """Let Ann and Bob meet, and both enter their room; return their call."""
        self.send("ann", "POST", "/queue")
        self.watch.wait(seconds=1)
        call = self.send("bob", "POST", "/queue")["session_id"]
        for who in ("ann", "bob"):
            self.enter(who, call)
        joined = ["room_started: ignored", *["participant_joined: logged"] * 2]
        assert self.webhooks() == joined
        return call


@pytest.fixture
def story(memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch) -> Iterator[Story]:
    made = Story(memory, watch, monkeypatch)
    with serving(made.livekit, working=False) as url:
        client = made.use(url)
        yield made
        client.close()


def test_two_users_talk_and_one_ends_the_call(story: Story) -> None:
    call = story.meet()
    story.watch.wait(minutes=4, seconds=10)

    ended = story.send("ann", "POST", f"/sessions/{call}/end")

    assert ended["duration"] == 5
    # The room was deleted at once, which put both out.
    assert story.webhooks() == [*["participant_left: logged"] * 2, "room_finished: logged"]
    assert [story.send(who, "GET", "/me")["points_left"] for who in ("ann", "bob")] == [10, 10]
    assert story.minute() == {}
    [listed] = story.send("bob", "GET", "/sessions")["items"]
    assert (listed["session_id"], listed["duration"]) == (call, 5)


def test_a_user_who_closes_the_browser_ends_the_call(story: Story) -> None:
    call = story.meet()
    story.watch.wait(minutes=2)
    story.livekit.leave(call, "ann")
    assert story.webhooks() == ["participant_left: logged"]

    story.watch.wait(minutes=1)

    assert story.minute() == {"settled": 1, "closed": 1}
    assert story.webhooks() == ["participant_left: logged", "room_finished: logged"]
    assert [story.send(who, "GET", "/me")["points_left"] for who in ("ann", "bob")] == [13, 13]


def test_a_user_who_reloads_the_page_goes_on(story: Story) -> None:
    call = story.meet()
    story.watch.wait(minutes=2)
    story.livekit.leave(call, "ann")
    story.watch.wait(seconds=10)
    story.enter("ann", call)
    assert story.webhooks() == ["participant_left: logged", "participant_joined: logged"]

    story.watch.wait(minutes=1)

    assert story.minute() == {}
    assert story.send("ann", "GET", "/me")["session_id"] == call


def test_a_call_that_nobody_ends_is_over_when_the_points_are(story: Story) -> None:
    call = story.meet()
    story.watch.wait(minutes=15)

    assert story.minute() == {"settled": 1, "closed": 1}

    assert [story.send(who, "GET", "/me")["points_left"] for who in ("ann", "bob")] == [0, 0]
    assert story.webhooks()[-1] == "room_finished: logged"
    assert not story.livekit.leave(call, "bob")


def test_who_comes_back_after_the_end_with_an_old_pass_is_put_out(story: Story) -> None:
    call = story.meet()
    kept = story.enter("bob", call)
    story.watch.wait(minutes=2)
    story.send("ann", "POST", f"/sessions/{call}/end")
    story.webhooks()

    story.watch.wait(seconds=10)
    story.livekit.connect(kept)

    assert story.webhooks() == [
        *("room_started: ignored", "participant_joined: logged"),
        *("participant_left: logged", "room_finished: logged"),
    ]
    assert not story.livekit.leave(call, "bob")


def test_without_webhooks_a_room_is_deleted_when_no_pass_is_valid(story: Story) -> None:
    """LiveKit promises no delivery."""
    call = story.meet()
    kept = story.enter("bob", call)
    story.watch.wait(minutes=2)
    story.send("ann", "POST", f"/sessions/{call}/end")
    story.livekit.connect(kept)  # nobody hears of it

    story.watch.wait(minutes=25)

    assert story.minute() == {"closed": 1}
    assert not story.livekit.leave(call, "bob")
    story.watch.wait(minutes=11)
    assert story.minute() == {"closed": 1}
    story.watch.wait(minutes=11)
    assert story.minute() == {}
