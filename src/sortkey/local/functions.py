"""A function on this machine: its processes, the limit of calls at a time, its log and meters."""

import threading
import time
from collections.abc import Callable, Mapping
from typing import Any
from uuid import uuid4

from sortkey.design.declaring.functions import Function
from sortkey.local.meters import LAMBDA
from sortkey.local.process import Exited, FunctionProcess, ProcessSettings, TimedOut
from sortkey.local.surroundings import Surroundings

# Each has its own process; more than these calls at a time wait for each other.
_MOST_PROCESSES = 10
_MILLISECONDS = 1000


class FunctionFailed(Exception):  # noqa: N818 - says what happened
    """A call raised an error, took too long, or ended its process."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind = kind


class Throttled(Exception):  # noqa: N818 - says what happened
    """As many calls of a function run as its concurrency allows."""


class Stopped(Exception):  # noqa: N818 - says what happened
    """`sortkey run` ends, and begins no more calls."""


class LocalFunction:
    """A function of the design; safe across threads."""

    def __init__(
        self,
        function: Function,
        deployed_name: str,
        settings: ProcessSettings,
        around: Surroundings,
    ) -> None:
        self.function = function
        self.deployed_name = deployed_name
        self._settings = settings
        self._around = around
        self._most = _MOST_PROCESSES if function.concurrency is None else function.concurrency
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._starting = 0
        self._is_stopped = False
        self._changed = threading.Condition()

    @property
    def name(self) -> str:
        """Its name in the design."""
        return self.function.name

    def start(self) -> None:
        """Start a process, so that the first call does not wait for it.

        Raises:
            HandlerUnavailable: The handler cannot be imported.
        """
        self._leave(self._take(waits=True))

    def invoke(
        self,
        event: Mapping[str, Any],
        title: str,
        *,
        waits: bool = True,
        summary: Callable[[str], str] = lambda _: "ok",
    ) -> str:
        """Call the handler with an event, and return its answer as JSON.

        ``title`` says in the log what the call is about, and ``summary`` what the answer was.

        Raises:
            FunctionFailed: The call failed.
            Throttled: The declared concurrency is reached, and the call does not wait.
        """
        process = self._take(waits=waits)
        request = str(uuid4())
        process.request = request
        self._say(f"START {title}", request)
        began = time.monotonic()
        try:
            answer = process.running.call(self._frame(event, request), self._seconds)
        except TimedOut:
            self._discard(process)
            message = f"Task timed out after {self._seconds:.2f} seconds"
            raise self._failed(FunctionFailed(message, ""), began, request) from None
        except Exited as error:
            self._discard(process)
            failure = FunctionFailed("Runtime.ExitError", f"the process ended with {error}")
            raise self._failed(failure, began, request) from None
        self._leave(process)
        if "result" not in answer:
            failure = FunctionFailed(answer["errorType"], answer["errorMessage"])
            raise self._failed(failure, began, request, answer["memory"])
        self._ended(summary(answer["result"]), began, request, answer["memory"])
        return answer["result"]

    def stop(self, grace: float) -> None:
        """Begin no more calls, let those under way end within the grace, and end the processes."""
        until = time.monotonic() + grace
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()
            self._changed.wait_for(
                lambda: not self._busy and not self._starting, max(0.0, until - time.monotonic())
            )
            processes = [*self._idle, *self._busy]
        for process in processes:
            process.running.end()
        for process in processes:
            process.running.wait(until)

    # -- processes ----------------------------------------------------------------------------

    def _take(self, *, waits: bool) -> "_Process":
        with self._changed:
            while True:
                if self._is_stopped:
                    raise Stopped
                if self._idle:
                    process = self._idle.pop()
                    self._busy.add(process)
                    return process
                if len(self._busy) + self._starting < self._most:
                    self._starting += 1
                    break
                if not waits and self.function.concurrency is not None:
                    self._count("Throttles")
                    raise Throttled(
                        f"{self.function} runs {self._most} calls, which is its concurrency"
                    )
                self._changed.wait()
        try:
            process = _Process(self._settings, self._around, self.name)
            process.running.await_ready()
        except BaseException:
            with self._changed:
                self._starting -= 1
                self._changed.notify()
            raise
        with self._changed:
            self._starting -= 1
            self._busy.add(process)
            if not self._is_stopped:
                return process
        process.running.kill()
        self._discard(process)
        raise Stopped

    def _leave(self, process: "_Process") -> None:
        process.request = ""
        with self._changed:
            self._busy.discard(process)
            self._idle.append(process)
            self._changed.notify()

    def _discard(self, process: "_Process") -> None:
        with self._changed:
            self._busy.discard(process)
            self._changed.notify()

    # -- one call -----------------------------------------------------------------------------

    @property
    def _seconds(self) -> float:
        return self.function.timeout.total_seconds()

    def _frame(self, event: Mapping[str, Any], request: str) -> dict[str, Any]:
        return {
            "id": request,
            "event": event,
            "ahead": self._around.ahead(),
            "context": {
                "aws_request_id": request,
                "function_name": self.deployed_name,
                "memory_limit_in_mb": self.function.memory,
                "deadline": time.time() + self._seconds,
            },
        }

    def _failed(
        self, failure: FunctionFailed, began: float, request: str, memory: int = 0
    ) -> FunctionFailed:
        self._count("Errors")
        self._ended(f"FAILED {failure}", began, request, memory)
        return failure

    def _ended(self, outcome: str, began: float, request: str, memory: int) -> None:
        milliseconds = (time.monotonic() - began) * _MILLISECONDS
        self._count("Invocations")
        self._count("Duration", milliseconds)
        used = f", {memory} MB" if memory else ""
        self._say(f"END {outcome} in {milliseconds:.0f} ms{used}", request)

    def _count(self, name: str, value: float = 1) -> None:
        self._around.meters.add(LAMBDA, name, {"FunctionName": self.deployed_name}, value)

    def _say(self, text: str, request: str) -> None:
        self._around.log.write(self.name, text, request)


class _Process:
    """A process, and the request that it works on."""

    def __init__(self, settings: ProcessSettings, around: Surroundings, name: str) -> None:
        self.request = ""
        self.running = FunctionProcess(
            settings,
            around.ahead(),
            lambda line: around.log.write(name, f"| {line}", self.request),
        )
