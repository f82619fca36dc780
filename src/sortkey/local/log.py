"""The one log of `sortkey run`: lines with the time, the function and the request."""

import logging
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TextIO

from sortkey.clock import Clock

_SHOWN_ID = 6


class Log:
    """Writes lines of several threads, each whole; a line with the date begins each day."""

    def __init__(self, out: TextIO, clock: Clock, width: int = 0) -> None:
        """Align lines to names of so many characters."""
        self._out = out
        self._clock = clock
        self._width = width
        self._day = ""
        self._lock = threading.Lock()

    def write(self, source: str, text: str, request: str = "") -> None:
        """Write each line of a text."""
        now = datetime.fromtimestamp(self._clock(), UTC)
        day, time = f"{now:%Y-%m-%d}", f"{now:%H:%M:%S}.{now.microsecond // 1000:03}"
        head = f"{time} {source:<{self._width}} {request[:_SHOWN_ID]:<{_SHOWN_ID}}"
        lines = [f"{head} {line}".rstrip() for line in text.splitlines() or [""]]
        with self._lock:
            if day != self._day:
                self._day = day
                lines.insert(0, f"{day} UTC")
            # Calls go on if nobody reads the log any more, as with `| head`.
            with suppress(OSError):
                self._out.write("".join(f"{line}\n" for line in lines))
                self._out.flush()


class _ToLog(logging.Handler):
    """Writes what sortkey itself logs, such as the engine, into the log of the run."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        self._log.write("run", f"{record.levelname} {self.format(record)}")


@contextmanager
def logged(log: Log) -> Generator[None]:
    """Write what sortkey itself logs into this log within the block."""
    handler = _ToLog(log)
    logger = logging.getLogger("sortkey")
    before, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
