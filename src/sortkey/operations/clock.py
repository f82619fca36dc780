"""The clock that operations take their times from when they are built."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime

_clock: ContextVar[Callable[[], float]] = ContextVar("sortkey_clock", default=time.time)


def now() -> float:
    """The time in seconds since 1970."""
    return _clock.get()()


def utc_now() -> datetime:
    """The time as a datetime with its zone."""
    return datetime.fromtimestamp(now(), UTC)


@contextmanager
def clock(read: Callable[[], float]) -> Generator[None]:
    """Within the block, operations take their times from ``read``."""
    token = _clock.set(read)
    try:
        yield
    finally:
        _clock.reset(token)
