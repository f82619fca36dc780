"""The clock from which operations take the time when they are created."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_clock: ContextVar[Callable[[], float]] = ContextVar("sortkey_clock", default=time.time)


def now() -> float:
    """Return the current time in seconds since 1970."""
    return _clock.get()()


def utc_now() -> datetime:
    """Return the current time as a datetime in UTC."""
    return datetime.fromtimestamp(now(), UTC)


@contextmanager
def clock(read: Callable[[], float]) -> Generator[None]:
    """Use ``read`` as the clock of operations within the block."""
    token = _clock.set(read)
    try:
        yield
    finally:
        _clock.reset(token)
