"""Damage to the file is reported where it is met, and all else is served."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine, StorageError

TABLE = {
    "TableName": "shop",
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "S"},
        {"AttributeName": "status", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_status",
            "KeySchema": [{"AttributeName": "status", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
NEW_INDEX = {
    "TableName": "shop",
    "AttributeDefinitions": [{"AttributeName": "v", "AttributeType": "S"}],
    "GlobalSecondaryIndexUpdates": [
        {
            "Create": {
                "IndexName": "by_v",
                "KeySchema": [{"AttributeName": "v", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
            }
        }
    ],
}
GOOD, BAD = (
    {"pk": {"S": "a"}, "sk": {"S": name}, "status": {"S": "open"}, "v": {"S": "value"}}
    for name in ("good", "hurt")
)
KEY = {"pk": BAD["pk"], "sk": BAD["sk"]}
CHANGE = "replace(CAST(item AS TEXT), 'value', 'valve')"

Damage = Callable[[str], Engine]


def query(index: str | None, name: str, value: dict[str, str]) -> dict[str, Any]:
    return {
        "TableName": "shop",
        "KeyConditionExpression": "#k = :v",
        "ExpressionAttributeNames": {"#k": name},
        "ExpressionAttributeValues": {":v": value},
        **({"IndexName": index} if index else {}),
    }


@pytest.fixture
def damaged(tmp_path: Path) -> Damage:
    """Return a database that a statement has changed behind the engine's back."""
    path = tmp_path / "app.db"

    def damaged(statement: str) -> Engine:
        with Engine.open(path) as engine:
            engine.answer("CreateTable", TABLE)
            for item in (GOOD, BAD):
                engine.answer("PutItem", {"TableName": "shop", "Item": item})
            write = {"TransactItems": [{"Put": {"TableName": "shop", "Item": GOOD}}]}
            engine.answer("TransactWriteItems", write | {"ClientRequestToken": "once"})
        with closing(sqlite3.connect(path)) as raw:
            raw.execute(statement)
            raw.commit()
        return Engine.open(path)

    return damaged


HURT_ITEM = f"UPDATE rows_1 SET item = CAST({CHANGE} AS BLOB) WHERE position = x'68757274'"


@pytest.mark.parametrize(
    ("operation", "body"),
    [
        ("GetItem", {"TableName": "shop", "Key": KEY}),
        ("Query", query(None, "pk", BAD["pk"])),
        ("Scan", {"TableName": "shop"}),
        ("BatchGetItem", {"RequestItems": {"shop": {"Keys": [KEY]}}}),
        ("TransactGetItems", {"TransactItems": [{"Get": {"TableName": "shop", "Key": KEY}}]}),
        ("DeleteItem", {"TableName": "shop", "Key": KEY}),
        ("PutItem", {"TableName": "shop", "Item": BAD}),
        ("UpdateItem", {"TableName": "shop", "Key": KEY, "UpdateExpression": "REMOVE v"}),
        ("UpdateTable", NEW_INDEX),
    ],
)
def test_a_damaged_item_is_reported_with_its_place(
    damaged: Damage, operation: str, body: dict[str, Any]
) -> None:
    with damaged(HURT_ITEM) as engine:
        with pytest.raises(StorageError) as caught:
            engine.answer(operation, body)

        message = str(caught.value)
        assert "app.db is damaged" in message
        assert 'the row of the table shop with partition "a", position "hurt"' in message
        assert "sortkey verify" in message
        key = {"pk": GOOD["pk"], "sk": GOOD["sk"]}
        assert engine.answer("GetItem", {"TableName": "shop", "Key": key}) == {"Item": GOOD}


@pytest.mark.parametrize(
    "change",
    [
        "position = x'68757275'",
        "size = size + 1",
        "checksum = checksum + 1",
        "item = CAST(item AS TEXT)",
        "size = 'x'",
        "item = 5",
    ],
)
def test_each_part_of_a_row_is_checked(damaged: Damage, change: str) -> None:
    statement = f"UPDATE rows_1 SET {change} WHERE position = x'68757274'"
    with damaged(statement) as engine:
        with pytest.raises(StorageError, match="does not match its checksum"):
            engine.answer("Scan", {"TableName": "shop"})
        if "position" not in change:
            with pytest.raises(StorageError, match="does not match its checksum"):
                engine.answer("GetItem", {"TableName": "shop", "Key": KEY})


def test_a_damaged_entry_of_an_index_is_reported(damaged: Damage) -> None:
    with (
        damaged(f"UPDATE rows_2 SET item = CAST({CHANGE} AS BLOB)") as engine,
        pytest.raises(StorageError, match="the index by_status of the table shop"),
    ):
        engine.answer("Query", query("by_status", "status", {"S": "open"}))


