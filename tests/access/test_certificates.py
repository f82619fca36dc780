"""The certificates that the environment names are trusted, by `DB` and `AsyncDB`."""

import shutil
import ssl
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.access.design import App
from tests.access.executors import Raw
from tests.access.servers import RecordingProxy, Scripted

from sortkey import DB
from sortkey.access.certificates import trusted_file, trusting_context
from sortkey.access.endpoint import SettingsError
from sortkey.access.transports.transport import NotSent

Start = Callable[..., Scripted]
Connect = Callable[..., DB]

VARIABLES = ("AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
GET = Raw("GetItem", App, {"Key": {"pk": {"S": "a"}}})
OK = b'HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{"ok":true}'


@pytest.fixture
def server(scripted: Start, server_tls: ssl.SSLContext) -> Scripted:
    return scripted([OK], tls=server_tls)


@pytest.fixture(scope="session")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The certificate of another authority."""
    file = tmp_path_factory.mktemp("other") / "other.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=other"]
    subprocess.run(
        [*command, "-keyout", "/dev/null", "-out", file], check=True, capture_output=True
    )
    return file


@pytest.mark.parametrize("variable", VARIABLES)
def test_certificates_in_a_file_are_trusted(
    server: Scripted,
    connect: Connect,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    monkeypatch.setenv(variable, str(certificate))

    assert connect(str(server.endpoint))(GET) == {"ok": True}


def test_certificates_in_a_folder_are_trusted(
    server: Scripted,
    connect: Connect,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    command = ["openssl", "x509", "-subject_hash", "-noout", "-in", certificate]
    named = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    shutil.copy(certificate, tmp_path / f"{named}.0")
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))

    assert connect(str(server.endpoint))(GET) == {"ok": True}


def test_they_are_trusted_inside_of_a_tunnel_to_aws(
    server: Scripted,
    proxy: Callable[..., RecordingProxy],
    connect: Connect,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy(server.endpoint).address)
    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))

    assert connect()(GET) == {"ok": True}


@pytest.mark.parametrize("variable", VARIABLES)
def test_no_others_are_trusted(
    server: Scripted,
    connect: Connect,
    other: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    monkeypatch.setenv(variable, str(other))

    with pytest.raises(NotSent, match=r"certificate of .* is not trusted .* set AWS_CA_BUNDLE"):
        connect(str(server.endpoint))(GET)

    assert server.requests == []


def test_a_proxy_that_replaces_the_certificate_is_named(
    server: Scripted,
    proxy: Callable[..., RecordingProxy],
    connect: Connect,
    other: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    between = proxy(server.endpoint)
    monkeypatch.setenv("HTTPS_PROXY", between.address)
    monkeypatch.setenv("AWS_CA_BUNDLE", str(other))

    with pytest.raises(
        NotSent, match=f"is not trusted .*through the proxy http://{between.address}"
    ):
        connect()(GET)

    assert server.requests == []


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (None, "No such file or directory"),
        ("", "it contains no certificate"),
        ("not a certificate", "it contains no certificate"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", "no certificate"),
    ],
    ids=["missing", "empty", "text", "broken"],
)
def test_a_file_without_certificates_is_refused_when_the_database_is_opened(
    connect: Connect,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    content: str | None,
    fault: str,
) -> None:
    file = tmp_path / "bundle.pem"
    if content is not None:
        file.write_text(content)

    for variable in reversed(VARIABLES):
        monkeypatch.setenv(variable, str(file))
        with pytest.raises(SettingsError, match=rf"{variable} is '{file}', .*\(.*{fault}\)"):
            connect()


@pytest.mark.parametrize(
    ("value", "fault"),
    [("", "the name is empty"), ("/", "Is a directory")],
    ids=["empty", "folder"],
)
def test_a_name_that_is_not_a_files_is_refused(
    connect: Connect, monkeypatch: pytest.MonkeyPatch, value: str, fault: str
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", value)

    with pytest.raises(SettingsError, match=rf"AWS_CA_BUNDLE is '{value}', .*\({fault}\)"):
        connect()


def test_the_first_variable_counts_and_no_other(
    server: Scripted,
    connect: Connect,
    certificate: Path,
    other: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(other))
    assert trusted_file() == str(other)

    monkeypatch.setenv("AWS_CA_BUNDLE", str(certificate))
    assert trusted_file() == str(certificate)
    assert connect(str(server.endpoint))(GET) == {"ok": True}


def test_a_context_that_is_passed_wins(
    server: Scripted,
    connect: Connect,
    client_tls: ssl.SSLContext,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", "/nowhere")

    assert connect(str(server.endpoint), tls=client_tls)(GET) == {"ok": True}
    connect(tls=client_tls)  # AWS, which is not called


def test_an_endpoint_without_tls_needs_no_certificates(
    scripted: Start, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", "/nowhere")

    assert connect(str(scripted([OK]).endpoint))(GET) == {"ok": True}


@pytest.mark.usefixtures("connect")
def test_without_a_variable_the_systems_certificates_are_trusted() -> None:
    assert trusted_file() is None
    assert trusting_context() is None
