"""Power cuts: only what was synced is certain to be on the disk.

A server with full durability runs under strace, which records every write, sync and response. A
cut at any moment leaves the synced writes, and of the others some sectors, by chance. Each of the
files that can result is opened, and must have every write that was acknowledged before the cut.
"""

import asyncio
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, Literal

from benchmarks.attack.arena import Arena, CannotAttackError
from benchmarks.attack.exchange import Link
from benchmarks.attack.server import Server, Setting
from sortkey.engine import Engine
from sortkey.errors import SortkeyError

_TABLE = "Names"
_WRITERS = 4
_SECTOR = 512
_CUTS = 12
_CALLS = "pwrite64,write,writev,sendto,sendmsg,fsync,fdatasync,ftruncate"
_CALL = re.compile(r"(\w+)\(\d+<([^>]*)>(.*)", re.DOTALL)
_TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')
_ACKNOWLEDGED = re.compile(rb'"who":\{"S":"(\w+)"\},"count":\{"N":"(\d+)"\}')
_CREATE = {
    "TableName": _TABLE,
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
}


@dataclass(frozen=True, slots=True)
class Traced:
    """Something that the server did, in order."""

    kind: Literal["write", "truncate", "sync", "reply"]
    file: str = ""
    at: int = 0
    data: bytes = b""


async def attack(arena: Arena) -> None:
    """Write on a traced server, then cut its power at many moments."""
    await cut(arena, "full")


async def cut(arena: Arena, durability: str) -> None:
    """Write with this durability, and report each acknowledged write that a cut loses."""
    if not shutil.which("strace"):
        raise CannotAttackError("strace is not installed: apt-get install strace")
    home = arena.server.home / "power"
    trace = home / "trace"
    strace = ("strace", "-f", "-yy", "-xx", "-s", "1000000", "-e", f"trace={_CALLS}")
    options = ("--durability", durability)
    setting = Setting(is_file=True, options=options, under=(*strace, "-o", str(trace)))
    server = Server(setting, home)
    home.mkdir()
    with Engine.open(server.db) as engine:
        engine.answer("CreateTable", _CREATE)
    before = server.db.read_bytes()
    server.start()
    arena.begin()
    try:
        await arena.crowd(_WRITERS, lambda number: _write(arena, server.port, f"w{number}"))
    finally:
        server.kill()
    done = list(traced(trace.read_text()))
    replies = [at for at, event in enumerate(done) if event.kind == "reply"]
    for moment in sorted(arena.random.choices(replies, k=_CUTS)):
        await asyncio.to_thread(_check, done[: moment + 1], before, home, arena)


async def _write(arena: Arena, port: int, name: str) -> None:
    """Count up, once alone and once in a transaction that counts two items."""
    link = await Link.open(port)
    count = 0
    while arena.is_on:
        count += 1
        arena.sent += 1
        body = _update(name, count)
        with suppress(OSError, asyncio.IncompleteReadError):
            await link.ask("UpdateItem", body | {"ReturnValues": "UPDATED_NEW"})
            pair = [{"Update": _update(f"{name}-{side}", count)} for side in ("left", "right")]
            await link.ask("TransactWriteItems", {"TransactItems": pair})
    link.close()


def _update(name: str, count: int) -> dict[str, Any]:
    return {
        "TableName": _TABLE,
        "Key": {"name": {"S": name}},
        "UpdateExpression": "SET who = :who, #c = :count",
        "ExpressionAttributeNames": {"#c": "count"},
        "ExpressionAttributeValues": {":who": {"S": name}, ":count": {"N": str(count)}},
    }


def _check(done: list[Traced], before: bytes, home: Path, arena: Arena) -> None:
    """Open the files that a cut at the end of these events leaves, and compare."""
    acknowledged: dict[str, int] = {}
    for event in done:
        for name, count in _ACKNOWLEDGED.findall(event.data if event.kind == "reply" else b""):
            acknowledged[name.decode()] = int(count)
    place = home / "cut.db"
    for suffix in ("", "-wal", "-shm"):
        Path(f"{place}{suffix}").unlink(missing_ok=True)
    for suffix in ("", "-wal"):
        start = before if not suffix else b""
        left = surviving(done, lambda name, end=suffix: name.endswith(f".db{end}"), start, arena)
        Path(f"{place}{suffix}").write_bytes(left)
    try:
        with Engine.open(place) as engine:
            items = engine.answer("Scan", {"TableName": _TABLE})["Items"]
    except SortkeyError as error:
        arena.notice(f"after a power cut the file cannot be read: {error}")
        return
    stored = {item["name"]["S"]: int(item["count"]["N"]) for item in items}
    for name, count in acknowledged.items():
        if stored.get(name, 0) < count:
            arena.notice(
                f"a power cut lost {name}: {count} was acknowledged, {stored.get(name)} kept"
            )
    for name in acknowledged:
        if stored.get(f"{name}-left") != stored.get(f"{name}-right"):
            arena.notice(f"a power cut kept half of a transaction of {name}")


def surviving(
    done: list[Traced], is_file: Callable[[str], bool], start: bytes, arena: Arena
) -> bytes:
    """Return a file after a power cut: all that was synced, and some sectors of the rest."""
    content = bytearray(start)
    changes = [event for event in done if event.kind != "reply" and is_file(event.file)]
    synced = max((at for at, event in enumerate(changes) if event.kind == "sync"), default=-1)
    for at, event in enumerate(changes):
        if event.kind == "truncate":
            if at <= synced or arena.random.random() < 0.5:
                del content[event.at :]
        elif event.kind == "write":
            _put(content, event, None if at <= synced else arena.random)
    return bytes(content)


def _put(content: bytearray, event: Traced, chance: Random | None) -> None:
    """Write data into a file; with a chance, only some of its sectors."""
    for begin in range(0, len(event.data), _SECTOR):
        piece = event.data[begin : begin + _SECTOR]
        if chance is None or chance.random() < 0.5:
            at = event.at + begin
            content.extend(bytes(max(0, at + len(piece) - len(content))))
            content[at : at + len(piece)] = piece


def traced(trace: str) -> Iterator[Traced]:
    """Return what a server did, from the lines of strace."""
    unfinished: dict[str, str] = {}
    for line in trace.splitlines():
        thread, _, call = line.partition(" ")
        call = call.strip()
        started = call
        if resumed := re.match(r"<\.\.\. \w+ resumed>", call):
            started = unfinished.pop(thread, "")
            call = started + call[resumed.end() :]
        elif call.endswith("<unfinished ...>"):
            started = call.removesuffix("<unfinished ...>")
            unfinished[thread] = started
        parts = _CALL.match(call)
        if parts is None:
            continue
        name, place, rest = parts.groups()
        # A sync counts from its end, everything else from its beginning.
        if name in {"fsync", "fdatasync"}:
            if rest.endswith("= 0"):
                yield Traced("sync", _decoded(place).decode())
        elif resumed:
            continue
        elif place.startswith("TCP"):
            yield Traced("reply", data=b"".join(map(_decoded, _TEXT.findall(rest))))
        elif name == "pwrite64" and (found := re.match(r', ("[^"]*"), \d+, (\d+)', rest)):
            yield Traced("write", _decoded(place).decode(), int(found[2]), _decoded(found[1]))
        elif name == "ftruncate" and (found := re.match(r", (\d+)", rest)):
            yield Traced("truncate", _decoded(place).decode(), int(found[1]))


def _decoded(text: str) -> bytes:
    """Return the bytes that strace has written as hexadecimal digits."""
    return bytes.fromhex(text.strip('"').replace("\\x", "")) if "\\x" in text else text.encode()
