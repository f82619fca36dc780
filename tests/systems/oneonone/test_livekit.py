"""The passes of rooms, and requests to LiveKit, answered by the fake and by bad servers."""

import json
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import jwt
import pytest
from tests.systems.conftest import LIVEKIT
from tests.systems.oneonone.conftest import MORNING, Watch

from sortkey_systems.api import stored_secrets
from sortkey_systems.api.settings import WrongSettings
from sortkey_systems.oneonone.calling import Admission
from sortkey_systems.oneonone.errors import VideoServerError, VideoServerUnreachable
from sortkey_systems.oneonone.fake_livekit import serving
from sortkey_systems.oneonone.fake_rooms import FakeLiveKit
from sortkey_systems.oneonone.livekit import DEVELOPMENT, LiveKit, LiveKitSettings, livekit
from sortkey_systems.oneonone.room_settings import RoomSettings

KEY, SECRET = "APIkey", "a secret with more than thirty-two characters"
UNTIL = MORNING + timedelta(minutes=15)
ANN = Admission("ann", "s1", UNTIL)


def settings(url: str = "wss://demo.livekit.example") -> LiveKitSettings:
    return LiveKitSettings(url, KEY, SECRET)


# Passes.


def test_a_pass_has_the_claims_that_livekit_documents(watch: Watch) -> None:
    given = LiveKit(settings()).pass_for(ANN)

    unbounded = {"verify_exp": False, "verify_nbf": False}
    claims = jwt.decode(given.token, SECRET, algorithms=["HS256"], options=unbounded)  # type: ignore[arg-type]
    assert jwt.get_unverified_header(given.token) == {"alg": "HS256", "typ": "JWT"}
    assert claims == {
        "iss": KEY,
        "sub": "ann",
        "nbf": int(MORNING.timestamp()),
        "exp": int(UNTIL.timestamp()),
        "video": {
            "room": "s1",
            "roomJoin": True,
            "canPublish": True,
            "canSubscribe": True,
            "canPublishData": True,
        },
    }
    assert (given.user_id, given.room_name, given.until) == ("ann", "s1", UNTIL)
    assert given.url == "wss://demo.livekit.example"
    assert given.token not in repr(given)


def test_livekit_accepts_a_pass_until_the_call_ends(watch: Watch) -> None:
    server = FakeLiveKit(settings(), watch.read, lambda _body, _headers: 200, lambda _: None)
    given = LiveKit(settings()).pass_for(ANN)

    assert server.connect(given.token)["identity"] == "ann"


# Settings.


def test_the_settings_come_from_the_environment() -> None:
    expected = LiveKitSettings(*LIVEKIT.values())

    assert livekit().settings == expected
    assert livekit() is livekit()
    assert "secret of a project" not in repr(expected)


def test_the_secret_of_a_deployed_function_is_read_by_its_arn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class SecretsManager:
        def get_secret_value(self, *, SecretId: str) -> dict[str, str]:  # noqa: N803 - AWS's name
            return {"SecretString": f"the secret of {SecretId}"}

    def new_client(_region: str) -> SecretsManager:
        return SecretsManager()

    monkeypatch.delenv("LIVEKIT_API_SECRET")
    monkeypatch.setenv("LIVEKIT_API_SECRET_ARN", "arn:aws:secretsmanager:eu-west-1:1:secret:s")
    monkeypatch.setattr(stored_secrets, "new_client", new_client)

    found = livekit().settings

    assert found.secret == "the secret of arn:aws:secretsmanager:eu-west-1:1:secret:s"


@pytest.mark.parametrize("variable", LIVEKIT)
def test_a_setting_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.delenv(variable)

    with pytest.raises(WrongSettings, match=f"{variable} .*is not set\\n    The") as refused:
        livekit()
    assert [fault.setting.variable for fault in refused.value.faults] == [variable]


