"""The cost of importing sortkey and declaring an entity, compared with importing boto3.

Each figure is CPU time in a fresh interpreter, from the first import to the last line, with
existing bytecode. `import sortkey` alone loads little, because its names are loaded on first use;
so the names that a program uses are measured too.
"""

import json
import subprocess
import textwrap
from dataclasses import dataclass

from benchmarks.clients import client_environment
from benchmarks.environments import ROOT, client_python
from benchmarks.figures import Series, Target, ratio
from benchmarks.peers import PeerError
from benchmarks.progress import Progress
from benchmarks.table import Cell, Table, times

BOTO3, PYDANTIC, SORTKEY = "boto3", "Pydantic and a model", "sortkey"
NAMES = "sortkey: DB, Entity, Table"
_SHARE_OF_BOTO3 = 0.7
_MOST = 0.5

_CLIENT = """
import boto3
boto3.client("dynamodb", endpoint_url="http://127.0.0.1:8000")
"""
_MODEL = """
from pydantic import BaseModel

class User(BaseModel):
    org_id: str
    user_id: str
    logins: int = 0
"""
_NAMES = """
from sortkey import DB, Entity, Table
"""
_DECLARED = f"""
{_NAMES}

class App(Table):
    pass

class User(Entity, table=App):
    org_id: str
    user_id: str
    logins: int = 0
    primary = App.primary.key("ORG#{{org_id}}", "USER#{{user_id}}")
"""
PROGRAMS = {
    BOTO3: """
import boto3
""",
    "boto3 and a client": _CLIENT,
    "Pydantic": """
import pydantic
from pydantic import BaseModel
""",
    PYDANTIC: _MODEL,
    "boto3, a client, a model": f"""
{_CLIENT}
{_MODEL}
""",
    SORTKEY: """
import sortkey
""",
    NAMES: _NAMES,
    "sortkey and an entity": _DECLARED,
    "sortkey, an entity, a DB": f"""
{_DECLARED}
DB.endpoint("http://127.0.0.1:8000", App)
""",
}


@dataclass(frozen=True, slots=True)
class Imports:
    """Milliseconds of CPU for each program."""

    cpu: dict[str, Series]


def measure_imports(rounds: int, progress: Progress) -> Imports:
    """Measure every program in fresh interpreters, taking turns."""
    samples: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for name in PROGRAMS:
        _milliseconds(name)  # leaves the bytecode behind
    for turn in range(rounds):
        progress.say(f"imports: round {turn + 1} of {rounds}")
        for name, taken in samples.items():
            taken.append(_milliseconds(name))
    return Imports({name: Series(tuple(taken)) for name, taken in samples.items()})


def import_targets(imports: Imports) -> list[Target]:
    """Return the targets for imports: their cost, and that most of it is Pydantic."""
    cpu = imports.cpu
    # The names that a program uses cost more than boto3's import, as the table shows: an entity is
    # a Pydantic model, and Pydantic with one model is already above the target.
    return [
        Target(
            "import of sortkey against boto3",
            ratio(cpu[SORTKEY], cpu[BOTO3]),
            "x",
            at_most=_SHARE_OF_BOTO3,
        ),
        Target(
            f"Pydantic's share of {NAMES}", ratio(cpu[PYDANTIC], cpu[NAMES]), "x", at_least=_MOST
        ),
    ]


def imports_table(imports: Imports) -> Table:
    """Return the table of programs, each compared with importing boto3."""
    cpu = imports.cpu
    return Table(
        title="Import, CPU in a fresh interpreter",
        columns=("", "milliseconds", "of `import boto3`"),
        rows=tuple(
            (
                Cell(name),
                Cell(f"{series.median:.0f} ±{series.spread:.0%}"),
                Cell(times(ratio(series, cpu[BOTO3]))),
            )
            for name, series in cpu.items()
        ),
        notes=(
            "`import sortkey` loads each name on first use; the row below it uses three",
            f"Pydantic and one model take {ratio(cpu[PYDANTIC], cpu[NAMES]):.0%} of that row",
        ),
    )


def _milliseconds(name: str) -> float:
    timed = "\n".join(
        [
            "import time",
            "began = time.process_time()",
            textwrap.dedent(PROGRAMS[name]),
            "print((time.process_time() - began) * 1000)",
        ]
    )
    ran = subprocess.run(
        [str(client_python()), "-c", timed],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=client_environment(),
    )
    if ran.returncode != 0:
        raise PeerError(f"{name} failed:\n{ran.stderr.strip()[-2000:]}")
    return json.loads(ran.stdout)
