"""A document is fetched within a time and a size, over TLS or on this machine, from one place."""

import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from threading import Thread

import pytest
from tests.systems.api.issuer import KEYS, Issuer

from sortkey_systems.api.fetching import LARGEST_DOCUMENT, FetchFailed, fetch_json


@contextmanager
def listening(answer: Callable[[socket.socket], None]) -> Generator[str]:
    """A server that answers each connection in this way; yield its host and port."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(20)
                with suppress(OSError):
                    answer(connection)

    thread = Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{server.getsockname()[1]}"
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(10)


def test_a_document_is_fetched(issuer: Issuer) -> None:
    assert fetch_json(f"{issuer.url}{KEYS}")["keys"]
    assert issuer.requests == [KEYS]


@pytest.mark.parametrize("status", [204, 301, 302, 307, 308, 401, 404, 500, 503])
def test_only_a_success_is_a_document(issuer: Issuer, status: int) -> None:
    issuer.instead[KEYS] = status, {"location": f"{issuer.url}/elsewhere"}, b'{"keys": []}'

    with pytest.raises(FetchFailed, match=f"the status {status}"):
        fetch_json(f"{issuer.url}{KEYS}")
    assert issuer.requests == [KEYS]


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"keys": [', b"\xff", b"[" * 100_000])
def test_garbage_is_not_a_document(issuer: Issuer, body: bytes) -> None:
    issuer.instead[KEYS] = 200, {}, body

    with pytest.raises(FetchFailed, match="is not JSON"):
        fetch_json(f"{issuer.url}{KEYS}")


@pytest.mark.parametrize("size", [LARGEST_DOCUMENT + 1, 50_000_000])
def test_a_huge_document_is_not_read(issuer: Issuer, size: int) -> None:
    issuer.instead[KEYS] = 200, {}, b'"' + b"x" * (size - 2) + b'"'

    with pytest.raises(FetchFailed, match="over 262,144 bytes"):
        fetch_json(f"{issuer.url}{KEYS}")
    issuer.instead[KEYS] = 200, {}, b'"' + b"x" * (LARGEST_DOCUMENT - 2) + b'"'
    assert len(fetch_json(f"{issuer.url}{KEYS}")) == LARGEST_DOCUMENT - 2


def drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    for number in range(10_000):
        connection.sendall(b"x-%d: y\r\n" % number if number < 50 else b" ")
        connection.settimeout(0.05)
        try:
            if not connection.recv(1_000):
                return
        except TimeoutError:
            pass


def silence(connection: socket.socket) -> None:
    while connection.recv(1_000):
        pass


def no_http(connection: socket.socket) -> None:
    connection.sendall(b"SSH-2.0-OpenSSH_9.9\r\n")


def endless_headers(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while True:
        connection.sendall(b"x" * 65_536)


def interim_responses(connection: socket.socket) -> None:
    while True:
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")


@pytest.mark.parametrize("answer", [drip, silence, no_http, endless_headers, interim_responses])
def test_a_server_cannot_hold_a_fetch(answer: Callable[[socket.socket], None]) -> None:
    with listening(answer) as place, pytest.raises(FetchFailed):
        fetch_json(f"http://{place}/keys", seconds=0.3)


@pytest.mark.parametrize("answer", [drip, silence, no_http])
def test_a_server_cannot_hold_a_handshake(
    monkeypatch: pytest.MonkeyPatch, answer: Callable[[socket.socket], None]
) -> None:
    monkeypatch.setenv("no_proxy", "*")
    with listening(answer) as place, pytest.raises(FetchFailed, match="cannot be fetched"):
        fetch_json(f"https://{place}/keys", seconds=0.3)


def test_nobody_there_is_a_failure() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(FetchFailed, match="cannot be fetched"):
        fetch_json(f"http://127.0.0.1:{port}/keys")


@pytest.mark.parametrize(
    "address",
    [
        "http://login.example.org/keys",
        "http://127.0.0.1.example.org/keys",
        "http://169.254.169.254/latest/meta-data",
        "ftp://127.0.0.1/keys",
        "file:///etc/passwd",
        "/etc/passwd",
        "https:///keys",
        "https://ann:secret@login.example.org/keys",
        "https://login.example.org:port/keys",
        "https://login.example.org/ke ys",
        "https://login.example.org/\r\nx: y",
        "https://[::1/keys",
        "",
    ],
)
def test_an_address_that_is_not_safe_is_not_fetched(address: str) -> None:
    with pytest.raises(FetchFailed, match=r"^the address must "):
        fetch_json(address)


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bytes] = []

    def proxy(connection: socket.socket) -> None:
        asked.append(connection.recv(4_000))
        connection.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")

    with listening(proxy) as place:
        monkeypatch.setenv("https_proxy", f"http://ann:pass%20word@{place}")
        monkeypatch.setenv("no_proxy", "other.example.org")
        with pytest.raises(FetchFailed, match="403") as failed:
            fetch_json("https://login.example.org/keys")

    assert asked[0].startswith(b"CONNECT login.example.org:443 HTTP/1.")
    assert b"Proxy-Authorization: Basic YW5uOnBhc3Mgd29yZA==" in asked[0]
    assert "word" not in str(failed.value)
