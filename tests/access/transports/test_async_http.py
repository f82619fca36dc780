import asyncio
import os
import signal
import socket
import ssl
import subprocess
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, closing
from typing import Any

import pytest
import uvloop

from sortkey.access.credentials import LOCAL, Credentials, CredentialSource
from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.async_http import AsyncHttpTransport
from sortkey.access.transports.transport import (
    AsyncTransport,
    NotSent,
    OutcomeUnknown,
    Timeouts,
    TransportError,
)
from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    ExpiredTokenException,
    InternalServerError,
)
from sortkey.wire.messages import Request

Serve = Callable[..., tuple[subprocess.Popen[str], int]]
Scripted = Callable[..., Any]
Run = Callable[[Coroutine[Any, Any, None]], None]
GET = Request("GetItem", {"TableName": "app", "Key": {"pk": {"S": "a"}}})
LIST = Request("ListTables", {})


def http(body: bytes, status: bytes = b"200 OK", headers: bytes = b"") -> bytes:
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n%b\r\n%b" % (status, len(body), headers, body)


OK = http(b'{"ok":true}')
EXPIRED = http(b'{"__type":"x#ExpiredTokenException","message":"old"}', b"400 Bad Request")
FAILED = http(b'{"__type":"x#InternalServerError","message":"oh"}', b"500 Error")


