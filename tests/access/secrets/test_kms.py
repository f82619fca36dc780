"""KMS: it creates and wraps the data keys that encrypt, and only it unwraps them."""

import asyncio
import json
import os
import ssl
import threading
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Annotated, Any

import pytest
from tests.access.executors import put_item, stored_items
from tests.access.secrets.design import WithKeys
from tests.access.servers import RecordingProxy, Scripted

from sortkey import (
    DB,
    AsyncDB,
    Entity,
    Keyring,
    KeyUnavailable,
    KmsKey,
    LocalKey,
    SecretUnreadable,
    Table,
    reencrypt,
    secret,
)
from sortkey.access.endpoint import Endpoint, SettingsError
from sortkey.access.secrets.stored_form import StoredSecret

ARN = "arn:aws:kms:eu-west-1:111122223333:key/app"


class Safe(Table, name="{environment}-Safe"):
    pass


class User(Entity, table=Safe):
    user_id: str
    token: Annotated[str, secret]

    primary = Safe.primary.key("USER#{user_id}", "USER")


class RefusedByKms(Exception):  # noqa: N818 - what happened
    """An error as botocore raises it."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.response = {"Error": {"Code": code}}


class FakeKms:
    """Wraps a data key by remembering it, and records each call."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.threads: set[int] = set()
        self.down = False
        self._wrapped: dict[bytes, tuple[bytes, str, dict[str, str]]] = {}

    def generate_data_key(
        self,
        *,
        KeyId: str,  # noqa: N803 - as AWS spells it
        KeySpec: str,  # noqa: N803
        EncryptionContext: Mapping[str, str],  # noqa: N803
    ) -> dict[str, Any]:
        self._note("generate")
        assert KeySpec == "AES_256"
        number = len(self._wrapped)
        material, wrapped = bytes([number]) * 32, b"wrapped %d" % number
        self._wrapped[wrapped] = (material, KeyId, dict(EncryptionContext))
        return {"Plaintext": material, "CiphertextBlob": wrapped}

    def decrypt(
        self,
        *,
        KeyId: str,  # noqa: N803 - as AWS spells it
        CiphertextBlob: bytes,  # noqa: N803
        EncryptionContext: Mapping[str, str],  # noqa: N803
    ) -> dict[str, Any]:
        self._note("decrypt")
        material, *bound = self._wrapped.get(CiphertextBlob, (b"", "", {}))
        if bound != [KeyId, dict(EncryptionContext)]:
            raise RefusedByKms("InvalidCiphertextException")
        return {"Plaintext": material}

    def _note(self, what: str) -> None:
        self.calls.append(what)
        self.threads.add(threading.get_ident())
        if self.down:
            raise RefusedByKms("AccessDeniedException")


class Time:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def kms() -> FakeKms:
    return FakeKms()


def key(kms: FakeKms, **settings: Any) -> KmsKey:
    return KmsKey("kms", ARN, client=kms, **settings)


def wrapped_keys(db: DB) -> list[bytes]:
    found = [StoredSecret.parse(b64decode(item["token"]["B"])) for item in stored_items(db, Safe)]
    return sorted(encrypted.wrapped for encrypted in found if encrypted is not None)


def test_a_secret_under_kms_comes_back_on_every_executor(
    opened: Callable[..., DB], kms: FakeKms
) -> None:
    db = opened(Safe, secrets=Keyring(key(kms)))

    db(User(user_id="u", token="hush").create())

    assert db(User.get(user_id="u").required()).token == "hush"
    assert kms.calls == ["generate"]


def test_the_data_key_is_stored_wrapped_beside_the_secret(kms: FakeKms) -> None:
    db = DB.memory(Safe, secrets=Keyring(key(kms)))
    db(User(user_id="u", token="hush").create())

    [item] = stored_items(db, Safe)

    assert b64decode(item["token"]["B"]).startswith(b"\x01\x03kms\x00\x09wrapped 0")


def test_one_data_key_seals_until_its_uses_or_its_time_are_over(kms: FakeKms) -> None:
    time = Time()
    db = DB.memory(Safe, secrets=Keyring(key(kms, uses=2, seconds=60, clock=time)))

    for user_id in ("a", "b", "c"):
        db(User(user_id=user_id, token="hush").create())
    time.now = 60
    db(User(user_id="d", token="hush").create())

    assert wrapped_keys(db) == [b"wrapped 0", b"wrapped 0", b"wrapped 1", b"wrapped 2"]


