"""A rule: its code, name and severity, the function that finds what it is about, and its page."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from inspect import cleandoc
from textwrap import dedent
from typing import TypeAlias

from sortkey.check.model import Model, Request, Subject
from sortkey.check.samples.reading import Sample
from sortkey.design.findings import Finding


class Severity(Enum):
    """How much a finding weighs; the worst first."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"

    @property
    def rank(self) -> int:
        """Its place among the severities, 0 for the worst."""
        return list(Severity).index(self)


ERROR, WARNING, INFORMATION = Severity


@dataclass(frozen=True, slots=True)
class Missing:
    """What a design does not declare, so that something of it is not judged.

    ``Missing("the load", "pattern", "a rate")``: the load of a pattern without a rate.
    """

    of: str
    noun: str
    what: str


@dataclass(frozen=True, slots=True)
class Fault:
    """What a rule finds: of what, where in it, what is wrong and what to do.

    ``severity`` is given where it is another than the rule's own, ``sample`` where a sample item
    is what is wrong, ``blocks`` where no other rule can judge a raw request because of it. With
    ``missing`` nothing is wrong: the report says at its end what it does not judge. Code in a fix
    stands in backticks; faults of one rule whose fixes differ only in that are one finding, with
    several places.
    """

    subject: Subject
    message: str
    fix: str
    at: str = ""
    severity: Severity | None = None
    sample: Sample | None = None
    missing: Missing | None = None
    blocks: Request | None = None


# Faults that are found when a class is made come with the place that they had there.
Find: TypeAlias = Callable[[Model], Iterable[Fault | Finding]]

_PART = re.compile(r"^(Flagged|Instead):\n((?:[ \t]+.*\n?|\n)+)", re.MULTILINE)


@dataclass(frozen=True)
class Rule:
    """One thing that can be wrong with a design; the docstring of its function is its page."""

    code: str
    name: str
    severity: Severity
    find: Find

    @cached_property
    def summary(self) -> str:
        """What is wrong, in a sentence."""
        return self._prose[0]

    @cached_property
    def why(self) -> tuple[str, ...]:
        """What comes of it, paragraph by paragraph."""
        return self._prose[1:]

    @property
    def flagged(self) -> str:
        """A design in which it is found."""
        return self._examples["Flagged"]

    @property
    def instead(self) -> str:
        """The same design without it."""
        return self._examples["Instead"]

    @cached_property
    def _doc(self) -> str:
        return cleandoc(self.find.__doc__ or "")

    @cached_property
    def _prose(self) -> tuple[str, ...]:
        text = _PART.sub("", self._doc).strip()
        return tuple(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))

    @cached_property
    def _examples(self) -> dict[str, str]:
        return {name: dedent(text).strip() for name, text in _PART.findall(self._doc + "\n")}


def rule(code: str, name: str, severity: Severity) -> Callable[[Find], Rule]:
    """Make a function of the model a rule."""
    return lambda find: Rule(code, name, severity, find)