@pytest.mark.parametrize(
    "url",
    [
        "demo.livekit.example",
        "ftp://demo.livekit.example",
        "wss://",
        "wss://demo.livekit.example/rtc",
        "wss://demo.livekit.example?x=1",
        "wss://ann@demo.livekit.example",
        "wss://demo.livekit.example:0",
        "wss://demo.livekit.example:99999",
        "wss://demo.livekit.example:port",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(WrongSettings, match=r"LIVEKIT_URL is .*, but must"):
        RoomSettings.load({**LIVEKIT, "LIVEKIT_URL": url})


# Rooms.


@pytest.fixture
def server(watch: Watch) -> FakeLiveKit:
    return FakeLiveKit(settings(), watch.read, lambda _body, _headers: 200, lambda _: None)


def test_a_room_is_deleted_with_everybody_in_it(server: FakeLiveKit) -> None:
    with serving(server) as url, closing(LiveKit(settings(url))) as client:
        server.connect(client.pass_for(ANN).token)

        assert client.delete_room("s1") is True
        assert client.delete_room("s1") is False
    assert server.leave("s1", "ann") is False


def test_another_project_cannot_delete_a_room(server: FakeLiveKit) -> None:
    with serving(server) as url:
        server.connect(LiveKit(settings()).pass_for(ANN).token)
        with (
            closing(LiveKit(LiveKitSettings(url, KEY, "another secret"))) as other,
            pytest.raises(VideoServerError, match="LiveKit did not delete room s1: 401"),
        ):
            other.delete_room("s1")
    assert server.leave("s1", "ann") is True


Answer = tuple[int, bytes, dict[str, str]]


@contextmanager
def answering(answer: Callable[[int], Answer]) -> Generator[str]:
    """Serve answers of the test's choice, each by its number."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        count = 0

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            status, body, headers = answer(Handler.count)
            Handler.count += 1
            self.send_response(status)
            for name, value in {"content-length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
            """Write no log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, b""),
        (404, b"<html>not here</html>"),
        (404, b'{"code": "bad_route"}'),
        (404, b"[]"),
        (404, b"[" * 60_000),
        (401, b'{"code": "unauthenticated"}'),
        (429, b""),
        (500, b'{"code": "internal"}'),
        (302, b""),
    ],
)
def test_another_answer_is_an_error(watch: Watch, status: int, body: bytes) -> None:
    with (
        answering(lambda _: (status, body, {"location": "http://127.0.0.1:1"})) as url,
        closing(LiveKit(settings(url))) as client,
        pytest.raises(VideoServerError, match=f"LiveKit did not delete room s1: {status}"),
    ):
        client.delete_room("s1")


def test_a_server_that_cannot_be_reached_is_an_error(watch: Watch) -> None:
    with pytest.raises(VideoServerUnreachable, match="does not answer: ConnectionRefusedError"):
        LiveKit(settings("ws://127.0.0.1:1")).delete_room("s1")


def test_a_connection_that_was_closed_meanwhile_is_opened_again(watch: Watch) -> None:
    with answering(lambda _: (200, b"{}", {"connection": "close"})) as url:
        client = LiveKit(settings(url))

        assert [client.delete_room("s1") for _ in range(3)] == [True] * 3


def test_what_follows_a_long_answer_is_read_as_it_is_sent(watch: Watch) -> None:
    long = json.dumps({"code": "internal", "msg": "x" * 100_000}).encode()

    def answer(number: int) -> Answer:
        return (500, long, {}) if number == 0 else (200, b"{}", {})

    with answering(answer) as url, closing(LiveKit(settings(url))) as client:
        with pytest.raises(VideoServerError):
            client.delete_room("s1")
        assert client.delete_room("s1") is True


@pytest.mark.parametrize("scheme", ["wss", "https"])
def test_an_encrypted_address_is_called_with_tls(watch: Watch, scheme: str) -> None:
    with answering(lambda _: (200, b"{}", {})) as url:
        encrypted = url.replace("http", scheme)

        with pytest.raises(VideoServerUnreachable, match="SSL"):
            LiveKit(settings(encrypted)).delete_room("s1")


def test_the_development_server_is_on_this_machine() -> None:
    assert DEVELOPMENT.url == "ws://127.0.0.1:7880"
