"""An event loop that stays between calls, so that what belongs to it can be used again."""

import asyncio
import os
from collections.abc import Awaitable
from threading import Lock, Thread, current_thread
from typing import TypeVar

from sortkey.errors import Refused

R = TypeVar("R")


class _KeptLoop:
    """A loop in a thread of its own, started when it is first needed."""

    def __init__(self) -> None:
        self._starting = Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def run(self, waiting: Awaitable[R]) -> R:
        async def awaited() -> R:
            return await waiting

        loop = self._started()
        if self._thread is current_thread():
            raise Refused("a handler that is awaited cannot call one that waits: await it instead")
        return asyncio.run_coroutine_threadsafe(awaited(), loop).result()

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = Thread(target=self._loop.run_forever, daemon=True)
                self._thread.start()
            return self._loop


_kept = _KeptLoop()


def run_kept(waiting: Awaitable[R]) -> R:
    """The result of something that is awaited, on the loop that this process keeps."""
    return _kept.run(waiting)


def _forget() -> None:
    """A forked child has the loop, and not the thread that runs it."""
    global _kept  # noqa: PLW0603 - one loop for each process
    _kept = _KeptLoop()


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_forget)
