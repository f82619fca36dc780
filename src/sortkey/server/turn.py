"""Replies that wait until their writes are committed.

All requests that arrive in one turn of the event loop share one commit. Their replies leave, in
order, once it has been made; if it fails, each of them says so.
"""

import logging
from asyncio import AbstractEventLoop, WriteTransport
from collections.abc import Callable

from sortkey.server.backend import Backend

_log = logging.getLogger(__name__)


class Turn:
    """The replies of the current turn of the event loop."""

    def __init__(self, loop: AbstractEventLoop, engine: Backend) -> None:
        self._loop = loop
        self._engine = engine
        self._held: list[tuple[WriteTransport, bytes, Callable[[], bytes]]] = []
        self._due = False

    def send(self, transport: WriteTransport, reply: bytes, failure: Callable[[], bytes]) -> None:
        """Send a reply, after the next commit if a write awaits one; if that fails, a failure."""
        if self._engine.writing:
            self.demand_flush()
        if self._due:
            self._held.append((transport, reply, failure))
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
        except Exception:  # noqa: BLE001 - whatever it was, the writes are not committed
            _log.exception("A commit failed; %d replies report it", len(held))
            held = [(transport, failure(), failure) for transport, _, failure in held]
        for transport, reply, _ in held:
            # The client may have disconnected meanwhile.
            if not transport.is_closing():
                transport.write(reply)
