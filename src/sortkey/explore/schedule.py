"""Schedules: which call sends its request at each step, and what happens to the request.

A schedule is written as text that can be run again: in `AAB`, A sends two requests and then B one.
After a letter, `!` is a crash before the request takes effect, `+` a crash just after it, and `?` a
lost response to a request that took effect. `~` is a read that does not see the latest writes; if
several stale results are possible, `~~` is the second one, and so on (see lag.py).
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from sortkey.errors import SortkeyError

Fate: TypeAlias = Literal["", "!", "+", "?"]

_STEP = re.compile(r"([A-Z])([!+?]?)(~*)(\d*)")


class BadSchedule(SortkeyError):  # noqa: N818 - says what it is
    """A string is not a schedule of these calls."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One step: the call that continues, its request's fate, and which stale result it gets."""

    call: int
    fate: Fate = ""
    stale: int = 0

    @property
    def is_fault(self) -> bool:
        """Whether this step is a crash or a lost response."""
        return self.fate != ""

    def __str__(self) -> str:
        return f"{chr(ord('A') + self.call)}{self.fate}{'~' * self.stale}"


Schedule: TypeAlias = tuple[Choice, ...]
Weight: TypeAlias = tuple[int, int, int, int]


def write_schedule(schedule: Schedule) -> str:
    """Return the schedule as text: `A2BA?` for A, A, B, and A with a lost response."""
    text = ""
    place = 0
    while place < len(schedule):
        choice = schedule[place]
        end = place
        while end < len(schedule) and schedule[end] == choice:
            end += 1
        text += str(choice) + (str(end - place) if end - place > 1 else "")
        place = end
    return text


def read_schedule(text: str) -> Schedule:
    """Return the schedule that a text describes."""
    if not re.fullmatch(rf"(?:{_STEP.pattern})+", text):
        raise BadSchedule(f'"{text}" is not a schedule: write it like A2BA?')
    choices: list[Choice] = []
    for letter, fate, stale, times in _STEP.findall(text):
        choices += [Choice(ord(letter) - ord("A"), fate, len(stale))] * int(times or 1)
    return tuple(choices)


def weight(schedule: Sequence[Choice]) -> Weight:
    """Return the order of simplicity: by faults, stale reads, switches, then length.

    It grows with each step, so a schedule is simpler than all that begin with it.
    """
    faults = sum(choice.is_fault for choice in schedule)
    stale = sum(choice.stale for choice in schedule)
    switches = sum(one.call != other.call for one, other in pairwise(schedule))
    return faults, stale, switches, len(schedule)


def is_simpler(schedule: Sequence[Choice], limit: Weight | None) -> bool:
    """Return whether a schedule is simpler than the limit; without one, each is."""
    return limit is None or weight(schedule) < limit
