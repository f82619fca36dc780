"""The embedded engine: each process has its own, and it never blocks an event loop."""

import asyncio
import os
from pathlib import Path

import pytest

from sortkey.access.transports.embedded import AsyncEmbeddedTransport, EmbeddedTransport
from sortkey.engine import Engine
from sortkey.errors import SortkeyError
from sortkey.wire.messages import Request

LIST = Request("ListTables", {})
TABLE = {
    "TableName": "pages",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def test_a_process_that_was_forked_opens_the_file_for_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "app.db"
    transport = EmbeddedTransport(lambda: Engine.open(path), path=str(path))
    mine = transport.engine
    monkeypatch.setattr(os, "getpid", lambda: -1)  # as in a child

    assert transport.engine is not mine
    assert transport.engine is transport.engine
    assert transport.send(LIST) == {"TableNames": []}
    transport.close()
    mine.close()


def test_a_database_in_memory_does_not_cross_a_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    transport = EmbeddedTransport(Engine.memory, path=None)
    monkeypatch.setattr(os, "getpid", lambda: -1)

    with pytest.raises(SortkeyError, match="a database in memory cannot be used after a fork"):
        transport.send(LIST)


def test_requests_that_may_return_large_pages_run_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    transport = AsyncEmbeddedTransport(EmbeddedTransport(Engine.memory, path=None))
    transport.blocking.send(Request("CreateTable", TABLE))
    at_once: list[str] = []
    reply_at_once = transport.blocking.engine.reply_at_once

    def noted(operation: str, body: dict[str, object]) -> bytes | None:
        at_once.append(operation)
        return reply_at_once(operation, body)

    monkeypatch.setattr(transport.blocking.engine, "reply_at_once", noted)
    item = {"id": {"S": "a"}, "text": {"S": "x" * 70_000}}

    async def scene() -> list[object]:
        await transport.send(Request("PutItem", {"TableName": "pages", "Item": item}))
        scan = Request("Scan", {"TableName": "pages"})
        found = [(await transport.send(scan))["Items"] for _ in range(3)]
        await transport.send(
            Request("DeleteItem", {"TableName": "pages", "Key": {"id": item["id"]}})
        )
        found += [(await transport.send(scan))["Items"] for _ in range(3)]
        await transport.close()
        return found

    assert asyncio.run(scene()) == [[item]] * 3 + [[]] * 3
    # The first request runs in a thread even if its response is small.
    assert at_once == ["PutItem", "DeleteItem", "Scan", "Scan"]


def test_requests_that_go_through_every_item_run_in_a_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    transport = AsyncEmbeddedTransport(EmbeddedTransport(Engine.memory, path=None))
    transport.blocking.send(Request("CreateTable", TABLE))
    monkeypatch.setattr(transport.blocking.engine, "reply_at_once", None)
    index = {
        "IndexName": "by_group",
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    attributes = TABLE["AttributeDefinitions"]
    added = {"AttributeDefinitions": attributes, "GlobalSecondaryIndexUpdates": [{"Create": index}]}
    specification = {"Enabled": True, "AttributeName": "until"}
    name = {"TableName": "pages"}

    async def scene() -> None:
        await transport.send(Request("UpdateTable", name | added))
        expiry = {"TimeToLiveSpecification": specification}
        await transport.send(Request("UpdateTimeToLive", name | expiry))
        await transport.close()

    asyncio.run(scene())


def test_after_closing_a_file_is_reported_as_closed(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    transport = AsyncEmbeddedTransport(EmbeddedTransport(lambda: Engine.open(path), path=str(path)))

    async def scene() -> None:
        await transport.close()
        await transport.send(LIST)

    with pytest.raises(SortkeyError, match="has been closed; open it again"):
        asyncio.run(scene())
