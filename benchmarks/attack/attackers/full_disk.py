"""A disk that is full for a while."""

import resource

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import request
from benchmarks.attack.polite import TABLE

_UNLIMITED = -1


async def attack(arena: Arena) -> None:
    """Let no file of the server grow or change, then give it its disk back."""
    while arena.is_on:
        # A write behind this place fails, as on a full disk; reads go on.
        arena.server.limit(resource.RLIMIT_FSIZE, arena.random.choice((1, 4096, 100_000)))
        arena.sent += 1
        await arena.pause(arena.random.uniform(0.2, 1.0))
        arena.server.limit(resource.RLIMIT_FSIZE, _UNLIMITED)
        # Reports a write that still fails.
        item = {"pk": {"S": "full-disk"}, "sk": {"S": "a"}}
        await arena.try_request(request("PutItem", {"TableName": TABLE, "Item": item}))
        await arena.pause(arena.random.uniform(0.2, 1.0))
