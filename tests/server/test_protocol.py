import re
from asyncio import AbstractEventLoop, BaseTransport
from collections.abc import Callable
from typing import Any, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.server.connections import OpenConnections
from sortkey.server.door import Door
from sortkey.server.later import Later
from sortkey.server.protocol import HEAD_BYTES, Connection
from sortkey.server.turn import Turn

HEAD = (
    b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-amz-json-1.0\r\n"
    b"X-Amz-Target: DynamoDB_20120810.Echo\r\n"
)


def post(body: bytes, *extra: bytes) -> bytes:
    lines = b"".join(line + b"\r\n" for line in extra)
    return HEAD + lines + b"Content-Length: %d\r\n\r\n" % len(body) + body


class EchoEngine:
    """Answers with the request, as a write that waits for its flush or not."""

    def __init__(self, *, grouped: bool = False) -> None:
        self.grouped = grouped
        self.writing = False

    def reply(self, operation: str, body: Any) -> bytes:
        self.writing = self.grouped
        return orjson.dumps(body)

    def flush(self) -> None:
        self.writing = False

    def can_write(self) -> bool:
        raise NotImplementedError

    def beside(self) -> "EchoEngine":
        return self

    def tend(self) -> bool:
        return False

    def close(self) -> None: ...


class FakeLoop:
    """Holds scheduled calls until the test runs them."""

    def __init__(self) -> None:
        self.soon: list[Callable[[], None]] = []
        self.later: list[Callable[[], None]] = []

    def call_soon(self, callback: Callable[[], None]) -> None:
        self.soon.append(callback)

    def call_later(self, _: float, callback: Callable[[], None]) -> None:
        self.later.append(callback)

    def end_turn(self) -> None:
        ready, self.soon = self.soon, []
        for callback in ready:
            callback()


class FakeTransport:
    """Keeps what was written, and refuses what a closed transport would."""

    def __init__(self) -> None:
        self.written = b""
        self.closed = False
        self.aborted = False
        self.ended = False
        self.reading = True
        self.unsent = 0

    def write(self, reply: bytes) -> None:
        assert not self.closed
        assert not self.ended
        self.written += reply

    def write_eof(self) -> None:
        self.ended = True

    def close(self) -> None:
        self.closed = True

    def abort(self) -> None:
        self.closed = self.aborted = True

    def is_closing(self) -> bool:
        return self.closed

    def get_write_buffer_size(self) -> int:
        return self.unsent

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True


class Client:
    """One connection, as the client's side sees it."""

    def __init__(self, *, grouped: bool = False) -> None:
        self.loop = FakeLoop()
        self.transport = FakeTransport()
        self.open = OpenConnections()
        engine = EchoEngine(grouped=grouped)
        loop = cast("AbstractEventLoop", self.loop)
        turn = Turn(loop, engine)
        door = Door(engine, clock=lambda: 0.0, unsettled=turn.demand_flush)
        later = Later(loop, engine, turn, lambda _: door)
        self.connection = Connection(loop, door, turn, later, self.open)
        self.connection.connection_made(cast("BaseTransport", self.transport))

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            if not self.transport.closed:
                self.connection.data_received(piece)
            self.loop.end_turn()

    def wait(self, seconds: int) -> None:
        for _ in range(seconds):
            self.open.tick(1.0)
            self.loop.end_turn()

    @property
    def bodies(self) -> list[bytes]:
        """The bodies of the replies, in order."""
        found: list[bytes] = []
        rest = self.transport.written
        while rest:
            head, _, rest = rest.partition(b"\r\n\r\n")
            length = re.search(rb"Content-Length: (\d+)", head)
            size = int(length[1]) if length else 0
            found.append(rest[:size])
            rest = rest[size:]
        return found

    @property
    def statuses(self) -> list[int]:
        """The statuses of all replies, in order."""
        return [int(code) for code in re.findall(rb"HTTP/1\.1 (\d+) ", self.transport.written)]


@given(
    values=st.lists(st.integers(0, 10**6), min_size=1, max_size=6),
    chunked=st.booleans(),
    grouped=st.booleans(),
    data=st.data(),
)
def test_however_the_bytes_arrive_the_replies_are_the_same_and_in_order(
    values: list[int], data: st.DataObject, *, chunked: bool, grouped: bool
) -> None:
    bodies = [b'{"value":%d}' % value for value in values]
    if chunked:
        stream = b"".join(
            HEAD
            + b"Transfer-Encoding: chunked\r\n\r\n5\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n"
            % (body[:5], len(body) - 5, body[5:])
            for body in bodies
        )
    else:
        stream = b"".join(map(post, bodies))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(stream) - 1), max_size=8)))
    client = Client(grouped=grouped)

    client.send(*(stream[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)))

    assert client.bodies == bodies
    assert not client.transport.closed


