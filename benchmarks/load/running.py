"""Run a crowd: over HTTP with several connections, or on the services in this process."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from random import Random
from secrets import token_bytes
from typing import Any, TypeAlias

from benchmarks.load.crowd import Crowd, Visit
from benchmarks.load.server import KEY
from benchmarks.peers import PeerError
from sortkey import DB, Call, LocalKey, Observer
from sortkey.access.database import KEYS
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import Tokens

CONNECTIONS = 8
_STOP_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Until:
    """The end of a run: after this many seconds, or this many visits of each caller."""

    seconds: float = float("inf")
    visits: float = float("inf")


@dataclass(slots=True)
class Tally:
    """The results of the visits: their times, refusals and errors."""

    seconds: float = 0.0
    latencies: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list[float]))
    refused: Counter[str] = field(default_factory=Counter[str])
    errors: list[str] = field(default_factory=list[str])

    @property
    def visits(self) -> int:
        """The number of visits."""
        return sum(map(len, self.latencies.values()))

    @property
    def a_second(self) -> float:
        """The number of visits in a second."""
        return self.visits / self.seconds

    def milliseconds(self, share: float) -> float:
        """Return the time within which this share of all visits was answered."""
        ordered = sorted(each for taken in self.latencies.values() for each in taken)
        return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]


Ask: TypeAlias = Callable[[Visit, Tally], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of a crowd, and the violated guarantees."""

    tally: Tally
    faults: tuple[str, ...]


def over_http(crowd: Crowd, file: Path, until: Until, seed: int = 1) -> Outcome:
    """Run the crowd against the system's API, which is a separate process."""
    key = token_bytes(32)
    with database(crowd, file) as db:
        crowd.prepare(db)
    with _server(crowd.system, file, key) as port:
        tally = crowded(crowd, lambda: _connected(port, Tokens(key)), CONNECTIONS, until, seed)
    with database(crowd, file) as db:
        return Outcome(tally, tuple(crowd.faults(db)))


def directly(crowd: Crowd, file: Path, until: Until, seed: int = 1) -> tuple[Outcome, Tally]:
    """Run the crowd on the system's services, one visit after the other in this process.

    Return the outcome, and the tally of the requests that the services sent to the engine.
    """
    requests = Tally()
    with database(crowd, file) as db:
        crowd.prepare(db)
    with database(crowd, file, lambda seen: _note(requests, seen)) as observed:

        def visited(visit: Visit, tally: Tally) -> None:
            call(crowd, observed, visit, tally)

        tally = crowded(crowd, lambda: nullcontext(visited), 1, until, seed)
    with database(crowd, file) as db:
        return Outcome(tally, tuple(crowd.faults(db))), requests


def _note(requests: Tally, call: Call) -> None:
    for exchange in call.exchanges:
        requests.latencies[exchange.operation].append(exchange.seconds)
        requests.seconds += exchange.seconds


@contextmanager
def database(crowd: Crowd, file: Path, *observers: Observer) -> Generator[DB]:
    """Open the database of a crowd's system."""
    generator: Any = import_module(f"sortkey_systems.{crowd.system}.generator")
    with DB.connect(*generator.TABLES, target=str(file), observers=observers) as db:
        yield db


@contextmanager
def _server(system: str, file: Path, key: bytes) -> Generator[int]:
    command = [sys.executable, "-m", "benchmarks.load.server", system, str(file)]
    environment = {**os.environ, KEY: key.hex()}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            if not line.strip().isdigit():
                raise PeerError(f"the API of {system} did not start")
            yield int(line)
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                server.kill()
                raise PeerError(f"the API of {system} did not stop") from None


def crowded(
    crowd: Crowd,
    caller: Callable[[], AbstractContextManager[Ask]],
    callers: int,
    until: Until,
    seed: int,
) -> Tally:
    """Run all callers at the same time; each makes one visit after the other."""
    tally = Tally()
    began = time.perf_counter()

    def come(number: int) -> None:
        chance, visits = Random(f"{seed}/{number}"), 0  # noqa: S311 - no secret
        with caller() as ask:
            while visits < until.visits and time.perf_counter() - began < until.seconds:
                ask(crowd.visit(chance), tally)
                visits += 1

    threads = [threading.Thread(target=come, args=(number,)) for number in range(callers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tally.seconds = time.perf_counter() - began
    return tally


@contextmanager
def _connected(port: int, tokens: Tokens) -> Generator[Ask]:
    """Yield a caller with its own connection, which signs in as the user of each visit."""
    signed: dict[Caller, str] = {}

    def token_of(visit: Visit) -> str:
        if visit.token is not None:
            return visit.token
        caller = Caller(visit.who, f"{visit.who}@example.org", visit.roles)
        if caller not in signed:
            signed[caller] = tokens.sign(caller)
        return signed[caller]

    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        yield lambda visit, tally: _ask(connection, token_of(visit), visit, tally)


def _ask(connection: http.client.HTTPConnection, token: str, visit: Visit, tally: Tally) -> None:
    headers = {"authorization": f"Bearer {token}"}
    body = None
    if visit.body is not None:
        body = json.dumps(visit.body).encode()
        headers["content-type"] = "application/json"
    began = time.perf_counter()
    connection.request(visit.method, visit.path, body, headers)
    response = connection.getresponse()
    content = response.read()
    tally.latencies[visit.operation].append(time.perf_counter() - began)
    if response.status >= 500:
        tally.errors.append(f"{visit.method} {visit.path}: {response.status} {content!r}")
    elif response.status >= 400:
        tally.refused[json.loads(content)["type"].rpartition(":")[2]] += 1
    elif visit.learn is not None:
        visit.learn(json.loads(content or b"{}").get)


def call(crowd: Crowd, db: DB, visit: Visit, tally: Tally) -> None:
    """Make a visit to the services, and note how it went; a refusal is no error."""
    began = time.perf_counter()
    answer: object = None
    refusal: Exception | None = None
    try:
        answer = visit.directly(db)
    except crowd.refusals as error:
        refusal = error
    tally.latencies[visit.operation].append(time.perf_counter() - began)
    if refusal is not None:
        tally.refused[type(refusal).__name__] += 1
    elif visit.learn is not None:
        visit.learn(lambda name: getattr(answer, name))


@contextmanager
def secrets_key() -> Generator[None]:
    """Make databases in this block encrypt secrets with a new key, in child processes too."""
    made = LocalKey.new("load")
    before = os.environ.get(KEYS)
    os.environ[KEYS] = f"{made.name}={made.text}"
    try:
        yield
    finally:
        if before is None:
            del os.environ[KEYS]
        else:
            os.environ[KEYS] = before
