"""A request that fails, for whatever reason, fails alone: those beside it are committed."""

from asyncio import AbstractEventLoop, BaseTransport
from importlib import import_module
from typing import Any, cast

import orjson
import pytest
from tests.server.test_protocol import FakeLoop, FakeTransport

from sortkey.engine import Engine
from sortkey.server.connections import OpenConnections
from sortkey.server.door import Door
from sortkey.server.later import Later
from sortkey.server.protocol import Connection
from sortkey.server.turn import Turn

TABLE = {
    "TableName": "Tab",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


def key(name: str) -> dict[str, Any]:
    return {"pk": {"S": name}}


def put(name: str) -> tuple[str, Any]:
    return "PutItem", {"TableName": "Tab", "Item": key(name)}


def transaction(name: str) -> tuple[str, Any]:
    items = [{"Put": {"TableName": "Tab", "Item": key(name)}}]
    return "TransactWriteItems", {"TransactItems": items, "ClientRequestToken": "t"}


def post(operation: str, body: Any) -> bytes:
    text = orjson.dumps(body)
    head = (
        b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
        b"X-Amz-Target: DynamoDB_20120810.%b\r\nContent-Length: %d\r\n\r\n"
    )
    return head % (operation.encode(), len(text)) + text


def statuses(engine: Engine, *requests: tuple[str, Any]) -> list[int]:
    """Return the statuses of requests that arrive in one turn, each on its own connection."""
    fake = FakeLoop()
    loop = cast("AbstractEventLoop", fake)
    turn = Turn(loop, engine)
    later = Later(loop, engine, turn, lambda engine: Door(engine, clock=lambda: 0.0))
    door = Door(engine, clock=lambda: 0.0, unsettled=turn.demand_flush)
    transports = [FakeTransport() for _ in requests]
    for request, transport in zip(requests, transports, strict=True):
        connection = Connection(loop, door, turn, later, OpenConnections())
        connection.connection_made(cast("BaseTransport", transport))
        connection.data_received(post(*request))
    while fake.soon:
        fake.end_turn()
    return [int(transport.written.split(b" ", 2)[1]) for transport in transports]


@pytest.fixture
def engine() -> Engine:
    engine = Engine.memory(grouped=True)
    engine.answer("CreateTable", TABLE)
    engine.flush()
    return engine


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let transactions fail unexpectedly after their writes."""

    def fail(*_: Any) -> None:
        raise RuntimeError("after the write")

    module = import_module("sortkey.engine.transacting")
    monkeypatch.setattr(module, "remember", fail)


def names(engine: Engine) -> set[str]:
    return {item["pk"]["S"] for item in engine.answer("Scan", {"TableName": "Tab"})["Items"]}


@pytest.mark.usefixtures("failing")
def test_the_others_of_a_group_are_committed(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    get = ("GetItem", {"TableName": "Tab", "Key": key("a")})

    found = statuses(engine, put("a"), transaction("evil"), put("b"), get)

    assert found == [200, 500, 200, 200]
    assert names(engine) == {"a", "b"}
    assert "after the write" in caplog.text


@pytest.mark.usefixtures("failing")
def test_conditions_are_evaluated_again_on_what_is_stored(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    operation, body = put("evil")
    once = (operation, body | {"ConditionExpression": "attribute_not_exists(pk)"})

    found = statuses(engine, transaction("evil"), once, once)

    assert found == [500, 200, 400]
    assert names(engine) == {"evil"}
    assert caplog.text


def test_a_deeply_nested_member_is_refused_and_spoils_nothing(engine: Engine) -> None:
    operation, body = transaction("evil")
    text = orjson.dumps(body).replace(b'{"S":"evil"}', b'{"S":"evil","Z":DEEP}')
    poison = text.replace(b"DEEP", b'{"a":' * 300 + b"1" + b"}" * 300)

    found = statuses(engine, put("a"), (operation, orjson.Fragment(poison)), put("b"))

    assert found == [200, 400, 200]
    assert names(engine) == {"a", "b"}


def test_an_unknown_member_is_not_stored(engine: Engine) -> None:
    junk = {"AttributeName": "pk", "KeyType": "HASH", "Junk": {"a": [1]}}
    engine.answer("CreateTable", TABLE | {"TableName": "Other", "KeySchema": [junk], "More": 1})
    engine.flush()

    described = engine.answer("DescribeTable", {"TableName": "Other"})["Table"]

    assert described["KeySchema"] == TABLE["KeySchema"]


def test_requests_beside_one_that_meets_damage_are_answered(
    engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("good", "hurt"):
        engine.answer(*put(name))
    engine.flush()
    engine._storage.execute(  # noqa: SLF001 - as a disk would
        "UPDATE rows_1 SET checksum = 0 WHERE CAST(item AS TEXT) LIKE '%hurt%'"
    )
    good, hurt = (("GetItem", {"TableName": "Tab", "Key": key(name)}) for name in ("good", "hurt"))
    update = ("UpdateItem", {"TableName": "Tab", "Key": key("hurt")})

    found = statuses(engine, put("a"), hurt, good, update, put("b"))

    assert found == [200, 500, 200, 500, 200]
    assert 'the row of the table Tab with partition "hurt"' in caplog.text
    get = {"TableName": "Tab", "Key": key("b")}
    assert engine.answer("GetItem", get) == {"Item": key("b")}
