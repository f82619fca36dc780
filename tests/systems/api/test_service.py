"""Each system is a service: made from its settings, with tokens of an issuer, and observed."""

import asyncio
import json
import logging
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from tests.systems.api.issuer import Issuer
from tests.systems.api.serving import OWN, environment_of, in_service, signed_in

from sortkey import DB, Call, Keyring, LocalKey
from sortkey_systems.api.service import Service
from sortkey_systems.oneonone.asgi import app as one_on_one

SYSTEMS = sorted(OWN)
# A path of each system that an anybody with a token can read.
OWN_PATHS = {
    "agentcore": "/quota",
    "commitcollect": "/models",
    "gymcoach": "/exercises",
    "oneonone": "/me",
    "shuttle": "/usage/days/2030-05-14",
}


@pytest.fixture(autouse=True)
def _log_is_restored() -> Iterator[None]:
    root, server = logging.getLogger(), logging.getLogger("uvicorn.access")
    before, level, propagates = root.handlers[:], root.level, server.propagate
    yield
    root.handlers[:] = before
    root.setLevel(level)
    server.propagate = propagates


def service_of(system: str) -> Service[Any]:
    return import_module(f"sortkey_systems.{system}.asgi").app


def caller_of(system: str, issuer: Issuer) -> dict[str, str]:
    return signed_in(issuer, sub="shop1.myshopify.com" if system == "shuttle" else "ann")


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_system_serves_the_callers_of_its_issuer(
    system: str, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = OWN_PATHS[system]
    with in_service(service_of(system), monkeypatch, **environment_of(system, issuer)) as client:
        assert client.get(path, headers=caller_of(system, issuer)).status_code == 200
        refused = client.get(path, headers=signed_in(issuer, aud="someone"))
        assert client.get(path).status_code == 401
        assert client.get("/docs").status_code == 200
        assert client.get("/readyz").json() == {"status": "ready"}

    assert refused.status_code == 401
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.headers["www-authenticate"] == "Bearer"
    assert refused.json()["detail"] == "the token is for another audience"


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_probes_of_a_system_read_each_of_its_tables(system: str) -> None:
    service = service_of(system)
    calls: list[Call] = []
    keys = Keyring(LocalKey.new("k1"))
    with DB.memory(*service.tables, observers=[calls.append], secrets=keys) as db:
        db.all(*service.probes())
    names = {table.definition.name_in("dev") for table in service.tables}
    sent = [exchange for call in calls for exchange in call.exchanges]

    assert {table for exchange in sent for table in exchange.tables} == names
    assert {exchange.operation for exchange in sent} <= {"GetItem", "Query"}
    assert all(call.pattern for call in calls), "a role allows the patterns of the design"
    assert service.tables == import_module(f"sortkey_systems.{system}.generator").TABLES


@pytest.mark.parametrize("system", SYSTEMS)
def test_importing_a_system_reads_no_settings(system: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.environ", {})

    assert isinstance(service_of(system), Service)


def failing(*_: object) -> None:
    raise ZeroDivisionError


async def _messages(service: Service[Any]) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        return {"type": "lifespan.shutdown" if sent else "lifespan.startup"}

    async def send(message: Any) -> None:
        sent.append(message)

    await service({"type": "lifespan"}, receive, send)
    return sent


@pytest.mark.parametrize("system", SYSTEMS)
def test_wrong_settings_end_the_start_with_all_of_them(
    system: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for setting in service_of(system).settings.declared().values():
        for name in (setting.variable, setting.deployed_variable):
            monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TOKEN_ALGORITHMS", "HS256")
    [message] = asyncio.run(_messages(service_of(system)))

    assert message["type"] == "lifespan.startup.failed"
    for name in ("ISSUER is not set", "AUDIENCE is not set", "ENVIRONMENT is not set", "'HS256'"):
        assert name in message["message"]
    assert all(name in message["message"] for name in OWN[system])


def test_a_wrong_target_ends_the_start(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in environment_of("oneonone", issuer).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SORTKEY_TARGET", "somewhere")
    [message] = asyncio.run(_messages(one_on_one))

    assert message["type"] == "lifespan.startup.failed"
    assert "'somewhere' is not a target" in message["message"]


def test_an_error_of_the_program_ends_the_start(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # A server takes an error for an application without a lifespan, and would serve it.
    for name, value in environment_of("oneonone", issuer).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Service, "_open", failing)
    [message] = asyncio.run(_messages(one_on_one))

    assert message == {"type": "lifespan.startup.failed", "message": ""}
    assert "ZeroDivisionError" in caplog.text


def test_a_service_that_was_not_started_serves_nothing() -> None:
    async def call() -> None:
        nothing: Any = None
        await one_on_one({"type": "http"}, nothing, nothing)

    with pytest.raises(RuntimeError, match="serve it with its lifespan"):
        asyncio.run(call())


def test_a_service_can_be_started_again(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        with in_service(one_on_one, monkeypatch, **environment_of("oneonone", issuer)) as client:
            assert client.get("/me", headers=signed_in(issuer)).json()["user_id"] == "ann"


@pytest.fixture
def environ(issuer: Issuer) -> dict[str, str]:
    return environment_of("oneonone", issuer)


def test_a_service_is_alive_and_ready_without_a_token_however_often(
    environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {"ADDRESS_BURST": "1", "ADDRESS_PER_SECOND": "0.01"}
    with in_service(one_on_one, monkeypatch, **environ, **limits) as client:
        answers = [client.get(path) for path in ("/healthz", "/readyz") * 10]
        assert client.get("/nowhere").status_code == 404
        assert client.get("/nowhere").status_code == 429, "others are counted"

    assert {answer.status_code for answer in answers} == {200}
    assert [answer.json() for answer in answers[:2]] == [{"status": "alive"}, {"status": "ready"}]
    assert answers[0].headers["cache-control"] == "no-store"


def test_an_issuer_that_is_down_is_no_fault_of_the_caller(
    issuer: Issuer, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    issuer.instead["/keys"] = 500, {}, b""
    with in_service(one_on_one, monkeypatch, **environ) as client:
        answer = client.get("/me", headers=signed_in(issuer))
        assert client.get("/healthz").status_code == 200

    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "1"
    assert answer.json()["type"] == "urn:problem:issuer-unavailable"


def test_callers_are_limited_by_their_tokens(
    issuer: Issuer, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = {"CALLER_BURST": "2", "CALLER_PER_SECOND": "0.01"}
    with in_service(one_on_one, monkeypatch, **environ, **limits) as client:
        statuses = [client.get("/me", headers=signed_in(issuer)).status_code for _ in range(3)]
        other = client.get("/me", headers=signed_in(issuer, sub="bob")).status_code
    with in_service(one_on_one, monkeypatch, **environ, **limits, RATE_LIMIT="off") as client:
        unlimited = [client.get("/me", headers=signed_in(issuer)).status_code for _ in range(3)]

    assert (statuses, other, unlimited) == ([200, 200, 429], 200, [200] * 3)


# Hosts, origins and proxies.


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("api.example.org", 200),
        ("API.example.org:8443", 200),
        ("a.b.example.net", 200),
        ("example.net", 421),
        ("evil.org", 421),
        ("api.example.org.evil.org", 421),
        ("", 421),
    ],
)
def test_only_the_hosts_of_the_settings_are_served(
    issuer: Issuer, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch, host: str, status: int
) -> None:
    hosts = "api.example.org *.example.net"
    with in_service(one_on_one, monkeypatch, **environ, ALLOWED_HOSTS=hosts) as client:
        answer = client.get("/me", headers={**signed_in(issuer), "host": host})
        assert client.get("/healthz", headers={"host": "10.0.0.1"}).status_code == 200

    assert answer.status_code == status
    if status == 421:
        assert answer.json()["type"] == "urn:problem:unknown-host"


def test_pages_of_the_origins_of_the_settings_may_call(
    issuer: Issuer, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = {
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
    }

    def allowed(client: Any, origin: str) -> list[str | None]:
        preflight = client.options("/queue", headers={"origin": origin, **asked})
        answer = client.get("/me", headers={"origin": origin, **signed_in(issuer)})
        return [one.headers.get("access-control-allow-origin") for one in (preflight, answer)]

    origin = "https://app.example.org"
    with in_service(one_on_one, monkeypatch, **environ, ALLOWED_ORIGINS=origin) as client:
        assert allowed(client, origin) == [origin, origin]
        assert allowed(client, "https://evil.org") == [None, None]
    monkeypatch.delenv("ALLOWED_ORIGINS")
    with in_service(one_on_one, monkeypatch, **environ) as client:
        assert allowed(client, origin) == [None, None]


@pytest.mark.parametrize(
    ("proxies", "expected"),
    [("", [200, 429]), ("10.9.9.9", [200, 429]), ("testclient", None), ("10.0.0.0/8", [200, 200])],
)
def test_only_a_trusted_proxy_names_the_address_of_a_caller(
    issuer: Issuer,
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    proxies: str,
    expected: list[int] | None,
) -> None:
    from fastapi.testclient import TestClient

    limits = {"ADDRESS_BURST": "1", "ADDRESS_PER_SECOND": "0.01", "TRUSTED_PROXIES": proxies}
    for name, value in {**environ, **limits}.items():
        monkeypatch.setenv(name, value)
    if expected is None:
        [message] = asyncio.run(_messages(one_on_one))
        assert "TRUSTED_PROXIES is 'testclient', but must have addresses" in message["message"]
        return
    with TestClient(one_on_one, client=("10.1.2.3", 1)) as client:
        found = [
            client.get("/nowhere", headers={"x-forwarded-for": address}).status_code
            for address in ("192.0.2.1", "192.0.2.2")
        ]

    assert [200 if status == 404 else status for status in found] == expected


# The log.


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """The lines of the log, without those of the client of the tests."""
    return [line for line in capsys.readouterr().err.splitlines() if "httpx" not in line]


def test_each_request_is_a_line_of_the_log(
    issuer: Issuer,
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    header = signed_in(issuer)
    with in_service(one_on_one, monkeypatch, **environ, LOG_FORMAT="json") as client:
        client.get("/me", headers=header)
        client.get("/sessions?cursor=hush-hush", headers=header)
        client.get("/nowhere%0aINFO forged")
        client.get("/healthz")
    found = [json.loads(line) for line in lines(capsys)]
    requests = [one for one in found if one["logger"] == "sortkey_systems.access"]

    assert [(one["method"], one["path"], one["status"]) for one in requests] == [
        ("GET", "/me", 200),
        ("GET", "/sessions", 400),
        ("GET", "/nowhere%0AINFO%20forged", 404),
    ]
    assert requests[0]["message"].startswith("GET /me 200 ")
    assert requests[0]["level"] == "INFO"
    assert requests[0]["client"] == "testclient"
    assert requests[0]["milliseconds"] >= 0
    text = json.dumps(found)
    assert "hush" not in text
    assert header["authorization"].removeprefix("Bearer ") not in text


def test_the_log_of_requests_can_be_off(
    issuer: Issuer,
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with in_service(one_on_one, monkeypatch, **environ, ACCESS_LOG="off") as client:
        client.get("/me", headers=signed_in(issuer))

    assert [line for line in lines(capsys) if "/me" in line] == []


def test_an_error_has_its_traceback_in_the_log_and_not_in_the_response(
    issuer: Issuer,
    environ: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with in_service(one_on_one, monkeypatch, **environ) as client:
        monkeypatch.setattr(DB, "__call__", failing)
        answer = client.get("/me", headers=signed_in(issuer))

    assert answer.status_code == 500
    assert "ZeroDivision" not in answer.text
    assert any(" 500 " in line for line in lines(capsys))
