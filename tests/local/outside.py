"""The depot as `sortkey run` runs it, driven from outside: over HTTP, and by its files."""

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
from typing import Any, NamedTuple
from urllib.parse import urlsplit

DEPOT = Path(__file__).parent / "depot"
# For what happens soon; a busy machine is slow.
_SOON = 60.0


class Response(NamedTuple):
    """A response of an API."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def header(self, name: str) -> str | None:
        return next((value for each, value in self.headers if each.lower() == name), None)


def send(
    url: str,
    method: str = "GET",
    path: str = "/",
    body: bytes | str | None = None,
    **headers: str,
) -> Response:
    """Send a request; underscores in the names of headers are dashes."""
    parts = urlsplit(url)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=_SOON)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    try:
        connection.request(method, path, body, named)
        response = connection.getresponse()
        return Response(response.status, response.getheaders(), response.read())
    finally:
        connection.close()


class Depot:
    """A running `sortkey run`."""

    def __init__(self, state: Path, *options: str, design: Path, env: dict[str, str]) -> None:
        self.state = state
        command = [sys.executable, "-m", "sortkey", "run", str(design), "--state", str(state)]
        self.process = subprocess.Popen(
            [*command, "--format", "json", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **env},
        )
        self._lines: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line, self._failure()
        self.started: dict[str, Any] = json.loads(line)

    def _failure(self) -> str:
        self._reader.join()
        return self.log

    def _read(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._lines.append(line)

    @property
    def log(self) -> str:
        return "".join(self._lines)

    # -- what a user does ---------------------------------------------------------------------

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str | None = None,
        **headers: str,
    ) -> Response:
        """Send a request to the API, as JSON if it has a body that is not bytes."""
        if body is not None and not isinstance(body, bytes):
            body, headers = json.dumps(body), {"content_type": "application/json", **headers}
        if token is not None:
            headers["authorization"] = f"Bearer {token}"
        return send(self.started["apis"]["api"], method, path, body, **headers)

    def token(self, subject: str = "ann", **claims: Any) -> str:
        """Return a token; claims replace those that the issuer would choose."""
        content = json.dumps({"sub": subject, **claims})
        return send(self.started["issuer"], "POST", "/token", content).json["access_token"]

    def ask(self, operation: str, **body: Any) -> Any:
        """Send a request to the engine."""
        service = "Sortkey" if operation in {"MoveClock", "DescribeMeters"} else "DynamoDB_20120810"
        return send(
            self.started["engine"],
            "POST",
            "/",
            json.dumps(body),
            x_amz_target=f"{service}.{operation}",
            content_type="application/x-amz-json-1.0",
        ).json

    def count(self, name: str) -> int:
        """Return the number in one of the depot's counts."""
        key = {"PK": {"S": f"COUNT#{name}"}, "SK": {"S": "COUNT"}}
        found = self.ask("GetItem", TableName="Depot", Key=key, ConsistentRead=True)
        return int(found["Item"]["number"]["N"]) if "Item" in found else 0

    def total(self, name: str, **dimensions: str) -> float:
        """Return the sum of a metric."""
        return sum(
            metric["Total"]["Sum"]
            for metric in self.ask("DescribeMeters")["Metrics"]
            if metric["MetricName"] == name and metric["Dimensions"] == dimensions
        )

    def files(self, kind: str, name: str) -> list[str]:
        """Return the contents of the files of a queue or a bucket."""
        return contents(self.started[kind][name])

    def letters(self, kind: str, name: str) -> list[str]:
        """Return the dead letters of a queue or a function."""
        return contents(self.started["dead_letters"][kind][name])

    def eventually(self, condition: Callable[[], Any]) -> Any:
        """Wait until a condition holds, and return its value."""
        return eventually(condition, lambda: self.log)

    # -- its end ------------------------------------------------------------------------------

    def workers(self) -> list[int]:
        """Return the processes of functions."""
        listed = subprocess.run(
            ["ps", "-A", "-o", "pid=,ppid=,args="], capture_output=True, text=True, check=True
        )
        rows = [line.split(maxsplit=2) for line in listed.stdout.splitlines()]
        return [
            int(pid)
            for pid, parent, args in rows
            if int(parent) == self.process.pid and "sortkey.local.child" in args
        ]

    def end(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, and return the exit status."""
        self.process.send_signal(number)
        status = self.process.wait(_SOON)
        self._reader.join()
        return status


def contents(folder: str) -> list[str]:
    return [path.read_text() for path in sorted(Path(folder).iterdir())]


def eventually(condition: Callable[[], Any], shown: Callable[[], str] = str) -> Any:
    """Wait until a condition holds, and return its value."""
    until = time.monotonic() + _SOON
    while not (value := condition()):
        assert time.monotonic() < until, shown()
        time.sleep(0.05)
    return value


@contextmanager
def running(
    state: Path, *options: str, design: Path = DEPOT / "design.py", **env: str
) -> Generator[Depot]:
    depot = Depot(state, "--movable-clock", "--port", "0", *options, design=design, env=env)
    try:
        yield depot
    finally:
        if depot.process.poll() is None:
            depot.end(signal.SIGKILL)
        for stream in (depot.process.stdout, depot.process.stderr):
            if stream is not None:
                stream.close()
