"""A DynamoDB that misbehaves as told, and those that do not."""

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.access.design import App
from tests.access.executors import PLACES, OnALoop, dynamodb_local

from sortkey import DB, AsyncDB, Table
from sortkey.access.credentials import LOCAL
from sortkey.access.endpoint import Endpoint
from sortkey.access.transports.sync_http import HttpTransport
from sortkey.wire.errors import ResourceInUseException
from sortkey.wire.messages import Request


class Scripted:
    """A server that plays a script: for each connection, what to answer to each request.

    An answer of None keeps silent until the end of the test. After its last answer a connection is
    closed, and after the last connection the last script is played again.
    """

    def __init__(self, script: list[list[bytes | None]], tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[bytes] = []
        self.connections = 0
        self._script = script
        self._tls = tls
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._over = threading.Event()
        self._hung_up = threading.Semaphore(0)
        self._arrived = threading.Semaphore(0)
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    @property
    def endpoint(self) -> Endpoint:
        scheme = "https" if self._tls else "http"
        return Endpoint.parse(f"{scheme}://127.0.0.1:{self._listening.getsockname()[1]}")

    def await_request(self) -> None:
        """Return when one more request has arrived."""
        assert self._arrived.acquire(timeout=10)

    def await_hang_up(self) -> None:
        """Return when one more connection has been closed."""
        assert self._hung_up.acquire(timeout=10)

    def stop(self) -> None:
        self._over.set()
        # Wakes `accept`, which closing the socket would not.
        with suppress(OSError), socket.create_connection(self._listening.getsockname()):
            pass
        for thread in self._threads:
            thread.join()
        self._listening.close()

    def _accept(self) -> None:
        while True:
            connection, _ = self._listening.accept()
            if self._over.is_set():
                connection.close()
                return
            answers = self._script[min(self.connections, len(self._script) - 1)]
            self.connections += 1
            thread = threading.Thread(target=self._play, args=(connection, answers))
            self._threads.append(thread)
            thread.start()

    def _play(self, plain: socket.socket, answers: list[bytes | None]) -> None:
        self._answer(plain, answers)
        self._hung_up.release()

    def _answer(self, plain: socket.socket, answers: list[bytes | None]) -> None:
        with suppress(OSError), plain:
            connection = self._tls.wrap_socket(plain, server_side=True) if self._tls else plain
            with connection:
                for answer in answers:
                    request = _read_request(connection)
                    if not request:
                        return
                    self.requests.append(request)
                    self._arrived.release()
                    if answer is None:
                        self._over.wait()
                        return
                    connection.sendall(answer)


def _read_request(connection: socket.socket) -> bytes:
    read = b""
    while True:
        head, found, body = read.partition(b"\r\n\r\n")
        if found:
            [length] = [
                int(line.split(b":")[1])
                for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length")
            ]
            if len(body) >= length:
                return read
        more = connection.recv(65536)
        if not more:
            return b""
        read += more


@pytest.fixture
def scripted() -> Iterator[Callable[..., Scripted]]:
    """Start a server with a script."""
    started: list[Scripted] = []

    def start(*script: list[bytes | None], tls: ssl.SSLContext | None = None) -> Scripted:
        started.append(Scripted(list(script), tls))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 that is its own authority, with its key in the same file."""
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=sortkey test", "-addext", "subjectAltName=IP:127.0.0.1"]
    command += ["-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")]
    subprocess.run(command, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_bytes((folder / "certificate.pem").read_bytes() + (folder / "key.pem").read_bytes())
    return both


@pytest.fixture
def server_tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


@pytest.fixture
def client_tls(certificate: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(certificate))


@pytest.fixture(scope="session")
def served(serve: Callable[..., tuple[subprocess.Popen[str], int]]) -> Endpoint:
    """The endpoint of an engine with a table named ``app``, whose key is ``pk``."""
    _, port = serve()
    endpoint = Endpoint.parse(f"http://127.0.0.1:{port}")
    create_table(endpoint)
    return endpoint


def create_table(endpoint: Endpoint) -> None:
    transport = HttpTransport(endpoint, region="us-east-1", credentials=LOCAL)
    with suppress(ResourceInUseException):
        transport.send(
            Request(
                "CreateTable",
                {
                    "TableName": "app",
                    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
                    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
                    "BillingMode": "PAY_PER_REQUEST",
                },
            )
        )
    transport.close()


_environments = (f"t{number}" for number in count())


@pytest.fixture(scope="session")
def http_url(serve: Callable[..., tuple[subprocess.Popen[str], int]]) -> str:
    """The address of `sortkey serve`."""
    return f"http://127.0.0.1:{serve()[1]}"


@pytest.fixture(scope="session")
def local_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of Amazon's DynamoDB Local."""
    with dynamodb_local(tmp_path_factory.mktemp("local")) as url:
        yield url


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest) -> str:
    """Where the test runs."""
    return request.param


@pytest.fixture
def opened(place: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., DB]]:
    """Open a database with these tables, empty and the test's own."""
    opened: list[DB] = []

    def open_db(*tables: type[Table], **settings: Any) -> DB:
        settings.setdefault("environment", next(_environments))
        match place:
            case "memory":
                db = DB.memory(*tables, **settings)
            case "asynchronous":
                db = OnALoop(AsyncDB.memory(*tables, **settings))
            case _:
                db = DB.endpoint(request.getfixturevalue(f"{place}_url"), *tables, **settings)
                db.create_tables()
        opened.append(db)
        return db

    yield open_db
    for db in opened:
        db.close()


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    """A database with the table that most entities live in."""
    return opened(App)