def test_unwrapped_keys_are_forgotten_after_their_time_and_number(kms: FakeKms) -> None:
    time = Time()
    db = DB.memory(Safe, secrets=Keyring(key(kms, uses=1, remembered=1, seconds=60, clock=time)))
    db(User(user_id="a", token="hush").create())
    db(User(user_id="b", token="hush").create())
    kms.calls.clear()

    def read(user_id: str) -> list[str]:
        kms.calls.clear()
        db(User.get(user_id=user_id))
        return list(kms.calls)

    assert read("b") == []
    assert read("a") == ["decrypt"]
    assert read("a") == []
    assert read("b") == ["decrypt"]
    time.now = 60
    assert read("b") == ["decrypt"]


@pytest.mark.parametrize("settings", [{"seconds": 0}, {"uses": 0}, {"remembered": 0}])
def test_a_key_that_could_never_be_used_is_refused(kms: FakeKms, settings: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="call KMS endlessly"):
        key(kms, **settings)


def test_the_event_loop_does_not_wait_for_kms(kms: FakeKms) -> None:
    async def run() -> str:
        async with AsyncDB.memory(Safe, secrets=Keyring(key(kms))) as db:
            await db(User(user_id="u", token="hush").create())
        async with AsyncDB.memory(Safe, secrets=Keyring(key(kms))) as db:
            await asyncio.gather(
                *(db(User(user_id=str(n), token="hush").create()) for n in range(20))
            )
            found = await db(User.get(user_id="7").required())
            return found.token

    assert asyncio.run(run()) == "hush"
    assert threading.get_ident() not in kms.threads
    assert kms.calls == ["generate", "generate"]


def test_an_error_of_kms_is_reported_and_nothing_is_written(kms: FakeKms) -> None:
    db = DB.memory(Safe, secrets=Keyring(key(kms)))
    kms.down = True

    with pytest.raises(KeyUnavailable, match=rf'"kms" \({ARN}\): AccessDeniedException'):
        db(User(user_id="u", token="hush").create())

    assert stored_items(db, Safe) == []


def test_a_kms_that_refuses_while_reading_says_nothing_of_the_secret(kms: FakeKms) -> None:
    time = Time()
    db = DB.memory(Safe, secrets=Keyring(key(kms, seconds=60, clock=time)))
    db(User(user_id="u", token="hush").create())
    kms.down, time.now = True, 60

    with pytest.raises(KeyUnavailable):
        db(User.get(user_id="u"))


def test_a_changed_data_key_is_noticed(kms: FakeKms) -> None:
    db = DB.memory(Safe, secrets=Keyring(key(kms)))
    db(User(user_id="u", token="hush").create())
    [item] = stored_items(db, Safe)
    content = b64decode(item["token"]["B"]).replace(b"wrapped 0", b"wrapped 9")
    put_item(db, Safe, {**item, "token": {"B": b64encode(content).decode()}})

    with pytest.raises(SecretUnreadable, match='token: was not encrypted with the key "kms"'):
        db(User.get(user_id="u"))


def test_a_request_that_is_shown_for_a_database_has_its_key(kms: FakeKms) -> None:
    db = DB.memory(Safe, secrets=Keyring(key(kms)))

    body = User(user_id="u", token="hush").put()._first_body(db._context)

    assert body["Item"]["token"]["B"] != "(secret)"


def test_rotation_leads_from_a_local_key_to_kms(kms: FakeKms) -> None:
    local = LocalKey.new("local")
    db = DB.memory(Safe, secrets=Keyring(local))
    db(User(user_id="u", token="hush").create())

    assert WithKeys(db, Keyring(key(kms), local))(reencrypt(User)).rewritten == 1

    assert WithKeys(db, Keyring(key(kms)))(User.get(user_id="u").required()).token == "hush"


