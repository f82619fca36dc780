"""Clients of DynamoDB side by side: the cost of one typed operation for the calling process.

Every client is a separate process with its own table on the same server, and they take turns. The
server's work is not in the client's CPU time, but it is part of the wall time.
"""

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from benchmarks.client_costs import CLIENTS, FILE, LOCAL, MEMORY, OPERATIONS, Client, Costs
from benchmarks.environments import ENVIRONMENTS, ROOT, client_python
from benchmarks.figures import Series
from benchmarks.peers import Peer, PeerError, Running, running, sortkey
from benchmarks.progress import Progress

SECONDS = 0.2
WARM_UP_SECONDS = 1.0
STILL_WARMING = 1.03

Kind: TypeAlias = Literal["cpu", "wall"]


class Program:
    """A running client: a process that executes commands and reports their cost."""

    def __init__(self, client: Client, process: "subprocess.Popen[str]", log: Path) -> None:
        self.client = client
        self._process = process
        self._log = log

    def do(self, command: str) -> dict[str, float] | None:
        """Send a command and return the program's response."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise PeerError(f"{self.client.name} has no pipes")
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(f"{command}\n")
            process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            said = self._log.read_text(errors="replace").strip()[-2000:]
            raise PeerError(f"{self.client.name} failed at `{command}`:\n{said}")
        return json.loads(answer)

    def costs(self, operation: str, seconds: float) -> dict[Kind, float]:
        """Return the microseconds of one operation, averaged over this many seconds."""
        took = self.do(f"{operation} {seconds}") or {}
        return {
            "cpu": took["cpu"] / took["count"] * 1e6,
            "wall": took["wall"] / took["count"] * 1e6,
        }


def measure_clients(rounds: int, progress: Progress) -> Costs:
    """Measure every client at every operation, over HTTP to one `sortkey serve` in memory."""
    with _scratch() as scratch, contextlib.ExitStack() as stack:
        server = stack.enter_context(running(sortkey(), scratch / "server"))
        programs: list[Program] = []
        for number, client in enumerate(CLIENTS):
            progress.say(f"clients: {client.name}: starting, loading, checking")
            programs.append(stack.enter_context(_at(server, client, scratch, f"Orders{number}")))
        return _take_turns(programs, rounds, progress)


def measure_embedded(local: Peer, rounds: int, progress: Progress) -> Costs:
    """Measure the embedded engine through sortkey, and DynamoDB Local in memory through boto3."""
    with _scratch() as scratch, contextlib.ExitStack() as stack:
        progress.say("clients: DynamoDB Local: starting, loading, checking")
        server = stack.enter_context(running(local, scratch / "server"))
        boto3 = Client(LOCAL, "boto3_client", rival=MEMORY)
        programs = [
            stack.enter_context(started(Client(MEMORY, "sortkey_client"), "memory", scratch)),
            stack.enter_context(
                started(Client(FILE, "sortkey_client"), str(scratch / "bench.db"), scratch)
            ),
            stack.enter_context(_at(server, boto3, scratch, "Orders")),
        ]
        for operation, shown in OPERATIONS.items():
            progress.say(f"clients: {shown}: DynamoDB Local is warming up")
            _warm_up(programs[-1], operation)
        return _take_turns(programs, rounds, progress)


def _take_turns(programs: Sequence[Program], rounds: int, progress: Progress) -> Costs:
    samples: dict[Kind, dict[str, dict[str, list[float]]]] = {
        kind: {operation: {p.client.name: [] for p in programs} for operation in OPERATIONS}
        for kind in ("cpu", "wall")
    }
    for operation, shown in OPERATIONS.items():
        for program in programs:
            program.costs(operation, SECONDS)
        for turn in range(rounds):
            for program in programs:
                name = program.client.name
                progress.say(f"clients: {shown}: {name}, round {turn + 1} of {rounds}")
                for kind, cost in program.costs(operation, SECONDS).items():
                    samples[kind][operation][name].append(cost)
    cpu, wall = (
        {
            operation: {name: Series(tuple(taken)) for name, taken in row.items()}
            for operation, row in samples[kind].items()
        }
        for kind in ("cpu", "wall")
    )
    return Costs(cpu, wall)


def _warm_up(program: Program, operation: str, longest: int = 12) -> None:
    """Repeat the operation until the server, which compiles as it runs, gets no faster."""
    best, steady = float("inf"), 0
    for _ in range(longest):
        cost = program.costs(operation, WARM_UP_SECONDS)["wall"]
        steady = 0 if cost * STILL_WARMING < best else steady + 1
        best = min(best, cost)
        if steady == 2:
            return


@contextlib.contextmanager
def _scratch() -> Generator[Path]:
    # On the project's disk: a temporary directory may be in memory, where a sync costs nothing.
    ENVIRONMENTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ENVIRONMENTS, prefix="bench-data-") as scratch:
        yield Path(scratch)


@contextlib.contextmanager
def _at(server: Running, client: Client, scratch: Path, table: str) -> Generator[Program]:
    """Start a client with an empty table of its own on a server."""
    server.call(
        "CreateTable",
        {
            "TableName": table,
            "AttributeDefinitions": [
                {"AttributeName": name, "AttributeType": "S"} for name in ("PK", "SK")
            ],
            "KeySchema": [
                {"AttributeName": "PK", "KeyType": "HASH"},
                {"AttributeName": "SK", "KeyType": "RANGE"},
            ],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    where = f"http://127.0.0.1:{server.port}"
    with started(client, where, scratch, table) as program:
        yield program


@contextlib.contextmanager
def started(client: Client, where: str, scratch: Path, table: str = "Orders") -> Generator[Program]:
    """Start a client, fill its table and check its results; stop it at the end."""
    log = scratch / f"{client.name}.log"
    module = f"benchmarks.client_programs.{client.program}"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [str(client_python()), "-m", module, where, table, client.manner],
            cwd=ROOT,
            env=client_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        program = Program(client, process, log)
        try:
            for command in ("fill", "check"):
                program.do(command)
            yield program
        finally:
            if process.stdin is not None:
                with contextlib.suppress(BrokenPipeError):
                    process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)
            process.kill()


def client_environment() -> dict[str, str]:
    """Return the environment of a client: sortkey's source, and credentials for loopback."""
    # Without Python's own settings: one of them would compile sortkey's source at each start.
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "PYTHON"))
    }
    return kept | {
        "PYTHONPATH": str(ROOT / "src"),
        "AWS_ACCESS_KEY_ID": "benchmark",
        "AWS_SECRET_ACCESS_KEY": "benchmark",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
