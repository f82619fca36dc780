"""The start of a packaged function: from the asset, with and without bytecode, and from here.

Each round starts a fresh interpreter, which imports the handler and answers one event with a record
of the same `sortkey serve`. Lambda cannot write bytecode beside the modules, so nothing here does.
The start of the interpreter is not measured.
"""

import contextlib
import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import ZipFile

from benchmarks.clients import client_environment
from benchmarks.environments import ENVIRONMENTS
from benchmarks.figures import Series, ratio
from benchmarks.peers import PeerError, running, sortkey
from benchmarks.progress import Progress
from benchmarks.table import Cell, Table, as_text, times
from sortkey import DB, load_design
from sortkey.assets.asset import Asset
from sortkey.assets.building import build
from sortkey.assets.choices import PackageChoices
from sortkey.assets.target import LambdaTarget

COMPILED, PLAIN, HERE = "asset", "asset without bytecode", "installed, with bytecode"

_DESIGN = """
from sortkey import Entity, Function, Op, Role, Table, pattern

class App(Table):
    pass

class User(Entity, table=App):
    org_id: str
    user_id: str
    logins: int = 0
    primary = App.primary.key("ORG#{org_id}", "USER#{user_id}")

@pattern("a user")
def user(org_id: str, user_id: str) -> Op[User | None]:
    return User.get(org_id=org_id, user_id=user_id)

read = Function("read", "handlers:read", Role("reader", [user]))
"""
_HANDLERS = """
from design import App, User
from sortkey import lambda_handler

@lambda_handler(App)
def read(event, context, db):
    return db(User.get(**event).required()).logins
"""
_TIMED = """
import json, sys, time
sys.path.insert(0, sys.argv[1])
cpu, wall = time.process_time(), time.perf_counter()
from handlers import read
imported = time.process_time()
logins = read({"org_id": "acme", "user_id": "u1"}, None)
cpu_end, wall_end = time.process_time(), time.perf_counter()
assert logins == 3, logins
spent = {"import": imported - cpu, "cpu": cpu_end - cpu, "wall": wall_end - wall}
print(json.dumps(spent))
"""


@dataclass(frozen=True, slots=True)
class AssetStarts:
    """Milliseconds of each start: CPU of the import, CPU in all, and time; and the archives."""

    spent: Mapping[str, Mapping[str, Series]]
    assets: Mapping[str, Asset]


def measure_asset_starts(rounds: int, progress: Progress) -> AssetStarts:
    """Measure the starts in fresh interpreters, taking turns."""
    ENVIRONMENTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=ENVIRONMENTS) as home:
        project = Path(home, "project")
        project.mkdir()
        (project / "design.py").write_text(_DESIGN)
        (project / "handlers.py").write_text(_HANDLERS)
        progress.say("asset start: packaging")
        assets = {name: _packaged(project, name) for name in (COMPILED, PLAIN)}
        folders = {name: (_unpacked(asset), ("-I", "-S", "-B")) for name, asset in assets.items()}
        started: dict[str, tuple[Path, Sequence[str]]] = {**folders, HERE: (project, ())}
        spent: dict[str, list[dict[str, float]]] = {name: [] for name in started}
        with _served(project) as endpoint:
            for name, (folder, options) in started.items():
                _start(name, folder, options, endpoint)  # reads the files once
            for turn in range(rounds):
                progress.say(f"asset start: round {turn + 1} of {rounds}")
                for name, (folder, options) in started.items():
                    spent[name].append(_start(name, folder, options, endpoint))

    def series(taken: Sequence[dict[str, float]], kind: str) -> Series:
        return Series(tuple(each[kind] * 1000 for each in taken))

    return AssetStarts(
        {
            name: {kind: series(taken, kind) for kind in ("import", "cpu", "wall")}
            for name, taken in spent.items()
        },
        assets,
    )


def asset_start_table(measured: AssetStarts) -> Table:
    """Return the table of starts, each compared with the installed modules."""
    return Table(
        title="Start of a packaged function: import, first record",
        columns=("CPU, ms", "import", "all", "of installed", "time, ms", "zipped"),
        rows=tuple(
            (
                Cell(name),
                Cell(f"{spent['import'].median:.0f}"),
                Cell(f"{spent['cpu'].median:.0f} ±{spent['cpu'].spread:.0%}"),
                Cell(times(ratio(spent["cpu"], measured.spent[HERE]["cpu"]))),
                Cell(f"{spent['wall'].median:.0f}"),
                Cell(f"{measured.assets[name].zipped / 2**20:.1f} MB" if name != HERE else ""),
            )
            for name, spent in measured.spent.items()
        ),
    )


def _packaged(project: Path, name: str) -> Asset:
    target = replace(
        LambdaTarget(),
        python=f"{sys.version_info[0]}.{sys.version_info[1]}",
        architecture={"aarch64": "arm64"}.get(platform.machine(), platform.machine()),
    )
    out = project.with_name(f"{name.replace(' ', '-')}.zip")
    choices = PackageChoices(target, bytecode=name == COMPILED)
    return build(load_design(project / "design.py"), project, out, choices)


def _unpacked(asset: Asset) -> Path:
    folder = asset.file.with_suffix("")
    with ZipFile(asset.file) as archive:
        archive.extractall(folder)
    return folder


@contextlib.contextmanager
def _served(project: Path) -> Generator[str]:
    """Yield the address of a server that has the one record."""
    design = load_design(project / "design.py")
    [user] = design.entities[design.tables[0]]
    with running(sortkey(), project.with_name("server")) as server:
        url = f"http://127.0.0.1:{server.port}"
        with DB.endpoint(url, *design.tables) as db:
            db.create_tables()
            db(user.model_validate({"org_id": "acme", "user_id": "u1", "logins": 3}).put())
        yield url


def _start(name: str, folder: Path, options: Sequence[str], endpoint: str) -> dict[str, float]:
    """Return the seconds of CPU time and of wall time."""
    ran = subprocess.run(
        [sys.executable, *options, "-c", _TIMED, str(folder)],
        capture_output=True,
        text=True,
        check=False,
        env=client_environment() | {"SORTKEY_TARGET": endpoint},
    )
    if ran.returncode != 0:
        raise PeerError(f"{name} failed:\n{ran.stderr.strip()[-2000:]}")
    return json.loads(ran.stdout)


def main() -> int:
    """Measure and print the table."""
    with Progress() as progress:
        measured = measure_asset_starts(9, progress)
    print(as_text(asset_start_table(measured)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
