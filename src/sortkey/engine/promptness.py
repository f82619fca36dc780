"""Calls that must return promptly, since an event loop makes them.

A prompt call does not wait for another process, and does not begin work that takes long: it
raises `IsLocked` or `TakesLong` instead, before it has changed anything. The caller repeats it
later, or in a thread beside the event loop. Work is estimated, in steps of about a microsecond.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, TypeAlias

MOST_STEPS = 10_000
# What a step reads, changes or writes of JSON.
STEP_BYTES = 100
# A comparison may look at all bytes of a text or a binary value, which is faster than parsing them.
_LOOKS_OF_A_PARSE = 8


class NotPrompt(Exception):  # noqa: N818 - nothing is wrong; the call is to be made in another way
    """A prompt call cannot be answered now."""


class IsLocked(NotPrompt):
    """Another thread or process has locked the file."""


class TakesLong(NotPrompt):
    """The call would hold up the event loop."""

    def __init__(self, steps: int) -> None:
        super().__init__(steps)
        self.steps = steps


_Manner: TypeAlias = Literal["prompt", "beside"] | None


class _ThreadCalls(threading.local):
    """How the calls of the current thread are made."""

    manner: _Manner = None


_calls = _ThreadCalls()


def are_prompt() -> bool:
    """Return whether calls of this thread must be prompt."""
    return _calls.manner == "prompt"


def are_beside() -> bool:
    """Return whether this thread works beside an event loop that uses the same engine."""
    return _calls.manner == "beside"


@contextmanager
def prompt_calls() -> Generator[None]:
    """Make the calls of this thread prompt inside the ``with`` block."""
    before, _calls.manner = _calls.manner, "prompt"
    try:
        yield
    finally:
        _calls.manner = before


@contextmanager
def calls_beside() -> Generator[None]:
    """Let this thread work beside an event loop inside the ``with`` block."""
    before, _calls.manner = _calls.manner, "beside"
    try:
        yield
    finally:
        _calls.manner = before


def refuse_long(steps: int) -> None:
    """Raise an error if the call must be prompt and this many steps remain."""
    if steps > MOST_STEPS and _calls.manner == "prompt":
        raise TakesLong(steps)


def condition_steps(size: int, weight: int) -> int:
    """Return about how many steps it takes to parse so many bytes and look at them so often."""
    return size // STEP_BYTES * (1 + weight // _LOOKS_OF_A_PARSE)
