"""`DB` and `AsyncDB` through a proxy: a real one on this machine, and failing ones."""

import asyncio
import logging
import socket
import ssl
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from typing import Any

import pytest
from tests.access.design import App
from tests.access.executors import Raw, stored_items
from tests.access.servers import RecordingProxy, Scripted

from sortkey import DB, Retries
from sortkey.access.credentials import LOCAL
from sortkey.access.endpoint import Endpoint, SettingsError
from sortkey.access.transports.async_http import AsyncHttpTransport
from sortkey.access.transports.proxies import proxy_for
from sortkey.access.transports.transport import NotSent, OutcomeUnknown, Timeouts
from sortkey.wire.errors import ValidationException
from sortkey.wire.messages import Request

Start = Callable[..., Scripted]
StartProxy = Callable[..., RecordingProxy]
Connect = Callable[..., DB]

AWS = "dynamodb.eu-west-1.amazonaws.com"
ELSEWHERE = "http://dynamodb.example.org:8000"


GET = Raw("GetItem", App, {"Key": {"pk": {"S": "a"}}})
PUT = Raw("PutItem", App, {"Item": {"pk": {"S": "a"}}})


def http(body: bytes, status: bytes = b"200 OK") -> bytes:
    return b"HTTP/1.1 %b\r\nContent-Length: %d\r\n\r\n%b" % (status, len(body), body)


OK = http(b'{"ok":true}')
INVALID = http(b'{"__type":"x#ValidationException","message":"no"}', b"400 Bad Request")
CONNECTED = b"HTTP/1.1 200 Connection established\r\n\r\n"


@pytest.fixture
def encrypted(scripted: Start, server_tls: ssl.SSLContext) -> Start:
    """Start a server with a script and TLS."""
    return partial(scripted, tls=server_tls)


# -- a proxy that works ---------------------------------------------------------------------------


