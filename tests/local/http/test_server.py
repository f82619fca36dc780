"""HTTP on loopback: requests are answered in threads, and the server ends in order."""

import socket
import threading
from collections.abc import Iterator

import pytest
from tests.local.outside import eventually, send

from sortkey.local.http.messages import HttpRequest, HttpResponse
from sortkey.local.http.server import LoopbackServers
from sortkey.server.listening import address_of, listen


@pytest.fixture
def servers() -> Iterator[LoopbackServers]:
    made = LoopbackServers()
    made.start()
    yield made
    made.stop()


def served(servers: LoopbackServers, answer: object) -> str:
    listener = listen("127.0.0.1", 0)
    servers.serve(listener, answer)  # type: ignore[arg-type]
    return address_of(listener)


def echo(request: HttpRequest) -> HttpResponse:
    named = [(name, value) for name, value in request.headers if name == "x-name"]
    return HttpResponse(200, f"{request.method} {request.target} ".encode() + request.body, named)


def test_a_request_arrives_as_it_was_sent(servers: LoopbackServers) -> None:
    url = served(servers, echo)

    response = send(url, "POST", "/a%20b?c=d%26", b"body", x_name="1")

    assert response.body == b"POST /a%20b?c=d%26 body"
    assert response.header("x-name") == "1"


def test_an_error_is_answered_and_the_server_goes_on(servers: LoopbackServers) -> None:
    def fail(request: HttpRequest) -> HttpResponse:
        if request.path == "/":
            raise ZeroDivisionError
        return HttpResponse(200, b"fine")

    url = served(servers, fail)

    assert send(url).json == {"message": "Internal Server Error"}
    assert send(url, path="/a").body == b"fine"


def test_a_slow_request_does_not_hold_up_others(servers: LoopbackServers) -> None:
    release = threading.Event()

    def wait(request: HttpRequest) -> HttpResponse:
        if request.path == "/slow":
            release.wait(30)
        return HttpResponse(200)

    url = served(servers, wait)
    slow = threading.Thread(target=send, args=(url, "GET", "/slow"))
    slow.start()

    assert send(url).status == 200

    release.set()
    slow.join()


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: a\r\nX: " + b"x" * 20_000 + b"\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n", b"403"),
        (b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 20000000\r\n\r\n", b"413"),
    ],
)
def test_what_no_caller_should_send_is_refused(
    servers: LoopbackServers, raw: bytes, status: bytes
) -> None:
    url = served(servers, echo)
    with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])), 30) as client:
        client.sendall(raw)
        if status == b"413":
            client.sendall(b"x" * 20_000_000)
        assert client.recv(100).split()[1] == status


def test_after_its_end_nothing_listens() -> None:
    servers = LoopbackServers()
    servers.start()
    url = served(servers, echo)
    assert send(url).status == 200

    servers.stop()

    with pytest.raises(ConnectionError):
        send(url)


def test_a_response_that_is_ready_is_sent_before_the_end() -> None:
    servers = LoopbackServers()
    servers.start()
    begun, release = threading.Event(), threading.Event()

    def wait(_: HttpRequest) -> HttpResponse:
        begun.set()
        release.wait(30)
        return HttpResponse(200, b"done")

    url = served(servers, wait)
    bodies: list[bytes] = []
    client = threading.Thread(target=lambda: bodies.append(send(url).body))
    client.start()
    begun.wait(30)
    servers.refuse_new()
    release.set()
    servers.stop()
    client.join()

    assert bodies == [b"done"]
    eventually(lambda: not client.is_alive())
