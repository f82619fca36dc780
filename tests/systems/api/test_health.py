"""Who runs a service asks whether it is alive and ready, however often, at little cost."""

import asyncio
from threading import Event
from typing import Any

import pytest
from fastapi.testclient import TestClient
from starlette.types import Receive, Scope, Send

from sortkey_systems.api.health import Health, Readiness


async def behind(scope: Scope, receive: Receive, send: Send) -> None:
    raise LookupError(scope.get("path"))


class Tables:
    """Tables that a test can take away."""

    def __init__(self) -> None:
        self.are_there = True
        self.checks = 0
        self.now = 100.0
        self.go_on = Event()
        self.go_on.set()

    def check(self) -> None:
        self.checks += 1
        self.go_on.wait(20)
        if not self.are_there:
            raise ConnectionError("no tables at 10.0.0.7")

    def readiness(self, **settings: Any) -> Readiness:
        return Readiness(self.check, clock=lambda: self.now, **settings)


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_both_answer_before_anything_else(method: str) -> None:
    client = TestClient(Health(behind, Tables().readiness()))

    assert client.request(method, "/healthz").status_code == 200
    assert client.request(method, "/readyz").status_code == 200
    for path in ("/", "/healthz/", "/readyz/x", "//healthz"):
        with pytest.raises(LookupError):
            client.request(method, path)


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_they_are_only_read(path: str) -> None:
    answer = TestClient(Health(behind, Tables().readiness())).post(path)

    assert answer.status_code == 405
    assert answer.headers["allow"] == "GET, HEAD"
    assert answer.json()["type"] == "urn:problem:method-not-allowed"


def test_without_its_tables_a_service_is_alive_and_not_ready(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tables = Tables()
    tables.are_there = False
    client = TestClient(Health(behind, tables.readiness()))
    answer = client.get("/readyz")

    assert client.get("/healthz").json() == {"status": "alive"}
    assert answer.status_code == 503
    assert answer.json()["detail"] == "the tables cannot be reached"
    assert "10.0.0.7" not in answer.text
    assert "not ready: ConnectionError: no tables at 10.0.0.7" in caplog.text


def test_an_answer_is_kept_for_a_moment() -> None:
    tables = Tables()

    async def ask() -> None:
        readiness = tables.readiness(seconds=2)
        assert [await readiness.is_ready() for _ in range(50)] == [True] * 50
        assert tables.checks == 1
        tables.are_there, tables.now = False, tables.now + 2
        assert not await readiness.is_ready()
        assert tables.checks == 2

    asyncio.run(ask())


def test_callers_share_one_check_and_do_not_wait_for_ever() -> None:
    tables = Tables()

    async def ask() -> None:
        readiness = tables.readiness(patience=0.02)
        tables.go_on.clear()
        assert await asyncio.gather(*(readiness.is_ready() for _ in range(50))) == [False] * 50
        assert not await readiness.is_ready()
        assert tables.checks == 1
        tables.go_on.set()
        patient = tables.readiness()
        assert await patient.is_ready()
        assert tables.checks == 2

    asyncio.run(ask())
