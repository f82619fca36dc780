"""The fake LiveKit behaves as LiveKit documents, and its events look like recorded ones."""

import http.client
import json
from collections.abc import Mapping
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.systems.oneonone.conftest import MORNING, Watch
from tests.systems.oneonone.events import payload

from sortkey_systems.oneonone.calling import Admission
from sortkey_systems.oneonone.fake_livekit import fake, sender, serving
from sortkey_systems.oneonone.fake_rooms import (
    DEPARTURE_TIMEOUT,
    EMPTY_TIMEOUT,
    PAUSES,
    Denied,
    FakeLiveKit,
)
from sortkey_systems.oneonone.livekit import LiveKit, LiveKitSettings
from sortkey_systems.oneonone.tokens import sign
from sortkey_systems.oneonone.webhooks import MEDIA_TYPE, Request, event_of

SETTINGS = LiveKitSettings("ws://127.0.0.1", "APIkey", "a secret for tests")


class Receiver:
    """Receives events, and answers with the statuses in turn."""

    def __init__(self, *statuses: int) -> None:
        self.requests: list[Request] = []
        self._statuses = list(statuses)

    def __call__(self, body: bytes, headers: Mapping[str, str]) -> int:
        self.requests.append(Request(headers["content-type"], headers["authorization"], body))
        status = self._statuses.pop(0) if self._statuses else 200
        if not status:
            raise ConnectionError("no answer")
        return status

    @property
    def events(self) -> list[tuple[str, str | None]]:
        """The kind of each event, and whose it is."""
        read = [event_of(request, SETTINGS) for request in self.requests]
        return [(one.event, one.participant and one.participant.identity) for one in read]


class Scene:
    """A fake and what it sends."""

    def __init__(self, watch: Watch, *statuses: int) -> None:
        self.watch = watch
        self.receiver = Receiver(*statuses)
        self.pauses: list[float] = []
        self.fake = FakeLiveKit(SETTINGS, watch.read, self.receiver, self.pauses.append)

    def token(self, user: str, room: str = "s1") -> str:
        until = self.watch.now + timedelta(minutes=15)
        return LiveKit(SETTINGS).pass_for(Admission(user, room, until)).token

    def granted(self, **grant: Any) -> str:
        exp = int(self.watch.now.timestamp()) + 60
        return sign({"iss": SETTINGS.key, "exp": exp, "video": grant}, SETTINGS.secret)

    @property
    def events(self) -> list[tuple[str, str | None]]:
        self.fake.tick()
        self.fake.deliver()
        return self.receiver.events


@pytest.fixture
def scene(watch: Watch) -> Scene:
    return Scene(watch)


def test_two_users_join_and_leave(scene: Scene) -> None:
    for user in ("ann", "bob"):
        scene.fake.connect(scene.token(user))
    assert scene.fake.leave("s1", "ann")
    assert not scene.fake.leave("s1", "ann")
    assert not scene.fake.leave("s2", "ann")

    assert scene.events == [
        ("room_started", None),
        ("participant_joined", "ann"),
        ("participant_joined", "bob"),
        ("participant_left", "ann"),
    ]


def test_a_room_ends_some_time_after_the_last_one_has_left(scene: Scene) -> None:
    scene.fake.connect(scene.token("ann"))
    scene.watch.wait(minutes=20)
    scene.fake.leave("s1", "ann")

    scene.watch.wait(seconds=DEPARTURE_TIMEOUT - 1)
    assert scene.events[-1] == ("participant_left", "ann")
    scene.watch.wait(seconds=1)
    assert scene.events[-1] == ("room_finished", None)


def test_a_room_that_nobody_joins_ends(scene: Scene) -> None:
    status, room = scene.fake.call("CreateRoom", scene.granted(roomCreate=True), {"name": "s1"})
    assert (status, room["name"]) == (200, "s1")

    scene.watch.wait(seconds=EMPTY_TIMEOUT)

    assert scene.events == [("room_started", None), ("room_finished", None)]


def test_a_second_device_replaces_the_first(scene: Scene) -> None:
    first = scene.fake.connect(scene.token("ann"))["sid"]
    second = scene.fake.connect(scene.token("ann"))["sid"]

    assert first != second
    assert scene.events[1:] == [
        ("participant_joined", "ann"),
        ("participant_left", "ann"),
        ("participant_joined", "ann"),
    ]


def test_a_connection_that_fails_is_aborted(scene: Scene) -> None:
    scene.fake.fail_to_connect(scene.token("ann"))

    assert scene.events[1:] == [("participant_connection_aborted", "ann")]


def test_a_room_that_is_deleted_has_no_users_and_comes_back_with_the_next_one(scene: Scene) -> None:
    scene.fake.connect(scene.token("ann"))
    delete = ("DeleteRoom", scene.granted(roomCreate=True), {"room": "s1"})

    assert scene.fake.call(*delete) == (200, {})
    assert scene.fake.call(*delete)[1]["code"] == "not_found"
    scene.fake.connect(scene.token("ann"))

    assert scene.events[2:] == [
        ("participant_left", "ann"),
        ("room_finished", None),
        ("room_started", None),
        ("participant_joined", "ann"),
    ]


def test_rooms_and_participants_are_listed(scene: Scene) -> None:
    for user, room in (("ann", "s1"), ("bob", "s2")):
        scene.fake.connect(scene.token(user, room))

    listed = scene.granted(roomList=True)
    rooms = scene.fake.call("ListRooms", listed, {})[1]["rooms"]
    assert [(one["name"], one["numParticipants"]) for one in rooms] == [("s1", 1), ("s2", 1)]
    assert len(scene.fake.call("ListRooms", listed, {"names": ["s2", "s9"]})[1]["rooms"]) == 1
    admin = scene.granted(roomAdmin=True, room="s2")
    here = scene.fake.call("ListParticipants", admin, {"room": "s2"})[1]["participants"]
    assert [one["identity"] for one in here] == ["bob"]


