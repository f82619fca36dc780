"""The page of `sortkey.testing`: its public names, and the pytest plugin."""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from inspect import cleandoc
from typing import Any, cast

import pytest

import sortkey.testing
from docs.reference.api import sections
from docs.reference.types import module_tree, type_text
from sortkey.testing import plugin
from sortkey.wording.prose import capitalised, sentence

# Names are grouped by their modules.
GROUPS: Mapping[str, tuple[str, ...]] = {
    "Races": ("sortkey.explore",),
    "The clock, the weather and a server": (
        "sortkey.clock",
        "sortkey.engine.weather",
        "sortkey.testing",
    ),
    "Fakes for `sortkey run`": ("sortkey.local",),
    "Counterexamples of prove": ("sortkey.prove",),
    "Fakes of other services": ("sortkey.local",),
}


def testing_page() -> str:
    """Return every public name of `sortkey.testing`, and the fixtures and options of its plugin."""
    return "\n".join(_lines()) + "\n"


def fixture_nodes() -> list[ast.FunctionDef]:
    """Return the fixtures of the plugin, as its source defines them."""
    return [
        node
        for node in module_tree(sys.modules[plugin.__name__]).body
        if isinstance(node, ast.FunctionDef) and _fixture_mark(node)
    ]


@dataclass(frozen=True, slots=True)
class PluginSettings:
    """The options and settings that the plugin adds to pytest, with their help."""

    options: dict[str, str] = field(default_factory=dict[str, str])
    settings: dict[str, str] = field(default_factory=dict[str, str])

    def getgroup(self, _name: str) -> "PluginSettings":
        """Return the group of options, as pytest's parser does."""
        return self

    def addoption(self, name: str, **given: Any) -> None:
        """Record an option."""
        value = given.get("metavar") or "|".join(given.get("choices", ()))
        self.options[f"{name} {value}"] = given["help"]

    def addini(self, name: str, text: str, **_: Any) -> None:
        """Record a setting of pytest's configuration."""
        self.settings[name] = text


def plugin_settings() -> PluginSettings:
    """Return the options and settings of the plugin."""
    recorded = PluginSettings()
    plugin.pytest_addoption(cast("pytest.Parser", recorded))
    return recorded


def _lines() -> Iterator[str]:
    yield "# Testing"
    yield ""
    yield "Every name that you can import from `sortkey.testing`, and the fixtures and options of"
    yield "the pytest plugin, generated from the code."
    yield "The [guide](../guides/testing.md) shows how to use them."
    yield from sections(sortkey.testing, sortkey.testing.__all__, GROUPS)
    yield from (
        "",
        "## Fixtures",
        "",
        "| fixture | |",
        "|---|---|",
        *map(_fixture, fixture_nodes()),
    )
    found = plugin_settings()
    yield from ("", "## Options of pytest", "", *_table("option", found.options))
    yield from ("", "## Settings in pytest's configuration", "")
    yield from _table("setting", found.settings)


def _table(title: str, rows: Mapping[str, str]) -> Iterator[str]:
    yield from (f"| {title} | |", "|---|---|")
    for name, text in rows.items():
        yield f"| {_cell(f'`{name}`')} | {_cell(sentence(capitalised(text)))} |"


def _fixture(node: ast.FunctionDef) -> str:
    """Return a row with the type of a fixture, if it is public, and its docstring."""
    kind = None if node.returns is None else type_text(node.returns, plugin)
    shown = node.name if kind is None else f"{node.name}: {_provided(kind)}"
    text = " ".join(cleandoc(ast.get_docstring(node) or "").split()).replace("``", "`")
    scope = " Shared by all tests of a run." if "session" in _fixture_mark(node) else ""
    return f"| {_cell(f'`{shown}`')} | {_cell(text)}{scope} |"


def _provided(kind: str) -> str:
    """Return the type that a fixture provides; one that cleans up yields it."""
    return re.sub(r"^Iterator\[(.*)\]$", r"\1", kind)


def _fixture_mark(node: ast.FunctionDef) -> str:
    marks = map(ast.unparse, node.decorator_list)
    return next((mark for mark in marks if mark.startswith("pytest.fixture")), "")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
