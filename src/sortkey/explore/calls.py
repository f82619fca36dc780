"""Calls of application code that stop at each request until a schedule resumes them."""

import asyncio
import inspect
from collections.abc import Callable, Sequence
from contextvars import ContextVar, copy_context
from threading import Lock, Thread
from typing import Any

from sortkey.access.transports.transport import AsyncTransport, OutcomeUnknown, Transport
from sortkey.engine.lag import ItemWrite
from sortkey.errors import Refused
from sortkey.explore.lag import PRESENT, ExploredView, History
from sortkey.explore.outcome import Outcome
from sortkey.explore.schedule import Fate
from sortkey.wire.messages import Request

_current: ContextVar["ThreadedCall | None"] = ContextVar(
    "the call that is being explored", default=None
)


class Crash(BaseException):
    """Ends a call at once; a BaseException, so that applications do not catch it."""


class Event:
    """A request that was sent, and its outcome."""

    __slots__ = ("answer", "call", "error", "fate", "missed", "request")

    def __init__(
        self, call: int, request: Request, fate: Fate, missed: Sequence[ItemWrite] = ()
    ) -> None:
        self.call = call
        self.request = request
        self.fate = fate
        self.missed = missed
        self.answer: dict[str, Any] | None = None
        self.error: BaseException | None = None


class ThreadedCall:
    """One call in its own thread; only one such thread runs at a time."""

    def __init__(
        self, number: int, run: Callable[[], Any], events: list[Event], history: History
    ) -> None:
        self.number = number
        self.name = chr(ord("A") + number)
        self.pending: Request | None = None
        self.since = 0  # the number of earlier writes when the request was ready
        self.outcome: Outcome | None = None
        self._run = run
        self._events = events
        self._history = history
        self._fate: Fate = ""
        self._view = PRESENT
        self._crashed = False
        self._go, self._back = Lock(), Lock()
        self._go.acquire()
        self._back.acquire()
        context = copy_context()
        self._thread = Thread(target=context.run, args=(self._live,), daemon=True)

    def start(self) -> None:
        """Run to the first request, or to the end."""
        self._thread.start()
        self._back.acquire()

    def resume(self, fate: Fate, view: ExploredView = PRESENT) -> None:
        """Send the pending request with this fate, and run to the next one, or to the end."""
        self._fate = fate
        self._view = view
        self._go.release()
        self._back.acquire()

    def abandon(self) -> None:
        """Crash a call that is no longer needed."""
        while self.outcome is None:
            self.resume("!")
        self._thread.join()

    def hold(self, request: Request, send: Callable[[Request], dict[str, Any]]) -> dict[str, Any]:
        """Wait for the schedule, then send the request, unless the call crashes first."""
        if self._crashed:
            raise Crash  # `finally` blocks of a crashed process send nothing
        if self.pending is not None:
            raise Refused("an explored call must send one request at a time: do not use threads")
        self.pending = request
        self.since = len(self._history.writes)
        self._back.release()
        self._go.acquire()
        self.pending = None
        history, view = self._history, self._view
        event = Event(self.number, request, self._fate, history.missed(view))
        self._events.append(event)
        if event.fate == "!":
            self._crashed = True
            raise Crash
        try:
            event.answer = history.send(request, send, len(self._events), view)
        except BaseException as error:
            event.error = error
            if event.fate == "":
                raise
        if event.fate == "+":
            self._crashed = True
            raise Crash
        if event.fate == "?":
            raise OutcomeUnknown("the response was lost")
        return event.answer or {}

    def _live(self) -> None:
        _current.set(self)
        try:
            result = self._run()
            if inspect.iscoroutine(result):
                result = asyncio.run(result)
            outcome = Outcome(self.name, result)
        except Crash:
            outcome = Outcome(self.name, crashed=True)
        except BaseException as error:  # noqa: BLE001 - reported as the outcome
            outcome = Outcome(self.name, error=error)
        if self._crashed:
            outcome = Outcome(self.name, crashed=True)
        self.outcome = outcome
        self._back.release()


class HoldingTransport:
    """A transport that stops the requests of explored calls until their turn."""

    def __init__(self, carrier: Transport) -> None:
        self._carrier = carrier

    def send(self, request: Request) -> dict[str, Any]:
        """Return the response, when the schedule has reached this request."""
        call = _current.get()
        if call is None:
            return self._carrier.send(request)
        return call.hold(request, self._carrier.send)

    def close(self) -> None:
        """Close the underlying transport."""
        self._carrier.close()


class AsyncHoldingTransport:
    """A holding transport for async code: each call has its own event loop, which blocks."""

    def __init__(self, carrier: AsyncTransport, blocking: Transport) -> None:
        self._carrier = carrier
        self._blocking = blocking

    async def send(self, request: Request) -> dict[str, Any]:
        """Return the response, when the schedule has reached this request."""
        call = _current.get()
        if call is None:
            return await self._carrier.send(request)
        return call.hold(request, self._blocking.send)

    async def close(self) -> None:
        """Close the underlying transport."""
        await self._carrier.close()
