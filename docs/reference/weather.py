"""The page of the weather: every scenario, setting, fault and event, read from their source."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, fields
from importlib import import_module
from inspect import getsource, getsourcelines
from typing import Any, get_args

from sortkey.engine.weather import SCENARIOS, Fault, Scenario, heat
from sortkey.engine.weather.faults import FaultKind
from sortkey.wording.prose import capitalised

# What happens to the request, and what its client sees.
KINDS: Mapping[FaultKind, tuple[str, str]] = {
    "error-before": ("has no effect", "gets `InternalServerError` (500)"),
    "error-after": (
        "is carried out, unless it is rejected",
        "gets `InternalServerError` (500)",
    ),
    "lost-request": ("has no effect", "sees its connection reset"),
    "lost-response": ("is carried out, unless it is rejected", "sees its connection reset"),
    "latency": ("is carried out", "gets the response so many `seconds` later"),
    "short-page": (
        "a Query or Scan reads one item, a batch processes its first one",
        "has to go on: `LastEvaluatedKey`, `UnprocessedKeys`, `UnprocessedItems`",
    ),
}

_HEAD = """# Weather

Generated from the code. The [guide](../guides/weather.md) shows how to use it, and
[the engine](../guides/engine.md#weather) explains each part.

A scenario is chosen by its name, or is a TOML file: `sortkey serve --weather storm.toml`,
`DB.memory(App, weather="storm.toml")`, `@pytest.mark.weather("storm.toml")`.
"""

_FILE = """
## A file

A file has the settings that differ from those of `hot-day`, or of the scenario that `like` names:

```toml
like = "bad-network"
seed = 7
clock_ahead_seconds = -30

[[faults]]                                 # instead of those of bad-network
kind = "lost-response"
share = 0.02
operations = ["PutItem", "UpdateItem"]
tables = ["Orders"]
```
"""


def weather_page() -> str:
    """Return every scenario, setting, kind of fault and event of the weather."""
    return "\n".join(_lines()) + "\n"


def setting_notes(kind: type[Scenario | Fault]) -> dict[str, str]:
    """Return the comment above each field of a class; an empty one if there is none."""
    lines, _ = getsourcelines(kind)
    return {
        node.target.id: _comment_above(lines, node.lineno)
        for node in ast.walk(ast.parse("".join(lines)))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }


def scenario_notes() -> dict[str, str]:
    """Return the comment above each named scenario."""
    source = getsource(import_module(Scenario.__module__))
    lines = source.splitlines(keepends=True)
    return {
        value.value: _comment_above(lines, node.lineno)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        for keyword in node.keywords
        if keyword.arg == "name" and isinstance(value := keyword.value, ast.Constant)
        if isinstance(value.value, str)
    }


def _comment_above(lines: Sequence[str], number: int) -> str:
    found: list[str] = []
    for line in reversed(lines[: number - 1]):
        text = line.strip()
        if not text.startswith("#"):
            break
        found.insert(0, text.lstrip("# "))
    return " ".join(found)


def _lines() -> Iterator[str]:
    yield _HEAD
    yield "## Scenarios"
    yield ""
    yield "| name | what happens | settings that differ |"
    yield "|---|---|---|"
    notes = scenario_notes()
    for name, scenario in SCENARIOS.items():
        yield f"| `{name}` | {notes[name]} | {_differing(scenario)} |"
    yield _FILE
    yield "## Settings"
    yield ""
    yield from _table(Scenario, {"faults", "name"})
    yield "| `like` | a scenario's name | `hot-day` | The scenario that has the other settings. |"
    yield ""
    yield "## Faults"
    yield ""
    yield "Each `[[faults]]` is for a share of the requests:"
    yield ""
    yield from _table(Fault, set())
    yield ""
    yield "| kind | the request | the client |"
    yield "|---|---|---|"
    yield from (f"| `{kind}` | {request} | {client} |" for kind, (request, client) in KINDS.items())
    yield ""
    yield "## Events"
    yield ""
    yield "The log and the timeline name the request, its operation and its table or index, and:"
    yield ""
    yield "| event | what happened |"
    yield "|---|---|"
    yield from (
        f"| {_shown_reasons(cause)} | throttled, as DynamoDB names it |" for cause in CAUSES
    )
    yield "| `PartitionSplit` | a hot partition was split |"
    yield "| `TransactionConflict` | an item is part of a transaction that is under way |"
    yield "| `TransactionInProgress` | the transaction with this token is under way |"
    yield "| a kind of fault | see above |"


CAUSES: tuple[heat.Cause, ...] = get_args(heat.Cause)


def _shown_reasons(cause: str) -> str:
    return " ".join(
        f"`{place}{kind}{cause}Exceeded`"
        for place in ("Table", "Index")
        for kind in ("Read", "Write")
    )


def _table(kind: type[Scenario | Fault], left_out: set[str]) -> Iterator[str]:
    yield "| setting | type | default | what it does |"
    yield "|---|---|---|---|"
    notes = setting_notes(kind)
    for field in fields(kind):
        if field.name not in left_out:
            shown = _TYPES[field.type]
            default = "" if field.default is MISSING else f"`{_shown(field.default)}`"
            yield f"| `{field.name}` | {shown} | {default} | {capitalised(notes[field.name])} |"


_TYPES: Mapping[Any, str] = {
    bool: "true or false",
    float: "number",
    int: "whole number",
    str: "text",
    tuple[str, ...]: "list of names",
    FaultKind: "one of those below",
}


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if value == ():
        return "all"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _differing(scenario: Scenario) -> str:
    defaults = Scenario(name="")
    found = [
        f"`{field.name} = {_shown(getattr(scenario, field.name))}`"
        for field in fields(Scenario)
        if field.name not in {"name", "faults"}
        and getattr(scenario, field.name) != getattr(defaults, field.name)
    ]
    found += [
        f"{fault.share:.0%} `{fault.kind}`" + (f" of {fault.seconds:g} s" if fault.seconds else "")
        for fault in scenario.faults
    ]
    return ", ".join(found)
