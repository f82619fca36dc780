"""The page of a system: its tables, and whether the names in them exist."""

import re
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from sortkey import DB
from sortkey_systems.api.app import Api
from sortkey_systems.api.identity import Tokens

_ROOT = Path(__file__).parents[2]


class Page:
    """A system's page in the docs."""

    def __init__(self, system: str) -> None:
        self.text = (_ROOT / f"docs/systems/{system}.md").read_text("utf-8")
        self._system = system

    def lines(self, heading: str) -> list[str]:
        """Return the lines of the tables under a heading, without their headers."""
        sections = rf"^## {heading}\n(.*?)(?=^## |\Z)"
        [section] = re.findall(sections, self.text, re.DOTALL | re.MULTILINE)
        tables = re.findall(r"(?:^\|.*\n)+", section, re.MULTILINE)
        return [line for table in tables for line in table.splitlines()[2:]]

    def rows(self, heading: str) -> list[list[str]]:
        """Return the cells of each of these lines."""
        return [
            [cell.strip() for cell in line.strip("|").split("|")] for line in self.lines(heading)
        ]

    def exists(self, name: str) -> bool:
        """Return whether a test, or an object in a module of the system, has this name."""
        if name.startswith("test_"):
            return name in self._tests()
        module, *members = name.split(".")
        found: Any = import_module(f"sortkey_systems.{self._system}.{module}")
        for member in members:
            found = getattr(found, member, None)
        return found is not None

    def _tests(self) -> set[str]:
        return {
            name
            for file in (Path(__file__).parent / self._system).glob("test_*.py")
            for name in re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)
        }


def names(cells: Iterable[str]) -> list[str]:
    """Return the names in these cells."""
    return [name for cell in cells for name in re.findall(r"`([^`]+)`", cell)]


def operations(api: Api, db: DB) -> list[list[str]]:
    """Return the first two cells of each row of a page: the operation of an API and its summary."""
    paths = api.app(db, Tokens()).openapi()["paths"]
    return [
        [f"`{method.upper()} {path}`", operation["summary"]]
        for path, operations in paths.items()
        for method, operation in operations.items()
    ]
