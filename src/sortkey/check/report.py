"""What a check comes to: every finding with its weight, its place and, where kept, its reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sortkey.check.places import Place
from sortkey.check.rule import Severity
from sortkey.design.findings import Finding


@dataclass(frozen=True, slots=True)
class Found:
    """One finding; ``reason`` says why it is right where it is acknowledged."""

    finding: Finding
    severity: Severity
    place: Place | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """All that was found in a design, and how much of it there was to look at."""

    design: str
    looked_at: str
    found: tuple[Found, ...]

    @property
    def open(self) -> Iterator[Found]:
        """What nobody has acknowledged."""
        return (found for found in self.found if found.reason is None)

    @property
    def acknowledged(self) -> Iterator[Found]:
        """What is there for a reason."""
        return (found for found in self.found if found.reason is not None)

    def count(self, severity: Severity) -> int:
        """How many open findings weigh so much."""
        return sum(found.severity is severity for found in self.open)

    def fails(self, least: Severity) -> bool:
        """Whether there is an open finding that weighs so much or more."""
        return any(found.severity.rank <= least.rank for found in self.open)


def together(reports: Sequence[Report]) -> Report:
    """One report of all that was found in several designs."""
    if len(reports) == 1:
        return reports[0]
    return Report(
        ", ".join(report.design for report in reports),
        f"{len(reports)} designs",
        tuple(found for report in reports for found in report.found),
    )
