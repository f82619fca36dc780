"""The process of a function, seen from `sortkey run`: it answers one call at a time.

As in Lambda, a function has its own environment and its own modules, and a call that takes too
long ends with its process.
"""

import os
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sortkey.local.child import END_MARK
from sortkey.local.frames import read_frame, write_frame

_IMPORT_SECONDS = 60.0
_END_SECONDS = 2.0


class HandlerUnavailable(Exception):  # noqa: N818 - says what it is
    """The handler of a function cannot be imported; ``trace`` is the whole traceback."""

    def __init__(self, message: str, trace: str = "") -> None:
        super().__init__(message)
        self.trace = trace


class TimedOut(Exception):  # noqa: N818 - says what happened
    """A call took longer than it may, and its process was ended."""


class Exited(Exception):  # noqa: N818 - says what happened
    """The process of a function ended during a call."""


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """What a function's process needs: its handler, environment and modules."""

    handler: str
    environment: Mapping[str, str]
    path: Sequence[str]
    lifeline: int


class FunctionProcess:
    """A running process of a function."""

    def __init__(
        self, settings: ProcessSettings, ahead: float, output: Callable[[str], None]
    ) -> None:
        """Start it; ``output`` gets each line that it prints."""
        self._output = output
        self._ended = threading.Event()
        events, self._events = _pipe(writes=True)
        self._answers, answers = _pipe(writes=False)
        try:
            command = [sys.executable, "-m", "sortkey.local.child"]
            # S603: the command has only our own module and numbers.
            self._process = subprocess.Popen(  # noqa: S603
                [*command, str(events), str(answers), str(settings.lifeline)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=dict(settings.environment),
                pass_fds=(events, answers, settings.lifeline),
                # Ctrl-C in the terminal is for `sortkey run`, which ends its functions in order.
                start_new_session=True,
            )
        finally:
            os.close(events)
            os.close(answers)
        self._reader = threading.Thread(target=self._read_output, daemon=True)
        self._reader.start()
        self._handler = settings.handler
        with suppress(BrokenPipeError):  # it could not start; `await_ready` says so
            write_frame(
                self._events,
                {"handler": settings.handler, "path": list(settings.path), "ahead": ahead},
            )

    @property
    def pid(self) -> int:
        """The process's id."""
        return self._process.pid

    def await_ready(self) -> None:
        """Wait until the handler is imported.

        Raises:
            HandlerUnavailable: It cannot be imported.
        """
        try:
            answer = self._next(_IMPORT_SECONDS)
        except TimedOut:
            self.kill()
            raise HandlerUnavailable(
                f"{self._handler} was not imported within {_IMPORT_SECONDS:g} seconds"
            ) from None
        except Exited as error:
            raise HandlerUnavailable(
                f"{self._handler} cannot be imported: the process ended with {error}"
            ) from None
        if not answer["ready"]:
            self.kill()
            raise HandlerUnavailable(
                f"{self._handler} cannot be imported: {answer['errorType']}: "
                f"{answer['errorMessage']}",
                answer.get("trace", ""),
            )

    def call(self, frame: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Send an event and return the answer; all that it printed was passed on by then.

        Raises:
            TimedOut: It took longer; the process was ended.
            Exited: The process ended by itself.
        """
        self._ended.clear()
        try:
            write_frame(self._events, frame)
        except OSError:
            raise self._exited() from None
        try:
            answer = self._next(seconds)
        except TimedOut:
            self.kill()
            raise
        self._ended.wait(_END_SECONDS)
        return answer

    def end(self) -> None:
        """Let the process end, as it gets no more events."""
        with suppress(OSError):
            self._events.close()

    def kill(self) -> None:
        """End the process and all that it started, and wait for it."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._close()

    def wait(self, until: float) -> None:
        """Wait for the end until a time of the monotonic clock, then kill the process."""
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, until - time.monotonic()))
        self.kill()

    def _close(self) -> None:
        self.end()
        self._reader.join(_END_SECONDS)
        self._answers.close()

    def _next(self, seconds: float) -> dict[str, Any]:
        with selectors.DefaultSelector() as selector:
            selector.register(self._answers, selectors.EVENT_READ)
            if not selector.select(seconds):
                raise TimedOut
        try:
            return read_frame(self._answers)
        except EOFError:
            raise self._exited() from None

    def _exited(self) -> Exited:
        status = self._process.wait()
        self._close()
        return Exited(f"exit status {status}" if status >= 0 else f"signal {-status}")

    def _read_output(self) -> None:
        output = self._process.stdout
        if output is None:
            return
        with output:
            for raw in output:
                line = raw.decode(errors="replace").rstrip("\r\n")
                text, mark, _ = line.partition(END_MARK)
                if text or not mark:
                    self._output(text)
                if mark:
                    self._ended.set()
        self._ended.set()


def _pipe(*, writes: bool) -> tuple[Any, Any]:
    """Return the ends of a pipe, the first one for reading; ours is a file."""
    readable, writable = os.pipe()
    if writes:
        return readable, os.fdopen(writable, "wb")
    return os.fdopen(readable, "rb", buffering=0), writable
