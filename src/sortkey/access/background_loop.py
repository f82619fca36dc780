"""An event loop in a background thread, which stays open between calls."""

import asyncio
import os
from collections.abc import Awaitable
from threading import Lock, Thread, current_thread
from typing import TypeVar

from sortkey.errors import Refused

R = TypeVar("R")


class _BackgroundLoop:
    """A loop in its own thread, which starts when it is first needed."""

    def __init__(self) -> None:
        self._starting = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def run(self, awaitable: Awaitable[R]) -> R:
        async def awaited() -> R:
            return await awaitable

        loop = self._started()
        if self._thread is current_thread():
            raise Refused(
                "an async handler cannot call another async handler and block until it is done: "
                "await its __wrapped__ function instead"
            )
        return asyncio.run_coroutine_threadsafe(awaited(), loop).result()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=self._loop.run_forever, daemon=True)
                self._thread.start()
            return self._loop


_loop = _BackgroundLoop()


def run_in_background(awaitable: Awaitable[R]) -> R:
    """Await something on this process's background loop, and return the result."""
    return _loop.run(awaitable)


def _reset() -> None:
    """Replace the loop in a forked child, which does not have the thread that runs it."""
    global _loop  # noqa: PLW0603 - one loop for each process
    _loop = _BackgroundLoop()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_reset)
