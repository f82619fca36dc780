"""Faults of the weather, as a client of the server sees them."""

import asyncio
import socket
import threading
import time
from contextlib import closing
from typing import Any

import orjson
import pytest
from tests.server.test_later import TABLE, Address, ask, get, key, put, raw
from tests.server.test_worker import listener, serve

from sortkey.engine import Engine
from sortkey.engine.weather import Fault, Scenario
from sortkey.server.outlet import reset

__all__ = ["listener"]  # a fixture


def engine_with(*faults: Fault) -> Engine:
    """Return a grouped engine, as a server has it, with a table and these faults."""
    weather = Scenario(name="test", throttling=False, faults=faults)
    engine = Engine.memory(grouped=True, weather=weather)
    engine.answer("CreateTable", TABLE)
    engine.flush()
    return engine


def always(kind: Any, *operations: str, **more: Any) -> Fault:
    return Fault(kind=kind, share=1, operations=operations, **more)


def is_stored(address: Address, name: str) -> bool:
    return ask(address, *get(name))[1] == {"Item": key(name)}


@pytest.mark.parametrize(("kind", "stored"), [("lost-request", False), ("lost-response", True)])
def test_a_connection_is_reset_before_or_after_the_effect(
    listener: socket.socket, kind: str, stored: bool
) -> None:
    def client(address: Address) -> None:
        with pytest.raises(ConnectionResetError):
            ask(address, *put("a"))
        assert is_stored(address, "a") is stored

    serve(engine_with(always(kind, "PutItem")), listener, client)


@pytest.mark.parametrize(("kind", "stored"), [("error-before", False), ("error-after", True)])
def test_a_status_of_500_is_sent_before_or_after_the_effect(
    listener: socket.socket, kind: str, stored: bool
) -> None:
    def client(address: Address) -> None:
        status, answer = ask(address, *put("a"))
        assert status == 500
        assert answer["__type"].endswith("#InternalServerError")
        assert is_stored(address, "a") is stored

    serve(engine_with(always(kind, "PutItem")), listener, client)


def test_a_connection_is_reset_after_the_commit(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = engine_with(always("lost-response", "PutItem"))
    uncommitted: list[bool] = []

    def reset_and_note(transport: asyncio.WriteTransport) -> None:
        uncommitted.append(engine.writing)
        reset(transport)

    monkeypatch.setattr("sortkey.server.protocol.reset", reset_and_note)

    def client(address: Address) -> None:
        with pytest.raises(ConnectionResetError):
            ask(address, *put("a"))

    serve(engine, listener, client)
    assert uncommitted == [False]


def test_requests_behind_a_lost_one_are_not_carried_out(listener: socket.socket) -> None:
    def client(address: Address) -> None:
        with closing(socket.create_connection(address, timeout=10)) as connection:
            connection.sendall(
                raw(put("a")) + raw(("DeleteItem", {"TableName": "Tab", "Key": key("b")}))
            )
            with pytest.raises(ConnectionResetError):
                connection.recv(1000)
        assert is_stored(address, "b")

    engine = engine_with(always("lost-response", "PutItem"))
    engine.answer("UpdateItem", {"TableName": "Tab", "Key": key("b")})
    engine.flush()
    serve(engine, listener, client)


def test_a_late_response_holds_up_nobody_else(listener: socket.socket) -> None:
    def client(address: Address) -> None:
        answers: list[Any] = []
        thread = threading.Thread(target=lambda: answers.append(ask(address, *put("a"))))
        thread.start()
        while not is_stored(address, "a"):
            time.sleep(0.01)
        assert thread.is_alive(), "the write is there, and its response is not"
        thread.join()
        assert answers == [(200, {})]

    serve(engine_with(always("latency", "PutItem", seconds=1.0)), listener, client)


def test_late_responses_of_a_connection_keep_their_order(listener: socket.socket) -> None:
    def client(address: Address) -> None:
        with closing(socket.create_connection(address, timeout=10)) as connection:
            connection.sendall(raw(put("a")) + raw(get("a")) + raw(get("b")))
            received = b""
            while received.count(b"HTTP/1.1 200") < 3:
                received += connection.recv(10_000)
        bodies = [part.rpartition(b"\r\n\r\n")[2] for part in received.split(b"HTTP/1.1")[1:]]
        assert [orjson.loads(body) for body in bodies] == [{}, {"Item": key("a")}, {}]

    serve(engine_with(always("latency", "PutItem", seconds=0.1)), listener, client)


def test_a_transaction_ends_when_its_response_is_sent(listener: socket.socket) -> None:
    """The engine's clock stands still."""
    weather = Scenario(name="test", throttling=False, transaction_seconds=0.3)
    engine = Engine.memory(grouped=True, weather=weather, clock=lambda: 1e9)
    engine.answer("CreateTable", TABLE)
    engine.flush()
    item = {"Put": {"TableName": "Tab", "Item": key("a")}}

    def client(address: Address) -> None:
        write = "TransactWriteItems", {"TransactItems": [item]}
        thread = threading.Thread(target=lambda: ask(address, *write))
        thread.start()
        while not is_stored(address, "a"):
            time.sleep(0.01)
        status, answer = ask(address, *put("a"))
        assert status == 400
        assert answer["__type"].endswith("#TransactionConflictException")
        thread.join()
        assert ask(address, *put("a")) == (200, {})

    serve(engine, listener, client)


def test_a_late_rejection_is_sent_as_it_is(listener: socket.socket) -> None:
    def client(address: Address) -> None:
        operation, body = put("a")
        status, answer = ask(
            address, operation, body | {"ConditionExpression": "attribute_exists(pk)"}
        )
        assert status == 400
        assert answer["__type"].endswith("#ConditionalCheckFailedException")

    serve(engine_with(always("latency", "PutItem", seconds=0.01)), listener, client)


@pytest.mark.parametrize("kind", ["lost-response", "latency"])
def test_a_request_in_a_thread_has_the_same_faults(listener: socket.socket, kind: str) -> None:
    more: dict[str, Any] = {"seconds": 0.2} if kind == "latency" else {}

    def client(address: Address) -> None:
        large = put("a", text={"S": "x" * 200_000})
        if kind == "latency":
            assert ask(address, *large) == (200, {})
        else:
            with pytest.raises(ConnectionResetError):
                ask(address, *large)
        assert ask(address, *get("a"))[1]["Item"]["pk"] == {"S": "a"}

    serve(engine_with(always(kind, "PutItem", **more)), listener, client)


def test_a_late_response_without_a_result_has_no_body(listener: socket.socket) -> None:
    def client(address: Address) -> None:
        arn = ask(address, "DescribeTable", {"TableName": "Tab"})[1]["Table"]["TableArn"]
        tags = {"ResourceArn": arn, "Tags": [{"Key": "a", "Value": "b"}]}
        assert ask(address, "TagResource", tags) == (200, None)
        endpoints = ask(address, "DescribeEndpoints", {})[1]["Endpoints"]
        assert endpoints[0]["Address"] == f"127.0.0.1:{address[1]}"

    late = always("latency", "TagResource", "DescribeEndpoints", seconds=0.01)
    serve(engine_with(late), listener, client)
