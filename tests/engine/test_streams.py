"""Streams: every change once, in the order of its item, for a day."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.streamed import START, TABLE, Streamed, streamed

from sortkey.engine import Engine
from sortkey.engine.storage import Storage
from sortkey.wire.errors import (
    InternalServerError,
    ResourceNotFoundException,
    TransactionCanceledException,
    TrimmedDataAccessException,
    ValidationException,
)

HOUR = 3600.0
DAY = 24 * HOUR


def storage_of(engine: Engine) -> Storage:
    return engine._storage  # pyright: ignore[reportPrivateUsage] # noqa: SLF001


def rows(engine: Engine, statement: str) -> list[Any]:
    return storage_of(engine).execute(statement).fetchall()


@pytest.fixture
def shop() -> Iterator[Streamed]:
    opened = streamed()
    with opened.engine:
        yield opened


class TestWhatIsRecorded:
    def test_a_change_has_its_kind_and_its_images(self, shop: Streamed) -> None:
        shop.put("a", colour="red")
        shop.put("a", colour="blue")
        shop.delete("a")

        inserted, modified, removed = (record["dynamodb"] for record in shop.records())

        key = {"id": {"S": "a"}}
        red, blue = key | {"colour": {"S": "red"}}, key | {"colour": {"S": "blue"}}
        assert [name for name, _ in shop.changes()] == ["INSERT", "MODIFY", "REMOVE"]
        assert (inserted.get("OldImage"), inserted["NewImage"]) == (None, red)
        assert (modified["OldImage"], modified["NewImage"]) == (red, blue)
        assert (removed["OldImage"], removed.get("NewImage")) == (blue, None)
        assert inserted["Keys"] == modified["Keys"] == removed["Keys"] == key
        assert inserted["ApproximateCreationDateTime"] == START
        assert inserted["SizeBytes"] == 3 + 3 + 6 + 3

    @pytest.mark.parametrize(
        ("view", "images"),
        [
            ("KEYS_ONLY", set[str]()),
            ("NEW_IMAGE", {"NewImage"}),
            ("OLD_IMAGE", {"OldImage"}),
            ("NEW_AND_OLD_IMAGES", {"NewImage", "OldImage"}),
        ],
    )
    def test_the_view_decides_which_images(
        self, shop: Streamed, view: str, images: set[str]
    ) -> None:
        shop.switch(None)
        shop.switch(view)
        shop.put("a", colour="red")
        shop.put("a", colour="blue")

        modified = shop.records()[1]["dynamodb"]

        assert {name for name in ("NewImage", "OldImage") if name in modified} == images
        assert modified["StreamViewType"] == view

    def test_a_write_that_changes_nothing_is_not_recorded(self, shop: Streamed) -> None:
        item = {"id": {"S": "a"}, "set": {"SS": ["x", "y"]}, "n": {"N": "1"}}
        shop.ask("PutItem", TableName="orders", Item=item)
        again = {"n": {"N": "1.0"}, "set": {"SS": ["y", "x"]}, "id": {"S": "a"}}
        shop.ask("PutItem", TableName="orders", Item=again)
        shop.ask(
            "BatchWriteItem",
            RequestItems={
                "orders": [
                    {"PutRequest": {"Item": item}},
                    {"DeleteRequest": {"Key": {"id": {"S": "missing"}}}},
                ]
            },
        )
        shop.ask(
            "TransactWriteItems", TransactItems=[{"Put": {"TableName": "orders", "Item": item}}]
        )
        shop.ask("UpdateItem", TableName="orders", Key={"id": {"S": "a"}})

        assert shop.changes() == [("INSERT", "a")]

    def test_a_write_of_the_same_size_is_recorded(self, shop: Streamed) -> None:
        shop.put("a", colour="red")
        shop.put("a", colour="rot")

        assert shop.changes() == [("INSERT", "a"), ("MODIFY", "a")]

    def test_a_failed_transaction_is_not_recorded(self, shop: Streamed) -> None:
        with pytest.raises(TransactionCanceledException):
            shop.ask(
                "TransactWriteItems",
                TransactItems=[
                    {"Put": {"TableName": "orders", "Item": {"id": {"S": "a"}}}},
                    {
                        "ConditionCheck": {
                            "TableName": "orders",
                            "Key": {"id": {"S": "b"}},
                            "ConditionExpression": "attribute_exists(id)",
                        }
                    },
                ],
            )

        assert shop.changes() == []

    def test_an_expired_item_is_removed_by_the_service(self, shop: Streamed) -> None:
        shop.ask(
            "UpdateTimeToLive",
            TableName="orders",
            TimeToLiveSpecification={"AttributeName": "at", "Enabled": True},
        )
        item = {"id": {"S": "a"}, "at": {"N": str(int(START) + 60)}}
        shop.ask("PutItem", TableName="orders", Item=item)
        shop.clock.move(61)
        shop.tend()
        shop.put("b")
        shop.delete("b")

        expired, _, deleted = shop.records()[1:]

        assert expired["eventName"] == deleted["eventName"] == "REMOVE"
        service = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}
        assert expired["userIdentity"] == service
        assert "userIdentity" not in deleted

    def test_a_table_without_a_stream_writes_no_journal(self) -> None:
        with Engine.memory() as engine:
            plain = {name: value for name, value in TABLE.items() if name != "StreamSpecification"}
            engine.answer("CreateTable", plain)
            engine.answer("PutItem", {"TableName": "orders", "Item": {"id": {"S": "a"}}})

            assert rows(engine, "SELECT count(*) FROM journal") == [(0,)]
            assert rows(engine, "SELECT count(*) FROM shards") == [(0,)]


class TestTime:
    def test_time_never_runs_backwards(self, shop: Streamed) -> None:
        shop.put("a")
        shop.clock.move(-HOUR)
        shop.put("b")
        shop.clock.move(2 * HOUR)
        shop.put("c")

        times = [record["dynamodb"]["ApproximateCreationDateTime"] for record in shop.records()]

        assert times == [START, START, START + HOUR]

    def test_time_does_not_run_backwards_in_another_process_either(self, tmp_path: Path) -> None:
        path = tmp_path / "app.db"
        with Engine.open(path, clock=lambda: START) as engine:
            engine.answer("CreateTable", TABLE)
            engine.answer("PutItem", {"TableName": "orders", "Item": {"id": {"S": "a"}}})
        with Engine.open(path, clock=lambda: START - 10) as engine:
            engine.answer("PutItem", {"TableName": "orders", "Item": {"id": {"S": "b"}}})
            times = rows(engine, "SELECT written FROM journal ORDER BY id")

        assert times == [(START * 1_000_000,), (START * 1_000_000,)]


class TestShards:
    def test_a_split_gives_a_shard_two_children(self, shop: Streamed) -> None:
        for n in range(20):
            shop.put(str(n))
        shop.ask("SplitPartition", TableName="orders")
        for n in range(20):
            shop.put(str(n), colour="red")

        parent, *children = shop.shards()

        assert [child["ParentShardId"] for child in children] == [parent["ShardId"]] * 2
        assert "EndingSequenceNumber" in parent["SequenceNumberRange"]
        read = [shop.read(shop.iterator(child["ShardId"])) for child in children]
        assert all(read)
        assert sum(map(len, read)) == 20
        in_halves = [{str(record["dynamodb"]["Keys"]) for record in half} for half in read]
        assert not in_halves[0] & in_halves[1]

    def test_a_shard_is_continued_by_another_after_four_hours(self, shop: Streamed) -> None:
        shop.put("a")
        shop.clock.move(4 * HOUR)
        shop.tend()
        shop.put("b")

        first, second = shop.shards()

        assert second["ParentShardId"] == first["ShardId"]
        assert shop.changes() == [("INSERT", "a"), ("INSERT", "b")]

    def test_a_piece_of_upkeep_ends_the_shards_of_one_table(self, shop: Streamed) -> None:
        for n in range(3):
            shop.ask("CreateTable", **TABLE | {"TableName": f"more-{n}"})
        shop.clock.move(4 * HOUR)

        ended: list[int] = []
        while shop.engine.tend():
            [[count]] = rows(shop.engine, "SELECT count(*) FROM shards WHERE ended IS NOT NULL")
            ended.append(count)

        assert ended == [1, 2, 3, 4]

    def test_sequence_numbers_grow_from_a_shard_to_its_children(self, shop: Streamed) -> None:
        for n in range(6):
            shop.put(str(n))
            shop.ask("SplitPartition", TableName="orders")
        numbers = [record["dynamodb"]["SequenceNumber"] for record in shop.records()]

        assert numbers == sorted(numbers, key=int)
        assert all(len(number) >= 21 for number in numbers)

    def test_a_large_table_is_split(self, monkeypatch: pytest.MonkeyPatch, shop: Streamed) -> None:
        monkeypatch.setattr("sortkey.engine.streams.PARTITION_BYTES", 1000)
        for n in range(30):
            shop.put(str(n), text="x" * 100)
        shop.tend()

        open_shards = [
            shard
            for shard in shop.shards()
            if "EndingSequenceNumber" not in shard["SequenceNumberRange"]
        ]
        assert len(open_shards) == 4


class TestRetention:
    def test_records_are_kept_for_a_day(self, shop: Streamed) -> None:
        shop.put("a")
        shop.clock.move(DAY - 1)
        shop.tend()
        assert shop.changes() == [("INSERT", "a")]
        shop.clock.move(2)
        assert shop.changes() == []
        shop.tend()
        assert shop.changes() == []

    def test_numbers_go_on_after_all_records_are_trimmed(self, shop: Streamed) -> None:
        shop.put("a")
        [old] = shop.records()
        for _ in range(9):
            shop.clock.move(4 * HOUR)
            shop.tend()
        shop.put("b")

        [new] = shop.records()

        assert int(new["dynamodb"]["SequenceNumber"]) > int(old["dynamodb"]["SequenceNumber"])
        [[count]] = rows(shop.engine, "SELECT count(*) FROM shards")
        assert count <= 8

    def test_recovery_keeps_no_shard_without_records(self, shop: Streamed) -> None:
        shop.recover()
        for _ in range(9):
            shop.clock.move(4 * HOUR)
            shop.tend()
        [[count]] = rows(shop.engine, "SELECT count(*) FROM shards")
        assert count <= 8

    def test_recovery_alone_needs_one_shard(self, shop: Streamed) -> None:
        shop.recover()
        shop.switch(None)
        shop.clock.move(2 * DAY)
        for n in range(9):
            shop.put(str(n))
            shop.clock.move(4 * HOUR)
            shop.tend()
        assert rows(shop.engine, "SELECT count(*) FROM shards WHERE stream_id IS NULL") == [(1,)]

    def test_upkeep_does_not_look_at_records_that_are_kept(
        self, shop: Streamed, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shop.recover()
        for n in range(30):
            shop.put(str(n))
            shop.clock.move(4 * HOUR)
            shop.tend()
        storage, looks = storage_of(shop.engine), 0
        execute = storage.execute

        def counting(statement: str, *parameters: Any) -> Any:
            nonlocal looks
            looks += " FROM journal " in statement
            return execute(statement, *parameters)

        monkeypatch.setattr(storage, "execute", counting)
        shop.tend()

        assert rows(shop.engine, "SELECT count(*) FROM journal") == [(30,)]
        assert looks == 0

    @pytest.mark.parametrize("is_deleted", [True, False])
    def test_a_reader_that_is_too_late_is_told_so(
        self, shop: Streamed, monkeypatch: pytest.MonkeyPatch, is_deleted: bool
    ) -> None:
        monkeypatch.setattr("sortkey.engine.iterators._SECONDS", 2 * DAY)
        shop.put("a")
        shop.put("b")
        [shard] = shop.shards()
        number = shop.records()[0]["dynamodb"]["SequenceNumber"]
        iterator = shop.iterator(shard["ShardId"], "AFTER_SEQUENCE_NUMBER", SequenceNumber=number)
        shop.clock.move(DAY + 1)
        shop.put("c")
        if is_deleted:
            rows(shop.engine, f"DELETE FROM journal WHERE written <= {START * 1_000_000}")

        with pytest.raises(TrimmedDataAccessException):
            shop.ask("GetRecords", ShardIterator=iterator)
        with pytest.raises(TrimmedDataAccessException):
            shop.iterator(shard["ShardId"], "AFTER_SEQUENCE_NUMBER", SequenceNumber=number)
        assert shop.changes() == [("INSERT", "c")]

    def test_a_disabled_stream_can_be_read_for_a_day(self, shop: Streamed) -> None:
        shop.put("a")
        before = shop.arn
        shop.switch(None)
        shop.put("unseen")
        shop.switch("KEYS_ONLY")
        shop.put("b")

        assert shop.describe(before)["StreamStatus"] == "DISABLED"
        assert shop.changes(before) == [("INSERT", "a")]
        assert shop.changes() == [("INSERT", "b")]
        assert len(shop.ask("ListStreams")["Streams"]) == 2
        shop.clock.move(DAY + 1)
        shop.tend()
        assert [each["StreamArn"] for each in shop.ask("ListStreams")["Streams"]] == [shop.arn]
        with pytest.raises(ResourceNotFoundException):
            shop.describe(before)

    def test_the_stream_of_a_deleted_table_can_be_read_for_a_day(self, shop: Streamed) -> None:
        shop.put("a")
        arn = shop.arn
        shop.ask("DeleteTable", TableName="orders")

        assert shop.changes(arn) == [("INSERT", "a")]
        shop.ask("CreateTable", **TABLE)
        assert shop.changes() == []
        shop.clock.move(DAY + 1)
        shop.tend()
        with pytest.raises(ResourceNotFoundException):
            shop.describe(arn)


def test_a_crash_neither_loses_nor_invents_a_record(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with Engine.open(path, grouped=True) as engine:
        engine.answer("CreateTable", TABLE)
        engine.answer("PutItem", {"TableName": "orders", "Item": {"id": {"S": "kept"}}})
        engine.flush()
        engine.answer("PutItem", {"TableName": "orders", "Item": {"id": {"S": "lost"}}})
        storage_of(engine).finish(RuntimeError())
        with pytest.raises(InternalServerError):
            engine.flush()

    with Engine.open(path) as engine:
        keys = rows(engine, "SELECT keys FROM journal")
        items = engine.answer("Scan", {"TableName": "orders"})["Items"]

    assert items == [{"id": {"S": "kept"}}]
    assert keys == [(b'{"id":{"S":"kept"}}',)]


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.just("put"), st.sampled_from("abcdefgh"), st.sampled_from("xyz")),
            st.tuples(st.just("delete"), st.sampled_from("abcdefgh"), st.just("")),
            st.tuples(st.just("split"), st.integers(0, 3), st.just("")),
            st.tuples(st.just("wait"), st.sampled_from([60.0, 5 * HOUR]), st.just("")),
        ),
        max_size=40,
    )
)
def test_a_stream_replayed_in_order_gives_the_table(steps: list[tuple[str, Any, str]]) -> None:
    shop = streamed()
    with shop.engine:
        waited = 0.0
        for kind, what, value in steps:
            match kind:
                case "put":
                    shop.put(what, value=value)
                case "delete":
                    shop.delete(what)
                case "split":
                    with suppress(ValidationException):
                        shop.ask("SplitPartition", TableName="orders", Partition=what)
                case _ if waited + what < DAY:
                    waited += what
                    shop.clock.move(what)
                    shop.tend()
                case _:
                    pass

        replayed: dict[str, Any] = {}
        for record in shop.records():
            change = record["dynamodb"]
            key = change["Keys"]["id"]["S"]
            assert replayed.get(key) == change.get("OldImage")
            replayed[key] = change.get("NewImage")

        stored = shop.ask("Scan", TableName="orders")["Items"]
        assert {key: item for key, item in replayed.items() if item} == {
            item["id"]["S"]: item for item in stored
        }
