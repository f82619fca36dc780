"""HTTP that no honest client sends: wrong lengths, endless heads, smuggled requests."""

import asyncio
from collections.abc import Callable, Iterator
from random import Random

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import BadReplyError, Link, request
from benchmarks.attack.polite import TABLE

_WORKERS = 24
# The server refuses at once, or waits for the rest of the request; nobody waits for that here.
_READ_SECONDS = 0.3
_DROP = request("DeleteTable", {"TableName": TABLE})
_LIST = request("ListTables", {})
_HEAD = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
_JSON = (
    b"Content-Type: application/x-amz-json-1.0\r\nX-Amz-Target: DynamoDB_20120810.ListTables\r\n"
)


async def attack(arena: Arena) -> None:
    """Send malformed HTTP on many connections."""

    async def misbehave(_: int) -> None:
        while arena.is_on:
            await _send(arena, arena.random.choice(_MAKERS)(arena.random))

    await arena.crowd(_WORKERS, misbehave)


async def _send(arena: Arena, data: bytes) -> None:
    arena.sent += 1
    try:
        link = await Link.open(arena.port)
    except OSError as error:
        arena.notice(f"a connection was not accepted: {error!r}", data)
        return
    try:
        async with asyncio.timeout(_READ_SECONDS):
            await link.send(data)
            while True:
                reply = await link.read()
                if reply.status >= 500:
                    arena.notice(f"status {reply.status}: {reply.body[:300]!r}", data)
    except (TimeoutError, OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        pass  # refused, or still waiting for the rest
    except BadReplyError as error:
        arena.notice(str(error), data)
    finally:
        link.reset() if arena.random.random() < 0.5 else link.close()


def _endless(unit: bytes, random: Random) -> bytes:
    return unit * (random.choice((100, 20_000, 500_000)) // len(unit))


def _endless_head(random: Random) -> bytes:
    return _HEAD + _endless(b"X-Filler: y\r\n", random)


def _endless_header(random: Random) -> bytes:
    return _HEAD + b"X-Filler: " + _endless(b"y", random)


def _endless_line(random: Random) -> bytes:
    return b"GET /" + _endless(b"a", random) + b" HTTP/1.1\r\n\r\n"


def _many_headers(random: Random) -> bytes:
    lines = b"".join(b"h%d:\r\n" % number for number in range(random.choice((100, 2000, 50_000))))
    return _HEAD + lines + _JSON + b"Content-Length: 2\r\n\r\n{}"


def _endless_extension(random: Random) -> bytes:
    return _HEAD + _JSON + b"Transfer-Encoding: chunked\r\n\r\n2;" + _endless(b"e", random)


def _endless_trailer(random: Random) -> bytes:
    chunks = b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
    return _HEAD + _JSON + chunks + _endless(b"T: railer\r\n", random)


def _endless_body(random: Random) -> bytes:
    size = random.choice((b"99999999999999999999", b"17000000", b"16777216"))
    return _HEAD + _JSON + b"Content-Length: " + size + b"\r\n\r\n" + _endless(b"x", random)


def _wrong_length(random: Random) -> bytes:
    size = random.choice(
        (b"-1", b"+2", b"0x2", b"2, 2", b"", b"2 2", b"1e3", b"\xd9\xa2", b"2\r\nContent-Length: 3")
    )
    return _HEAD + _JSON + b"Content-Length: " + size + b"\r\n\r\n{}" + _LIST


def _wrong_chunks(random: Random) -> bytes:
    chunk = random.choice(
        (
            *(b"-1\r\n{}\r\n", b"ffffffffffffffffff\r\n{}", b"2\r\n{}0\r\n\r\n", b"2\n{}\n0\n\n"),
            *(b"0x2\r\n{}\r\n", b" 2\r\n{}\r\n", b"2\r\n{}x\r\n0\r\n\r\n", b"\r\n", b"\x00"),
        )
    )
    return _HEAD + _JSON + b"Transfer-Encoding: chunked\r\n\r\n" + chunk + _LIST


def _smuggled(random: Random) -> bytes:
    """Hide a request in the body of another: read one way, it would drop a table."""
    coding = random.choice(
        (
            *(b"Transfer-Encoding: chunked", b"Transfer-Encoding: xchunked"),
            *(b"Transfer-Encoding : chunked", b"Transfer-Encoding: chunked, identity"),
            *(b"Transfer-Encoding:\tchunked", b"X: y\nTransfer-Encoding: chunked"),
            *(b"Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",),
        )
    )
    body = b"0\r\n\r\n" + _DROP
    # Whichever of the two lengths counts, the other reading ends before the hidden request.
    return _HEAD + _JSON + b"%b\r\nContent-Length: %d\r\n\r\n%b" % (coding, len(body), body)


def _upgrade(random: Random) -> bytes:
    wanted = random.choice((b"websocket", b"h2c", b"TLS/1.0", b"x" * 5000))
    first = random.choice((b"GET", b"POST", b"CONNECT", b"OPTIONS", b"PRI"))
    return (
        (first + b" / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: ")
        + wanted
        + b"\r\nContent-Length: 0\r\n\r\n"
        + _LIST
    )


def _nonsense(random: Random) -> bytes:
    return random.choice(
        (
            *(random.randbytes(random.randrange(1, 2000)), b"\r\n" * 5000, b"\x16\x03\x01\x02\x00"),
            *(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"GET\r\n\r\n"),
            *(b"GET / HTTP/1.0\r\n\r\n", b"HEAD / HTTP/1.1\r\nHost:\r\n\r\n", b"DELETE"),
        )
    )


def _expectation(random: Random) -> bytes:
    wanted = random.choice((b"100-continue", b"200-ok", b"100-continue, 100-continue"))
    size = random.choice((b"2", b"99999999999", b"9" * 300))
    return _HEAD + _JSON + b"Expect: " + wanted + b"\r\nContent-Length: " + size + b"\r\n\r\n"


def _flipped(random: Random) -> bytes:
    """Return a good request with a few bytes changed."""
    data = bytearray(_LIST)
    for _ in range(random.randrange(1, 8)):
        data[random.randrange(len(data))] = random.randrange(256)
    return bytes(data)


def makers() -> Iterator[Callable[[Random], bytes]]:
    """Return every kind of malformed request."""
    yield from (_endless_head, _endless_header, _endless_line, _many_headers, _endless_extension)
    yield from (_endless_trailer, _endless_body, _wrong_length, _wrong_chunks, _smuggled)
    yield from (_upgrade, _nonsense, _expectation, _flipped)


_MAKERS = tuple(makers())
