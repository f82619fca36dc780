"""Prompt calls neither wait nor work long; they raise an error before they change anything."""

import sqlite3
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine, promptness
from sortkey.engine.promptness import (
    MOST_STEPS,
    IsLocked,
    TakesLong,
    calls_beside,
    prompt_calls,
)
from sortkey.engine.storage import sqlite

KEYS = [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}]
TABLE: dict[str, Any] = {
    "TableName": "Tab",
    "KeySchema": KEYS,
    "AttributeDefinitions": [
        {"AttributeName": "pk", "AttributeType": "S"},
        {"AttributeName": "sk", "AttributeType": "N"},
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
INDEX = {
    "IndexName": "Other",
    "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}],
    "Projection": {"ProjectionType": "ALL"},
}
LARGE = {"S": "x" * 390_000}
# More than any prompt call parses: each of its values is much smaller than its JSON.
DENSE = {"L": [{"NULL": True}] * 80_000}


def item(number: int, **more: Any) -> dict[str, Any]:
    return {"pk": {"S": "p"}, "sk": {"N": str(number)}, **more}


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.memory() as engine:
        engine.answer("CreateTable", TABLE | {"GlobalSecondaryIndexes": [INDEX]})
        yield engine


def put(engine: Engine, *items: dict[str, Any]) -> None:
    for each in items:
        engine.answer("PutItem", {"TableName": "Tab", "Item": each})


def query(**more: Any) -> dict[str, Any]:
    values = {":p": {"S": "p"}} | more.pop("values", {})
    return {
        "TableName": "Tab",
        "KeyConditionExpression": "pk = :p",
        "ExpressionAttributeValues": values,
        **more,
    }


def test_a_small_page_is_read_at_once(engine: Engine) -> None:
    put(engine, *(item(number) for number in range(20)))

    with prompt_calls():
        request = query(FilterExpression="a = :a", values={":a": {"N": "1"}})
        found = engine.answer("Query", request)

    assert found["ScannedCount"] == 20


LONG: dict[str, tuple[str, dict[str, Any]]] = {
    "many comparisons": (
        "Query",
        query(
            FilterExpression=" OR ".join(f"a = :a{n}" for n in range(150)),
            values={f":a{n}": {"N": str(n)} for n in range(150)},
        ),
    ),
    "a filter of dense values": ("Scan", {"TableName": "Tab", "ProjectionExpression": "pk"}),
    "an update of dense values": (
        "UpdateItem",
        {
            "TableName": "Tab",
            "Key": item(0),
            "UpdateExpression": "SET b = :b",
            "ExpressionAttributeValues": {":b": {"N": "1"}},
        },
    ),
    "a delete of dense values": ("DeleteItem", {"TableName": "Tab", "Key": item(0)}),
    "a batch of deletes": (
        "BatchWriteItem",
        {"RequestItems": {"Tab": [{"DeleteRequest": {"Key": item(n)}} for n in range(2)]}},
    ),
    "a transaction": (
        "TransactWriteItems",
        {"TransactItems": [{"Delete": {"TableName": "Tab", "Key": item(n)}} for n in range(2)]},
    ),
    "parts of large items": (
        "BatchGetItem",
        {
            "RequestItems": {
                "Tab": {"Keys": [item(n) for n in range(2)], "ProjectionExpression": "pk"}
            }
        },
    ),
    "parts of large items at one moment": (
        "TransactGetItems",
        {
            "TransactItems": [
                {"Get": {"TableName": "Tab", "Key": item(n), "ProjectionExpression": "pk"}}
                for n in range(2)
            ]
        },
    ),
    "a long statement": (
        "ExecuteStatement",
        {"Statement": "SELECT * FROM Tab WHERE pk = 'none'".ljust(2600)},
    ),
    "a statement with many comparisons": (
        "ExecuteStatement",
        {
            "Statement": "SELECT * FROM Tab WHERE pk = 'p' AND ("
            + " OR ".join([f"a={n}" for n in range(149)])
            + ")"
        },
    ),
    "a statement that deletes dense values": (
        "ExecuteStatement",
        {"Statement": "DELETE FROM Tab WHERE pk = 'p' AND sk = 0 RETURNING ALL OLD *"},
    ),
    "parts of large items by statements": (
        "BatchExecuteStatement",
        {
            "Statements": [
                {"Statement": f"SELECT pk FROM Tab WHERE pk = 'p' AND sk = {n}"} for n in range(2)
            ]
        },
    ),
    "a batch of statements": (
        "BatchExecuteStatement",
        {
            "Statements": [
                {"Statement": f"DELETE FROM Tab WHERE pk = 'p' AND sk = {n}"} for n in range(2)
            ]
        },
    ),
    "a transaction of statements": (
        "ExecuteTransaction",
        {
            "TransactStatements": [
                {"Statement": f"DELETE FROM Tab WHERE pk = 'p' AND sk = {n}"} for n in range(2)
            ]
        },
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_long_work_is_refused_before_it_changes_anything(engine: Engine, name: str) -> None:
    operation, request = LONG[name]
    put(engine, item(0, l=DENSE), item(1, l=DENSE), *(item(number) for number in range(2, 100)))
    before = engine.answer("Scan", {"TableName": "Tab"})

    with prompt_calls(), pytest.raises(TakesLong):
        engine.answer(operation, request)

    assert engine.answer("Scan", {"TableName": "Tab"}) == before
    engine.answer(operation, request)  # a call that need not be prompt is answered


def test_a_page_of_many_tiny_rows_is_refused(engine: Engine) -> None:
    for begin in range(0, MOST_STEPS + 100, 25):
        puts = [{"PutRequest": {"Item": item(begin + number)}} for number in range(25)]
        engine.answer("BatchWriteItem", {"RequestItems": {"Tab": puts}})

    with prompt_calls(), pytest.raises(TakesLong):
        engine.answer("Query", query())
    with prompt_calls(), pytest.raises(TakesLong):
        engine.answer("ExecuteStatement", {"Statement": "SELECT * FROM Tab WHERE pk = 'p'"})
    with prompt_calls():
        assert engine.answer("Query", query(Limit=10))["Count"] == 10
    assert engine.answer("Query", query())["Count"] > MOST_STEPS


def test_partitions_that_are_many_rows_together_are_refused(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(promptness, "MOST_STEPS", 400)
    for key in "abc":
        put(engine, *({"pk": {"S": key}, "sk": {"N": str(number)}} for number in range(250)))
    text = {"Statement": "SELECT * FROM Tab WHERE pk IN ['a', 'b', 'c']"}

    with prompt_calls(), pytest.raises(TakesLong):
        engine.answer("ExecuteStatement", text)
    assert len(engine.answer("ExecuteStatement", text)["Items"]) == 750


@pytest.mark.parametrize(
    "drop",
    [
        ("DeleteTable", {"TableName": "Tab"}),
        (
            "UpdateTable",
            {
                "TableName": "Tab",
                "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "Other"}}],
            },
        ),
    ],
    ids=["a table", "an index"],
)
def test_a_large_table_or_index_is_not_dropped_in_a_prompt_call(
    engine: Engine, drop: tuple[str, dict[str, Any]]
) -> None:
    put(engine, *(item(number, s=LARGE) for number in range(30)))

    with prompt_calls(), pytest.raises(TakesLong):
        engine.answer(*drop)
    assert len(engine.answer("ListTables", {})["TableNames"]) == 1
    engine.answer(*drop)


def test_a_condition_with_many_comparisons_of_a_large_item_is_refused(engine: Engine) -> None:
    put(engine, item(0, s=LARGE))
    comparisons = " AND ".join(["NOT contains(s, :s)"] * 100)
    request = {
        "TableName": "Tab",
        "Key": item(0),
        "ConditionExpression": comparisons,
        "ExpressionAttributeValues": {":s": {"S": "y"}},
    }

    with prompt_calls(), pytest.raises(TakesLong):
        engine.answer("DeleteItem", request)
    engine.answer("DeleteItem", request)


# -- locks of other processes ---------------------------------------------------------------------


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Lock the file as another process would."""
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "app.db"
    with Engine.open(path) as engine:
        engine.answer("CreateTable", TABLE)
        put(engine, item(0))
    return path


def in_thread(call: Callable[[], object]) -> tuple[threading.Thread, list[object]]:
    results: list[object] = []
    thread = threading.Thread(target=lambda: results.append(call()))
    thread.start()
    return thread, results


def test_reads_of_other_threads_go_on_while_a_write_waits_for_another_process(path: Path) -> None:
    with Engine.open(path) as engine:
        with locked(path):
            thread, _ = in_thread(lambda: put(engine, item(1)))
            for _ in range(20):
                assert engine.answer("Query", query())["Count"] == 1
            assert thread.is_alive()
        thread.join()

        assert engine.answer("Query", query())["Count"] == 2


def test_each_write_waits_for_its_own_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "LOCK_WAIT_SECONDS", 0.2)
    begun = threading.Barrier(8)
    with Engine.open(path) as engine, locked(path):

        def write() -> str:
            begun.wait()
            try:
                put(engine, item(1))
            except Exception as error:  # noqa: BLE001 - the message is the result
                return str(error)
            return "written"

        threads = [in_thread(write) for _ in range(8)]
        for thread, _ in threads:
            thread.join()

        assert all("kept" in str(results[0]) for _, results in threads)


def test_a_waiting_write_ends_when_its_engine_is_closed(path: Path) -> None:
    engine = Engine.open(path)
    with locked(path):

        def write() -> str:
            try:
                put(engine, item(1))
            except Exception as error:  # noqa: BLE001 - the message is the result
                return str(error)
            return "written"

        thread, results = in_thread(write)
        engine.close()
        thread.join()

    assert "has been closed" in str(results[0])


def test_a_prompt_write_does_not_wait_and_the_next_ones_do_not_even_try(path: Path) -> None:
    with Engine.open(path, grouped=True) as engine, prompt_calls():
        with locked(path):
            for _ in range(2):
                with pytest.raises(IsLocked):
                    put(engine, item(1))
            assert not engine.can_write()
            assert engine.answer("Query", query())["Count"] == 1
        with pytest.raises(IsLocked):
            put(engine, item(1))

        assert engine.can_write()
        put(engine, item(1))
        engine.flush()

        assert engine.answer("Query", query())["Count"] == 2


# -- threads beside an event loop -----------------------------------------------------------------


@pytest.mark.parametrize("place", ["memory", "file"])
def test_a_write_beside_an_event_loop_is_committed_alone(place: str, tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    opened = Engine.memory(grouped=True) if place == "memory" else Engine.open(path, grouped=True)
    with opened as engine:
        engine.answer("CreateTable", TABLE)
        engine.flush()
        beside = engine.beside()

        with calls_beside():
            put(beside, item(0))
            assert not beside.writing
        put(engine, item(1))
        assert engine.writing
        engine.flush()

        assert engine.answer("Query", query())["Count"] == 2
        if beside is not engine:
            beside.close()


def test_in_memory_a_write_beside_the_loop_first_commits_the_open_group() -> None:
    with Engine.memory(grouped=True) as engine:
        engine.answer("CreateTable", TABLE)
        beside = engine.beside()
        put(engine, item(0))
        assert engine.writing

        with calls_beside():
            put(beside, item(1))
            with pytest.raises(Exception, match="the key"):
                put(beside, {"pk": {"S": "p"}})

        assert not engine.writing
        engine.flush()
        assert engine.answer("Query", query())["Count"] == 2
