"""kill -9, of the whole server or of one worker, at any moment."""

import os
import signal
from contextlib import suppress

from benchmarks.attack.arena import Arena


async def attack(arena: Arena) -> None:
    """Kill the server, and start it again on the same file and port."""
    while arena.is_on:
        await arena.pause(arena.random.uniform(0.2, 1.0))
        workers = arena.server.pids[1:]
        arena.sent += 1
        if workers and arena.random.random() < 0.5:
            with suppress(ProcessLookupError):
                os.kill(arena.random.choice(workers), signal.SIGKILL)
        else:
            arena.server.kill()
            arena.server.start()
