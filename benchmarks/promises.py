"""`python -m benchmarks.promises`: what each server withstands, measured side by side."""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.attack.arena import CannotAttackError
from benchmarks.attack.attackers.page import readings
from benchmarks.attack.exchange import BadReplyError, Link, request
from benchmarks.attack.server import family, private_megabytes
from benchmarks.environments import MissingToolError, Tools, install_tools
from benchmarks.peers import (
    Peer,
    PeerError,
    Running,
    dynalite,
    dynamodb_local,
    dynoxide,
    ministack,
    moto,
    running,
    sortkey,
)
from benchmarks.progress import Progress
from benchmarks.report import BEGIN, END, NoPlaceError, find_place
from benchmarks.table import Cell, Table, as_markdown, as_text

TITLE = "What each server withstands"
_TABLE = "Things"
# The headers that some servers ask for, with a key that none of them was given.
_SIGNED = (
    b"X-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 Credential=any/20260101/"
    b"us-east-1/dynamodb/aws4_request, SignedHeaders=host;x-amz-date, Signature=0\r\n"
)
_KEYS = ("--access-key", "key", "--secret-key", "secret")
_PATIENCE_SECONDS = 120.0
_HALFWAY_SECONDS = 45.0
_DELETED_SECONDS = 3.0
_UNREAD = 1000
_UNREAD_SECONDS = 8.0
_WRITERS = 8
_WRITE_SECONDS = 2.0
_DESCRIPTORS = 1024
_IDLE = 1200
_LEVELS = 100_000
_FILTERED = 10_000
_FLIPPED = 5
_LISTENING = "0A"
_THIS_MACHINE = {"0100007F", "00000000000000000000000001000000"}
_LOST = (OSError, TimeoutError, asyncio.IncompleteReadError, BadReplyError)


@dataclass(frozen=True, slots=True)
class Contender:
    """A server, as it is started: in memory, with a file if it can, with keys if it can."""

    name: str
    memory: Peer
    file: Peer | None = None
    keyed: Peer | None = None


def contenders(tools: Tools) -> list[Contender]:
    """Return all servers."""
    return [
        Contender("sortkey", sortkey(), sortkey(file=True), sortkey("sortkey", *_KEYS)),
        Contender("DynamoDB Local", dynamodb_local(tools), dynamodb_local(tools, file=True)),
        Contender("dynalite", dynalite(tools), dynalite(tools, file=True)),
        Contender("Dynoxide", dynoxide(tools), dynoxide(tools, file=True)),
        Contender("moto", moto(tools), keyed=_under(moto(tools), *_MOTO_KEYS)),
        Contender("MiniStack", ministack(tools)),
    ]


