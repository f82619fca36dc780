"""Requests to the embedded engine, in this process."""

import asyncio
import os
from collections.abc import Callable
from typing import Any

import orjson

from sortkey.access.transports.transport import OutcomeUnknown
from sortkey.engine import Engine
from sortkey.engine.weather import ConnectionReset, LateReply, reply_or_error
from sortkey.errors import SortkeyError
from sortkey.wire.messages import Request

# A response of this size takes long enough to delay other tasks.
_LARGE_BYTES = 64 * 1024
_MAY_BE_LARGE = frozenset({"BatchGetItem", "Query", "Scan", "TransactGetItems"})
# These go through every item of the table.
_SLOW = frozenset({"UpdateTable", "UpdateTimeToLive"})


class EmbeddedTransport:
    """Sends requests to its own engine; safe across threads, and with a file across forks."""

    def __init__(self, open_engine: Callable[[], Engine], *, path: str | None) -> None:
        self._open = open_engine
        self._path = path
        self._engine = open_engine()
        self._pid = os.getpid()

    @property
    def engine(self) -> Engine:
        """The engine; a forked process opens its own."""
        if os.getpid() != self._pid:
            if self._path is None:
                raise SortkeyError(
                    "a database in memory cannot be used after a fork: open one in the child "
                    "process, or use a file"
                )
            # SQLite's locks belong to the process that opened the file.
            self._engine, self._pid = self._open(), os.getpid()
        return self._engine

    @property
    def in_memory(self) -> bool:
        """Whether the data is lost when the engine is closed."""
        return self._path is None

    def send(self, request: Request) -> dict[str, Any]:
        """Return the response to a request; raise one of DynamoDB's errors."""
        try:
            return self.engine.answer(*request, lazily=True)
        except ConnectionReset as reset:
            raise _unknown(reset) from reset

    def close(self) -> None:
        """Close the engine."""
        self._engine.close()


class AsyncEmbeddedTransport:
    """Sends requests to an engine from an event loop: directly if fast, else in a thread."""

    def __init__(self, blocking: EmbeddedTransport) -> None:
        self.blocking = blocking
        # The requests that returned a small page the last time.
        self._small: set[tuple[str, str, str]] = set()

    async def send(self, request: Request) -> dict[str, Any]:
        """Return the response to a request; raise one of DynamoDB's errors."""
        operation, body = request
        source = (operation, body.get("TableName", ""), body.get("IndexName", ""))
        is_quick = operation not in _MAY_BE_LARGE or source in self._small
        if is_quick and operation not in _SLOW:
            try:
                reply = self.blocking.engine.reply_at_once(operation, body)
            except ConnectionReset as reset:
                raise _unknown(reset) from reset
            except LateReply as late:
                await asyncio.sleep(late.seconds)
                late.end()
                reply = reply_or_error(late.outcome)
            if reply is not None:
                if len(reply) > _LARGE_BYTES:
                    self._small.discard(source)
                return orjson.loads(reply)
        answer, size = await asyncio.to_thread(self._answer, request)
        if size <= _LARGE_BYTES:
            self._small.add(source)
        return answer

    def _answer(self, request: Request) -> tuple[dict[str, Any], int]:
        try:
            reply = self.blocking.engine.reply(*request)
        except ConnectionReset as reset:
            raise _unknown(reset) from reset
        return orjson.loads(reply), len(reply)

    async def close(self) -> None:
        """Close the engine."""
        self.blocking.close()


def _unknown(reset: ConnectionReset) -> OutcomeUnknown:
    """Return the error of a request without a response, as over a network."""
    return OutcomeUnknown(f"{reset}: the request may have been carried out")
