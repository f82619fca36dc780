"""Replies that wait until their writes are committed.

All requests that arrive in one turn of the event loop share one commit. Their replies leave, in
order, once it has been made. If one request fails in a way that spoils the commit, nothing of the
turn is stored, and each request is answered again, alone: only those that fail by themselves fail.
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
        self._held: list[
            tuple[WriteTransport, bytes, Callable[[], bytes], Callable[[], bytes]]
        ] = []
        self._due = False

    def send(
        self,
        transport: WriteTransport,
        reply: bytes,
        again: Callable[[], bytes],
        failure: Callable[[], bytes],
    ) -> None:
        """Send a reply, after the next commit if a write awaits one.

        ``again`` answers the request once more if that commit fails, and ``failure`` returns the
        reply to a request that cannot be committed alone either.
        """
        if self._engine.writing:
            self.demand_flush()
        if self._due:
            self._held.append((transport, reply, again, failure))
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
            _log.exception("A commit of %d requests failed; each is tried alone", len(held))
            replies = [self._alone(again, failure) for _, _, again, failure in held]
        else:
            replies = [reply for _, reply, _, _ in held]
        for (transport, *_), reply in zip(held, replies, strict=True):
            # The client may have disconnected meanwhile.
            if not transport.is_closing():
                transport.write(reply)

    def _alone(self, again: Callable[[], bytes], failure: Callable[[], bytes]) -> bytes:
        """Return the reply to a request with a commit of its own."""
        try:
            reply = again()
            self._engine.flush()
        except Exception:  # noqa: BLE001 - whatever it was, its writes are not committed
            _log.exception("A commit failed; its reply reports it")
            return failure()
        return reply
