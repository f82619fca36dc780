"""Clients that connect and say nothing, more of them than the server has descriptors for."""

from contextlib import suppress

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import Link, request

_CLIENTS = 600


async def attack(arena: Arena) -> None:
    """Hold more connections than a server with 256 descriptors can have."""
    begun = request("ListTables", {})[:40]

    async def hold(number: int) -> None:
        while arena.is_on:
            with suppress(OSError):  # the server may end a connection on which nothing happens
                link = await Link.open(arena.port)
                arena.sent += 1
                try:
                    if number % 2:
                        await link.send(begun)
                    await arena.pause(3600)
                finally:
                    link.close()
            await arena.pause(0.2)

    await arena.crowd(_CLIENTS, hold)