def test_https_goes_through_one_tunnel_with_tls_inside(
    encrypted: Start,
    proxy: StartProxy,
    client_tls: ssl.SSLContext,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = encrypted([OK] * 3)
    between = proxy(server.endpoint)
    monkeypatch.setenv("HTTPS_PROXY", f"http://{between.address}")
    db = connect(tls=client_tls)

    assert [db(GET) for _ in range(3)] == [{"ok": True}] * 3

    [head] = between.heads
    assert head.startswith(f"CONNECT {AWS}:443 HTTP/1.1\r\nHost: {AWS}:443\r\n".encode())
    assert between.connections == server.connections == 1
    for request in server.requests:
        assert request.startswith(f"POST / HTTP/1.1\r\nHost: {AWS}\r\n".encode())
        assert b"Proxy-" not in request


def test_http_is_forwarded_by_its_whole_url_on_one_connection(
    scripted: Start, proxy: StartProxy, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted([OK] * 3)
    between = proxy(server.endpoint)
    monkeypatch.setenv("HTTP_PROXY", between.address)
    db = connect(ELSEWHERE)

    assert [db(GET) for _ in range(3)] == [{"ok": True}] * 3

    assert between.connections == server.connections == 1
    assert len(between.heads) == 3
    for head in between.heads:
        assert head.startswith(b"POST http://dynamodb.example.org:8000/ HTTP/1.1\r\nHost: dynamodb")
    for request in server.requests:
        assert request.startswith(b"POST / HTTP/1.1\r\nHost: dynamodb.example.org:8000\r\n")


def test_the_signature_is_the_one_that_the_endpoint_expects(
    serve: Callable[..., tuple[Any, int]],
    proxy: StartProxy,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _, port = serve("--access-key", "AKID", "--secret-key", "secret")
    endpoint = Endpoint.parse(f"http://127.0.0.1:{port}")
    between = proxy(endpoint)
    monkeypatch.setenv("all_proxy", between.address)
    db = connect(str(endpoint))

    db.create_tables()

    assert stored_items(db, App) == []
    assert between.connections == 1


def test_a_tunnel_is_requested_with_the_credentials_in_the_proxys_url(
    encrypted: Start,
    proxy: StartProxy,
    client_tls: ssl.SSLContext,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = encrypted([OK])
    between = proxy(server.endpoint, credentials="ada:p@ss/word")
    monkeypatch.setenv("HTTPS_PROXY", f"http://ada:p%40ss%2Fword@{between.address}")

    assert connect(tls=client_tls)(GET) == {"ok": True}
    assert b"Proxy-Authorization" not in server.requests[0]


def test_a_request_is_forwarded_with_the_credentials_in_the_proxys_url(
    scripted: Start, proxy: StartProxy, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted([OK])
    between = proxy(server.endpoint, credentials="ada:p@ss/word")
    monkeypatch.setenv("HTTP_PROXY", f"http://ada:p%40ss%2Fword@{between.address}")

    assert connect(ELSEWHERE)(GET) == {"ok": True}
    assert b"Proxy-Authorization" not in server.requests[0]


def test_an_exempt_host_is_connected_to_directly(
    scripted: Start, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted([OK])
    monkeypatch.setenv("HTTP_PROXY", "http://nowhere.invalid:3128")
    monkeypatch.setenv("NO_PROXY", "127.0.0.0/8")

    assert connect(str(server.endpoint))(GET) == {"ok": True}


def test_the_environment_is_read_when_the_database_is_opened(
    scripted: Start, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = scripted([OK])
    db = connect(str(server.endpoint))

    monkeypatch.setenv("HTTP_PROXY", "http://nowhere.invalid:3128")

    assert db(GET) == {"ok": True}


def test_dynamodbs_own_errors_pass_a_proxy(
    scripted: Start, proxy: StartProxy, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    between = proxy(scripted([INVALID]).endpoint)
    monkeypatch.setenv("HTTP_PROXY", between.address)

    with pytest.raises(ValidationException, match="no"):
        connect(ELSEWHERE)(GET)


# -- proxies that fail ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (http(b"", b"407 Who are you?"), r"\(407 Who are you\?\): correct the user and the pass"),
        (http(b"<h1>", b"403 Forbidden"), r"\(403 Forbidden\): ask its operator"),
        (http(b"<h1>", b"502 Bad Gateway"), r"\(502 Bad Gateway\): .* check the region"),
        (b"SSH-2.0-OpenSSH\r\n", "did not reply with HTTP .* is there an HTTP proxy"),
        (CONNECTED[:20], "closed the connection before the tunnel .* was open"),
        (b"", "closed the connection before the tunnel .* was open"),
        (CONNECTED, "closed the (tunnel|connection)"),
    ],
    ids=["credentials", "forbidden", "gateway", "not http", "half a reply", "no reply", "no tls"],
)
def test_a_proxy_that_opens_no_tunnel_is_named_and_nothing_was_sent(
    scripted: Start,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    reply: bytes,
    message: str,
) -> None:
    failing = scripted([reply])
    address = str(failing.endpoint).removeprefix("http://")
    monkeypatch.setenv("HTTPS_PROXY", f"http://ada:hush@{address}")

    with pytest.raises(NotSent, match=f"the proxy http://{address} .*{message}") as caught:
        connect()(GET)

    assert caught.value.endpoint == f"https://{AWS}"
    [request] = failing.requests
    assert request.startswith(b"CONNECT")


@pytest.mark.parametrize(
    "reply",
    [
        b"HTTP/1.1 403 Forbidden\r\n\r\n",
        b"HTTP/1.1 403 Forbidden\r\n\r\n<h1>no",
        b"HTTP/1.0 403 Forbidden\r\nConnection: close\r\n\r\n",
        b"HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n",
        http(b"x" * 300_000, b"403 Forbidden"),
    ],
    ids=["no length", "page without length", "close", "chunked", "long page"],
)
@pytest.mark.parametrize("after", [(), (None,)], ids=["closed", "kept open"])
@pytest.mark.parametrize(
    ("url", "message"),
    [
        (None, r"refused a tunnel to \S+ \(403 Forbidden\): ask its operator"),
        (ELSEWHERE, "itself answered a request to .* with HTTP 403: ask its operator"),
    ],
    ids=["https", "http"],
)
def test_a_refusal_is_reported_at_once_however_its_end_is_marked(
    scripted: Start,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    *,
    reply: bytes,
    after: tuple[None, ...],
    url: str | None,
    message: str,
) -> None:
    failing = scripted([reply, *after])
    monkeypatch.setenv("ALL_PROXY", str(failing.endpoint))

    with pytest.raises(NotSent, match=message) as caught:
        connect(url, timeouts=Timeouts(connect=2, read=2))(GET)

    assert caught.value.lasting


@pytest.mark.parametrize(
    "cut",
    [
        b"HTTP/1.1 403 Forbidden\r\nContent-Length: 99\r\n\r\n<h1>",
        b"HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n<h1>",
    ],
    ids=["length", "chunked"],
)
def test_half_a_refusal_is_a_refusal(
    scripted: Start, connect: Connect, monkeypatch: pytest.MonkeyPatch, cut: bytes
) -> None:
    monkeypatch.setenv("HTTP_PROXY", str(scripted([cut]).endpoint))

    with pytest.raises(NotSent, match="with HTTP 403: ask its operator"):
        connect(ELSEWHERE)(GET)


def test_dynamodbs_error_may_end_with_the_connection(
    scripted: Start, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = b"HTTP/1.0 400 Bad Request\r\nx-amzn-RequestId: ABC\r\n\r\n"
    failing = scripted([head + INVALID.partition(b"\r\n\r\n")[2]])
    monkeypatch.setenv("HTTP_PROXY", str(failing.endpoint))

    with pytest.raises(ValidationException, match="no"):
        connect(ELSEWHERE)(GET)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ([None], r"did not open a tunnel to https://dynamodb\S+ within 0\.1 s"),
        ([CONNECTED, None], r"accepted no connection within 0\.1 s: .* \(through the proxy"),
    ],
    ids=["no reply", "no tls"],
)
def test_a_silent_proxy_times_out(
    scripted: Start,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    script: list[bytes | None],
    message: str,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", str(scripted(script).endpoint))

    with pytest.raises(NotSent, match=message):
        connect(timeouts=Timeouts(connect=0.1))(GET)


def test_a_proxy_that_replies_byte_by_byte_times_out(
    connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as listening:

        def drip() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while True:
                    connection.sendall(b"x")
                    time.sleep(0.02)

        thread = threading.Thread(target=drip)
        thread.start()
        monkeypatch.setenv("HTTPS_PROXY", f"127.0.0.1:{listening.getsockname()[1]}")

        with pytest.raises(NotSent, match=r"did not open a tunnel to \S+ within 0\.2 s"):
            connect(timeouts=Timeouts(connect=0.2))(GET)
        thread.join()


@pytest.mark.parametrize("url", [None, ELSEWHERE], ids=["https", "http"])
def test_a_proxy_that_is_not_there_is_named(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, url: str | None
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as unused:
        port = unused.getsockname()[1]
    monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{port}")

    with pytest.raises(NotSent, match=f"cannot connect to the proxy http://127.0.0.1:{port} "):
        connect(url)(GET)

    monkeypatch.setenv("ALL_PROXY", "http://nowhere.invalid:3128")
    with pytest.raises(NotSent, match=r"the host of the proxy http://nowhere\.invalid:3128"):
        connect(url)(GET)


def test_a_request_that_the_proxy_does_not_forward_was_not_sent(
    scripted: Start, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = scripted([http(b"<h1>who?</h1>", b"407 Who are you?")])
    monkeypatch.setenv("HTTP_PROXY", str(failing.endpoint))

    with pytest.raises(NotSent, match="with HTTP 407: write a user and a password into HTTP_PROXY"):
        connect(ELSEWHERE)(GET)


def test_of_a_request_that_the_proxy_could_not_forward_the_outcome_is_unknown(
    scripted: Start, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = scripted([http(b"<h1>late</h1>", b"504 Gateway Timeout")])
    monkeypatch.setenv("HTTP_PROXY", str(failing.endpoint))

    with pytest.raises(OutcomeUnknown, match=r"with HTTP 504: .* may have been carried out"):
        connect(ELSEWHERE)(GET)


@pytest.mark.parametrize(
    ("status", "attempts"), [(b"503 Busy", 4), (b"403 Forbidden", 3)], ids=["passing", "lasting"]
)
def test_it_is_tried_again_like_any_request_that_was_not_sent(
    scripted: Start,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    status: bytes,
    attempts: int,
) -> None:
    failing = scripted([http(b"", status)])
    monkeypatch.setenv("HTTPS_PROXY", str(failing.endpoint))

    with pytest.raises(NotSent):
        connect(retries=Retries(attempts=4, base=0))(PUT)

    assert failing.connections == attempts


@pytest.mark.parametrize("url", ["https://ada:hush@proxy:3128", "socks5://ada:hush@proxy:1080"])
def test_a_proxy_that_cannot_be_used_is_refused_when_the_database_is_opened(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, url: str
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", url)

    with pytest.raises(SettingsError, match="HTTPS_PROXY names a proxy"):
        connect()


def test_a_connection_slot_is_released_when_a_tunnel_is_cancelled(scripted: Start) -> None:
    endpoint = Endpoint.parse(f"https://{AWS}")
    proxy = proxy_for(endpoint, {"all_proxy": str(scripted([None]).endpoint)})

    async def work() -> None:
        transport = AsyncHttpTransport(
            endpoint, region="eu-west-1", credentials=LOCAL, proxy=proxy, connections=1
        )
        for _ in range(2):
            task = asyncio.create_task(transport.send(Request("ListTables", {})))
            await asyncio.sleep(0.05)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        await transport.close()

    asyncio.run(work())


# -- nothing secret is shown -----------------------------------------------------------------------


@pytest.mark.parametrize("url", [None, ELSEWHERE], ids=["https", "http"])
def test_credentials_of_a_proxy_are_in_no_error_no_log_and_no_repr(
    scripted: Start,
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    url: str | None,
) -> None:
    caplog.set_level(logging.DEBUG)
    failing = scripted([http(b"", b"407 Who are you?")])
    address = str(failing.endpoint).removeprefix("http://")
    monkeypatch.setenv("ALL_PROXY", f"http://ada:hush@{address}")
    db = connect(url)

    with pytest.raises(NotSent) as caught:
        db(GET)

    assert b"Proxy-Authorization: Basic YWRhOmh1c2g=" in failing.requests[0]
    shown = [*traceback.format_exception(caught.value), repr(caught.value), repr(db), caplog.text]
    for hidden in ("ada:", "hush", "YWRhOmh1c2g="):
        assert hidden not in "\n".join(shown)
