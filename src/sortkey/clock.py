"""The one clock: the engine, operations and whatever runs on a schedule take the time from here.

A time is a float, in seconds since 1970. Only signatures and limits on waiting use the machine's
own clock, since they are about the world outside.
"""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], float]

_clock: ContextVar[Clock] = ContextVar("sortkey_clock")
_of_process: Clock = time.time


def now() -> float:
    """Return the current time in seconds since 1970."""
    return _clock.get(_of_process)()


def use_in_process(read: Clock) -> None:
    """Use ``read`` as the clock of this process, wherever no `clock` block has another one."""
    global _of_process  # noqa: PLW0603 - a process has one clock
    _of_process = read


def utc_now() -> datetime:
    """Return the current time as a datetime in UTC."""
    return datetime.fromtimestamp(now(), UTC)


@contextmanager
def clock(read: Clock) -> Generator[None]:
    """Use ``read`` as the clock of operations and of embedded engines within the block."""
    token = _clock.set(read)
    try:
        yield
    finally:
        _clock.reset(token)


class MovableClock:
    """A clock that goes on by itself and can be moved: ``clock(MovableClock())``."""

    def __init__(self, base: Clock = time.time) -> None:
        self._base = base
        self._ahead = 0.0

    def __call__(self) -> float:
        """Return the current time in seconds since 1970."""
        return self._base() + self._ahead

    def move(self, seconds: float) -> float:
        """Move the clock by so many seconds, and return its new time."""
        self._ahead += seconds
        return self()


def ahead_of(read: Clock, seconds: float) -> Clock:
    """Return a clock that is so many seconds ahead of another; it can be moved if that one can."""
    if not seconds:
        return read
    ahead = MovableClock(read)
    ahead.move(seconds)
    return ahead if isinstance(read, MovableClock) else ahead.__call__
