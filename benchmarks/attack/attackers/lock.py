"""Another process that locks the database file, again and again."""

import asyncio
import sqlite3
import sys
from contextlib import closing

from benchmarks.attack.arena import Arena

_SHORTEST_SECONDS = 0.1
_LONGEST_SECONDS = 1.5


async def attack(arena: Arena) -> None:
    """Hold the file's write lock in another process, most of the time."""
    while arena.is_on:
        seconds = arena.random.uniform(_SHORTEST_SECONDS, _LONGEST_SECONDS)
        locker = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _PROGRAM, str(arena.server.db), str(seconds)
        )
        arena.sent += 1
        await locker.wait()
        await arena.pause(arena.random.random() / 2)
    with closing(sqlite3.connect(arena.server.db)) as connection:
        found = connection.execute("PRAGMA quick_check").fetchone()
    if found != ("ok",):
        arena.notice(f"the file is damaged: {found}")


_PROGRAM = """
import sqlite3, sys, time
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)
connection.execute("BEGIN IMMEDIATE")
time.sleep(float(sys.argv[2]))
connection.execute("ROLLBACK")
"""
