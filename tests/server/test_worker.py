import asyncio
import http.client
import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sortkey.server.backend import Backend
from sortkey.server.connections import Patience
from sortkey.server.worker import Worker, new_event_loop

HEADERS = {
    "X-Amz-Target": "DynamoDB_20120810.PutItem",
    "Content-Type": "application/x-amz-json-1.0",
}


class FakeEngine:
    """Counts what is asked of it; the last stop comes from the test."""

    def __init__(self) -> None:
        self.writing = False
        self.flushes = 0
        self.tended = 0
        self.waiting = 0
        self.closed = False
        self.upkeep: Callable[[], None] = lambda: None

    def reply(self, operation: str, body: Any) -> bytes:
        self.writing = operation == "PutItem"
        return b"{}"

    def flush(self) -> None:
        self.flushes += self.writing
        self.writing = False

    def can_write(self) -> bool:
        raise NotImplementedError

    def beside(self) -> "FakeEngine":
        return self

    def tend(self) -> bool:
        self.tended += 1
        self.upkeep()
        self.waiting -= 1
        return self.waiting > 0

    def close(self) -> None:
        assert not self.writing
        self.closed = True


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.setblocking(False)
        yield listening


def serve(
    engine: Backend,
    listener: socket.socket,
    client: Callable[[tuple[str, int]], None],
    patience: Patience = Patience(),  # noqa: B008 - it cannot change
) -> None:
    """Serve in this thread while the client runs in another, then stop as Ctrl-C would."""
    address: tuple[str, int] = listener.getsockname()
    failures: list[BaseException] = []

    def run() -> None:
        try:
            client(address)
        except BaseException as error:  # noqa: BLE001 - raised again in the test's own thread
            failures.append(error)
        finally:
            os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=run)
    Worker(engine, patience=patience).run(listener, ready=thread.start)
    thread.join()
    for failure in failures:
        raise failure


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def put(connection: http.client.HTTPConnection) -> int:
    connection.request("POST", "/", "{}", HEADERS)
    with connection.getresponse() as response:
        response.read()
    return response.status


def test_the_loop_is_uvloops_where_there_is_one() -> None:
    loop = new_event_loop()
    loop.close()

    assert type(loop).__module__ == ("asyncio.windows_events" if os.name == "nt" else "uvloop")


def test_a_write_is_flushed_before_its_reply(listener: socket.socket) -> None:
    engine = FakeEngine()

    def client(address: tuple[str, int]) -> None:
        connection = http.client.HTTPConnection(*address, timeout=10)
        for count in range(1, 6):
            assert put(connection) == 200
            assert engine.flushes == count
        connection.close()

    serve(engine, listener, client)


def test_stopping_closes_idle_connections_and_the_engine(listener: socket.socket) -> None:
    engine = FakeEngine()
    idle: list[http.client.HTTPConnection] = []

    def client(address: tuple[str, int]) -> None:
        idle.append(http.client.HTTPConnection(*address, timeout=10))
        put(idle[0])

    began = time.monotonic()
    serve(engine, listener, client)

    assert engine.closed
    assert time.monotonic() - began < 3
    assert idle[0].sock.recv(1) == b""
    idle[0].close()


def test_upkeep_goes_on_while_there_is_more(listener: socket.socket) -> None:
    engine = FakeEngine()
    engine.waiting = 20

    def client(address: tuple[str, int]) -> None:
        wait_until(lambda: engine.tended >= 20)

    began = time.monotonic()
    serve(engine, listener, client)

    assert engine.tended >= 20
    assert time.monotonic() - began < 5


def test_upkeep_that_fails_is_logged_and_tried_again(
    listener: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    engine = FakeEngine()

    def fail() -> None:
        engine.writing = False
        raise OSError("disk full")

    def client(address: tuple[str, int]) -> None:
        engine.upkeep = fail
        wait_until(lambda: engine.tended >= 2)
        connection = http.client.HTTPConnection(*address, timeout=10)
        assert put(connection) == 200
        connection.close()

    serve(engine, listener, client)

    assert "disk full" in caplog.text


def test_what_upkeep_writes_is_flushed(listener: socket.socket) -> None:
    engine = FakeEngine()

    def write() -> None:
        engine.writing = True

    def client(address: tuple[str, int]) -> None:
        engine.upkeep = write
        wait_until(lambda: engine.flushes >= 1)

    serve(engine, listener, client)


def test_requests_on_many_connections_share_a_flush(listener: socket.socket) -> None:
    engine = FakeEngine()
    request = (
        b"POST / HTTP/1.1\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\n"
        b"Content-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n\r\n{}"
    )

    async def crowd(address: tuple[str, int]) -> None:
        streams = [await asyncio.open_connection(*address) for _ in range(20)]
        for _ in range(5):
            for _, writer in streams:
                writer.write(request)
            for reader, _ in streams:
                head = await reader.readuntil(b"\r\n\r\n")
                assert head.startswith(b"HTTP/1.1 200")
                assert await reader.readexactly(2) == b"{}"
        for _, writer in streams:
            writer.close()

    serve(engine, listener, lambda address: asyncio.run(crowd(address)))

    assert 5 <= engine.flushes <= 100


def test_upkeep_leaves_requests_half_of_the_time(listener: socket.socket) -> None:
    engine = FakeEngine()
    engine.waiting = 1_000_000
    engine.upkeep = lambda: time.sleep(0.05)

    def client(address: tuple[str, int]) -> None:
        wait_until(lambda: engine.tended >= 2)
        before, began = engine.tended, time.monotonic()
        time.sleep(1)
        assert (engine.tended - before) * 0.05 < 0.7 * (time.monotonic() - began)

    serve(engine, listener, client)


def test_a_client_that_sends_nothing_is_closed(listener: socket.socket) -> None:
    def client(address: tuple[str, int]) -> None:
        with socket.create_connection(address, timeout=10) as silent:
            assert silent.recv(1) == b""

    serve(FakeEngine(), listener, client, Patience(head=0.5))


def test_a_client_that_stops_within_a_request_is_told_so(listener: socket.socket) -> None:
    def client(address: tuple[str, int]) -> None:
        with socket.create_connection(address, timeout=10) as slow:
            slow.sendall(b"POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\n{")
            assert slow.recv(1000).startswith(b"HTTP/1.1 408 Request Timeout\r\n")

    serve(FakeEngine(), listener, client, Patience(body=0.5))


def test_at_the_limit_new_clients_are_served_in_the_place_of_idle_ones(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sortkey.server.worker.most_connections", lambda: 8)

    def client(address: tuple[str, int]) -> None:
        idle = [socket.create_connection(address, timeout=10) for _ in range(30)]
        connection = http.client.HTTPConnection(*address, timeout=10)
        assert put(connection) == 200
        connection.close()
        closed = sum(_is_closed(one) for one in idle)
        assert closed >= 20
        for one in idle:
            one.close()

    serve(FakeEngine(), listener, client)


def _is_closed(connection: socket.socket) -> bool:
    connection.settimeout(0.05)
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False
