"""Clients that send many requests with large responses, and read none of them."""

import asyncio
from contextlib import suppress

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import Link, request

_TABLE = "Unread"
_CLIENTS = 8
_REQUESTS = 1000


async def attack(arena: Arena) -> None:
    """Pipeline queries of a megabyte each on connections that nobody reads."""
    await _fill(arena)
    arena.begin()
    query = request(
        "Query",
        {
            "TableName": _TABLE,
            "KeyConditionExpression": "pk = :pk",
            "ExpressionAttributeValues": {":pk": {"S": "a"}},
        },
    )

    async def overfill(_: int) -> None:
        while arena.is_on:
            link = await Link.open(arena.port)
            arena.sent += _REQUESTS
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(2):
                    await link.send(query * _REQUESTS)
            await arena.pause(arena.random.random() * 3)
            link.reset()

    await arena.crowd(_CLIENTS, overfill)


async def _fill(arena: Arena) -> None:
    table = {
        "TableName": _TABLE,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "N"},
        ],
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    }
    await arena.try_request(request("CreateTable", table))
    for number in range(3):
        item = {"pk": {"S": "a"}, "sk": {"N": str(number)}, "text": {"S": "x" * 390_000}}
        await arena.try_request(request("PutItem", {"TableName": _TABLE, "Item": item}))
