"""What a check comes to: every finding with its weight, its places and, where kept, its reason.

A rule that finds the same in several places, and advises the same for each, has one finding.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sortkey.check.places import Place
from sortkey.check.rule import Missing, Severity
from sortkey.design.findings import Finding

_CODE = re.compile(r"`[^`]*`")


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule found in one place; ``reason`` says why it is right where it is acknowledged.

    With ``missing`` nothing is wrong: the design does not declare what is needed to judge it.
    """

    finding: Finding
    severity: Severity
    place: Place | None
    reason: str | None = None
    missing: Missing | None = None


@dataclass(frozen=True, slots=True)
class Group:
    """One finding: what a rule found in one or more places, with the same advice."""

    places: tuple[Found, ...]

    @property
    def first(self) -> Found:
        """The first place."""
        return self.places[0]

    @property
    def severity(self) -> Severity:
        """How much it weighs."""
        return self.first.severity

    @property
    def missing(self) -> Missing | None:
        """What the design does not declare, if that is all."""
        return self.first.missing


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found in a design, and how much of it there was to look at."""

    design: str
    looked_at: str
    found: tuple[Found, ...]

    @property
    def open(self) -> Iterator[Found]:
        """What is found and not acknowledged, place by place."""
        return (f for f in self.found if f.reason is None and f.missing is None)

    @property
    def acknowledged(self) -> Iterator[Found]:
        """What is there for a reason."""
        return (found for found in self.found if found.reason is not None)

    @property
    def findings(self) -> Iterator[Group]:
        """What is found and not acknowledged, each with all its places."""
        return _grouped(self.open)

    @property
    def not_judged(self) -> Iterator[Group]:
        """What is not judged, because the design does not declare what it takes."""
        return _grouped(f for f in self.found if f.reason is None and f.missing is not None)

    def count(self, severity: Severity) -> int:
        """How many open findings weigh so much."""
        return sum(group.severity is severity for group in self.findings)

    def fails(self, least: Severity) -> bool:
        """Whether there is an open finding that weighs so much or more."""
        return any(found.severity.rank <= least.rank for found in self.open)


def _grouped(found: Iterable[Found]) -> Iterator[Group]:
    """Findings in the order of their first places."""
    groups: dict[tuple[str, Severity, str], list[Found]] = {}
    for one in found:
        advice = _CODE.sub("``", one.finding.fix)
        groups.setdefault((one.finding.code, one.severity, advice), []).append(one)
    return (Group(tuple(places)) for places in groups.values())


def together(reports: Sequence[Report]) -> Report:
    """One report of all that was found in several designs."""
    if len(reports) == 1:
        return reports[0]
    return Report(
        ", ".join(report.design for report in reports),
        f"{len(reports)} designs",
        tuple(found for report in reports for found in report.found),
    )
