"""Bits of the database file that a disk has flipped.

A read of a damaged file may fail, and must not be wrong.
"""

import asyncio
import sys
from pathlib import Path
from random import Random

from benchmarks.attack import damaged
from benchmarks.attack.arena import Arena

_FILES = 8


async def attack(arena: Arena) -> None:
    """Flip bits in copies of a good file, and read them."""
    good = arena.server.home / "good.db"
    damaged.fill(good)
    arena.begin()
    while arena.is_on:
        files = [arena.server.home / f"damaged-{number}.db" for number in range(_FILES)]
        flips = {file: _flip(good, file, arena.random) for file in files}
        arena.sent += len(flips)
        reader = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "benchmarks.attack.damaged"),
            *map(str, files),
            stdout=asyncio.subprocess.PIPE,
        )
        output, _ = await reader.communicate()
        outcomes = dict(line.split("\t", 1) for line in output.decode().splitlines())
        for file, flip in flips.items():
            outcome = outcomes.get(str(file), "the process that read it ended")
            if outcome == damaged.INCOMPLETE and await _is_reported(file):
                continue
            if outcome != damaged.FINE:
                arena.notice(f"bit {flip % 8} of byte {flip // 8}: {outcome}")


async def _is_reported(file: Path) -> bool:
    """Return whether `sortkey verify` reports the damage."""
    program = Path(sys.executable).with_name("sortkey")
    verify = await asyncio.create_subprocess_exec(
        *(str(program), "verify", str(file)),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    return await verify.wait() == 1


def _flip(good: Path, flipped: Path, random: Random) -> int:
    """Copy a file with one bit flipped, and return which."""
    for suffix in ("-wal", "-shm"):
        Path(f"{flipped}{suffix}").unlink(missing_ok=True)
    content = bytearray(good.read_bytes())
    bit = random.randrange(len(content) * 8)
    content[bit // 8] ^= 1 << bit % 8
    flipped.write_bytes(content)
    return bit
