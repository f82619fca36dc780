"""The verdicts in a report of ``sortkey prove --format json``, for the page of a design."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from sortkey.document.page import Break, Line, joined
from sortkey.errors import SortkeyError
from sortkey.wording.prose import capitalised, listed

REPORT_VERSION = 1


class ReportError(SortkeyError):
    """The report cannot be read, or is about another design."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The verdicts on a design: a line for each pattern, entity and invariant, by its name."""

    patterns: Mapping[str, Line] = field(default_factory=dict[str, Line])
    entities: Mapping[str, Line] = field(default_factory=dict[str, Line])
    invariants: Mapping[str, Line] = field(default_factory=dict[str, Line])


def read_report(text: str, design: str) -> Measured:
    """Return the verdicts in a report.

    Raises:
        ReportError: The text is not a report, or the report is about another design.
    """
    report = _object(text)
    if report.get("version") != REPORT_VERSION or not isinstance(report.get("verdicts"), list):
        raise ReportError(
            f"the file is not a report of version {REPORT_VERSION}: "
            "write one with sortkey prove DESIGN --format json"
        )
    if report.get("design") != design:
        raise ReportError(f"the report is about {report.get('design')}, but the design is {design}")
    verdicts = cast("list[Mapping[str, Any]]", report["verdicts"])
    return Measured(*(_lines(verdicts, kind) for kind in ("pattern", "entity", "invariant")))


def _object(text: str) -> Mapping[str, Any]:
    try:
        found: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise ReportError(f"the report is not JSON: {error}") from None
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


def _lines(verdicts: list[Mapping[str, Any]], kind: str) -> dict[str, Line]:
    """Return the verdicts on each pattern, entity or invariant, by its name."""
    found: dict[str, list[Mapping[str, Any]]] = {}
    for verdict in verdicts:
        if kind in verdict:
            found.setdefault(verdict[kind], []).append(verdict)
    return {name: joined(_parts(own), Break()) for name, own in found.items()}


def _parts(verdicts: list[Mapping[str, Any]]) -> Iterator[Line]:
    """Yield each verdict that is not proved, then the proved ones together, then the cost."""
    for verdict in verdicts:
        if verdict["outcome"] != "proved":
            reason = f": {verdict['reason']}" if verdict.get("reason") else ""
            yield (f"{capitalised(verdict['outcome'])} {verdict['aspect']}{reason}",)
    if proved := [verdict["aspect"] for verdict in verdicts if verdict["outcome"] == "proved"]:
        yield (f"Proved {listed(proved)}",)
    for verdict in verdicts:
        match verdict.get("detail"):
            case {"summary": str(cost)}:
                yield (cost,)
            case _:
                pass
