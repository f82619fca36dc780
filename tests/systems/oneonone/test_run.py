"""The story of two users, from outside: `sortkey run` of the design, over HTTP.

Each function records the requests that it sends, which its own policies must allow.
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.synth.iam.actions import ACTIONS
from tests.synth.iam.evaluate import is_allowed
from tests.synth.iam.requests import ARN, Check, checks_of
from tests.synth.outputs import stack
from tests.synth.test_second_evaluator import Question, decided
from tests.synth.tools import NODE_TOOLS, needs

from sortkey import load_design
from sortkey.synth.documents import document
from sortkey.wire.messages import Request

pytestmark = pytest.mark.acceptance

_SYSTEM, _DESIGN = "oneonone", "sortkey_systems.oneonone.design"
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

    def __init__(self, state: Path, modules: Path) -> None:
        """Start it; its processes find these modules before all others."""
        command = [sys.executable, "-m", "sortkey", "run", _DESIGN, "--state", str(state)]
        self.process = subprocess.Popen(
            [*command, "--port", "0", "--format", "json", "--movable-clock"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={name: value for name, value in os.environ.items() if "LIVEKIT" not in name}
            | {"PYTHONPATH": os.pathsep.join([str(modules), *sys.path])},
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
def running(state: Path, modules: Path) -> Generator[Run]:
    run = Run(state, modules)
    try:
        yield run
    finally:
        run.stop()


def client(url: str, door: str, token: str = "", **content: str) -> tuple[int, Any]:
    """Do what a client of LiveKit does."""
    return request(url, "POST", f"/fake/{door}", content, authorization=f"Bearer {token}")


def play_story(run: Run) -> None:
    """Play the story."""
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

    # Ann does not want to wait, and then does. They meet again, and Bob ends the call at once.
    run.send("ann", "POST", "/queue")
    assert run.send("ann", "DELETE", "/queue")["waiting_since"] is None
    run.send("ann", "POST", "/queue")
    short = run.send("bob", "POST", "/queue")["session_id"]
    assert run.send("bob", "POST", f"/sessions/{short}/end")["end_time"] is not None

    # They meet again, and nobody ends the call: it ends with their points.
    run.send("ann", "POST", "/queue")
    again = run.send("bob", "POST", "/queue")["session_id"]
    assert again not in {call, short}
    run.move(12 * 60)
    run.eventually(lambda: run.send("ann", "GET", "/me")["points_left"] == 0)
    api = run.started["apis"]["api"]
    assert request(api, "POST", f"/sessions/{again}/token")[0] == 401
    assert request(api, "POST", "/livekit/webhook", {})[0] == 415

    # The next day, all points are there.
    run.move(24 * 60 * 60)
    run.sign_in_again()
    assert run.send("ann", "GET", "/me")["points_left"] == 15


# Found by each process of the run as it starts: what a function sends is kept in its file.
_RECORDING = """
import json
import os

if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
    from sortkey.access.transports.http import RequestWriter

    def write(self, request, *others, write=RequestWriter.write):
        with open(f"{FOLDER}/{os.environ['AWS_LAMBDA_FUNCTION_NAME']}.jsonl", "a") as file:
            file.write(json.dumps(request) + "\\n")
        return write(self, request, *others)

    RequestWriter.write = write
"""


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Request]]:
    """The requests that each function sends in the story, by its name in AWS."""
    folder = tmp_path_factory.mktemp("run")
    (folder / "sitecustomize.py").write_text(f"FOLDER = {str(folder)!r}\n{_RECORDING}")
    with running(folder / "state", folder) as run:
        play_story(run)
    return {
        file.stem: [Request(*json.loads(line)) for line in file.read_text().splitlines()]
        for file in folder.glob("*.jsonl")
    }


Asked = dict[str, list[Check]]


@pytest.fixture(scope="module")
def asked(sent: dict[str, list[Request]]) -> Asked:
    """The distinct checks of IAM that these requests need."""
    tables = {t.definition.name_in("dev"): t.definition for t in load_design(_DESIGN).tables}
    return {
        name: list(
            {repr(one): one for each in requests for one in checks_of(each, tables)}.values()
        )
        for name, requests in sent.items()
    }


def policies() -> dict[str, dict[str, Any]]:
    """All statements of the execution role of each function as one policy."""
    return {
        one.name: document(
            [*one.statements, *(s for policy in one.policies for s in policy.statements)], ARN
        )
        for one in stack(_SYSTEM, "dev").programs.functions
    }


def every_other(policy: dict[str, Any], asked: Iterable[Check]) -> list[Check]:
    """Each action on each table and index that is not granted, asked as these requests are."""
    granted = {
        (action, resource)
        for statement in policy["Statement"]
        for action in statement["Action"]
        for resource in statement["Resource"]
    }
    contexts = [check.context for check in asked]
    return [
        Check(action, resource, context)
        for table in load_design(_DESIGN).tables
        for index in ("", *(f"/index/{name}" for name in table.definition.indexes))
        for resource in (ARN + table.definition.name_in("dev") + index,)
        for action in ACTIONS
        if (action, resource) not in granted
        for context in contexts
    ]


def test_every_function_takes_part(asked: Asked) -> None:
    assert asked.keys() == policies().keys()


def test_its_policies_allow_what_a_function_sends_and_deny_every_other_action(asked: Asked) -> None:
    allowed = [(policy, one) for name, policy in policies().items() for one in asked[name]]
    others = [
        (policy, one)
        for name, policy in policies().items()
        for one in every_other(policy, asked[name])
    ]

    assert [one for policy, one in allowed if not is_allowed(policy, one)] == []
    assert [one for policy, one in others if is_allowed(policy, one)] == []


@needs(NODE_TOOLS)
def test_a_second_evaluator_agrees(asked: Asked) -> None:
    allowed: list[Question] = []
    denied: list[Question] = []
    for name, policy in policies().items():
        allowed += [(policy, one) for one in asked[name]]
        denied += [(policy, one) for one in every_other(policy, asked[name][:1])]

    assert decided(allowed) == [True] * len(allowed)
    assert decided(denied) == [False] * len(denied)
