"""A missing table is reported with its entity, and with how to create it."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from sortkey import DB, AsyncDB, Entity, NoSuchTable, Table, get_many, snapshot, transact
from sortkey.access.absent_tables import AbsentTables
from sortkey.access.targets import aws_target
from sortkey.operations.operation import Operation
from sortkey.wire.errors import ResourceNotFoundException
from sortkey.wire.messages import Request


class App(Table, name="{environment}-App"):
    pass


class Billing(Table, name="{environment}-Billing"):
    pass


class User(Entity, table=App):
    user_id: str
    primary = App.primary.key("USER#{user_id}", "USER")


class Invoice(Entity, table=Billing):
    number: int
    primary = Billing.primary.key("INVOICE#{number:06d}", "INVOICE")


GET = Invoice.get(number=1)
LACKS = "Invoice is stored in Billing, and this database has no table dev-Billing: "

OPERATIONS: dict[str, Callable[[], Operation[Any]]] = {
    "a get": lambda: GET,
    "a query": lambda: Invoice.query(number=1),
    "a page": lambda: Invoice.scan().page(10),
    "a put": lambda: Invoice(number=1).put(),
    "a check": lambda: Invoice.check(number=1).is_absent(),
    "a transaction": lambda: transact(User(user_id="u").create(), Invoice(number=1).create()),
    "a snapshot": lambda: snapshot(User.get(user_id="u"), GET),
    "a batch": lambda: get_many([User.get(user_id="u"), GET]),
}


def refused(db: DB, operation: Operation[Any] = GET) -> str:
    with pytest.raises(NoSuchTable) as missing:
        db(operation)
    return str(missing.value)


@pytest.mark.parametrize("operation", OPERATIONS.values(), ids=OPERATIONS)
def test_the_entity_and_how_to_open_its_table_are_named(
    operation: Callable[[], Operation[Any]],
) -> None:
    with DB.memory(App) as db:
        assert refused(db, operation()) == (
            f"{LACKS}the database was opened without it. Open it with App and Billing, which "
            "creates missing tables"
        )


def test_the_tables_that_the_database_was_opened_with_are_named_too(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with DB.open(path, App) as db:
        assert "Open it with App and Billing, which" in refused(db)
    with DB.open(path) as db:
        assert "Open it with Billing, which" in refused(db)


def test_opened_as_the_error_says_it_works() -> None:
    with DB.memory(App, Billing) as db:
        assert db(GET) is None


def test_a_table_that_was_deleted_is_made_again() -> None:
    with DB.memory(Billing) as db:
        db.delete_tables()

        assert refused(db) == f"{LACKS}db.create_tables() creates it"
        db.create_tables()
        assert db(GET) is None


def test_at_an_endpoint_on_this_machine_the_tables_are_created_by_a_call(http_url: str) -> None:
    with DB.endpoint(http_url, App, environment="absent") as db:
        db.create_tables()
        assert refused(db).endswith(
            f"{http_url} has no table absent-Billing: the database was opened without it. Open it "
            "with App and Billing, and call db.create_tables()"
        )
    with DB.endpoint(http_url, Billing, environment="absent") as db:
        assert refused(db).endswith("has no table absent-Billing: db.create_tables() creates it")


@pytest.mark.parametrize("opened", [(), (Billing,)])
def test_on_aws_the_table_is_deployed_or_has_another_name(opened: tuple[type[Table], ...]) -> None:
    target = aws_target(region="eu-west-1")
    absent = AbsentTables(target, tuple(table.definition for table in opened), "prod")
    request = Request("GetItem", {"TableName": "prod-Billing"})

    error = absent.explained(ResourceNotFoundException("Requested resource"), request, GET)

    assert str(error) == (
        "Invoice is stored in Billing, and https://dynamodb.eu-west-1.amazonaws.com has no table "
        "prod-Billing: deploy it (`sortkey synth DESIGN --to cloudformation --env prod` writes "
        "the template), or open the database in the environment, region and account that have it; "
        'this one has environment="prod"'
    )


async def _get(db: AsyncDB) -> None:
    async with db:
        await db(GET)


def test_an_awaited_operation_says_the_same() -> None:
    with pytest.raises(NoSuchTable, match="Open it with App and Billing, which"):
        asyncio.run(_get(AsyncDB.memory(App)))


def test_it_can_be_caught_as_dynamodbs_error() -> None:
    with DB.memory() as db, pytest.raises(ResourceNotFoundException) as missing:
        db(GET)

    assert missing.value.code == "ResourceNotFoundException"
    assert isinstance(missing.value.__cause__, ResourceNotFoundException)


def test_an_operation_that_succeeds_does_nothing_for_it() -> None:
    with DB.memory(Billing) as db, patch.object(AbsentTables, "explained") as explained:
        db(GET)

    explained.assert_not_called()
