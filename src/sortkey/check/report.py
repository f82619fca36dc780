"""The report of a check: every finding with its severity, its places and, if acknowledged, why.

Findings of one rule in several places with the same fix are reported as one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from sortkey.design.findings import Finding, Missing, Severity
from sortkey.programs.program import WalkedProgram

_CODE = re.compile(r"`[^`]*`")


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """The findings of one rule with the same advice: one finding in one or more places."""

    places: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding in the first place."""
        return self.places[0]

    @property
    def severity(self) -> Severity:
        """The severity of the findings."""
        return self.first.weight

    @property
    def missing(self) -> Missing | None:
        """The missing declaration, if that is the only finding."""
        return self.first.missing


@dataclass(frozen=True, slots=True)
class CheckReport:
    """All findings in a design, and what was checked: ``programs`` if its handlers were walked."""

    design: str
    looked_at: str
    found: tuple[Finding, ...]
    programs: tuple[WalkedProgram, ...] = ()

    @property
    def open(self) -> Iterator[Finding]:
        """The findings that are not acknowledged, place by place."""
        return (f for f in self.found if f.reason is None and f.missing is None)

    @property
    def acknowledged(self) -> Iterator[Finding]:
        """The findings that are acknowledged."""
        return (found for found in self.found if found.reason is not None)

    @property
    def findings(self) -> Iterator[FindingGroup]:
        """The findings that are not acknowledged, each with all its places."""
        return _grouped(self.open)

    @property
    def not_judged(self) -> Iterator[FindingGroup]:
        """The findings about parts that are not judged, for lack of a declaration."""
        return _grouped(f for f in self.found if f.reason is None and f.missing is not None)

    def count(self, severity: Severity) -> int:
        """Return the number of open findings with this severity."""
        return sum(group.severity is severity for group in self.findings)

    def fails(self, least: Severity) -> bool:
        """Whether there is an open finding with this severity or a worse one."""
        return any(finding.weight.rank <= least.rank for finding in self.open)


def _grouped(findings: Iterable[Finding]) -> Iterator[FindingGroup]:
    """Yield the groups in the order of their first places."""
    groups: dict[tuple[str, Severity, str], list[Finding]] = {}
    for finding in findings:
        advice = _CODE.sub("``", finding.fix)
        groups.setdefault((finding.code, finding.weight, advice), []).append(finding)
    return (FindingGroup(tuple(places)) for places in groups.values())


def together(reports: Sequence[CheckReport]) -> CheckReport:
    """Return one report of the findings in several designs."""
    if len(reports) == 1:
        return reports[0]
    return CheckReport(
        ", ".join(report.design for report in reports),
        f"{len(reports)} designs",
        tuple(found for report in reports for found in report.found),
        tuple(program for report in reports for program in report.programs),
    )
