"""The responses of the systems' APIs match their schemas, whatever is sent."""

from importlib import import_module
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Any

import pytest
from tests.systems.schemas import departures

import sortkey_systems
from sortkey import DB, Keyring, LocalKey

pytestmark = [pytest.mark.acceptance, pytest.mark.first]

SYSTEMS = [
    module.name
    for module in iter_modules(sortkey_systems.__path__)
    if find_spec(f"sortkey_systems.{module.name}.api")
]


def in_memory(system: str) -> DB:
    generator: Any = import_module(f"sortkey_systems.{system}.generator")
    return DB.memory(*generator.TABLES, secrets=Keyring(LocalKey.new("test")))


@pytest.mark.parametrize("system", SYSTEMS)
def test_no_response_is_a_server_error_or_departs_from_the_schema(system: str) -> None:
    with in_memory(system) as db:
        assert list(departures(system, db, examples=10)) == []


@pytest.mark.slow
@pytest.mark.parametrize("system", SYSTEMS)
def test_no_response_is_one_in_twenty_times_as_many_requests(system: str) -> None:
    with in_memory(system) as db:
        assert list(departures(system, db, examples=200)) == []


def test_a_departure_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation fails where its schema promises a response."""
    from sortkey_systems.oneonone import queueing

    def broken(_user: object) -> object:
        raise ZeroDivisionError

    monkeypatch.setattr(queueing, "status_now", broken)
    with in_memory("oneonone") as db:
        found = "\n".join(departures("oneonone", db, examples=1))

    assert "GET /me: ZeroDivisionError" in found
    assert "DELETE /queue: ZeroDivisionError" in found