def test_an_item_without_indexes_can_be_replaced_though_it_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    plain = {key: value for key, value in TABLE.items() if key != "GlobalSecondaryIndexes"}
    plain["AttributeDefinitions"] = TABLE["AttributeDefinitions"][:2]
    with Engine.open(path) as engine:
        engine.answer("CreateTable", plain)
        engine.answer("PutItem", {"TableName": "shop", "Item": BAD})
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(HURT_ITEM)
        raw.commit()

    with Engine.open(path) as engine:
        engine.answer("PutItem", {"TableName": "shop", "Item": BAD})
        assert engine.answer("GetItem", {"TableName": "shop", "Key": KEY}) == {"Item": BAD}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("UPDATE tables SET definition = '{'", "the definition of the table shop"),
        ("UPDATE tables SET definition = '{}'", "the definition of the table shop"),
        ("UPDATE tables SET definition = x'ff'", "the definition of the table shop"),
        ("UPDATE tables SET definition = CAST(x'ff' AS TEXT)", "decode"),
        ("UPDATE tables SET name = 'shoq'", "the definition of the table shoq"),
        ("UPDATE tables SET id = 2", "the definition of the table shop"),
        ("DELETE FROM catalog", "the catalog is empty"),
        ("DROP TABLE catalog", "no such table: catalog"),
        ("DROP TABLE rows_1", "the table shop has no rows"),
        ("DROP TABLE rows_2", "the index by_status of the table shop has no rows"),
    ],
)
def test_damage_to_the_catalog_is_reported_when_the_file_is_opened(
    damaged: Damage, change: str, message: str
) -> None:
    with pytest.raises(StorageError, match=message):
        damaged(change)


@pytest.mark.parametrize("change", ["digest = x'00'", "expires = 0.0", "expires = 'x'"])
def test_a_damaged_token_does_not_let_a_transaction_run_twice(damaged: Damage, change: str) -> None:
    write = {"TransactItems": [{"Put": {"TableName": "shop", "Item": GOOD}}]}
    with (
        damaged(f"UPDATE tokens SET {change}") as engine,
        pytest.raises(StorageError, match="the request token once"),
    ):
        engine.answer("TransactWriteItems", write | {"ClientRequestToken": "once"})


def test_an_item_does_not_expire_by_a_damaged_time(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    later = {**GOOD, "ttl": {"N": "5000"}}
    soon = {**BAD, "ttl": {"N": "900"}}
    with Engine.open(path, clock=lambda: 1000.0) as engine:
        engine.answer("CreateTable", TABLE)
        spec = {"Enabled": True, "AttributeName": "ttl"}
        engine.answer("UpdateTimeToLive", {"TableName": "shop", "TimeToLiveSpecification": spec})
        for item in (later, soon):
            engine.answer("PutItem", {"TableName": "shop", "Item": item})
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE rows_1 SET expires = 800 WHERE expires = 5000")
        raw.commit()

    with Engine.open(path, clock=lambda: 1000.0) as engine:
        engine.tend()
        assert engine.answer("Scan", {"TableName": "shop"})["Items"] == [later]


def test_a_damaged_item_does_not_expire(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with Engine.open(path, clock=lambda: 1000.0) as engine:
        engine.answer("CreateTable", TABLE)
        spec = {"Enabled": True, "AttributeName": "ttl"}
        engine.answer("UpdateTimeToLive", {"TableName": "shop", "TimeToLiveSpecification": spec})
        engine.answer("PutItem", {"TableName": "shop", "Item": {**BAD, "ttl": {"N": "900"}}})
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(HURT_ITEM)
        raw.commit()

    with Engine.open(path, clock=lambda: 1000.0) as engine:
        assert not engine.tend()
        with pytest.raises(StorageError):
            engine.answer("Scan", {"TableName": "shop"})


def test_damage_that_sqlite_finds_names_the_file(damaged: Damage, tmp_path: Path) -> None:
    damaged("SELECT 1").close()
    path = tmp_path / "app.db"
    content = bytearray(path.read_bytes())
    pages = [
        page for page in range(len(content) // 8192) if b"value" in content[page * 8192 :][:8192]
    ]
    for page in pages:
        content[page * 8192] = 0xFF
    path.write_bytes(content)

    with (
        Engine.open(path) as engine,
        pytest.raises(StorageError, match=r"malformed.*sortkey verify"),
    ):
        engine.answer("Scan", {"TableName": "shop"})