@given(st.binary(max_size=300), st.booleans())
def test_any_bytes_are_borne(noise: bytes, grouped: bool) -> None:
    client = Client(grouped=grouped)

    client.send(post(b'{"a":1}') + noise)

    assert client.bodies[0] == b'{"a":1}'


def test_grouped_replies_wait_for_the_end_of_the_turn() -> None:
    client = Client(grouped=True)

    client.connection.data_received(post(b'{"a":1}'))
    assert client.transport.written == b""
    client.loop.end_turn()

    assert client.bodies == [b'{"a":1}']


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize(
    "request_bytes",
    [
        post(b'{"a":1}', b"Connection: close"),
        post(b'{"a":1}').replace(b"HTTP/1.1", b"HTTP/1.0"),
    ],
)
def test_a_connection_closes_after_the_reply_if_the_client_wants(
    request_bytes: bytes, *, grouped: bool
) -> None:
    client = Client(grouped=grouped)

    client.send(request_bytes + post(b'{"ignored":1}'))

    assert client.bodies == [b'{"a":1}']
    assert b"Connection: close" in client.transport.written
    assert client.transport.closed


def test_http_1_0_may_keep_the_connection() -> None:
    client = Client()
    old = post(b'{"a":1}', b"Connection: keep-alive").replace(b"HTTP/1.1", b"HTTP/1.0")

    client.send(old, old)

    assert client.bodies == [b'{"a":1}'] * 2
    assert b"Connection: keep-alive" in client.transport.written


@pytest.mark.parametrize("grouped", [False, True])
def test_a_client_that_has_said_its_last_word_still_hears_the_answer(*, grouped: bool) -> None:
    client = Client(grouped=grouped)

    client.connection.data_received(post(b'{"a":1}'))
    assert client.connection.eof_received()
    client.loop.end_turn()

    assert client.bodies == [b'{"a":1}']
    assert client.transport.closed


def test_a_lost_connection_is_forgotten() -> None:
    client = Client()
    assert client.open == {client.connection}

    client.send(post(b"{}")[:50])
    client.connection.connection_lost(None)

    assert not client.open


def test_a_client_that_waits_for_leave_gets_it_once() -> None:
    client = Client()
    request = post(b'{"a":1}', b"Expect: 100-continue")
    head, body = request[:-7], request[-7:]

    client.send(head[:20], head[20:])
    assert client.transport.written == b"HTTP/1.1 100 Continue\r\n\r\n"
    client.send(body[:3], body[3:])

    assert client.statuses == [100, 200]


def test_a_client_that_does_not_wait_needs_no_leave() -> None:
    client = Client()

    client.send(post(b'{"a":1}', b"Expect: 100-continue"))

    assert client.statuses == [200]


def test_leave_for_too_much_is_not_given() -> None:
    client = Client()

    client.send(HEAD + b"Expect: 100-continue\r\nContent-Length: 20000000\r\n\r\n")

    assert client.statuses == [413]


@pytest.mark.parametrize(
    "framing",
    [b"Content-Length: 17825792\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n1100000\r\n"],
)
def test_too_long_a_body_is_refused_and_the_rest_is_read_away(framing: bytes) -> None:
    client = Client()

    client.send(HEAD + framing, *[b" " * (1 << 20)] * 17)

    assert client.statuses == [413]
    assert client.transport.ended
    assert not client.transport.closed
    for callback in client.loop.later:
        callback()
    assert client.transport.closed


