"""The writes that reads may miss: how they are found, and when they are forgotten."""

from typing import Any

import pytest

from sortkey.engine.keys import RowKey
from sortkey.engine.lag import ItemPlace, ItemState, ItemWrite, Lagging, Versions
from sortkey.engine.table import StoredTable
from sortkey.wire.messages import Request

TABLE = StoredTable(
    1,
    {
        "TableName": "Tab",
        "TableArn": "arn:tab",
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    },
)
INDEX = 2


def row(partition: str) -> RowKey:
    return RowKey(partition.encode(), b"")


def write(
    name: str = "a", at: float = 0.0, storage: object = None, rooms: tuple[str, ...] = ()
) -> ItemWrite:
    """A write to an item, which moves in an index between these partitions."""
    state = ItemState(b'{"pk":{"S":"%s"}}' % name.encode(), 3)
    rows = {1: [row(name)], INDEX: [row(room) for room in rooms]}
    return ItemWrite(at, TABLE, row(name), None, state, rows, storage)


def place(name: str) -> ItemPlace:
    return ItemPlace(1, row(name))


@pytest.fixture
def versions() -> Versions:
    return Versions()


def test_writes_are_found_by_item_and_by_each_partition_that_they_change(
    versions: Versions,
) -> None:
    moved, other = write("a", rooms=("r1", "r2")), write("b", rooms=("r2",))
    for each in (moved, other):
        versions.note(each)

    assert versions.of(place("a")) == [moved]
    assert versions.in_partition(1, b"a") == [place("a")]
    assert versions.in_partition(INDEX, b"r1") == [place("a")]
    assert versions.in_partition(INDEX, b"r2") == [place("a"), place("b")]
    assert versions.in_partitions(INDEX, b"r2", b"s") == [place("a"), place("b")]
    assert versions.in_partitions(1, b"", b"b") == [place("a")]
    assert moved.primary == {"pk": {"S": "a"}}


def test_an_open_write_is_found_by_its_own_storage_until_it_is_committed(
    versions: Versions,
) -> None:
    storage, other = object(), object()
    noted = write(storage=storage)
    versions.note(noted)

    assert versions.of(place("a"), storage) == [noted]
    assert versions.of(place("a"), other) == []
    versions.commit(other)
    assert versions.of(place("a"), other) == []
    versions.commit(storage)
    assert versions.of(place("a"), other) == [noted]
    versions.roll_back(storage)
    assert versions.of(place("a"), other) == [noted]


def test_writes_that_are_rolled_back_are_gone(versions: Versions) -> None:
    storage = object()
    committed = write()
    versions.note(committed)
    versions.note(write(storage=storage, rooms=("r1",)))
    versions.note(write("b", storage=storage))
    versions.roll_back(storage)

    assert versions.writes == [committed]
    assert versions.of(place("a"), storage) == [committed]
    assert versions.in_partition(INDEX, b"r1") == []
    assert versions.in_partition(1, b"b") == []


def test_old_writes_are_forgotten_and_those_of_a_time_that_has_not_come(
    versions: Versions,
) -> None:
    storage = object()
    for at in (1.0, 2.0, 3.0):
        versions.note(write(at=at, storage=storage))

    versions.forget_outside(1.0, 3.0)
    assert [each.at for each in versions.writes] == [2.0, 3.0]
    versions.forget_outside(0.0, 1.5)
    assert versions.writes == []
    # They are forgotten for the transaction too.
    versions.commit(storage)
    versions.roll_back(storage)
    assert versions.of(place("a"), storage) == []


def test_all_can_be_forgotten(versions: Versions) -> None:
    storage = object()
    versions.note(write(storage=storage))
    versions.clear()
    versions.roll_back(storage)

    assert len(versions) == 0
    assert versions.in_partition(1, b"a") == []


_READS: list[tuple[str, dict[str, Any], tuple[str, ...]]] = [
    ("GetItem", {"TableName": "Tab"}, ("Tab",)),
    ("GetItem", {"TableName": "Tab", "ConsistentRead": True}, ()),
    ("Query", {"TableName": "Tab", "IndexName": "local"}, ("Tab",)),
    ("Query", {"TableName": "Tab", "IndexName": "local", "ConsistentRead": True}, ()),
    ("Query", {"TableName": "Tab", "IndexName": "global"}, ()),
    ("BatchGetItem", {"RequestItems": {"A": {}, "B": {"ConsistentRead": True}}}, ("A",)),
    ("TransactGetItems", {"TransactItems": []}, ()),
    ("PutItem", {"TableName": "Tab"}, ()),
]


@pytest.mark.parametrize(("operation", "body", "tables"), _READS)
def test_eventual_reads_of_tables_and_local_indexes_lag_together(
    operation: str, body: dict[str, Any], tables: tuple[str, ...]
) -> None:
    lagging = Lagging(tables=True, local_indexes=frozenset({("Tab", "local")}))

    assert lagging.tables_of(Request(operation, body)) == set(tables)
