"""A request that takes long, or waits for another process, holds up nobody else's."""

import gzip
import http.client
import logging
import socket
import sqlite3
import struct
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import pytest
from tests.server.test_worker import listener, serve, wait_until

from sortkey.engine import Engine, promptness
from sortkey.engine.promptness import MOST_STEPS, TakesLong, are_prompt
from sortkey.server import later
from sortkey.server.later import Later

__all__ = ["listener"]  # a fixture

TABLE = {
    "TableName": "Tab",
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
Address = tuple[str, int]


def key(name: str) -> dict[str, Any]:
    return {"pk": {"S": name}}


def put(name: str, **more: Any) -> tuple[str, Any]:
    return "PutItem", {"TableName": "Tab", "Item": key(name) | more}


def get(name: str) -> tuple[str, Any]:
    return "GetItem", {"TableName": "Tab", "Key": key(name)}


def headers(operation: str) -> dict[str, str]:
    return {
        "Content-Type": "application/x-amz-json-1.0",
        "X-Amz-Target": f"DynamoDB_20120810.{operation}",
    }


def ask(address: Address, operation: str, body: Any, *, packed: bool = False) -> tuple[int, Any]:
    """Return the status and the answer to a request on a connection of its own."""
    connection = http.client.HTTPConnection(*address, timeout=30)
    text = orjson.dumps(body)
    given = headers(operation)
    if packed:
        text = gzip.compress(text)
        given["Content-Encoding"] = "gzip"
    connection.request("POST", "/", text, given)
    with connection.getresponse() as response:
        answer = response.read()
    connection.close()
    return response.status, orjson.loads(answer) if answer else None


def raw(request: tuple[str, Any]) -> bytes:
    """Return a request as it is sent."""
    operation, body = request
    text = orjson.dumps(body)
    lines = [f"{name}: {value}" for name, value in headers(operation).items()]
    lines += ["Host: 127.0.0.1", f"Content-Length: {len(text)}"]
    return "\r\n".join(["POST / HTTP/1.1", *lines, "", ""]).encode() + text


class InThread:
    """A request whose answer the test does not wait for yet."""

    def __init__(self, address: Address, operation: str, body: Any) -> None:
        self._answers: list[tuple[int, Any]] = []
        self._thread = threading.Thread(
            target=lambda: self._answers.append(ask(address, operation, body))
        )
        self._thread.start()

    @property
    def is_waiting(self) -> bool:
        return self._thread.is_alive()

    def status(self) -> int:
        self._thread.join()
        return self._answers[0][0]


class GatedEngine:
    """An engine for which ListTables and upkeep take as long as the test wants."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.steps = MOST_STEPS
        self.running = 0
        self.gate = threading.Event()
        self.began = threading.Event()
        self.tended_beside = threading.Event()
        self.is_upkeep_long = False

    @property
    def writing(self) -> bool:
        return self._engine.writing

    def reply(self, operation: str, body: Any) -> bytes:
        if operation == "ListTables":
            if are_prompt():
                raise TakesLong(self.steps)
            self.running += 1
            self.began.set()
            assert self.gate.wait(30)
        return self._engine.reply(operation, body)

    def can_write(self) -> bool:
        return self._engine.can_write()

    def beside(self) -> "GatedEngine":
        return self

    def flush(self) -> None:
        self._engine.flush()

    def tend(self) -> bool:
        if self.is_upkeep_long:
            if are_prompt():
                raise TakesLong(MOST_STEPS)
            self.tended_beside.set()
        return False

    def close(self) -> None:
        self._engine.close()


@pytest.fixture
def gated() -> GatedEngine:
    engine = Engine.memory(grouped=True)
    engine.answer("CreateTable", TABLE)
    engine.flush()
    return GatedEngine(engine)


def test_a_long_request_holds_up_no_other(gated: GatedEngine, listener: socket.socket) -> None:
    def client(address: Address) -> None:
        long = [InThread(address, "ListTables", {}) for _ in range(2)]
        assert gated.began.wait(10)

        assert ask(address, *put("a"))[0] == 200
        assert ask(address, *get("a")) == (200, {"Item": key("a")})
        assert all(each.is_waiting for each in long)

        gated.gate.set()
        assert [each.status() for each in long] == [200, 200]

    serve(gated, listener, client)


def test_requests_behind_a_long_one_are_answered_in_their_order(
    gated: GatedEngine, listener: socket.socket
) -> None:
    def client(address: Address) -> None:
        empty: dict[str, Any] = {}
        requests = (put("a"), ("ListTables", empty), get("a"), ("ListTables", empty))
        stream = b"".join(map(raw, requests))
        with socket.create_connection(address, timeout=30) as connection:
            connection.sendall(stream)
            assert gated.began.wait(10)
            gated.gate.set()
            connection.shutdown(socket.SHUT_WR)
            received = b"".join(iter(lambda: connection.recv(1 << 16), b""))

        bodies = [part.partition(b"\r\n\r\n")[2] for part in received.split(b"HTTP/1.1 ")[1:]]
        assert [next(iter(orjson.loads(body)), None) for body in bodies] == [
            None,
            "TableNames",
            "Item",
            "TableNames",
        ]

    serve(gated, listener, client)


def test_a_client_that_leaves_before_its_long_request_is_answered_disturbs_nothing(
    gated: GatedEngine, listener: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    def client(address: Address) -> None:
        connection = socket.create_connection(address, timeout=30)
        connection.sendall(raw(("ListTables", {})) * 2)
        assert gated.began.wait(10)
        # Zero seconds to linger: the connection is reset.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        long = InThread(address, "ListTables", {})
        wait_until(lambda: gated.running == 2)
        gated.gate.set()

        assert long.status() == 200
        assert ask(address, *put("a"))[0] == 200

    with caplog.at_level(logging.ERROR):
        serve(gated, listener, client)

    assert not caplog.records


def test_a_stop_waits_for_the_request_that_takes_long(
    gated: GatedEngine, listener: socket.socket
) -> None:
    long: list[InThread] = []

    def client(address: Address) -> None:
        long.append(InThread(address, "ListTables", {}))
        assert gated.began.wait(10)
        threading.Timer(0.2, gated.gate.set).start()

    serve(gated, listener, client)

    assert long[0].status() == 200


def test_upkeep_that_takes_long_is_done_beside_the_loop(
    gated: GatedEngine, listener: socket.socket
) -> None:
    gated.is_upkeep_long = True

    serve(gated, listener, lambda _: wait_until(gated.tended_beside.is_set))


@pytest.mark.parametrize("place", ["memory", "file"])
@pytest.mark.parametrize("packed", [False, True])
def test_large_and_compressed_bodies_are_read_beside_the_loop(
    place: str, listener: socket.socket, tmp_path: Path, *, packed: bool
) -> None:
    path = tmp_path / "app.db"
    engine = Engine.memory(grouped=True) if place == "memory" else Engine.open(path, grouped=True)
    engine.answer("CreateTable", TABLE)
    engine.flush()
    seen: list[bool] = []
    reply = Engine.reply

    def spy(self: Engine, operation: str, body: Any) -> bytes:
        seen.append(are_prompt())
        return reply(self, operation, body)

    def client(address: Address) -> None:
        text = {"S": "x" * (100 if packed else 200_000)}
        assert ask(address, *put("a", s=text), packed=packed)[0] == 200
        assert ask(address, *get("a")) == (200, {"Item": key("a") | {"s": text}})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Engine, "reply", spy)
        serve(engine, listener, client)

    assert seen == [False, True]


def test_a_long_read_finds_what_was_written_before_it_on_the_same_connection(
    listener: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine.open(tmp_path / "app.db", grouped=True)
    engine.answer("CreateTable", TABLE)
    for number in range(40):
        engine.answer(*put(str(number), n={"N": "1"}))
    engine.flush()
    monkeypatch.setattr(promptness, "MOST_STEPS", 10)
    scan = {
        "TableName": "Tab",
        "ConsistentRead": True,
        "FilterExpression": "n = :n",
        "ExpressionAttributeValues": {":n": {"N": "2"}},
    }

    def client(address: Address) -> None:
        for number in range(10):
            stream = b"".join(map(raw, (put(f"new{number}", n={"N": "2"}), ("Scan", scan))))
            with socket.create_connection(address, timeout=30) as connection:
                connection.sendall(stream)
                connection.shutdown(socket.SHUT_WR)
                received = b"".join(iter(lambda: connection.recv(1 << 16), b""))
            assert orjson.loads(received.rpartition(b"\r\n\r\n")[2])["Count"] == number + 1

    serve(engine, listener, client)


def test_very_long_requests_leave_a_thread_for_others(
    gated: GatedEngine, listener: socket.socket
) -> None:
    gated.steps = 10_000_000

    def client(address: Address) -> None:
        long = [InThread(address, "ListTables", {}) for _ in range(8)]
        wait_until(lambda: gated.running == 2)

        large = put("a", s={"S": "x" * 200_000})
        assert ask(address, *large)[0] == 200
        assert gated.running == 2

        gated.gate.set()
        assert [each.status() for each in long] == [200] * 8

    serve(gated, listener, client)


# -- another process locks the file ---------------------------------------------------------------


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "app.db"
    with Engine.open(path) as engine:
        engine.answer("CreateTable", TABLE)
        engine.answer(*put("a"))
    return path


@contextmanager
def locked(path: Path) -> Generator[sqlite3.Connection]:
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield other
    finally:
        other.close()


def test_reads_go_on_and_writes_wait_while_another_process_locks_the_file(
    path: Path, listener: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    def client(address: Address) -> None:
        with locked(path):
            writes = [InThread(address, *put(name)) for name in "bc"]
            large = InThread(address, *put("d", s={"S": "x" * 200_000}))
            for _ in range(10):
                assert ask(address, *get("a"))[0] == 200
            assert all(each.is_waiting for each in (*writes, large))
        assert [each.status() for each in (*writes, large)] == [200, 200, 200]
        assert all(ask(address, *get(name))[1]["Item"] for name in "bcd")

    with caplog.at_level(logging.ERROR):
        serve(Engine.open(path, grouped=True), listener, client)

    assert not caplog.records


def test_each_write_gives_up_after_its_own_time(
    path: Path,
    listener: socket.socket,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(later, "LOCK_WAIT_SECONDS", 0.3)

    def client(address: Address) -> None:
        with locked(path):
            writes = [InThread(address, *put(name)) for name in "bcde"]
            assert [each.status() for each in writes] == [500] * 4
        assert ask(address, *put("b"))[0] == 200
        assert ask(address, *get("c")) == (200, {})

    serve(Engine.open(path, grouped=True), listener, client)


def test_a_stop_does_not_wait_for_another_process(
    path: Path, listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[InThread] = []
    is_waiting = threading.Event()
    answer = Later.answer

    def spy(self: Later, *args: Any, **more: Any) -> None:
        answer(self, *args, **more)
        is_waiting.set()

    monkeypatch.setattr(Later, "answer", spy)
    with locked(path):

        def client(address: Address) -> None:
            writes.append(InThread(address, *put("b")))
            assert is_waiting.wait(10)

        serve(Engine.open(path, grouped=True), listener, client)

        assert writes[0].status() == 500
