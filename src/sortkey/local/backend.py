"""The engine of `sortkey run`, which also has the meters of functions, and tells of moved clocks.

It is wrapped rather than changed: the engine does not know of functions.
"""

from collections.abc import Callable
from typing import Any

import orjson

from sortkey.local.meters import LocalMeters
from sortkey.server.backend import Backend


class LocalBackend:
    """An engine whose DescribeMeters has more metrics, and whose MoveClock is noticed."""

    def __init__(self, engine: Backend, meters: LocalMeters, moved: Callable[[], None]) -> None:
        self._engine = engine
        self._meters = meters
        self._moved = moved
        self.can_write = engine.can_write
        self.flush = engine.flush
        self.tend = engine.tend
        self.close = engine.close

    @property
    def writing(self) -> bool:
        """Whether writes wait for `flush`."""
        return self._engine.writing

    def reply(self, operation: str, body: Any) -> bytes:
        """Return the response as JSON."""
        reply = self._engine.reply(operation, body)
        if operation == "DescribeMeters":
            meters = orjson.loads(reply)
            meters["Metrics"] += self._meters.described()
            return orjson.dumps(meters)
        if operation == "MoveClock":
            self._moved()
        return reply

    def beside(self) -> "LocalBackend":
        """Return an engine with the same data, for threads beside an event loop."""
        beside = self._engine.beside()
        return self if beside is self._engine else type(self)(beside, self._meters, self._moved)