@pytest.fixture(params=[asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Run:
    """Run a coroutine on each kind of event loop."""

    def run_it(work: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(work)

    return run_it


@asynccontextmanager
async def opened(
    endpoint: Endpoint, *, credentials: CredentialSource = LOCAL, **settings: Any
) -> AsyncGenerator[AsyncHttpTransport]:
    transport = AsyncHttpTransport(
        endpoint, region="us-east-1", credentials=credentials, **settings
    )
    try:
        yield transport
    finally:
        await transport.close()


def put(name: str, number: int) -> Request:
    return Request(
        "PutItem", {"TableName": "app", "Item": {"pk": {"S": name}, "n": {"N": str(number)}}}
    )


def get(name: str) -> Request:
    return Request("GetItem", {"TableName": "app", "Key": {"pk": {"S": name}}})


# -- a server that works ----------------------------------------------------------------------


def test_what_was_written_is_read(served: Endpoint, run: Run) -> None:
    item = {"pk": {"S": "async"}, "big": {"S": "x" * 300_000}}

    async def work() -> None:
        async with opened(served) as transport:
            carrier: AsyncTransport = transport
            await carrier.send(Request("PutItem", {"TableName": "app", "Item": item}))
            assert await carrier.send(get("async")) == {"Item": item}

    run(work())


def test_dynamodbs_errors_are_raised(served: Endpoint, run: Run) -> None:
    condition = {"ConditionExpression": "attribute_exists(nothing)"}

    async def work() -> None:
        async with opened(served) as transport:
            with pytest.raises(ConditionalCheckFailedException) as caught:
                await transport.send(Request("PutItem", put("a", 1).body | condition))
            assert caught.value.request_id

    run(work())


@pytest.mark.parametrize("connections", [1, 3, 50])
def test_tasks_share_a_transport(served: Endpoint, run: Run, connections: int) -> None:
    async def write_and_read(transport: AsyncHttpTransport, name: str) -> None:
        for number in range(20):
            await transport.send(put(name, number))
            item = (await transport.send(get(name)))["Item"]
            assert item == {"pk": {"S": name}, "n": {"N": str(number)}}

    async def work() -> None:
        async with opened(served, connections=connections) as transport:
            await asyncio.gather(*(write_and_read(transport, f"task{n}") for n in range(20)))

    run(work())


def test_a_restarted_server_is_found_again(serve: Serve, run: Run) -> None:
    process, port = serve()

    async def work() -> None:
        async with opened(Endpoint.parse(f"http://127.0.0.1:{port}")) as transport:
            assert await transport.send(LIST)
            os.killpg(process.pid, signal.SIGTERM)
            await asyncio.to_thread(process.wait, 10)
            with pytest.raises(NotSent, match="is `sortkey serve` running"):
                await transport.send(LIST)
            await asyncio.to_thread(serve, "--port", str(port))
            assert await transport.send(LIST)

    run(work())


# -- connections --------------------------------------------------------------------------------


def test_a_connection_is_used_again(scripted: Scripted, run: Run) -> None:
    server = scripted([OK] * 3)

    async def work() -> None:
        async with opened(server.endpoint) as transport:
            for _ in range(3):
                assert await transport.send(GET) == {"ok": True}

    run(work())
    assert server.connections == 1


def test_no_more_connections_are_open_than_allowed(scripted: Scripted, run: Run) -> None:
    server = scripted([OK] * 100)

    async def work() -> None:
        async with opened(server.endpoint, connections=3) as transport:
            await asyncio.gather(*(transport.send(GET) for _ in range(30)))

    run(work())
    assert server.connections == 3
    assert len(server.requests) == 30


def test_a_connection_closed_while_idle_is_replaced_unnoticed(scripted: Scripted, run: Run) -> None:
    server = scripted([OK])  # one answer for each connection

    async def work() -> None:
        async with opened(server.endpoint) as transport:
            for _ in range(5):
                assert await transport.send(GET) == {"ok": True}
                await asyncio.to_thread(server.await_hang_up)
                await asyncio.sleep(0.02)  # the loop has to see it

    run(work())
    assert server.connections == 5


def test_an_answer_that_says_close_is_the_last(scripted: Scripted, run: Run) -> None:
    server = scripted([http(b"{}", headers=b"Connection: close\r\n"), OK])

    async def work() -> None:
        async with opened(server.endpoint) as transport:
            await transport.send(GET)
            await transport.send(GET)

    run(work())
    assert server.connections == 2


def test_after_an_error_the_connection_is_kept(scripted: Scripted, run: Run) -> None:
    server = scripted([FAILED, OK])

    async def work() -> None:
        async with opened(server.endpoint) as transport:
            with pytest.raises(InternalServerError):
                await transport.send(GET)
            assert await transport.send(GET) == {"ok": True}

    run(work())
    assert server.connections == 1


def test_noise_on_an_idle_connection_is_not_taken_for_an_answer(
    scripted: Scripted, run: Run
) -> None:
    server = scripted([OK + http(b'{"not":"asked"}'), OK], [OK])

    async def work() -> None:
        async with opened(server.endpoint) as transport:
            assert await transport.send(GET) == {"ok": True}
            assert await transport.send(GET) == {"ok": True}

    run(work())
    assert server.connections == 2


# -- cancelling and closing ---------------------------------------------------------------------


def test_a_cancelled_request_gives_its_place_to_the_next(scripted: Scripted, run: Run) -> None:
    server = scripted([None], [OK])

    async def work() -> None:
        async with opened(server.endpoint, connections=1) as transport:
            under_way = asyncio.create_task(transport.send(GET))
            await asyncio.to_thread(server.await_request)
            waiting = asyncio.create_task(transport.send(GET))
            given_up = asyncio.create_task(transport.send(GET))
            await asyncio.sleep(0)
            given_up.cancel()
            under_way.cancel()
            assert await waiting == {"ok": True}
            assert given_up.cancelled()
            assert under_way.cancelled()

    run(work())
    assert server.connections == 2


def test_the_response_to_a_cancelled_request_is_dropped(served: Endpoint, run: Run) -> None:
    async def work() -> None:
        async with opened(served, connections=2) as transport:
            await transport.send(put("kept", 7))
            for delay in range(40):
                task = asyncio.create_task(transport.send(LIST))
                for _ in range(delay % 8):
                    await asyncio.sleep(0)
                task.cancel()
                assert (await transport.send(get("kept")))["Item"]["n"] == {"N": "7"}
                await asyncio.gather(task, return_exceptions=True)

    run(work())


def test_cancelling_while_connecting_gives_the_place_back(run: Run) -> None:
    with closing(socket.create_server(("127.0.0.1", 0), backlog=1)) as listening:
        # Nothing accepts the connection, so the TLS handshake never ends.
        endpoint = Endpoint.parse(f"https://127.0.0.1:{listening.getsockname()[1]}")

        async def work() -> None:
            async with opened(endpoint, connections=1) as transport:
                for _ in range(2):
                    task = asyncio.create_task(transport.send(GET))
                    await asyncio.sleep(0.05)
                    task.cancel()
                    with pytest.raises(asyncio.CancelledError):
                        await task

        run(work())


def test_closing_fails_what_is_under_way_and_what_comes_later(scripted: Scripted, run: Run) -> None:
    server = scripted([None])

    async def work() -> None:
        async with opened(server.endpoint, connections=1) as transport:
            under_way = asyncio.create_task(transport.send(GET))
            waiting = asyncio.create_task(transport.send(GET))
            await asyncio.to_thread(server.await_request)
            await transport.close()
            with pytest.raises(OutcomeUnknown):
                await under_way
            for later in (waiting, transport.send(GET)):
                with pytest.raises(TransportError, match="has been closed: open a new one"):
                    await later

    run(work())


def test_another_loop_is_refused(scripted: Scripted) -> None:
    transport = AsyncHttpTransport(
        scripted([http(b"{}", headers=b"Connection: close\r\n")]).endpoint,
        region="us-east-1",
        credentials=LOCAL,
    )

    async def use() -> None:
        await transport.send(GET)
        await asyncio.sleep(0)

    asyncio.run(use())
    with pytest.raises(TransportError, match="belongs to another event loop: open one in each"):
        asyncio.run(use())


# -- servers that fail -----------------------------------------------------------------


def test_nothing_listens(run: Run) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as unused:
        port = unused.getsockname()[1]

    async def work() -> None:
        for host in ("127.0.0.1", "localhost"):
            async with opened(Endpoint.parse(f"http://{host}:{port}")) as transport:
                with pytest.raises(NotSent, match=f"cannot connect to http://{host}:{port}: is"):
                    await transport.send(GET)

    run(work())


def test_a_connection_that_does_not_open_in_time(run: Run) -> None:
    with closing(socket.create_server(("127.0.0.1", 0), backlog=1)) as listening:
        endpoint = Endpoint.parse(f"https://127.0.0.1:{listening.getsockname()[1]}")

        async def work() -> None:
            async with opened(endpoint, timeouts=Timeouts(connect=0.05)) as transport:
                with pytest.raises(NotSent, match=r"accepted no connection within 0\.05 s"):
                    await transport.send(GET)

        run(work())


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (b"", "closed the connection before its response was complete"),
        (OK[:-4], "closed the connection before its response was complete"),
        (b"SSH-2.0-OpenSSH\r\n", "is it DynamoDB"),
        (http(b"<html>"), "it is not JSON"),
        (http(b"{}", headers=b"x-amz-crc32: 1\r\n"), "its checksum does not match"),
    ],
    ids=["no answer", "half an answer", "not http", "not json", "damaged"],
)
def test_without_a_whole_answer_the_outcome_is_unknown(
    scripted: Scripted, run: Run, answer: bytes, message: str
) -> None:
    server = scripted([answer], [OK])

    async def work() -> None:
        async with opened(server.endpoint) as transport:
            with pytest.raises(OutcomeUnknown, match=message):
                await transport.send(GET)
            await asyncio.to_thread(server.await_hang_up)
            await asyncio.sleep(0.02)  # the loop has to see it
            assert await transport.send(GET) == {"ok": True}

    run(work())


def test_silence_ends_in_an_unknown_outcome(scripted: Scripted, run: Run) -> None:
    server = scripted([OK, None], [OK])

    async def work() -> None:
        async with opened(server.endpoint, timeouts=Timeouts(read=0.2)) as transport:
            assert await transport.send(GET)
            with pytest.raises(OutcomeUnknown, match=r"did not respond for 0\.2 s"):
                await transport.send(GET)
            assert await transport.send(GET)

    run(work())
    assert server.connections == 2


# -- credentials and encryption -----------------------------------------------------------------


class Slow:
    """Credentials that block, and record which threads waited for them."""

    def __init__(self, *keys: str) -> None:
        self._keys = list(keys)
        self._ready = False
        self.asked_in: set[int] = set()

    def is_ready(self) -> bool:
        return self._ready

    def get(self) -> Credentials:
        if not self._ready:
            self.asked_in.add(threading.get_ident())
        self._ready = True
        return Credentials(self._keys[0], "secret")

    def renew(self) -> bool:
        self._ready = False
        del self._keys[0]
        return True


def test_slow_credentials_do_not_hold_the_loop_and_are_renewed_once(
    scripted: Scripted, run: Run
) -> None:
    server = scripted([EXPIRED, OK, EXPIRED, EXPIRED, OK])
    source = Slow("OLD", "NEW", "NEWER")

    async def work() -> None:
        async with opened(server.endpoint, credentials=source) as transport:
            assert await transport.send(GET) == {"ok": True}
            with pytest.raises(ExpiredTokenException):
                await transport.send(GET)

    run(work())
    used = [request.split(b"Credential=")[1].split(b"/")[0] for request in server.requests]
    assert used == [b"OLD", b"NEW", b"NEW", b"NEWER"]
    assert threading.get_ident() not in source.asked_in


def test_requests_travel_encrypted(
    scripted: Scripted, server_tls: ssl.SSLContext, client_tls: ssl.SSLContext, run: Run
) -> None:
    server = scripted([http(b'{"long":"%b"}' % (b"x" * 100_000)), OK], tls=server_tls)

    async def work() -> None:
        async with opened(server.endpoint, tls=client_tls) as transport:
            assert await transport.send(GET) == {"long": "x" * 100_000}
            assert await transport.send(GET) == {"ok": True}

    run(work())
    assert server.connections == 1


def test_a_certificate_that_is_not_trusted_is_refused(
    scripted: Scripted, server_tls: ssl.SSLContext, run: Run
) -> None:
    server = scripted([OK], tls=server_tls)

    async def work() -> None:
        async with opened(server.endpoint) as transport:
            with pytest.raises(NotSent, match=r"the certificate of .* is not trusted"):
                await transport.send(GET)

    run(work())
    assert not server.requests


def test_a_server_that_was_reached_before_is_waited_for(scripted: Scripted, run: Run) -> None:
    server = scripted([OK])
    endpoint = server.endpoint

    async def work() -> None:
        async with opened(endpoint) as transport:
            await transport.send(GET)
            await asyncio.to_thread(server.stop)
            await asyncio.sleep(0.1)  # the end of its connection arrives
            with pytest.raises(NotSent, match="cannot connect") as caught:
                await transport.send(GET)
            assert not caught.value.lasting
        async with opened(endpoint) as transport:
            with pytest.raises(NotSent, match="cannot connect") as caught:
                await transport.send(GET)
            assert caught.value.lasting

    run(work())
