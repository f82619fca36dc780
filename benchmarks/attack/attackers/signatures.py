"""Forged signatures on a server with keys."""

import asyncio
import time

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import BadReplyError, Link, request
from benchmarks.attack.polite import TABLE
from sortkey.access.credentials import Credentials
from sortkey.access.transports.signing import Signer
from sortkey.wire.services import target_of

KEYS = ("AKIDPOLITE", "s3cret/of+the=polite")
_CLIENTS = 4
_DROP = b'{"TableName":"%b"}' % TABLE.encode()
_CHARACTERS = b"0123456789abcdef/=,; :AWSZT+-."


async def attack(arena: Arena) -> None:
    """Try to drop a table with signatures that are not quite right."""

    async def forge(_: int) -> None:
        link: Link | None = None
        while arena.is_on:
            link = link or await Link.open(arena.port)
            data = _forged(arena)
            arena.sent += 1
            try:
                async with asyncio.timeout(10):
                    await link.send(data)
                    reply = await link.read()
            except (OSError, asyncio.IncompleteReadError):
                link = None  # a mutation has made it something else than HTTP
                continue
            except (TimeoutError, BadReplyError) as error:
                arena.notice(f"no response: {error!r}", data)
                link = None
                continue
            if reply.status == 200 or reply.status >= 500:
                arena.notice(f"a forged request got {reply.status}: {reply.body[:200]!r}", data)

    await arena.crowd(_CLIENTS, forge)


def _forged(arena: Arena) -> bytes:
    """Return a request to drop a table whose signature is missing, stolen, old or damaged."""
    random = arena.random
    signer = Signer("127.0.0.1", "us-east-1")
    target = target_of("DeleteTable").encode()
    right, now = Credentials(*KEYS), time.time()

    def signed(who: Credentials, at: float, of: bytes = target, body: bytes = _DROP) -> bytes:
        return request("DeleteTable", _DROP, signer.sign(of, body, who, at))

    kind = random.randrange(7)
    if kind == 0:
        return request("DeleteTable", _DROP)
    if kind == 1:
        return signed(Credentials(KEYS[0], "another secret"), now)
    if kind == 2:
        return signed(Credentials("ANOTHER", KEYS[1]), now)
    if kind == 3:
        return signed(right, now + random.choice((-1, 1)) * random.uniform(960, 10**6))
    if kind == 4:  # stolen from a harmless request
        return signed(right, now, target_of("DescribeTable").encode())
    if kind == 5:  # stolen from a request for another table
        return signed(right, now, body=b'{"TableName":"Other1"}')
    return _damaged(arena, signed(right, now))


def _damaged(arena: Arena, whole: bytes) -> bytes:
    """Return a request with one character of its signature or credential changed."""
    begin, end = whole.index(b"Credential="), whole.index(b"Content-Length")
    while True:
        at = arena.random.randrange(begin + len(b"Credential="), end - 2)
        changed = arena.random.choice(_CHARACTERS)
        # A space or a comma between the parts may be missing or doubled.
        if whole[at] in b", \r\n" or changed in b", ":
            continue
        forged = whole[:at] + bytes((changed,)) + whole[at + 1 :]
        if forged.lower() != whole.lower():
            return forged
