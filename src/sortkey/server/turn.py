"""Replies that wait until their writes are committed.

All requests that arrive in one turn of the event loop share one commit. Their replies leave, in
order, once it has been made. If one request fails in a way that spoils the commit, nothing of the
turn is stored, and each request is answered again, alone: only those that fail by themselves fail.
"""

import logging
import time
from asyncio import AbstractEventLoop, WriteTransport

from sortkey.engine.promptness import IsLocked, NotPrompt
from sortkey.errors import SortkeyError
from sortkey.server.answering import Answering
from sortkey.server.backend import Backend
from sortkey.server.door import RawRequest
from sortkey.server.outlet import Outlet

_log = logging.getLogger(__name__)

# Together a quarter of a second. It is the event loop that waits, but only after a commit failed.
_LOCK_TRIES = 50
_LOCK_PAUSE_SECONDS = 0.005


class Turn:
    """The replies of the current turn of the event loop."""

    def __init__(self, loop: AbstractEventLoop, engine: Backend) -> None:
        self._loop = loop
        self._engine = engine
        self._held: list[tuple[WriteTransport | Outlet, bytes, Answering, RawRequest | None]] = []
        self._due = False

    def send(
        self,
        transport: WriteTransport | Outlet,
        reply: bytes,
        door: Answering,
        request: RawRequest | None = None,
    ) -> None:
        """Send a reply, after the next commit if a write awaits one.

        If that commit fails, the door answers the request again. A reply without a request does
        not depend on any commit.
        """
        if self._engine.writing:
            self.demand_flush()
        if self._due:
            self._held.append((transport, reply, door, request))
        else:
            transport.write(reply)

    def demand_flush(self) -> None:
        """Hold the replies from now on until this turn ends with a flush."""
        if not self._due:
            self._due = True
            self._loop.call_soon(self.end)

    def end(self) -> None:
        """Commit, and send the held replies."""
        held, self._held, self._due = self._held, [], False
        try:
            self._engine.flush()
        except Exception as error:  # noqa: BLE001 - whatever it was, the writes are not committed
            _log.error(
                "A commit of %d requests failed (%s); each is tried alone",
                len(held),
                error,
                exc_info=not isinstance(error, SortkeyError),
            )
            held = [
                (transport, reply if request is None else self._alone(door, request), door, None)
                for transport, reply, door, request in held
            ]
        for transport, reply, _, _ in held:
            # The client may have disconnected meanwhile.
            if not transport.is_closing():
                transport.write(reply)

    def _respond(self, door: Answering, request: RawRequest) -> bytes:
        """Answer a request again; one that finds the file locked tries for a while."""
        for _ in range(_LOCK_TRIES):
            try:
                return door.respond(*request)
            except IsLocked:
                time.sleep(_LOCK_PAUSE_SECONDS)
                self._engine.can_write()
        return door.respond(*request)

    def _alone(self, door: Answering, request: RawRequest) -> bytes:
        """Return the reply to a request with a commit of its own."""
        try:
            reply = self._respond(door, request)
            self._engine.flush()
        except Exception as error:  # noqa: BLE001 - whatever it was, its writes are not committed
            known = isinstance(error, SortkeyError | NotPrompt)
            _log.error("A request failed: %s", error, exc_info=not known)
            return door.failure()
        return reply