def test_the_longest_body_is_accepted() -> None:
    client = Client()
    size = 16 << 20
    body = b'{"a":1}'.ljust(size)

    client.send(HEAD + b"Content-Length: %d\r\n\r\n" % size, body[: size // 2], body[size // 2 :])

    assert client.bodies == [b'{"a":1}']


@pytest.mark.parametrize(
    "head",
    [
        HEAD + b"A: " + b"x" * 9000 + b"\r\nB: " + b"y" * 9000 + b"\r\nContent-Length: 2\r\n\r\n{}",
        HEAD.replace(b" / ", b" /" + b"x" * 17000 + b" ") + b"\r\n",
        HEAD + b"A: " + b"x" * 100_000,
        b"POST /" + b"x" * 100_000,
    ],
)
@pytest.mark.parametrize("step", [100, 1 << 20])
def test_too_long_a_head_is_refused(head: bytes, step: int) -> None:
    client = Client()

    client.send(*(head[at : at + step] for at in range(0, len(head), step)))

    assert client.statuses == [400]
    assert client.transport.ended


def test_a_head_just_short_enough_is_accepted() -> None:
    client = Client()

    client.send(post(b'{"a":1}', b"A: " + b"x" * (HEAD_BYTES - 200)), post(b'{"b":2}'))

    assert client.bodies == [b'{"a":1}', b'{"b":2}']


def test_a_long_body_does_not_count_as_a_head() -> None:
    client = Client()
    body = b'{"a":"' + b"x" * 100_000 + b'"}'
    stream = post(body) * 2

    client.send(*(stream[at : at + 999] for at in range(0, len(stream), 999)))

    assert client.bodies == [body, body]


def test_what_is_not_http_is_refused() -> None:
    client = Client()

    client.send(b"\x16\x03\x01 hello TLS\r\n\r\n")

    assert client.statuses == [400]
    assert b"Connection: close" in client.transport.written


def test_an_offer_to_upgrade_is_ignored() -> None:
    client = Client()
    offer = (b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c", b"HTTP2-Settings: AAEA")
    stream = post(b'{"a":1}', *offer) + post(b'{"b":2}', *offer) + post(b'{"c":3}')

    client.send(stream[:250], stream[250:])

    assert client.bodies == [b'{"a":1}', b'{"b":2}', b'{"c":3}']


def test_a_header_behind_the_body_is_ignored() -> None:
    client = Client()
    target = b"X-Amz-Target: DynamoDB_20120810.Echo\r\n"
    chunked = HEAD.replace(target, b"") + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"

    client.send(chunked + target + b"\r\n", post(b'{"a":1}'))

    assert client.statuses == [400, 200]


@pytest.mark.parametrize(
    "endless",
    [
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nTrailer: ",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nA: b\r\nC: ",
        b"Transfer-Encoding: chunked\r\n\r\n2;extension=",
    ],
)
def test_a_trailer_or_an_extension_without_end_is_refused(endless: bytes) -> None:
    client = Client()

    client.send(HEAD + endless, *[b"x" * 1024] * (HEAD_BYTES // 1024 + 1))

    assert client.statuses == [400]
    assert client.transport.ended


def test_many_trailers_are_refused_too() -> None:
    client = Client()
    line = b"A: b\r\n" * 100

    client.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n", *[line] * 50)

    assert client.statuses == [400]


def test_a_body_in_small_chunks_is_accepted() -> None:
    client = Client()
    text = b'{"a":"%b"}' % (b"x" * 2 * HEAD_BYTES)
    pieces = [b"1\r\n%c\r\n" % letter for letter in text]

    client.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *pieces, b"0\r\n\r\n")

    assert client.bodies == [text]


def test_a_tunnel_is_not_opened() -> None:
    client = Client()

    client.send(b"CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n" + post(b'{"a":1}'))

    assert client.statuses == [404]
    assert client.transport.ended


def test_a_client_that_does_not_read_is_not_listened_to() -> None:
    client = Client()

    client.connection.pause_writing()
    assert not client.transport.reading
    client.connection.resume_writing()

    assert client.transport.reading


@pytest.mark.parametrize("grouped", [False, True])
def test_a_client_that_does_not_read_gets_a_few_replies_only(*, grouped: bool) -> None:
    client = Client(grouped=grouped)
    text = b'{"a":"%b"}' % (b"x" * 100_000)
    client.transport.unsent = 10**9

    client.send(*[post(text) * 5] * 4)
    few = len(client.bodies)
    assert few <= 3
    assert not client.transport.reading

    client.transport.unsent = 0
    client.connection.resume_writing()
    while client.loop.soon:
        client.loop.end_turn()

    assert client.bodies == [text] * 20
    assert client.transport.reading


@pytest.mark.parametrize(
    ("ending", "status"),
    [(b"", 200), (b"junk\r\n\r\n", 400), (post(b"{}", b"Connection: close"), 200)],
)
def test_the_end_of_a_connection_waits_for_its_replies(ending: bytes, status: int) -> None:
    client = Client()
    text = b'{"a":"%b"}' % (b"x" * 300_000)
    client.transport.unsent = 10**9

    client.send(post(text) * 3 + ending)
    client.connection.eof_received()
    client.loop.end_turn()
    assert len(client.bodies) == 1
    assert not client.transport.closed

    client.transport.unsent = 0
    client.connection.resume_writing()
    while client.loop.soon:
        client.loop.end_turn()

    assert client.bodies[:3] == [text] * 3
    assert client.statuses[-1] == status
    assert client.transport.closed or client.transport.ended


def test_after_closing_no_request_is_answered() -> None:
    client = Client()

    client.connection.close()
    client.connection.data_received(post(b"{}"))

    assert client.transport.written == b""


# -- patience -----------------------------------------------------------------------------------


def test_a_client_that_never_sends_anything_is_closed_without_a_reply() -> None:
    client = Client()

    client.wait(9)
    assert not client.transport.closed
    client.wait(2)

    assert client.transport.closed
    assert client.transport.written == b""


def test_a_head_is_complete_in_time_or_refused_however_steadily_it_arrives() -> None:
    client = Client()

    for byte in post(b"{}")[:12]:
        client.send(bytes([byte]))
        client.wait(1)

    assert client.statuses == [408]
    assert client.transport.ended


def test_the_head_of_a_later_request_has_its_own_time() -> None:
    client = Client()
    client.send(post(b"{}"))
    client.wait(300)

    client.send(post(b"{}")[:50])
    client.wait(9)
    assert client.statuses == [200]
    client.wait(2)

    assert client.statuses == [200, 408]


def test_empty_lines_do_not_keep_a_connection() -> None:
    client = Client()
    client.send(post(b"{}"))

    for _ in range(12):
        client.send(b"\r\n")
        client.wait(1)

    assert client.statuses == [200, 408]


def test_a_body_may_take_a_while_as_long_as_it_goes_on() -> None:
    client = Client()
    request = post(b'{"a":12345}')

    for begin in range(len(request) - 8, len(request)):
        client.send(request[:begin] if begin == len(request) - 8 else request[begin - 1 : begin])
        client.wait(25)
    client.send(request[-1:])

    assert client.statuses == [200]


def test_a_body_that_does_not_go_on_is_refused() -> None:
    client = Client()

    client.send(post(b"{}")[:-1])
    client.wait(32)

    assert client.statuses == [408]


def test_a_body_in_single_bytes_is_refused_in_the_end() -> None:
    client = Client()

    client.send(post(b"x" * 1000)[:-1000])
    for _ in range(310):
        client.send(b"x")
        client.wait(1)

    assert client.statuses == [408]


def test_an_idle_connection_is_kept_for_minutes_and_then_closed() -> None:
    client = Client()
    client.send(post(b"{}"))

    client.wait(590)
    assert not client.transport.closed
    client.send(post(b"{}"))
    client.wait(590)
    assert not client.transport.closed
    client.wait(12)

    assert client.transport.closed
    assert client.statuses == [200, 200]


def test_a_client_that_does_not_read_at_all_is_given_up() -> None:
    client = Client()
    client.transport.unsent = 10**6
    client.send(post(b'{"a":"%b"}' % (b"x" * 300_000)))

    client.wait(59)
    assert not client.transport.closed
    client.wait(2)

    assert client.transport.closed


def test_its_time_begins_when_the_transport_is_full() -> None:
    client = Client()

    def write(reply: bytes) -> None:
        client.transport.unsent = len(reply)
        client.connection.pause_writing()

    client.transport.write = write
    client.send(post(b'{"a":"%b"}' % (b"x" * 100_000)))

    client.wait(61)

    assert client.transport.closed


def test_a_client_that_reads_slowly_is_not_given_up() -> None:
    client = Client()
    client.transport.unsent = 10**6
    client.send(post(b'{"a":"%b"}' % (b"x" * 300_000)))

    for _ in range(20):
        client.transport.unsent -= 1000
        client.wait(50)

    assert not client.transport.closed


def test_a_request_whose_rest_waited_for_the_client_to_read_has_its_time_again() -> None:
    client = Client()
    client.send(post(b"{}")[:50])
    client.connection.pause_writing()
    client.wait(50)

    client.connection.resume_writing()
    client.wait(5)
    client.send(post(b"{}")[50:])

    assert client.statuses == [200]


def test_a_closed_connection_does_not_wait_for_ever_for_its_client_to_read() -> None:
    client = Client()
    client.transport.unsent = 10**6
    client.connection.eof_received()

    client.wait(50)
    assert not client.transport.aborted
    client.wait(80)

    assert client.transport.aborted


def test_a_connection_that_is_being_answered_is_never_given_up() -> None:
    client = Client()
    client.send(post(b"{}"))
    client.connection.is_busy = True
    assert not client.connection.is_evictable

    client.wait(10_000)

    assert not client.transport.closed


@pytest.mark.parametrize("grouped", [False, True])
def test_a_connection_that_makes_room_sends_what_it_has_first(*, grouped: bool) -> None:
    client = Client(grouped=grouped)

    client.connection.data_received(post(b'{"a":1}'))
    client.connection.evict()
    client.loop.end_turn()

    assert client.bodies == [b'{"a":1}']
    assert client.transport.closed
    assert not client.connection.is_evictable


def test_a_client_that_does_not_read_makes_room_at_once() -> None:
    client = Client()
    client.transport.unsent = 10**6

    client.connection.evict()

    assert client.transport.closed
