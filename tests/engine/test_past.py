"""The past of a table: at any second, while writes go on."""

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engine.histories import STEPS, History
from tests.engine.recoverable import DAY, START, Recoverable, recoverable

from sortkey.clock import MovableClock
from sortkey.engine import Engine, past


@settings(max_examples=100)
@given(steps=st.lists(STEPS, min_size=10, max_size=60), data=st.data())
def test_a_restore_to_any_second_equals_the_state_at_that_second(
    steps: list[tuple[Any, ...]], data: st.DataObject
) -> None:
    shop = recoverable()
    with shop.engine:
        shop.recover()
        history = History(shop)
        for step in steps:
            history.make(step)

        for _ in range(3):
            second = data.draw(st.sampled_from(history.seconds))
            assert shop.restored(second) == history.at(second), second
        assert shop.items() == history.items


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past, "BATCH", 2)
    monkeypatch.setattr(past, "_COLLECTED", 3)


@pytest.mark.usefixtures("small_pages")
@settings(max_examples=100)
@given(
    steps=st.lists(STEPS, max_size=25),
    meanwhile=st.lists(st.lists(STEPS, min_size=1, max_size=4), min_size=8, max_size=12),
    has_recovery=st.booleans(),
    data=st.data(),
)
def test_writes_between_the_pieces_are_in_no_backup_and_no_restore(
    steps: list[tuple[Any, ...]],
    meanwhile: list[list[tuple[Any, ...]]],
    has_recovery: bool,
    data: st.DataObject,
) -> None:
    shop = recoverable(grouped=True)
    with shop.engine:
        if has_recovery:
            shop.recover()
        history = History(shop)
        for name in "abcdefghijkl":
            history.make(("put", name, 1, "white"))
        for step in steps:
            history.make(step)
        arn, backed_up = shop.back_up(), dict(history.items)
        second = data.draw(st.sampled_from(history.seconds)) if has_recovery else None
        # The rest of the current second is not restored: the request came before it.
        expected = history.items if second == history.seconds[-1] else history.at(second or 0)
        expected = dict(expected)
        if second is not None:
            shop.restore("past", second)

        for writes in meanwhile:
            shop.engine.tend()
            for step in writes:
                history.make(step)
        shop.tend()

        assert shop.status(arn) == "AVAILABLE"
        shop.ask("RestoreTableFromBackup", BackupArn=arn, TargetTableName="copy")
        shop.tend()
        assert shop.items("copy") == shop.items("copy", IndexName="by_colour") == backed_up
        assert shop.ask("DescribeTable", TableName="copy")["Table"]["ItemCount"] == len(backed_up)
        assert second is None or shop.items("past") == expected
        assert shop.items() == history.items
        assert shop.count("pasts") == 0
        assert not any(name.startswith("past_") for name in shop.stored())


def test_time_does_not_run_backwards_between_processes(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    ahead, behind = MovableClock(lambda: START), MovableClock(lambda: START)
    with Engine.open(path, clock=ahead) as engine, Engine.open(path, clock=behind) as other:
        shop = Recoverable(engine, ahead)
        shop.recover()
        late = copy.copy(shop)
        late.engine = other
        for number in range(1, 5):
            ahead.move(100)
            shop.put("a", colour=f"ahead {number}")
            late.put("b", colour=f"after {number}")

        assert [written / 1e6 - START for written in shop.written()] == [
            number * 100 for number in range(1, 5) for _ in "ab"
        ]
        for number in range(1, 5):
            assert shop.restored(number * 100) == {
                ("a", 1): f"ahead {number}",
                ("b", 1): f"after {number}",
            }


def test_time_does_not_run_backwards_after_the_records_are_gone(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    clock = MovableClock(lambda: START)
    with Engine.open(path, clock=clock) as engine:
        shop = Recoverable(engine, clock)
        shop.recover()
        clock.move(100)
        shop.put("a")
        shop.recover(enabled=False)
        clock.move(1)
        shop.tend()
        assert shop.count("journal") == 0

    clock.move(-60)
    with Engine.open(path, clock=clock) as engine:
        shop.engine = engine
        assert shop.recover()["EarliestRestorableDateTime"] == START + 101


@pytest.fixture
def shop() -> Iterator[Recoverable]:
    opened = recoverable(grouped=True)
    with opened.engine:
        yield opened


@pytest.mark.usefixtures("small_pages")
class TestWhatAPastKeeps:
    def test_a_table_is_journalled_only_while_it_is_copied(self, shop: Recoverable) -> None:
        for number in range(9):
            shop.put(str(number))
        assert shop.count("journal") == 0

        arn = shop.back_up()
        shop.put("0", colour="blue")
        assert shop.count("journal") == 1
        shop.clock.move(1)
        shop.tend()

        assert shop.status(arn) == "AVAILABLE"
        assert shop.count("journal") == 0
        shop.put("1", colour="blue")
        assert shop.count("journal") == 0
        shop.clock.move(1)
        shop.tend()
        assert shop.count("shards") == 0

    def test_the_journal_is_not_trimmed_while_it_is_read(self, shop: Recoverable) -> None:
        shop.recover(1)
        shop.put("a")
        shop.clock.move(10)
        for number in range(20):
            shop.put("a", colour=str(number))
        shop.restore("past", 5)

        shop.clock.move(2 * DAY)
        shop.recover(enabled=False)
        shop.tend()

        assert shop.items("past") == {("a", 1): "red"}
        assert shop.count("journal") == 0

    def test_the_rows_of_a_deleted_table_are_kept_until_they_are_read(
        self, shop: Recoverable
    ) -> None:
        for number in range(9):
            shop.put(str(number))
        expected = shop.items()
        arn = shop.back_up()
        shop.engine.tend()
        shop.put("0", colour="blue")
        shop.ask("DeleteTable", TableName="orders")
        shop.tend()

        assert {name for name in shop.stored() if name.startswith("rows_")} == {
            "rows_" + str(int(arn[-8:], 16)),
            "rows_" + str(int(arn[-8:], 16)) + "_expiry",
        }
        shop.ask("RestoreTableFromBackup", BackupArn=arn, TargetTableName="orders")
        shop.tend()
        assert shop.items() == expected

    def test_expired_items_come_back(self, shop: Recoverable) -> None:
        shop.recover()
        setting = {"Enabled": True, "AttributeName": "ends"}
        shop.ask("UpdateTimeToLive", TableName="orders", TimeToLiveSpecification=setting)
        item = {"id": {"S": "a"}, "line": {"N": "1"}, "colour": {"S": "red"}}
        shop.ask("PutItem", TableName="orders", Item=item | {"ends": {"N": str(START + 5)}})
        shop.clock.move(60)
        shop.tend()
        assert shop.items() == {}

        assert shop.restored(30) == {("a", 1): "red"}

    def test_large_items_are_read_a_few_at_a_time(
        self, shop: Recoverable, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(past, "BATCH", 500)
        shop.recover()
        for number in range(8):
            item = {"id": {"S": str(number)}, "line": {"N": "1"}, "colour": {"S": "blue"}}
            shop.ask("PutItem", TableName="orders", Item=item | {"more": {"S": "x" * 300_000}})
        shop.clock.move(10)
        expected = shop.items()
        for number in range(8):
            shop.put(str(number), colour="red")

        shop.restore("past", 5)
        pieces = 0
        while shop.engine.tend():
            pieces += 1

        assert shop.items("past") == expected
        assert pieces > 2
