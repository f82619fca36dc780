"""Servers that work and servers that fail, and databases that connect to them."""

import asyncio
import shutil
import ssl
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import uvloop
from tests.access.design import App
from tests.access.executors import PLACES, OnALoop, dynamodb_local
from tests.access.servers import RecordingProxy, Scripted
from tests.access.two_designs import Ground, memory_ground

from sortkey import DB, AsyncDB, Credentials, Retries, Table
from sortkey.access.credentials import LOCAL
from sortkey.access.endpoint import Endpoint
from sortkey.access.targets import endpoint_target, file_target
from sortkey.access.transports.sync_http import HttpTransport
from sortkey.wire.errors import ResourceInUseException
from sortkey.wire.messages import Request

_AWS = "*.eu-west-1.amazonaws.com"


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


@pytest.fixture
def proxy() -> Iterator[Callable[..., RecordingProxy]]:
    """Start a proxy."""
    started: list[RecordingProxy] = []

    def start(leads_to: Endpoint, **settings: Any) -> RecordingProxy:
        started.append(RecordingProxy(leads_to, **settings))
        return started[-1]

    yield start
    for server in started:
        server.stop()


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate, with its key in the same file.

    It is valid for 127.0.0.1, and for AWS in a region that tests do not reach.
    """
    openssl = shutil.which("openssl")
    if openssl is None:
        pytest.skip("openssl is not installed")
    folder = tmp_path_factory.mktemp("certificate")
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=sortkey test", "-addext", f"subjectAltName=IP:127.0.0.1,DNS:{_AWS}"]
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


@pytest.fixture
def unconfigured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Ignore the proxies and certificates of this machine's environment."""
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    for name in ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture(params=["blocking", "asyncio", "uvloop"])
def connect(request: pytest.FixtureRequest, unconfigured: None) -> Iterator[Callable[..., DB]]:
    """Open a database at a URL, or on AWS without one. It sends each request once."""
    loops = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}
    opened: list[DB] = []

    def open_db(url: str | None = None, **settings: Any) -> DB:
        settings = {
            "region": "eu-west-1",
            "credentials": Credentials("AKID", "secret"),
            "retries": Retries(attempts=1),
            **settings,
        }
        kind = DB if request.param == "blocking" else AsyncDB
        db = kind.endpoint(url, App, **settings) if url else kind.aws(App, **settings)
        opened.append(OnALoop(db, loops[request.param]) if isinstance(db, AsyncDB) else db)
        return opened[-1]

    yield open_db
    for db in opened:
        db.close()


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
    """The place where the test runs."""
    return request.param


@pytest.fixture
def opened(place: str, request: pytest.FixtureRequest) -> Iterator[Callable[..., DB]]:
    """Open a database with these tables, which are empty and used by no other test."""
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
        if place == "local":
            # Even at rest, it takes the more processor time the more tables it has.
            db.delete_tables()
        db.close()


@pytest.fixture(params=["memory", "asynchronous", "file", "http"])
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Ground:
    """A place with data, which is opened with one design after the other."""
    match request.param:
        case "memory" | "asynchronous" as place:
            return memory_ground(awaited=place == "asynchronous")
        case "file":
            return Ground(file_target(tmp_path / "app.db"), "dev")
        case _:
            url = request.getfixturevalue("http_url")
            return Ground(endpoint_target(url), next(_environments))


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    """A database with the table of most entities."""
    return opened(App)
