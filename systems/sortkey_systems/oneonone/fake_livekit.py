"""The fake LiveKit over HTTP on loopback: its API, doors for clients, and webhooks.

Clients of LiveKit join with WebRTC. Here a test joins and leaves by HTTP:

- ``POST /fake/connect`` with the header ``Authorization: Bearer`` and the token of a room
- ``POST /fake/leave`` with ``{"room": ..., "identity": ...}``
- ``POST /fake/fail``, like ``connect``, for a connection that is never established
"""

import http.client
import json
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from secrets import token_hex
from threading import Event, Thread
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from sortkey_systems.oneonone.design.functions import (
    LIVEKIT_API_KEY,
    LIVEKIT_API_SECRET,
    LIVEKIT_URL,
    api,
)
from sortkey_systems.oneonone.fake_rooms import Denied, FakeLiveKit, Json, Send
from sortkey_systems.oneonone.livekit import LiveKitSettings

WEBHOOK = "/livekit/webhook"
_TWIRP = "/twirp/livekit.RoomService/"
_LARGEST_REQUEST = 64 * 1024
_TICK_SECONDS = 0.05
_TIMEOUT_SECONDS = 10.0


class Run(Protocol):
    """What a fake knows of the run that it is part of."""

    @property
    def api_urls(self) -> Mapping[str, str]:
        """The addresses of the HTTP APIs, by their names."""
        ...

    @property
    def clock(self) -> Callable[[], float]:
        """The clock of the run, in seconds since 1970."""
        ...


@contextmanager
def fake(run: Run) -> Generator[Mapping[str, str]]:
    """Serve a LiveKit that sends its webhooks to the API; yield the values of its settings."""
    key, secret = "APIfake", token_hex()
    settings = LiveKitSettings("ws://127.0.0.1", key, secret)
    send = sender(lambda: f"{run.api_urls[api.name]}{WEBHOOK}")
    with serving(FakeLiveKit(settings, run.clock, send, time.sleep)) as url:
        yield {
            LIVEKIT_URL.variable: url,
            LIVEKIT_API_KEY.variable: key,
            LIVEKIT_API_SECRET.variable: secret,
        }


def sender(url: Callable[[], str]) -> Send:
    """Return a function that posts to a URL."""

    def send(body: bytes, headers: Mapping[str, str]) -> int:
        to = urlsplit(url())
        connection = http.client.HTTPConnection(str(to.hostname), to.port, timeout=_TIMEOUT_SECONDS)
        try:
            connection.request("POST", to.path, body, dict(headers))
            return connection.getresponse().status
        except http.client.HTTPException as error:
            raise ConnectionError(str(error)) from error
        finally:
            connection.close()

    return send


@contextmanager
def serving(livekit: FakeLiveKit, *, working: bool = True) -> Generator[str]:
    """Serve a fake on loopback, and let it work: send events, end rooms. Yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("_Bound", (_Door,), {"livekit": livekit}))
    server.daemon_threads = True
    stopped = Event()

    def work() -> None:
        while not stopped.wait(_TICK_SECONDS):
            livekit.tick()
            livekit.deliver()

    Thread(target=server.serve_forever, args=(_TICK_SECONDS,), daemon=True).start()
    if working:
        Thread(target=work, daemon=True).start()
    try:
        yield f"ws://127.0.0.1:{server.server_port}"
    finally:
        stopped.set()
        server.shutdown()
        server.server_close()


class _Door(BaseHTTPRequestHandler):
    """Answers requests of LiveKit's API, and those of clients."""

    livekit: FakeLiveKit
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        status, content = self._answer()
        body = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _answer(self) -> tuple[int, Json]:
        token = self.headers.get("authorization", "").removeprefix("Bearer ")
        request = self._request()
        if self.path.startswith(_TWIRP):
            return self.livekit.call(self.path.removeprefix(_TWIRP), token, request)
        try:
            match self.path:
                case "/fake/connect":
                    return http.client.OK, self.livekit.connect(token)
                case "/fake/fail":
                    self.livekit.fail_to_connect(token)
                    return http.client.OK, {}
                case "/fake/leave":
                    room, identity = str(request.get("room")), str(request.get("identity"))
                    return http.client.OK, {"left": self.livekit.leave(room, identity)}
                case _:
                    return http.client.NOT_FOUND, {"code": "bad_route"}
        except Denied as denied:
            return http.client.UNAUTHORIZED, {"code": "unauthenticated", "msg": str(denied)}

    def _request(self) -> Json:
        length = min(int(self.headers.get("content-length") or 0), _LARGEST_REQUEST)
        try:
            read = json.loads(self.rfile.read(length) or b"{}")
        except ValueError:
            return {}
        return cast("dict[str, Any]", read) if isinstance(read, dict) else {}

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name in http.server
        """Write no log of requests."""
