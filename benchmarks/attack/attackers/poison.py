"""Requests that fail after they have written, among writes that share their commit."""

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import Link, request
from benchmarks.attack.polite import TABLE

_CLIENTS = 4


async def attack(arena: Arena) -> None:
    """Send writes that were once able to spoil the commit of all others."""
    deep = b'{"a":' * 300 + b"1" + b"}" * 300
    middle = b'{"a":' * 100 + b"1" + b"}" * 100
    item = b'{"pk":{"S":"poison"%b},"sk":{"S":"a"}}'
    put = b'{"Put":{"TableName":"%b","Item":%b}}'
    kinds = [
        request(
            "TransactWriteItems",
            b'{"ClientRequestToken":"%b","TransactItems":[%b]}'
            % (token, put % (TABLE.encode(), item % (b',"Z":' + junk if junk else b""))),
        )
        for token in (b"t", b"\\ud800", b"x" * 36)
        for junk in (b"", deep, middle, b'"\\udfff"')
    ]
    kinds += [
        request("PutItem", b'{"TableName":"%b","Item":%b}' % (TABLE.encode(), item % junk))
        for junk in (b',"Z":' + deep, b',"N":"1"', b',"S":"\\ud800"')
    ]

    async def poison(_: int) -> None:
        link = await Link.open(arena.port)
        while arena.is_on:
            if await arena.try_request(arena.random.choice(kinds), link) is None:
                return
        link.close()

    await arena.crowd(_CLIENTS, poison)
