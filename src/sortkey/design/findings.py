"""Findings about a design, as values: raised together when a class is created, or reported."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import TypeAlias

from sortkey.errors import SortkeyError

# The subject of a finding: a table, an index, an entity, a key, a collection, a pattern, a role,
# a sample item or the design as a whole; while a class is being created, its dotted name.
Subject: TypeAlias = object


class Severity(Enum):
    """The severity of a finding; the worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"

    @property
    def rank(self) -> int:
        """Its place among the severities, 0 for the worst."""
        return list(Severity).index(self)


ERROR, WARNING, INFORMATION = Severity


@dataclass(frozen=True, slots=True, order=True)
class SourceLine:
    """A line of a file."""

    file: str
    line: int

    @property
    def shown(self) -> str:
        """The shortest path from here."""
        path = Path(self.file)
        here = Path.cwd()
        return (path.relative_to(here) if path.is_relative_to(here) else path).as_posix()

    def __str__(self) -> str:
        return f"{self.shown}:{self.line}"


@dataclass(frozen=True, slots=True)
class Missing:
    """A declaration that a design lacks, so that a part of it is not judged.

    ``Missing("the load", "pattern", "a rate")``: the load of a pattern without a rate.
    """

    of: str
    noun: str
    what: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with a design: its subject, what is wrong and what to do.

    ``at`` is the member of the subject that it is about. ``severity`` is set if it differs from
    that of the rule. With ``missing`` nothing is wrong: the end of the report says what is not
    judged. Code in a fix is in backticks; findings of one rule whose fixes differ only in code are
    reported as one, with several places.

    ``about`` is the field or attribute that it is about, if that matters; ``point`` is the point of
    a standard that is not met, by which the finding can be acknowledged too. ``actions`` are the
    numbers, from 1, of the actions of a transaction or a batch that it is about. With ``blocks``,
    no other rule can judge the raw request.

    `check` completes a finding with the code and the name of the rule, the severity, the place in
    the source and, if the design acknowledges it, the ``reason``. A finding from the creation of a
    class has its code and name from the start.
    """

    subject: Subject = field(hash=False)
    message: str
    fix: str
    at: str = ""
    code: str = ""
    name: str = ""
    severity: Severity | None = None
    place: SourceLine | None = None
    reason: str | None = None
    missing: Missing | None = None
    about: str | None = None
    point: str = ""
    actions: tuple[int, ...] = ()
    blocks: bool = False

    @property
    def where(self) -> str:
        """The name of the subject and of its member."""
        subject = self.subject.__name__ if isinstance(self.subject, type) else str(self.subject)
        return f"{subject}.{self.at}" if self.at else subject

    @property
    def weight(self) -> Severity:
        """Its severity; an error if none is set."""
        return self.severity or ERROR

    def __str__(self) -> str:
        return f"{self.code} {self.name} at {self.where}: {self.message}. {self.fix}."


class DesignError(SortkeyError):
    """A design has faults; its text lists each one with its place and its fix."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(map(str, self.findings)))


def refusal(where: str, message: str, fix: str, *, code: str, name: str) -> DesignError:
    """Return the error of a design with one finding."""
    return DesignError([Finding(where, message, fix, code=code, name=name)])
