"""Cold start, as in a Lambda function: from the first import to the first record.

Each program is a fresh interpreter that imports, creates its client and gets one record from the
same `sortkey serve`. The bytecode exists already, and the start of the interpreter is not measured.
"""

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.clients import client_environment
from benchmarks.environments import ENVIRONMENTS, ROOT, client_python
from benchmarks.figures import Series, ratio
from benchmarks.peers import PeerError, running, sortkey
from benchmarks.progress import Progress
from benchmarks.table import Cell, Table, as_text, times

BOTO3, TYPED_BOTO3 = "boto3", "boto3 and a Pydantic model"
SORTKEY, LAMBDA = "sortkey", "sortkey, @lambda_handler"

_BOTO3 = """
import boto3

client = boto3.client("dynamodb", endpoint_url=ENDPOINT)
key = {"PK": {"S": "ORG#acme"}, "SK": {"S": "USER#u1"}}
item = client.get_item(TableName="App", Key=key)["Item"]
"""
_ENTITY = """
class App(Table):
    pass

class User(Entity, table=App):
    org_id: str
    user_id: str
    logins: int = 0
    primary = App.primary.key("ORG#{org_id}", "USER#{user_id}")
"""
PROGRAMS = {
    BOTO3: f"""
{_BOTO3}
logins = int(item["logins"]["N"])
""",
    TYPED_BOTO3: f"""
from pydantic import BaseModel
from boto3.dynamodb.types import TypeDeserializer
{_BOTO3}

class User(BaseModel):
    org_id: str
    user_id: str
    logins: int = 0

read = TypeDeserializer().deserialize
logins = User.model_validate({{name: read(value) for name, value in item.items()}}).logins
""",
    SORTKEY: f"""
from sortkey import DB, Entity, Table
{_ENTITY}
db = DB.endpoint(ENDPOINT, App)
logins = db(User.get(org_id="acme", user_id="u1").required()).logins
""",
    LAMBDA: f"""
from sortkey import DB, Entity, Table, lambda_handler
{_ENTITY}
@lambda_handler(App, target=ENDPOINT)
def handler(event, context, db):
    return db(User.get(org_id="acme", user_id="u1").required()).logins

logins = handler({{}}, None)
""",
}
_TIMED = """
import json, sys, time
ENDPOINT = sys.argv[1]
cpu, wall = time.process_time(), time.perf_counter()
{program}
spent = {{"cpu": time.process_time() - cpu, "wall": time.perf_counter() - wall}}
assert logins == 3, logins
print(json.dumps(spent))
"""


@dataclass(frozen=True, slots=True)
class ColdStarts:
    """Milliseconds of each program: CPU time and wall time."""

    cpu: dict[str, Series]
    wall: dict[str, Series]


def measure_cold_starts(rounds: int, progress: Progress) -> ColdStarts:
    """Measure every program in fresh interpreters, taking turns."""
    spent: dict[str, list[dict[str, float]]] = {name: [] for name in PROGRAMS}
    with _served() as endpoint:
        for name in PROGRAMS:
            _run(name, endpoint)  # leaves the bytecode behind
        for turn in range(rounds):
            progress.say(f"cold start: round {turn + 1} of {rounds}")
            for name, taken in spent.items():
                taken.append(_run(name, endpoint))

    def series(kind: str) -> dict[str, Series]:
        return {
            name: Series(tuple(each[kind] * 1000 for each in taken))
            for name, taken in spent.items()
        }

    return ColdStarts(series("cpu"), series("wall"))


def cold_start_table(measured: ColdStarts) -> Table:
    """Return the table of programs, each compared with boto3."""
    return Table(
        title="Cold start: import, client, first record",
        columns=("", "CPU, ms", "of boto3's CPU", "time, ms"),
        rows=tuple(
            (
                Cell(name),
                Cell(f"{series.median:.0f} ±{series.spread:.0%}"),
                Cell(times(ratio(series, measured.cpu[BOTO3]))),
                Cell(f"{measured.wall[name].median:.0f} ±{measured.wall[name].spread:.0%}"),
            )
            for name, series in measured.cpu.items()
        ),
    )


@contextlib.contextmanager
def _served() -> Generator[str]:
    """Yield the address of a server that has the one record."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory(dir=ENVIRONMENTS) as home,
        running(sortkey(), Path(home) / "server") as server,
    ):
        server.call(
            "CreateTable",
            {
                "TableName": "App",
                "KeySchema": [
                    {"AttributeName": "PK", "KeyType": "HASH"},
                    {"AttributeName": "SK", "KeyType": "RANGE"},
                ],
                "AttributeDefinitions": [
                    {"AttributeName": "PK", "AttributeType": "S"},
                    {"AttributeName": "SK", "AttributeType": "S"},
                ],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        item = {"PK": "ORG#acme", "SK": "USER#u1", "org_id": "acme", "user_id": "u1"}
        stored = {name: {"S": text} for name, text in item.items()} | {"logins": {"N": "3"}}
        server.call("PutItem", {"TableName": "App", "Item": stored})
        yield f"http://127.0.0.1:{server.port}"


def _run(name: str, endpoint: str) -> dict[str, float]:
    """Return the seconds of CPU time and of wall time."""
    ran = subprocess.run(
        [str(client_python()), "-c", _TIMED.format(program=PROGRAMS[name]), endpoint],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=client_environment(),
    )
    if ran.returncode != 0:
        raise PeerError(f"{name} failed:\n{ran.stderr.strip()[-2000:]}")
    return json.loads(ran.stdout)


def main() -> int:
    """Measure and print the table."""
    with Progress() as progress:
        measured = measure_cold_starts(9, progress)
    print(as_text(cold_start_table(measured)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
