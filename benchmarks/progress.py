"""A line on the terminal that shows the current measurement; nothing in a pipe."""

import sys
import time
from types import TracebackType
from typing import Self


class Progress:
    """A line that is rewritten during the work and cleared at the end."""

    def __init__(self) -> None:
        self._shown = sys.stderr.isatty()
        self._start = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._write("")

    def say(self, doing: str) -> None:
        """Show the current work."""
        self._write(f"{time.monotonic() - self._start:4.0f} s  {doing}"[:79])

    def _write(self, text: str) -> None:
        if self._shown:
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
