from asyncio import AbstractEventLoop, WriteTransport
from collections.abc import Callable
from typing import Any, cast

import pytest

from sortkey.server.door import Door, RawRequest
from sortkey.server.turn import Turn


class FakeLoop:
    """Keeps what is to be called soon until the turn ends."""

    def __init__(self) -> None:
        self.soon: list[Callable[[], None]] = []

    def call_soon(self, callback: Callable[[], None]) -> None:
        self.soon.append(callback)

    def end_turn(self) -> None:
        ready, self.soon = self.soon, []
        for callback in ready:
            callback()


class FakeTransport:
    """Keeps what was written."""

    def __init__(self) -> None:
        self.written: list[bytes] = []
        self.closing = False

    def write(self, reply: bytes) -> None:
        self.written.append(reply)

    def is_closing(self) -> bool:
        return self.closing


class FakeEngine:
    """An engine that is or is not writing."""

    def __init__(self, *, writing: bool) -> None:
        self.writing = writing
        self.flushes = 0
        self.broken = False

    def reply(self, operation: str, body: Any) -> bytes:
        raise NotImplementedError

    def flush(self) -> None:
        self.flushes += 1
        self.writing = False
        if self.broken:
            raise OSError("disk full")

    def tend(self) -> bool:
        raise NotImplementedError

    def can_write(self) -> bool:
        raise NotImplementedError

    def beside(self) -> "FakeEngine":
        raise NotImplementedError

    def close(self) -> None: ...


class FakeDoor:
    """Answers a request again with its own body; the engine cannot commit poison."""

    def __init__(self, engine: FakeEngine) -> None:
        self._engine = engine

    def respond(self, _method: bytes, _url: bytes, _headers: Any, body: bytes, _: bool) -> bytes:
        self._engine.broken = body == b"poison"
        self._engine.writing = True
        return body + b" alone"

    def failure(self) -> bytes:
        return b"failed"


class Scene:
    """A turn with everything around it."""

    def __init__(self, *, writing: bool) -> None:
        self.loop = FakeLoop()
        self.engine = FakeEngine(writing=writing)
        self.turn = Turn(cast("AbstractEventLoop", self.loop), self.engine)

    def send(self, transport: FakeTransport, reply: bytes) -> None:
        door = cast("Door", FakeDoor(self.engine))
        request: RawRequest = (b"POST", b"/", [], reply, True)
        self.turn.send(cast("WriteTransport", transport), reply, door, request)


def test_a_reply_leaves_at_once_if_nothing_was_written() -> None:
    scene, client = Scene(writing=False), FakeTransport()

    scene.send(client, b"read")

    assert client.written == [b"read"]
    assert not scene.loop.soon


def test_replies_wait_for_one_flush_and_keep_their_order() -> None:
    scene, one, two = Scene(writing=True), FakeTransport(), FakeTransport()

    for number in range(3):
        scene.send(one, b"%d" % number)
        scene.send(two, b"%d" % number)
    assert one.written == two.written == []
    scene.loop.end_turn()

    assert scene.engine.flushes == 1
    assert one.written == two.written == [b"0", b"1", b"2"]


def test_a_reply_behind_a_held_one_waits_too() -> None:
    scene, client = Scene(writing=True), FakeTransport()

    scene.send(client, b"written")
    scene.engine.writing = False
    scene.send(client, b"read")
    assert client.written == []
    scene.loop.end_turn()

    assert client.written == [b"written", b"read"]


def test_the_next_turn_starts_afresh() -> None:
    scene, client = Scene(writing=True), FakeTransport()
    scene.send(client, b"first")
    scene.loop.end_turn()

    scene.send(client, b"second")

    assert client.written == [b"first", b"second"]


def test_if_the_flush_fails_each_request_is_answered_alone(
    caplog: pytest.LogCaptureFixture,
) -> None:
    scene, one, two = Scene(writing=True), FakeTransport(), FakeTransport()
    scene.engine.broken = True

    scene.send(one, b"written")
    scene.send(two, b"poison")
    scene.send(one, b"read")
    scene.loop.end_turn()

    assert one.written == [b"written alone", b"read alone"]
    assert two.written == [b"failed"]
    assert scene.engine.flushes == 4
    assert "disk full" in caplog.text


def test_a_demanded_flush_holds_replies_even_if_nothing_was_written() -> None:
    scene, client = Scene(writing=False), FakeTransport()

    scene.turn.demand_flush()
    scene.turn.demand_flush()
    scene.send(client, b"error")
    assert client.written == []
    scene.loop.end_turn()

    assert scene.engine.flushes == 1
    assert client.written == [b"error"]


def test_a_client_that_left_is_not_written_to() -> None:
    scene, client = Scene(writing=True), FakeTransport()

    scene.send(client, b"written")
    client.closing = True
    scene.loop.end_turn()

    assert client.written == []
