"""Small requests that become large: compressed, nested, or of numbers without end."""

import zlib
from collections.abc import Callable
from functools import cache

from benchmarks.attack.arena import Arena
from benchmarks.attack.exchange import request
from benchmarks.attack.polite import TABLE

_WORKERS = 2
_MB = 1 << 20


async def attack(arena: Arena) -> None:
    """Send bombs of every kind, again and again."""
    bombs = [kind() for kind in _KINDS]
    arena.random.shuffle(bombs)
    arena.begin()

    async def throw(number: int) -> None:
        at = number
        while arena.is_on:
            await arena.try_request(bombs[at % len(bombs)])
            at += _WORKERS

    await arena.crowd(_WORKERS, throw)


def _packed(plain: bytes, coding: str, times: int = 1) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31 if coding == "gzip" else 15)
    packed = packer.compress(plain) + packer.flush()
    return request("ListTables", packed * times, b"Content-Encoding: %b\r\n" % coding.encode())


@cache
def _gzip() -> bytes:
    return _packed(b" " * (64 * _MB), "gzip")


@cache
def _deflate() -> bytes:
    return _packed(b" " * (64 * _MB), "deflate")


@cache
def _members() -> bytes:
    """Return many empty members, each of which is a start and an end for little."""
    return _packed(b"", "gzip", 15 * _MB // 20)


@cache
def _full_members() -> bytes:
    return _packed(b" " * 15 * _MB, "gzip", 100)


@cache
def _twice() -> bytes:
    inner = zlib.compress(b" " * (64 * _MB), wbits=31)
    return _packed(inner, "gzip")


def _put(value: bytes) -> bytes:
    item = b'{"pk":{"S":"bombs"},"sk":{"S":"a"},"x":%b}' % value
    return request("PutItem", b'{"TableName":"%b","Item":%b}' % (TABLE.encode(), item))


@cache
def _deep_lists() -> bytes:
    return request("PutItem", b"[" * 15 * _MB)


@cache
def _deep_values() -> bytes:
    return _put(b'{"M":{"a":' * 500_000 + b'{"S":"x"}' + b"}}" * 500_000)


@cache
def _wide_values() -> bytes:
    return _put(b'{"L":[' + b",".join([b'{"L":[]}'] * 1_500_000) + b"]}")


@cache
def _long_number() -> bytes:
    return _put(b'{"N":"' + b"9" * 15 * _MB + b'"}')


@cache
def _zeros() -> bytes:
    return _put(b'{"N":"1.' + b"0" * 15 * _MB + b'e-5"}')


@cache
def _equal_strings() -> bytes:
    return _put(b'{"SS":[' + b",".join([b'"a"'] * 3_000_000) + b"]}")


@cache
def _many_attributes() -> bytes:
    names = (b'"a%d":{"NULL":true}' % number for number in range(600_000))
    return _put(b'{"M":{' + b",".join(names) + b"}}")


@cache
def _names() -> bytes:
    names = {f"#n{number}": "x" * 100 for number in range(100_000)}
    body = {"TableName": TABLE, "FilterExpression": "a = b", "ExpressionAttributeNames": names}
    return request("Scan", body)


def _scan(filter_: str) -> bytes:
    values = {":n": {"N": "1"}}
    body = {"TableName": TABLE, "FilterExpression": filter_, "ExpressionAttributeValues": values}
    return request("Scan", body)


@cache
def _parentheses() -> bytes:
    return _scan("(" * 2000 + "a = :n" + ")" * 2000)


@cache
def _negations() -> bytes:
    return _scan("NOT " * 1000 + "a = :n")


@cache
def _functions() -> bytes:
    return _scan("size(" * 800 + "a" + ")" * 800 + " = :n")


@cache
def _long_expression() -> bytes:
    return _scan("a = :n" + " " * 15 * _MB)


_KINDS: tuple[Callable[[], bytes], ...] = (
    *(_gzip, _deflate, _members, _full_members, _twice, _deep_lists, _deep_values, _wide_values),
    *(_long_number, _zeros, _equal_strings, _many_attributes, _names, _parentheses, _negations),
    *(_functions, _long_expression),
)
