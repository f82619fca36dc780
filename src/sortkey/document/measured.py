"""What a report of ``sortkey prove --format json`` says of each pattern and entity."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from sortkey.document.page import Break, Line, joined
from sortkey.errors import SortkeyError

REPORT_VERSION = 1


class ReportError(SortkeyError):
    """A report that cannot be read, or is about another design."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found out about a design: a line for each pattern, and for each entity."""

    patterns: Mapping[str, Line] = field(default_factory=dict[str, Line])
    entities: Mapping[str, Line] = field(default_factory=dict[str, Line])


def read_report(text: str, design: str) -> Measured:
    """What a report says of the design of this name."""
    report = _object(text)
    if report.get("version") != REPORT_VERSION or not isinstance(report.get("verdicts"), list):
        raise ReportError(
            f"this is no report of version {REPORT_VERSION}: "
            "make one with sortkey prove DESIGN --format json"
        )
    if report.get("design") != design:
        raise ReportError(f"the report is about {report.get('design')}, and the design is {design}")
    verdicts = cast("list[Mapping[str, Any]]", report["verdicts"])
    return Measured(_lines(verdicts, "pattern"), _lines(verdicts, "entity"))


def _object(text: str) -> Mapping[str, Any]:
    try:
        found: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReportError(f"the report is no JSON: {error}") from None
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


def _lines(verdicts: list[Mapping[str, Any]], kind: str) -> dict[str, Line]:
    """The verdicts on each pattern or entity, one below the other."""
    found: dict[str, list[Line]] = {}
    for verdict in verdicts:
        if kind in verdict:
            found.setdefault(verdict[kind], []).append(tuple(_words(verdict)))
    return {name: joined(lines, Break()) for name, lines in found.items()}


def _words(verdict: Mapping[str, Any]) -> Iterator[str]:
    yield f"{verdict['aspect']}: {verdict['outcome']}"
    units = [
        f"{value:g} {name.replace('_', ' ')}"
        for name, value in verdict.get("figures", {}).items()
        if name.endswith("units") and isinstance(value, int | float)
    ]
    told = [*units, *_growth(verdict.get("detail"))]
    if told:
        yield f", {', '.join(told)}"
    if verdict["outcome"] != "proved" and verdict.get("reason"):
        yield f" ({verdict['reason']})"


def _growth(detail: Any) -> Iterator[str]:
    """With what the cost of a pattern grows, where that was measured."""
    match detail:
        case {"grows": "constant"}:
            yield "constant"
        case {"grows": str(axis)}:
            yield f"grows {axis}"
        case _:
            pass
