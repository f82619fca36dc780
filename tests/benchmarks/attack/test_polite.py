"""Polite clients notice a wrong response, a lost write, a long wait and a broken connection."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import orjson
import pytest
from benchmarks.attack.polite import CREATE_TABLE, Experience, Manners, PoliteClient

from sortkey import Engine
from sortkey.wire.errors import ServiceError
from sortkey.wire.services import DYNAMODB

REQUESTS = 300

Serve = Callable[[Engine, str, dict[str, Any]], Awaitable[bytes | None]]


async def honest(engine: Engine, operation: str, body: dict[str, Any]) -> bytes:
    try:
        status, text = "200 OK", engine.reply(operation, body)
    except ServiceError as error:
        status, text = "400 Bad Request", orjson.dumps(error.body())
    return f"HTTP/1.1 {status}\r\nContent-Length: {len(text)}\r\n\r\n".encode() + text


def experience(serve: Serve, manners: Manners = Manners()) -> Experience:  # noqa: B008 - constant
    """What one polite client sees at a server that answers like this."""
    engine = Engine.memory()
    engine.answer("CreateTable", CREATE_TABLE)
    seen = Experience()

    async def main() -> None:
        stop, served = asyncio.Event(), 0
        talks: set[Any] = set()

        async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal served
            talks.add(asyncio.current_task())
            while head := await until_blank(reader):
                size = re.search(rb"Content-Length: (\d+)", head)
                operation = re.search(rf"{DYNAMODB}\.(\w+)".encode(), head)
                assert size
                assert operation
                body = orjson.loads(await reader.readexactly(int(size[1])))
                served += 1
                if served > REQUESTS:
                    stop.set()
                answer = await serve(engine, operation[1].decode(), body)
                if answer is None:
                    break
                writer.write(answer)
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()

        server = await asyncio.start_server(talk, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        hurried = replace(manners, pause_seconds=0)
        await PoliteClient(1, port, "a seed", hurried, seen).run(stop)
        server.close()
        await asyncio.gather(*talks)

    asyncio.run(main())
    return seen


async def until_blank(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, OSError):
        return b""


def now_and_then(serve: Serve, operations: set[str]) -> Serve:
    """Answer like this every tenth time, and honestly otherwise."""
    count = 0

    async def answer(engine: Engine, operation: str, body: dict[str, Any]) -> bytes | None:
        nonlocal count
        count += operation in operations
        if operation in operations and count % 10 == 0:
            return await serve(engine, operation, body)
        return await honest(engine, operation, body)

    return answer


def test_nothing_is_noticed_at_an_honest_server() -> None:
    seen = experience(honest)

    assert seen.notices == []
    assert seen.requests > REQUESTS


@pytest.mark.parametrize("operation", ["GetItem", "Query", "BatchGetItem", "TransactGetItems"])
def test_a_wrong_read_is_noticed(operation: str) -> None:
    async def falsify(engine: Engine, operation: str, body: dict[str, Any]) -> bytes:
        return (await honest(engine, operation, body)).replace(b'"version"', b'"VERSION"')

    seen = experience(now_and_then(falsify, {operation}))

    assert seen.notices[0].startswith(f"{operation} got a wrong response")


def test_a_lost_write_is_noticed() -> None:
    async def lose(_engine: Engine, _operation: str, _body: dict[str, Any]) -> bytes:
        return b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

    assert experience(now_and_then(lose, {"TransactWriteItems"})).notices


def test_a_failure_is_noticed_unless_writes_may_fail() -> None:
    async def fail(_engine: Engine, _operation: str, _body: dict[str, Any]) -> bytes:
        return b"HTTP/1.1 500 Failure\r\nContent-Length: 2\r\n\r\n{}"

    failing = now_and_then(fail, {"PutItem"})

    assert experience(failing).notices[0].startswith("PutItem got a wrong response")
    assert experience(failing, Manners(fails_writes=True)).notices == []


def test_a_long_wait_is_noticed() -> None:
    async def dawdle(engine: Engine, operation: str, body: dict[str, Any]) -> bytes:
        await asyncio.sleep(0.3)
        return await honest(engine, operation, body)

    seen = experience(now_and_then(dawdle, {"GetItem"}), Manners(read_seconds=0.2))

    assert seen.notices == []
    assert {operation for operation, _, _ in seen.waits} == {"GetItem"}
    seen.judge_waits(1.0)
    assert seen.notices[0].startswith("GetItem took")


def test_a_wait_is_forgiven_on_a_machine_that_is_as_slow() -> None:
    seen = Experience(waits=[("GetItem", 5.0, 2.0)])

    seen.judge_waits(3.0)

    assert seen.notices == []


async def hang_up(_engine: Engine, _operation: str, _body: dict[str, Any]) -> None:
    """Close the connection instead of an answer."""


def test_a_broken_connection_is_noticed_unless_it_is_expected() -> None:
    breaking = now_and_then(hang_up, {"PutItem"})

    assert experience(breaking).notices[0].startswith("PutItem got no response")
    assert experience(breaking, Manners(is_cut_off=True)).notices == []


def test_half_a_transaction_is_noticed_after_a_broken_connection() -> None:
    async def tear(engine: Engine, operation: str, body: dict[str, Any]) -> None:
        await honest(engine, operation, {"TransactItems": body["TransactItems"][:1]})

    seen = experience(now_and_then(tear, {"TransactWriteItems"}), Manners(is_cut_off=True))

    assert seen.notices[0].startswith("half of TransactWriteItems was stored")
