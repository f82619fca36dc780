"""A rule: its code, name and severity, the function that finds it, and its page."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from inspect import cleandoc
from textwrap import dedent
from typing import TypeAlias

from sortkey.check.model import Model
from sortkey.design.findings import ERROR, INFORMATION, WARNING, Finding, Missing, Severity

# Everything that the file of a rule needs.
__all__ = ["ERROR", "INFORMATION", "WARNING", "Finding", "Missing", "Rule", "Severity", "rule"]

Find: TypeAlias = Callable[[Model], Iterable[Finding]]

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
        """The sentence that says what is wrong."""
        return self._prose[0]

    @cached_property
    def why(self) -> tuple[str, ...]:
        """The consequences, paragraph by paragraph."""
        return self._prose[1:]

    @property
    def flagged(self) -> str:
        """A design that the rule flags."""
        return self._examples["Flagged"]

    @property
    def instead(self) -> str:
        """The design of ``flagged`` without it."""
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
