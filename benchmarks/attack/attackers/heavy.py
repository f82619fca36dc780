"""Legal requests that need seconds of work."""

from collections.abc import Callable
from typing import Any

import orjson

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import Link, Reply, request

_TABLE = "Heavy"
_SMALL_ITEMS = 20_000
_SET = [f"{number:x}" for number in range(70_000)]
_OTHER = [*_SET[:-1], "zzz"]
_WORKERS = 2


async def attack(arena: Arena) -> None:
    """Let every filter, transaction and item be as expensive as the limits allow."""
    await _fill(arena)
    requests = [request(operation, body) for operation, body in (kind() for kind in _KINDS)]
    arena.random.shuffle(requests)
    arena.begin()

    async def demand(number: int) -> None:
        at = number
        while arena.is_on:
            await arena.try_request(requests[at % len(requests)])
            at += _WORKERS

    await arena.crowd(_WORKERS, demand)


async def _fill(arena: Arena) -> None:
    link = await Link.open(arena.port)

    async def must(operation: str, body: Any) -> Reply | None:
        return await arena.try_request(request(operation, body), link)

    await must(
        "CreateTable",
        {
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
        },
    )
    for number in range(3):
        item = _key("large", number) | {"s": {"SS": _SET}}
        await must("PutItem", {"TableName": _TABLE, "Item": item})
    small = [_key("small", number) | {"a": {"N": "1"}} for number in range(_SMALL_ITEMS)]
    for at in range(0, _SMALL_ITEMS, 25):
        puts = [{"PutRequest": {"Item": item}} for item in small[at : at + 25]]
        await must("BatchWriteItem", {"RequestItems": {_TABLE: puts}})
    arena.sent = 0
    link.close()


def _key(partition: str, number: int) -> dict[str, Any]:
    return {"pk": {"S": partition}, "sk": {"N": str(number)}}


def _query(partition: str, filter_: str, **values: Any) -> tuple[str, Any]:
    return "Query", {
        "TableName": _TABLE,
        "KeyConditionExpression": "pk = :p",
        "FilterExpression": filter_,
        "ExpressionAttributeValues": {":p": {"S": partition}}
        | {f":{name}": value for name, value in values.items()},
    }


def _equal_sets() -> tuple[str, Any]:
    return _query("large", " OR ".join(["s = :v"] * 149), v={"SS": _OTHER})


def _sets_in() -> tuple[str, Any]:
    choice = f"s IN ({', '.join([':v'] * 100)})"
    return _query("large", " OR ".join([choice] * 9), v={"SS": _OTHER})


def _contained_sets() -> tuple[str, Any]:
    return _query("large", " OR ".join(["contains(s, :v)"] * 149), v={"S": "nowhere"})


def _many_operators() -> tuple[str, Any]:
    return _query("small", " OR ".join(["a = :v"] * 150), v={"N": "2"})


def _many_choices() -> tuple[str, Any]:
    choice = f"a IN ({', '.join([':v'] * 100)})"
    return _query("small", " OR ".join([choice] * 9), v={"N": "2"})


def _many_ranges() -> tuple[str, Any]:
    ranges = " OR ".join(["a BETWEEN :v AND :w"] * 99)
    return _query("small", ranges, v={"N": "2"}, w={"N": "3"})


def _long_count() -> tuple[str, Any]:
    operation, body = _many_operators()
    return operation, body | {"Select": "COUNT"}


def _many_attributes() -> tuple[str, Any]:
    names = {f"a{number}": {"NULL": True} for number in range(400_000)}
    return "PutItem", {"TableName": _TABLE, "Item": _key("a", 1) | names}


def _large_transaction() -> tuple[str, Any]:
    items = [_key("a", at) | {"l": {"L": [{"NULL": True}] * 9000}} for at in range(100)]
    puts = [{"Put": {"TableName": _TABLE, "Item": item}} for item in items]
    return "TransactWriteItems", {"TransactItems": puts}


def _large_batch() -> tuple[str, Any]:
    items = [_key("b", at) | {"l": {"L": [{"NULL": True}] * 30_000}} for at in range(25)]
    puts = [{"PutRequest": {"Item": item}} for item in items]
    return "BatchWriteItem", {"RequestItems": {_TABLE: puts}}


def _large_update() -> tuple[str, Any]:
    value = {"L": [{"S": "x" * 100}] * 1000}
    nested = "list_append(:v, " * 3 + ":v" + ")" * 3
    body = {
        "TableName": _TABLE,
        "Key": _key("u", 1),
        "UpdateExpression": f"SET l = {nested}",
        "ExpressionAttributeValues": {":v": value},
    }
    return "UpdateItem", body


def _large_read() -> tuple[str, Any]:
    keys = [_key("large", number) for number in range(3)]
    return "BatchGetItem", {"RequestItems": {_TABLE: {"Keys": keys}}}


def _large_refusal() -> tuple[str, Any]:
    return "PutItem", orjson.Fragment(b"[" + b"0," * 5_000_000 + b"0]")


_KINDS: tuple[Callable[[], tuple[str, Any]], ...] = (
    *(_equal_sets, _sets_in, _contained_sets, _many_operators, _many_choices, _many_ranges),
    *(_long_count, _many_attributes, _large_transaction, _large_batch, _large_update),
    *(_large_read, _large_refusal),
)
