"""The story of two users, from outside: `sortkey run` of the design, over HTTP."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

pytestmark = pytest.mark.acceptance

_DESIGN = "sortkey_systems.oneonone.design"
# For what happens soon; a busy machine is slow.
_SOON = 60.0


def request(
    url: str, method: str, path: str, content: Any = None, **headers: str
) -> tuple[int, Any]:
    """Send a request, and return the status and the content of the response."""
    parts = urlsplit(url)
    connection = HTTPConnection(str(parts.hostname), parts.port, timeout=_SOON)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        body = None if content is None else json.dumps(content)
        connection.request(method, path, body, {"content-type": "application/json", **named})
        response = connection.getresponse()
        text = response.read().decode()
    finally:
        connection.close()
    is_json = text.startswith(("{", "["))
    return response.status, json.loads(text) if is_json else text.strip()


class Run:
    """A running `sortkey run`, with a clock that the story moves."""

    def __init__(self, state: Path) -> None:
        command = [sys.executable, "-m", "sortkey", "run", _DESIGN, "--state", str(state)]
        self.process = subprocess.Popen(
            [*command, "--port", "0", "--format", "json", "--movable-clock"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if "LIVEKIT" not in name},
        )
        self._log: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "".join(self._log)
        self.started: dict[str, Any] = json.loads(line)
        self._tokens: dict[str, str] = {}

    def _read(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self._log.append(line)

    def send(self, who: str, method: str, path: str) -> Any:
        """Send a request of a user to the API."""
        if who not in self._tokens:
            self._tokens[who] = request(self.started["issuer"], "GET", f"/token/{who}")[1]
        token = f"Bearer {self._tokens[who]}"
        status, content = request(self.started["apis"]["api"], method, path, authorization=token)
        assert status == 200, content
        return content

    def sign_in_again(self) -> None:
        """Forget the tokens, which expire."""
        self._tokens.clear()

    def move(self, seconds: float) -> None:
        """Move the clock of everything."""
        request(
            *(self.started["engine"], "POST", "/", {"Seconds": seconds}),
            x_amz_target="Sortkey.MoveClock",
            content_type="application/x-amz-json-1.0",
        )

    def eventually(self, holds: Callable[[], Any]) -> Any:
        """Wait until a condition holds, and return its value."""
        until = time.monotonic() + _SOON
        while not (found := holds()):
            assert time.monotonic() < until, "".join(self._log)
            time.sleep(0.1)
        return found

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self.process.send_signal(signal.SIGINT)
        with self.process:
            self.process.wait(_SOON)
            self._reader.join(_SOON)


@contextmanager
def running(state: Path) -> Generator[Run]:
    run = Run(state)
    try:
        yield run
    finally:
        run.stop()


def client(url: str, door: str, token: str = "", **content: str) -> tuple[int, Any]:
    """Do what a client of LiveKit does."""
    return request(url, "POST", f"/fake/{door}", content, authorization=f"Bearer {token}")


def test_two_users_meet_talk_and_leave(tmp_path: Path) -> None:
    with running(tmp_path / "state") as run:
        # They meet.
        assert run.send("ann", "POST", "/queue")["waiting_since"]
        call = run.send("bob", "POST", "/queue")["session_id"]
        assert run.send("ann", "GET", "/me")["session_id"] == call

        # They enter the room.
        passes = {who: run.send(who, "POST", f"/sessions/{call}/token") for who in ("ann", "bob")}
        room = passes["ann"]["url"]
        for given in passes.values():
            assert client(room, "connect", given["token"])[0] == 200

        # They talk, and Ann closes the browser. Nobody pays for the time after, however late
        # the event is.
        run.move(130)
        assert client(room, "leave", room=call, identity="ann") == (200, {"left": True})
        run.move(300)
        run.eventually(lambda: run.send("bob", "GET", "/me")["session_id"] is None)
        assert {run.send(who, "GET", "/me")["points_left"] for who in passes} == {12}
        [listed] = run.send("ann", "GET", "/sessions")["items"]
        assert (listed["session_id"], listed["duration"]) == (call, 3)

        # Bob was disconnected, and is again when he comes back with the former pass.
        run.eventually(
            lambda: client(room, "leave", room=call, identity="bob") == (200, {"left": False})
        )
        client(room, "connect", passes["bob"]["token"])
        run.eventually(
            lambda: client(room, "leave", room=call, identity="bob") == (200, {"left": False})
        )

        # They meet again, and nobody ends the call: it ends with their points.
        run.send("ann", "POST", "/queue")
        again = run.send("bob", "POST", "/queue")["session_id"]
        assert again != call
        run.move(12 * 60)
        run.eventually(lambda: run.send("ann", "GET", "/me")["points_left"] == 0)
        api = run.started["apis"]["api"]
        assert request(api, "POST", f"/sessions/{again}/token")[0] == 401
        assert request(api, "POST", "/livekit/webhook", {})[0] == 415

        # The next day, all points are there.
        run.move(24 * 60 * 60)
        run.sign_in_again()
        assert run.send("ann", "GET", "/me")["points_left"] == 15
