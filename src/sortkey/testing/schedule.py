"""Schedules: who goes on at each step, and what happens to its request.

A schedule is written as text, to be read and run again: `AAB` lets A send two requests and B one.
After a letter, `!` is a crash before the request takes effect, `+` a crash just after, and `?` an
answer that is lost though the request took effect. `~` is a read that does not see the latest
writes; where there are several such answers, `~~` is the second of them, and so on (see lag.py).
"""

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

from sortkey.errors import SortkeyError

Fate: TypeAlias = Literal["", "!", "+", "?"]

_STEP = re.compile(r"([A-Z])([!+?]?)(~*)(\d*)")


class BadSchedule(SortkeyError):  # noqa: N818 - says what it is
    """A text that is no schedule of these calls."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One step: the call that goes on, its request's fate, and which stale answer it gets."""

    call: int
    fate: Fate = ""
    stale: int = 0

    @property
    def is_fault(self) -> bool:
        """Whether something goes wrong here that no other call causes."""
        return self.fate != ""

    def __str__(self) -> str:
        return f"{chr(ord('A') + self.call)}{self.fate}{'~' * self.stale}"


Schedule: TypeAlias = tuple[Choice, ...]


def write_schedule(schedule: Schedule) -> str:
    """The schedule as text: `A2BA?` for A, A, B, and A whose answer is lost."""
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
    """The schedule that a text writes."""
    if not re.fullmatch(rf"(?:{_STEP.pattern})+", text):
        raise BadSchedule(f'"{text}" is no schedule; one looks like A2BA?')
    choices: list[Choice] = []
    for letter, fate, stale, times in _STEP.findall(text):
        choices += [Choice(ord(letter) - ord("A"), fate, len(stale))] * int(times or 1)
    return tuple(choices)


def weight(schedule: Schedule) -> tuple[int, int, int, int]:
    """Return what makes one counterexample simpler: faults, stale reads, switches, then length."""
    faults = sum(choice.is_fault for choice in schedule)
    stale = sum(choice.stale for choice in schedule)
    switches = sum(one.call != other.call for one, other in pairwise(schedule))
    return faults, stale, switches, len(schedule)