_MOTO_KEYS = ("env", "INITIAL_NO_AUTH_ACTION_COUNT=0")


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, and print the table; return 0, or 2 if it cannot run."""
    options = _parser().parse_args(arguments)
    try:
        if options.write:
            find_place(options.write)  # fail now, not after minutes of measuring
        tools = install_tools()
        with Progress() as progress:
            table = measure(contenders(tools), options.only or list(PROBES), progress)
        if options.write:
            before, after = find_place(options.write)
            options.write.write_text(f"{before}{BEGIN}\n\n{as_markdown(table)}\n\n{END}{after}")
    except (CannotAttackError, MissingToolError, NoPlaceError) as error:
        print(error, file=sys.stderr)
        return 2
    print(as_text(table))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.promises", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=PROBES, help="measure only these")
    parser.add_argument("--write", type=Path, help="write the table into this Markdown page")
    return parser


def measure(servers: Sequence[Contender], names: Sequence[str], progress: Progress) -> Table:
    """Return the table of all servers."""
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        question, probe = PROBES[name]
        cells = [Cell(question)]
        for server in servers:
            progress.say(f"{server.name}: {question}")
            with tempfile.TemporaryDirectory(prefix="sortkey-promises-") as home:
                try:
                    cells.append(Cell(probe(server, Path(home))))
                except TimeoutError:
                    cells.append(Cell(f"over {_PATIENCE_SECONDS:.0f} s"))
                except (PeerError, *_LOST) as error:
                    cells.append(Cell(f"failed: {error!r}"[:60]))
        rows.append(tuple(cells))
    return Table(TITLE, ("", *(server.name for server in servers)), tuple(rows))


# -- probes: each starts its own server, and returns what it saw in a few words -----------------


def _page_reads(server: Contender, home: Path) -> str:
    with running(server.memory, home / "a") as engine:
        _create(engine)
        read = asyncio.run(readings(engine.port, _TABLE))
    return "yes" if any("TableNames" in (found or "") for _, found in read) else "no"


def _page_drops(server: Contender, home: Path) -> str:
    with running(server.memory, home / "a") as engine:
        _create(engine)
        asyncio.run(readings(engine.port, _TABLE))
        # Some servers answer at once, and delete a moment later.
        time.sleep(_DELETED_SECONDS)
        return "no" if engine.call("ListTables", {})["TableNames"] else "yes"


def _other_machines(server: Contender, home: Path) -> str:
    def command(port: int, folder: Path) -> list[str]:
        words = server.memory.command(port, folder)
        return [word for word in words if word not in {"--host", "-H", "127.0.0.1"}]

    with running(Peer(server.name, command), home / "a") as engine:
        lines = [
            line.split()
            for table in ("tcp", "tcp6")
            for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
        ]
        port = f":{engine.port:04X}"
        places = {
            words[1].removesuffix(port)
            for words in lines
            if words[3] == _LISTENING and words[1].endswith(port)
        }
    return "no" if places and places <= _THIS_MACHINE else "yes"


def _unknown_key(server: Contender, home: Path) -> str:
    with running(server.keyed or server.memory, home / "a") as engine:
        status = asyncio.run(_status(engine.port, request("ListTables", {}, _SIGNED)))
    if status == "200":
        return "accepted"
    return "refused, if keys are set" if server.keyed else "refused"


def _unread(server: Contender, home: Path) -> str:
    query = {
        "TableName": _TABLE,
        "KeyConditionExpression": "pk = :pk",
        "ExpressionAttributeValues": {":pk": {"S": "a"}},
    }

    async def overfill(engine: Running) -> float:
        link = await Link.open(engine.port)
        before = peak = _megabytes(engine)
        sending = asyncio.create_task(link.send(request("Query", query, _SIGNED) * _UNREAD))
        deadline = time.monotonic() + _UNREAD_SECONDS
        while time.monotonic() < deadline:
            await asyncio.sleep(0.1)
            peak = max(peak, _megabytes(engine))
        sending.cancel()
        with contextlib.suppress(asyncio.CancelledError, OSError):
            await sending
        link.reset()
        return peak - before

    with running(server.memory, home / "a") as engine:
        if not asyncio.run(_is_pipelined(engine.port)):
            return "one response for each connection"
        _create(engine)
        for number in range(3):
            item = _key("a", number) | {"text": {"S": "x" * 340_000}}
            engine.call("PutItem", {"TableName": _TABLE, "Item": item})
        return f"{asyncio.run(overfill(engine)):,.0f} MB"


def _heavy(server: Contender, home: Path) -> str:
    choice = f"a IN ({', '.join([':v'] * 100)})"
    query = {
        "TableName": _TABLE,
        "KeyConditionExpression": "pk = :pk",
        "FilterExpression": " OR ".join([choice] * 9),
        "ExpressionAttributeValues": {":pk": {"S": "a"}, ":v": {"N": "2"}},
    }

    async def demand(engine: Running) -> float:
        heavy = await Link.open(engine.port)
        busy = asyncio.create_task(heavy.ask("Query", query, _SIGNED))
        longest = 0.0
        async with asyncio.timeout(_PATIENCE_SECONDS):
            while True:
                began = time.monotonic()
                # A new connection each time, since not every server keeps one open.
                other = await Link.open(engine.port)
                await other.ask("ListTables", {}, _SIGNED)
                other.close()
                longest = max(longest, time.monotonic() - began)
                if busy.done():
                    break
                await asyncio.sleep(0.01)
        reply = await busy
        heavy.close()
        if reply.status != 200:
            raise PeerError(f"the filter was refused: {reply.error}")
        return longest

    with running(server.memory, home / "a") as engine:
        _create(engine)
        for at in range(0, _FILTERED, 25):
            puts = [
                {"PutRequest": {"Item": _key("a", number) | {"a": {"N": "1"}}}}
                for number in range(at, at + 25)
            ]
            engine.call("BatchWriteItem", {"RequestItems": {_TABLE: puts}})
        return f"{asyncio.run(demand(engine)):.2f} s"


def _halfway(server: Contender, home: Path) -> str:
    async def stop_halfway(port: int) -> str:
        link = await Link.open(port)
        await link.send(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Hal")
        began = time.monotonic()
        try:
            async with asyncio.timeout(_HALFWAY_SECONDS):
                await link.at_end()
        except TimeoutError:
            return f"not in {_HALFWAY_SECONDS:.0f} s"
        finally:
            link.reset()
        return f"after {time.monotonic() - began:.0f} s"

    with running(server.memory, home / "a") as engine:
        return asyncio.run(stop_halfway(engine.port))


def _idle(server: Contender, home: Path) -> str:
    limited = _under(server.memory, "prlimit", f"--nofile={_DESCRIPTORS}")

    async def crowd(port: int) -> str:
        links: list[Link] = []
        with contextlib.suppress(*_LOST):
            async with asyncio.timeout(20):
                for _ in range(_IDLE):
                    links.append(await Link.open(port))  # noqa: PERF401 - kept if one fails
        await asyncio.sleep(1)
        status = await _status(port, request("ListTables", {}, _SIGNED), 10)
        for link in links:
            link.reset()
        return "is served" if status == "200" else "is not served"

    with running(limited, home / "a") as engine:
        return asyncio.run(crowd(engine.port))


def _deep(server: Contender, home: Path) -> str:
    body = b'{"TableName":"Things","Item":{"pk":' + b"[" * _LEVELS + b"]" * _LEVELS + b"}}"
    with running(server.memory, home / "a") as engine:
        _create(engine)
        status = asyncio.run(_status(engine.port, request("PutItem", body, _SIGNED), 30))
        after = asyncio.run(_status(engine.port, request("ListTables", {}, _SIGNED), 30))
    if after != "200":
        return "ends the server"
    return f"status {status}" if status.isdigit() else "no response"


def _killed(server: Contender, home: Path) -> str:
    if server.file is None:
        return "memory only"
    peer = _at(server.file, home)
    acknowledged: list[str] = []

    async def write(port: int, number: int, deadline: float) -> None:
        link, count = await Link.open(port), 0
        with contextlib.suppress(*_LOST):
            while time.monotonic() < deadline + 1:
                name = f"{number}-{count}"
                body = {"TableName": _TABLE, "Item": _key(name, 0)}
                if (await link.ask("PutItem", body, _SIGNED)).status == 200:
                    acknowledged.append(name)
                count += 1
        link.close()

    async def write_and_kill(engine: Running) -> None:
        deadline = time.monotonic() + _WRITE_SECONDS
        writers = [
            asyncio.create_task(write(engine.port, number, deadline)) for number in range(_WRITERS)
        ]
        await asyncio.sleep(_WRITE_SECONDS)
        os.killpg(engine.pid, signal.SIGKILL)
        await asyncio.gather(*writers)

    with running(peer, home / "first") as engine:
        _create(engine)
        asyncio.run(write_and_kill(engine))
    with running(peer, home / "second") as engine:
        stored = {item["pk"]["S"] for item in _scan(engine)}
    lost = sum(name not in stored for name in acknowledged)
    return f"{lost:,} of {len(acknowledged):,}"


def _flipped(server: Contender, home: Path) -> str:
    if server.file is None:
        return "memory only"
    peer = _at(server.file, home)
    random = Random(1)  # noqa: S311 - texts that are easy to find in a file
    texts = [random.randbytes(40).hex() for _ in range(_FLIPPED)]
    with running(peer, home / "first") as engine:
        _create(engine)
        for number, text in enumerate(texts):
            item = _key("a", number) | {"text": {"S": text}}
            engine.call("PutItem", {"TableName": _TABLE, "Item": item})
        engine.wait_until_idle()
    found = sum(flip(home / "data", text) for text in texts)
    if found < _FLIPPED:
        return "not found in its files"
    try:
        with running(peer, home / "second") as engine:
            seen = [_seen(engine, number, text) for number, text in enumerate(texts)]
    except PeerError:
        return "does not start"
    return ", ".join(f"{kind} ({seen.count(kind)})" for kind in dict.fromkeys(seen))


def _seen(engine: Running, number: int, text: str) -> str:
    key = {"TableName": _TABLE, "Key": _key("a", number)}
    try:
        item = engine.call("GetItem", key).get("Item")
    except PeerError:
        return "error"
    if item is None:
        return "item is missing"
    return "not stored" if item.get("text") == {"S": text} else "wrong item"


def flip(folder: Path, text: str) -> int:
    """Flip a bit of a text in all files that have it; return whether there is one."""
    found = 0
    for file in filter(Path.is_file, folder.rglob("*")):
        content = bytearray(file.read_bytes())
        at = content.find(text.encode())
        while at >= 0:
            found = 1
            content[at + 20] ^= 1
            at = content.find(text.encode(), at + 1)
        file.write_bytes(content)
    return found


# -- what probes share --------------------------------------------------------------------------


def _create(engine: Running) -> None:
    engine.call(
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
    while engine.call("DescribeTable", {"TableName": _TABLE})["Table"]["TableStatus"] != "ACTIVE":
        time.sleep(0.05)


def _key(partition: str, number: int) -> dict[str, Any]:
    return {"pk": {"S": partition}, "sk": {"N": str(number)}}


def _scan(engine: Running) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        page = engine.call("Scan", {"TableName": _TABLE, **start})
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def _megabytes(engine: Running) -> float:
    return sum(map(private_megabytes, family(engine.pid)))


async def _status(port: int, data: bytes, seconds: float = _PATIENCE_SECONDS) -> str:
    """Return the status of the response to a request, or why there is none."""
    try:
        async with asyncio.timeout(seconds):
            link = await Link.open(port)
            try:
                await link.send(data)
                return str((await link.read()).status)
            finally:
                link.close()
    except _LOST as error:
        return repr(error)


async def _is_pipelined(port: int) -> bool:
    """Return whether a server answers a second request on a connection."""
    link = await Link.open(port)
    try:
        async with asyncio.timeout(_PATIENCE_SECONDS):
            await link.send(request("ListTables", {}, _SIGNED) * 2)
            await link.read()
            await link.read()
    except _LOST:
        return False
    finally:
        link.close()
    return True


def _under(peer: Peer, *words: str) -> Peer:
    """Return the server, started by another program."""
    return Peer(peer.name, lambda port, home: [*words, *peer.command(port, home)])


def _at(peer: Peer, home: Path) -> Peer:
    """Return the server with a folder for its files that outlives it."""
    data = home / "data"
    data.mkdir(exist_ok=True)
    return Peer(peer.name, lambda port, _: peer.command(port, data))


Probe = Callable[[Contender, Path], str]
PROBES: dict[str, tuple[str, Probe]] = {
    "page-reads": ("a page of another site can read tables", _page_reads),
    "page-drops": ("a page of another site can delete tables", _page_drops),
    "machines": ("other machines can reach it by default", _other_machines),
    "unknown-key": ("a request with an unknown access key", _unknown_key),
    "unread": ("memory for 1,000 unread responses of 1 MB", _unread),
    "heavy": ("another client's wait during one heavy filter", _heavy),
    "halfway": ("a request that stops halfway is given up", _halfway),
    "idle": ("1,200 idle connections, 1,024 descriptors: a new client", _idle),
    "deep": ("JSON with 100,000 levels", _deep),
    "killed": ("acknowledged writes that `kill -9` loses", _killed),
    "flipped": ("reads of an item with a flipped bit", _flipped),
}


if __name__ == "__main__":
    sys.exit(main())