class _KmsOverHttp(BaseHTTPRequestHandler):
    """The two operations of KMS that are used, over AWS's own protocol."""

    requests: list[dict[str, Any]]

    def do_POST(self) -> None:
        operation = self.headers["X-Amz-Target"].partition(".")[2]
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.requests.append({"operation": operation, **body})
        answer = {
            "KeyId": body["KeyId"],
            "Plaintext": b64encode(bytes(32)).decode(),
            "CiphertextBlob": b64encode(b"wrapped").decode(),
        }
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name in the base class
        """Log nothing."""


@pytest.fixture
def kms_over_http(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    requests: list[dict[str, Any]] = []
    handler = type("Handler", (_KmsOverHttp,), {"requests": requests})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("AWS_ENDPOINT_URL_KMS", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    yield requests
    with suppress(OSError):
        server.shutdown()
    thread.join()
    server.server_close()


def test_botocore_asks_kms_with_the_key_and_the_purpose(
    kms_over_http: list[dict[str, Any]],
) -> None:
    def keyring() -> Keyring:
        return Keyring(KmsKey("kms", ARN, region="eu-west-1"))

    db = DB.memory(Safe, secrets=keyring())
    db(User(user_id="u", token="hush").create())

    assert WithKeys(db, keyring())(User.get(user_id="u").required()).token == "hush"
    purpose = {"KeyId": ARN, "EncryptionContext": {"purpose": "sortkey secrets"}}
    assert kms_over_http == [
        {"operation": "GenerateDataKey", "KeySpec": "AES_256", **purpose},
        {"operation": "Decrypt", "CiphertextBlob": b64encode(b"wrapped").decode(), **purpose},
    ]


# -- how botocore reaches KMS ---------------------------------------------------------------------


def write_with_kms() -> None:
    db = DB.memory(Safe, secrets=Keyring(KmsKey("kms", ARN, region="eu-west-1")))
    db(User(user_id="u", token="hush").create())


@pytest.mark.usefixtures("unconfigured")
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "ALL_PROXY"])
def test_kms_is_called_through_the_proxy_that_the_environment_names(
    kms_over_http: list[dict[str, Any]],
    proxy: Callable[..., RecordingProxy],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    endpoint = Endpoint.parse(os.environ["AWS_ENDPOINT_URL_KMS"])
    between = proxy(endpoint, credentials="ada:secret")
    monkeypatch.setenv(variable, f"http://ada:secret@{between.address}")

    write_with_kms()

    assert len(kms_over_http) == 1
    [head] = between.heads
    assert head.startswith(f"POST {endpoint}/ HTTP/1.1\r\n".encode())


@pytest.mark.usefixtures("unconfigured")
def test_kms_at_an_exempt_address_is_called_directly(
    kms_over_http: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "127.0.0.0/8")

    write_with_kms()

    assert len(kms_over_http) == 1


@pytest.mark.usefixtures("unconfigured")
@pytest.mark.parametrize("variable", ["AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"])
def test_kms_is_trusted_by_the_certificates_that_the_environment_names(
    encrypted_kms: RecordingProxy,
    certificate: Path,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
) -> None:
    monkeypatch.setenv(variable, str(certificate))

    write_with_kms()

    [head] = encrypted_kms.heads
    assert head.startswith(b"CONNECT kms.eu-west-1.amazonaws.com:443 ")


@pytest.mark.usefixtures("unconfigured")
def test_a_file_without_certificates_is_refused_before_kms_is_called(
    encrypted_kms: RecordingProxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_CA_BUNDLE", "/nowhere.pem")

    with pytest.raises(SettingsError, match=r"AWS_CA_BUNDLE is '/nowhere\.pem'"):
        write_with_kms()

    assert encrypted_kms.heads == []


@pytest.fixture
def encrypted_kms(
    scripted: Callable[..., Scripted],
    server_tls: ssl.SSLContext,
    proxy: Callable[..., RecordingProxy],
    monkeypatch: pytest.MonkeyPatch,
) -> RecordingProxy:
    """The proxy between here and a KMS in AWS."""
    made = {"KeyId": ARN, "Plaintext": b64encode(bytes(32)).decode(), "CiphertextBlob": "d3JhcA=="}
    content = json.dumps(made).encode()
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(content), content)
    between = proxy(scripted([answer], tls=server_tls).endpoint)
    monkeypatch.setenv("HTTPS_PROXY", between.address)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    return between
