"""Behaviour that all writes share."""

from typing import Any

from sortkey.engine.changes import ItemChange
from sortkey.engine.database import Database
from sortkey.engine.keys import RowKey
from sortkey.engine.rows import make_index_rows, make_table_rows
from sortkey.engine.storage import MEMORY, Storage, sql
from sortkey.engine.table import StoredTable
from sortkey.wire.values import read_item


def table_with_local_index(db: Database) -> StoredTable:
    with db.transaction():
        number = make_table_rows(db)
        keys = [{"AttributeName": "pk", "KeyType": "HASH"}]
        return db.save(
            number,
            {
                "TableName": "shop",
                "TableArn": "arn:aws:dynamodb:us-east-1:000000000000:table/shop",
                "AttributeDefinitions": [
                    {"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk", "day")
                ],
                "KeySchema": [*keys, {"AttributeName": "sk", "KeyType": "RANGE"}],
                "LocalSecondaryIndexes": [
                    {
                        "IndexName": "by_day",
                        "Number": make_index_rows(db),
                        "KeySchema": [*keys, {"AttributeName": "day", "KeyType": "RANGE"}],
                        "Projection": {"ProjectionType": "KEYS_ONLY"},
                    }
                ],
            },
        )


def write(
    db: Database, table: StoredTable, item: dict[str, Any], *, delete: bool = False
) -> RowKey:
    read, size = read_item(item)
    key = table.key_in(read)
    with db.transaction():
        before = db.get(table, key)
        ItemChange(table, key, before, None if delete else read, 0 if delete else size).make(db)
    return key


def test_a_collection_is_as_large_as_its_items_and_their_entries_in_local_indexes() -> None:
    storage = Storage(MEMORY)
    db = Database(storage, lambda: 0.0)
    table = table_with_local_index(db)
    first = {"pk": {"S": "a"}, "sk": {"S": "1"}, "day": {"S": "mon"}, "note": {"S": "x" * 500}}
    second = first | {"sk": {"S": "2"}}
    key = write(db, table, first)
    write(db, table, second)
    write(db, table, first | {"day": {"S": "tuesday"}, "note": {"S": "x"}})
    write(db, table, second, delete=True)

    [size] = storage.execute(sql.READ_COLLECTION, (table.rows.number, key.partition)).fetchone()

    _, in_table = storage.totals(table.rows.number)
    _, in_index = storage.totals(table.indexes["by_day"].rows.number)
    assert size == in_table + in_index
    assert in_index > 0
