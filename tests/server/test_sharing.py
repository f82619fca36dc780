import asyncio
import errno
import os
import socket
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest

from sortkey.server.sharing import ConnectionCounts, FairListener


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listening:
        listening.setblocking(False)
        yield listening


class Crowd:
    """A worker that accepts connections and closes each on request."""

    def __init__(self, listener: socket.socket, loads: ConnectionCounts, worker: int) -> None:
        self.transports: list[asyncio.BaseTransport] = []
        loop = asyncio.get_running_loop()
        self.listener = FairListener(loop, listener, lambda: Member(self), loads, worker)


class Member(asyncio.Protocol):
    def __init__(self, crowd: Crowd) -> None:
        self.crowd = crowd

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.crowd.transports.append(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self.crowd.listener.left()


@asynccontextmanager
async def clients(listener: socket.socket, count: int) -> AsyncGenerator[None]:
    writers = [(await asyncio.open_connection(*listener.getsockname()))[1] for _ in range(count)]
    yield
    for writer in writers:
        writer.close()
        await writer.wait_closed()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - what is awaited has no event of its own
            await asyncio.sleep(0.001)


def test_the_least_loaded_worker_is_known_to_all() -> None:
    loads = ConnectionCounts(3)
    assert all(loads.is_least(worker) for worker in range(3))

    for worker, count in enumerate((2, 1, 1)):
        loads.publish(worker, count)

    assert [loads.is_least(worker) for worker in range(3)] == [False, True, True]


def test_a_burst_of_connections_is_shared(listener: socket.socket) -> None:
    async def scene() -> list[int]:
        loads = ConnectionCounts(2)
        with listener.dup() as second:
            crowds = [Crowd(listener, loads, 0), Crowd(second, loads, 1)]
            async with clients(listener, 16):
                for crowd in crowds:
                    crowd.listener.start()
                await until(lambda: sum(len(crowd.transports) for crowd in crowds) == 16)
                for crowd in crowds:
                    crowd.listener.close()
        return [len(crowd.transports) for crowd in crowds]

    one, other = asyncio.run(scene())

    assert one + other == 16
    assert abs(one - other) <= 4


def test_a_worker_left_alone_accepts_everything(listener: socket.socket) -> None:
    async def scene() -> None:
        crowd = Crowd(listener, ConnectionCounts(2), 0)
        crowd.listener.start()
        async with clients(listener, 5):
            await until(lambda: len(crowd.transports) == 5)
        crowd.listener.close()

    asyncio.run(scene())


def test_connections_that_end_are_not_counted(listener: socket.socket) -> None:
    async def scene() -> None:
        loads = ConnectionCounts(2)
        crowd = Crowd(listener, loads, 0)
        crowd.listener.start()
        async with clients(listener, 3):
            await until(lambda: len(crowd.transports) == 3)
            assert not loads.is_least(0)
        await until(lambda: loads.is_least(0))
        crowd.listener.close()

    asyncio.run(scene())


class FailingListener(socket.socket):
    """A listening socket that cannot accept until the test lets it."""

    failures = 0

    def accept(self) -> tuple[socket.socket, object]:
        if self.failures:
            self.failures -= 1
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return super().accept()


def test_a_lack_of_descriptors_is_logged_once_and_waited_for(
    listener: socket.socket, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("sortkey.server.sharing._EXHAUSTION_SECONDS", 0.001)

    async def scene() -> None:
        with FailingListener(fileno=listener.dup().detach()) as failing:
            failing.failures = 5
            crowd = Crowd(failing, ConnectionCounts(1), 0)
            crowd.listener.start()
            async with clients(listener, 2):
                await until(lambda: len(crowd.transports) == 2)
            crowd.listener.close()

    asyncio.run(scene())

    assert [record.message for record in caplog.records] == [
        "Connections cannot be accepted; trying again: [Errno 24] Too many open files"
    ]


def test_a_closed_listener_does_not_let_clients_wait(listener: socket.socket) -> None:
    address = listener.getsockname()

    async def scene() -> None:
        crowd = Crowd(listener, ConnectionCounts(1), 0)
        crowd.listener.start()
        crowd.listener.close()

    asyncio.run(scene())

    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(address, timeout=10)
