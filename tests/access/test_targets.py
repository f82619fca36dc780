"""Targets: found by name; unsupported requests are refused before they are sent."""

import asyncio
from pathlib import Path

import pytest

from sortkey import DB, AsyncDB, Credentials, Table, Unsupported, gsi
from sortkey.access.create_request import create_body
from sortkey.access.endpoint import SettingsError
from sortkey.access.targets import (
    ALTERNATOR,
    AWS,
    EMBEDDED,
    ENDPOINT,
    LOCAL_ENDPOINT,
    Abilities,
    named_target,
)
from sortkey.wire.messages import Request


class Places(Table):
    by_place = gsi(["country", "city"], name="ByPlace")


@pytest.fixture(autouse=True)
def _nothing_of_this_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    for name in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_DYNAMODB", "SORTKEY_TARGET"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("name", "shown", "abilities"),
    [
        ("memory", "memory", EMBEDDED),
        ("app.db", "app.db", EMBEDDED),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000", LOCAL_ENDPOINT),
        ("https://dynamodb.example.org", "https://dynamodb.example.org", ENDPOINT),
        ("alternator+http://127.0.0.1:8000", "http://127.0.0.1:8000", ALTERNATOR),
        ("alternator+https://scylla.example.org", "https://scylla.example.org", ALTERNATOR),
        ("aws", "https://dynamodb.eu-west-1.amazonaws.com", AWS),
        ("aws:eu-west-2", "https://dynamodb.eu-west-2.amazonaws.com", AWS),
    ],
)
def test_a_target_is_known_by_its_name(name: str, shown: str, abilities: Abilities) -> None:
    target = named_target(name)

    assert target.shown == shown
    assert target.abilities is abilities


def test_one_variable_names_the_target_of_an_application(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORTKEY_TARGET", "memory")
    with DB.connect(Places) as db:
        assert db._target.abilities is EMBEDDED
    with DB.connect(Places, target="http://127.0.0.1:1") as db:
        assert db._target.shown == "http://127.0.0.1:1"


def test_without_a_name_it_says_what_to_set() -> None:
    with pytest.raises(
        SettingsError,
        match=r"no target is set: pass target= \(or --target\), or set SORTKEY_TARGET to",
    ):
        DB.connect(Places)


def test_aws_is_addressed_by_its_region_without_a_request() -> None:
    credentials = Credentials("id", "secret")

    with DB.aws(Places, region="eu-north-1", credentials=credentials) as db:
        assert db._target.shown == "https://dynamodb.eu-north-1.amazonaws.com"


def test_it_is_addressed_so_from_an_event_loop_too() -> None:
    async def scene() -> str:
        async with AsyncDB.aws(region="eu-north-1", credentials=Credentials("id", "secret")) as db:
            return db._target.shown

    assert asyncio.run(scene()) == "https://dynamodb.eu-north-1.amazonaws.com"


def test_what_a_target_lacks_is_refused_by_name() -> None:
    create = Request("CreateTable", create_body(Places.definition, "dev"))

    for request in (Request("TransactWriteItems", {}), Request("TransactGetItems", {})):
        with pytest.raises(Unsupported, match="ScyllaDB Alternator has no transactions"):
            ALTERNATOR.refuse(request)
    with pytest.raises(Unsupported, match="no multi-attribute keys, which the index ByPlace needs"):
        ALTERNATOR.refuse(create)
    ALTERNATOR.refuse(Request("PutItem", {}))
    EMBEDDED.refuse(create)
    AWS.refuse(Request("TransactWriteItems", {}))
