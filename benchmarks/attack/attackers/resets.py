"""Clients that break off in the middle: of a request, of a response, before a commit."""

from contextlib import suppress

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import Link, request
from benchmarks.attack.polite import TABLE

_CLIENTS = 16


async def attack(arena: Arena) -> None:
    """Send whole and half requests, and reset the connection at once."""

    async def break_off(number: int) -> None:
        item = {"pk": {"S": f"resets-{number}"}, "sk": {"S": "a"}, "text": {"S": "x" * 3000}}
        whole = request("PutItem", {"TableName": TABLE, "Item": item})
        while arena.is_on:
            with suppress(OSError):
                link = await Link.open(arena.port)
                arena.sent += 1
                at = arena.random.choice((len(whole), arena.random.randrange(1, len(whole))))
                await link.send(whole * arena.random.randrange(3) + whole[:at])
                await arena.pause(arena.random.choice((0, 0, 0.001, 0.02)))
                link.reset()

    await arena.crowd(_CLIENTS, break_off)
