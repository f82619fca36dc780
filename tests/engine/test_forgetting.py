"""Forgetting a key: the journal does not show it any more, and everything else as before."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine import streamed
from tests.engine.bucketed import TABLE as TARGET
from tests.engine.bucketed import Bucketed, item, lines
from tests.engine.exported import exportable
from tests.engine.histories import STEPS, History
from tests.engine.recoverable import DAY, START, Items, Recoverable, recoverable
from tests.engine.streamed import Streamed

from sortkey.clock import MovableClock
from sortkey.engine import Engine, NotForgotten
from sortkey.engine.verify import SourceFile, verify

A = {"id": "a", "line": "1"}


@pytest.fixture
def shop() -> Iterator[Recoverable]:
    shop = recoverable()
    with shop.engine:
        shop.recover()
        yield shop


def forgotten(items: Items, name: str) -> Items:
    return {key: colour for key, colour in items.items() if key[0] != name}


def test_a_restore_does_not_bring_a_forgotten_item_back(shop: Recoverable) -> None:
    shop.put("a")
    shop.put("b")
    shop.clock.move(10)
    shop.put("a", colour="blue")
    shop.clock.move(10)
    shop.delete("a")
    assert shop.restored(5) == {("a", 1): "red", ("b", 1): "red"}

    found = shop.engine.forget("orders", A)

    assert found.records == 3
    assert not found.copies
    assert shop.restored(5) == shop.restored(15) == {("b", 1): "red"}


def test_a_partition_key_alone_forgets_all_of_its_items(shop: Recoverable) -> None:
    for line in (1, 2):
        shop.put("a", line)
        shop.delete("a", line)
    shop.put("b")
    shop.clock.move(1)

    assert shop.engine.forget("orders", {"id": "a"}).records == 4
    assert shop.restored(0) == {("b", 1): "red"}


def test_another_item_of_the_partition_is_not_forgotten(shop: Recoverable) -> None:
    shop.put("a", 1)
    shop.put("a", 2)
    shop.clock.move(10)
    shop.delete("a", 1)
    shop.put("a", 2, "blue")

    assert shop.engine.forget("orders", {"id": "a", "line": "1.0"}).records == 2
    assert shop.restored(5) == {("a", 2): "red"}


def test_a_key_that_is_used_again_has_a_new_past(shop: Recoverable) -> None:
    shop.put("a")
    shop.clock.move(10)
    shop.delete("a")
    shop.engine.forget("orders", A)
    shop.clock.move(10)
    shop.put("a", colour="green")

    assert shop.restored(5) == {}
    assert shop.restored(20) == {("a", 1): "green"}


def test_a_key_that_is_forgotten_twice_is_not_counted_again(shop: Recoverable) -> None:
    shop.put("a")
    shop.delete("a")
    shop.engine.forget("orders", A)

    assert shop.engine.forget("orders", A).records == 0


@settings(max_examples=100)
@given(steps=st.lists(STEPS, min_size=10, max_size=60), data=st.data())
def test_every_second_is_as_before_but_for_the_forgotten_key(
    steps: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    shop = recoverable()
    with shop.engine:
        shop.recover()
        history = History(shop)
        for step in steps:
            history.make(step)
        for line in (1, 2):
            history.make(("delete", "a", line))

        shop.engine.forget("orders", {"id": "a"})

        for _ in range(3):
            second = data.draw(st.sampled_from(history.seconds))
            assert shop.restored(second) == forgotten(history.at(second), "a"), second
        assert shop.items() == history.items


# -- what is refused ------------------------------------------------------------------------------


def test_an_item_that_is_still_stored_is_not_forgotten(shop: Recoverable) -> None:
    shop.put("a", 1)
    shop.put("a", 2)

    with pytest.raises(NotForgotten, match="the table orders still has 1 such item: delete"):
        shop.engine.forget("orders", A)
    with pytest.raises(NotForgotten, match="still has 2 such items"):
        shop.engine.forget("orders", {"id": "a"})
    assert len(shop.written()) == 2


def test_a_past_that_is_being_read_is_not_changed() -> None:
    shop = recoverable(grouped=True)
    with shop.engine:
        shop.put("a")
        shop.back_up()
        shop.delete("a")

        with pytest.raises(NotForgotten, match="of orders is under way: try again"):
            shop.engine.forget("orders", A)
        shop.tend()
        assert shop.engine.forget("orders", A).copies


@pytest.mark.parametrize(
    ("table", "key", "message"),
    [
        ("order", A, "there is no table order, and no backup of one; the tables: orders"),
        ("orders", {"line": "1"}, "the key of orders is id and line, or id alone .* has line$"),
        ("orders", {"id": "a", "colour": "red"}, "the key of orders is .* has id and colour$"),
        (
            "orders",
            {"id": "a", "line": "one"},
            "this is not a key .*numeric value: one",
        ),
        ("orders", {"id": ""}, "this is not a key of orders: .*empty string"),
        ("orders", {"id": "\udcff"}, "this is not a key of orders: .*surrogates"),
    ],
)
def test_a_wrong_key_is_refused_with_the_right_one(
    shop: Recoverable, table: str, key: dict[str, str], message: str
) -> None:
    with pytest.raises(NotForgotten, match=message):
        shop.engine.forget(table, key)


# -- what is left ---------------------------------------------------------------------------------


def test_backups_and_tables_that_hold_the_key_are_listed(shop: Recoverable) -> None:
    shop.back_up("empty")
    shop.put("a", 1)
    shop.put("a", 2)
    arn = shop.back_up("full")
    shop.ask("RestoreTableFromBackup", BackupArn=arn, TargetTableName="restored")
    for line in (1, 2):
        shop.delete("a", line)

    copies = shop.engine.forget("orders", {"id": "a"}).copies

    assert [(copy.kind, copy.name, copy.items) for copy in copies] == [
        ("backup", "full", 2),
        ("table", "restored", 2),
    ]
    assert copies[0].place == arn


def test_the_backup_of_a_deleted_table_is_listed(shop: Recoverable) -> None:
    shop.put("a")
    shop.ask("DeleteTable", TableName="orders")

    [copy] = shop.engine.forget("orders", A).copies

    assert copy.name == "orders$DeletedTableBackup"


@pytest.mark.parametrize("partition", [("name", "S"), ("id", "N")])
def test_the_backup_of_a_deleted_table_with_other_keys_has_no_such_item(
    shop: Recoverable, partition: tuple[str, str]
) -> None:
    shop.put("a")
    shop.ask("DeleteTable", TableName="orders")
    name, kind = partition
    shop.ask(
        "CreateTable",
        TableName="orders",
        KeySchema=[{"AttributeName": name, "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": kind}],
        BillingMode="PAY_PER_REQUEST",
    )

    assert not shop.engine.forget("orders", {name: "7"}).copies


def test_the_size_of_an_empty_collection_does_not_name_its_partition(shop: Recoverable) -> None:
    shop.put("a")
    shop.put("b")
    shop.delete("a")
    assert shop.count("collections") == 2

    shop.engine.forget("orders", {"id": "a"})

    assert shop.count("collections") == 1


# -- streams --------------------------------------------------------------------------------------


def test_a_stream_goes_on_without_the_forgotten_changes() -> None:
    clock = MovableClock(lambda: streamed.START)
    with Engine.memory(clock=clock) as engine:
        shop = Streamed(engine, clock)
        shop.ask("CreateTable", **streamed.TABLE)
        for name in "abcab":
            shop.put(name, at=str(clock()))
            clock.move(1)
        shop.delete("a")

        found = engine.forget("orders", {"id": "a"})

        assert (found.read, found.records, found.recent) == (6, 3, 3)
        seen = [record["dynamodb"]["Keys"]["id"]["S"] for record in shop.records()]
        assert seen == ["b", "c", "b"]


def test_only_changes_of_the_last_day_may_be_missed_by_a_reader(shop: Recoverable) -> None:
    shop.put("a")
    shop.clock.move(DAY + 1)
    shop.delete("a")

    found = shop.engine.forget("orders", A)

    assert (found.records, found.recent) == (2, 1)


# -- files ----------------------------------------------------------------------------------------


def test_no_trace_is_left_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    clock = MovableClock(lambda: START)
    with Engine.open(path, clock=clock) as engine:
        shop = Recoverable(engine, clock)
        shop.recover()
        # Some builds of SQLite overwrite what is deleted by themselves.
        storage = engine._storage  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
        storage.execute("PRAGMA secure_delete = OFF")
        for number in range(50):
            shop.put(f"other {number}")
            shop.put("Ada Lovelace", number, "ultramarine" * 90)
        for number in range(50):
            shop.delete("Ada Lovelace", number)

        assert engine.forget("orders", {"id": "Ada Lovelace"}, vacuum=True).records == 100

        content = path.read_bytes() + (tmp_path / "app.db-wal").read_bytes()
        assert b"other 49" in content
        assert b"Lovelace" not in content
        assert b"ultramarine" not in content
    with SourceFile(path) as source:
        assert not verify(source).damage


def test_a_log_that_another_process_keeps_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with Engine.open(path) as engine:
        shop = Recoverable(engine, MovableClock())
        shop.put("a")
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT count(*) FROM tables").fetchone()
            shop.delete("a")
            assert engine.forget("orders", A).is_in_log
        assert not engine.forget("orders", A).is_in_log


class TestExports:
    """What an export has written is not changed, and is reported."""

    def test_that_hold_the_key_are_listed_until_their_objects_are_deleted(
        self, tmp_path: Path
    ) -> None:
        shop = exportable(tmp_path)
        with shop.engine as engine:
            shop.put("b")
            without = shop.export()
            shop.clock.move(100)
            shop.put("a")
            full = shop.export(S3Prefix="full")
            shop.clock.move(1000)
            shop.delete("a")
            window = shop.export_window(0, 1000, S3Prefix="window")
            assert "ExportManifest" in shop.described(window)

            copies = engine.forget("orders", A).copies

            assert [(copy.kind, copy.place, copy.items) for copy in copies] == [
                ("export", window["ExportArn"], 1),
                ("export", full["ExportArn"], 1),
            ]
            name = full["ExportArn"].rpartition("/")[2]
            assert copies[1].name == f"exports/full/AWSDynamoDB/{name}/"
            assert "ExportManifest" in shop.described(without)
            for export in (full, window):
                for file in shop.files(export):
                    (shop.folder / file["dataFileS3Key"]).unlink()
            assert engine.forget("orders", A).copies == []

    @pytest.mark.parametrize(
        "request_",
        [{"ExportFormat": "ION"}, {"FilterSpecification": {"ProjectionExpression": "colour"}}],
    )
    def test_that_cannot_be_searched_are_listed_too(
        self, tmp_path: Path, request_: dict[str, Any]
    ) -> None:
        shop = exportable(tmp_path)
        with shop.engine as engine:
            shop.put("a")
            shop.described(shop.export(**request_))
            shop.delete("a")
            assert [copy.items for copy in engine.forget("orders", A).copies] == [None]

    def test_that_failed_are_not_listed(self, tmp_path: Path) -> None:
        shop = exportable(tmp_path)
        with shop.engine as engine:
            shop.put("a")
            shop.described(shop.export(S3Bucket="missing"))
            shop.delete("a")
            assert engine.forget("orders", A).copies == []


class TestReports:
    """The items whose condition failed in a bulk put are in its report."""

    def test_that_hold_the_key_are_listed_until_they_are_deleted(self, tmp_path: Path) -> None:
        shop = Bucketed(tmp_path)
        with shop.engine as engine:
            shop.ask("CreateTable", **TARGET)
            condition = "attribute_exists(id)"
            arns: list[str] = []
            for name in "ab":
                shop.place(lines({"Item": item(name), "ConditionExpression": condition}))
                arns.append(shop.bulk_put()["BulkOperationArn"])
            assert engine.forget("target", {"id": "c", "line": "1"}).copies == []

            [copy] = engine.forget("target", {"id": "b", "line": "1"}).copies

            assert (copy.kind, copy.place, copy.items) == ("report", arns[1], 1)
            (tmp_path / copy.name).unlink()
            assert engine.forget("target", {"id": "b", "line": "1"}).copies == []