@pytest.mark.parametrize(
    ("method", "grant", "status"),
    [
        ("CreateRoom", {"roomList": True}, 401),
        ("DeleteRoom", {"roomJoin": True, "room": "s1"}, 401),
        ("DeleteRoom", {}, 401),
        ("ListRooms", {"roomCreate": True}, 401),
        ("ListParticipants", {"roomAdmin": True, "room": "s2"}, 401),
        ("Forget", {"roomCreate": True}, 404),
    ],
)
def test_a_token_without_the_grant_is_refused(
    scene: Scene, method: str, grant: dict[str, Any], status: int
) -> None:
    assert scene.fake.call(method, scene.granted(**grant), {"room": "s1"})[0] == status


def test_nobody_joins_without_a_pass(scene: Scene) -> None:
    expired = scene.token("ann")
    scene.watch.wait(minutes=16)

    for token in ("", expired, scene.granted(roomJoin=True, room="s1"), scene.granted(room="s1")):
        with pytest.raises(Denied):
            scene.fake.connect(token)
    assert scene.events == []


@pytest.mark.parametrize(
    ("statuses", "attempts"),
    [([200], 1), ([503, 0, 429, 204], 4), ([404], 1), ([401], 1), ([500] * 9, 5)],
)
def test_an_event_is_sent_again_while_the_receiver_fails(
    watch: Watch, statuses: list[int], attempts: int
) -> None:
    scene = Scene(watch, *statuses)
    scene.fake.call("CreateRoom", scene.granted(roomCreate=True), {"name": "s1"})

    scene.fake.deliver()

    assert len(scene.receiver.requests) == attempts
    assert len({request.authorization for request in scene.receiver.requests}) == 1
    assert scene.pauses == list(PAUSES[: attempts - 1])
    assert scene.fake.waiting_events == 0


def test_its_events_look_like_recorded_ones(scene: Scene) -> None:
    """Each field is one that was recorded, and has its type."""
    scene.fake.connect(scene.token("ann"))
    scene.fake.fail_to_connect(scene.token("bob"))
    scene.fake.leave("s1", "ann")
    scene.watch.wait(seconds=DEPARTURE_TIMEOUT)
    kinds = {kind for kind, _ in scene.events}

    assert len(kinds) == 5
    for request in scene.receiver.requests:
        sent = json.loads(request.body)
        assert differences(sent, payload(sent["event"])) == []


def differences(sent: Any, recorded: Any, path: str = "") -> list[str]:
    if type(sent) is not type(recorded):
        return [path]
    if not isinstance(sent, dict):
        return []
    return [
        found
        for name, value in sent.items()  # pyright: ignore[reportUnknownVariableType]
        for found in differences(value, recorded.get(name), f"{path}.{name}")
    ]


# Over HTTP.


def posted(url: str, path: str, token: str = "", **content: Any) -> tuple[int, Any]:
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=10)
    headers = {"authorization": f"Bearer {token}"}
    connection.request("POST", path, json.dumps(content).encode(), headers)
    answer = connection.getresponse()
    read = json.loads(answer.read())
    connection.close()
    return answer.status, read


def test_a_client_joins_and_leaves_over_http(scene: Scene) -> None:
    with serving(scene.fake) as url:
        status, joined = posted(url, "/fake/connect", scene.token("ann"))
        assert (status, joined["room"]) == (200, "s1")
        assert posted(url, "/fake/connect", "e30.e30.e30")[0] == 401
        assert posted(url, "/fake/fail", scene.token("bob"))[0] == 200
        assert posted(url, "/fake/leave", room="s1", identity="ann") == (200, {"left": True})
        assert posted(url, "/fake/leave", room="s1", identity="ann") == (200, {"left": False})
        assert posted(url, "/elsewhere")[0] == 404


class Run:
    """What a fake knows of a run."""

    def __init__(self, api: str, watch: Watch) -> None:
        self.api_urls = {"api": api}
        self.clock = watch.read


def test_the_fake_of_a_run_sends_its_events_to_the_api(watch: Watch) -> None:
    received: list[tuple[str, bytes]] = []

    arrived = Event()

    class Door(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            request = Request(self.headers["content-type"], self.headers["authorization"], body)
            received.append((self.path, body))
            signed.append(request)
            self.send_response(204)
            self.end_headers()
            arrived.set()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            """Write no log."""

    signed: list[Request] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Door)
    Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    with fake(Run(f"http://127.0.0.1:{server.server_port}", watch)) as values:
        settings = LiveKitSettings(
            values["LIVEKIT_URL"], values["LIVEKIT_API_KEY"], values["LIVEKIT_API_SECRET"]
        )
        until = MORNING + timedelta(minutes=15)
        token = LiveKit(settings).pass_for(Admission("ann", "s1", until)).token
        assert posted(settings.url, "/fake/connect", token)[0] == 200
        assert arrived.wait(10)
    server.shutdown()
    server.server_close()

    assert received[0][0] == "/livekit/webhook"
    assert event_of(signed[0], settings).event == "room_started"
    assert signed[0].media_type == MEDIA_TYPE


def test_a_receiver_that_cannot_be_reached_is_a_fault() -> None:
    with pytest.raises(OSError, match="refused"):
        sender(lambda: "http://127.0.0.1:1/livekit/webhook")(b"{}", {})
