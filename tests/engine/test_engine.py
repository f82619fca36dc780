"""The engine's face."""

import sqlite3
from pathlib import Path
from threading import Thread
from typing import Any, cast

import pytest

from sortkey.engine import Engine, StorageError
from sortkey.wire.errors import SerializationException, UnknownOperationException

TABLE = {
    "TableName": "items",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.mark.parametrize("name", ["", ":memory:"])
def test_a_file_needs_a_name(name: str) -> None:
    with pytest.raises(StorageError, match=r"Engine\.memory\(\)"):
        Engine.open(name)


def test_durability_is_one_of_two(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match='"normal" or "full", not "FULL"'):
        Engine.open(tmp_path / "app.db", durability=cast("Any", "FULL"))


def test_an_unknown_operation_is_named() -> None:
    with Engine.memory() as engine, pytest.raises(UnknownOperationException, match="MakeTea"):
        engine.answer("MakeTea", {})


def test_a_text_that_is_not_unicode_is_refused() -> None:
    with Engine.memory() as engine:
        engine.answer("CreateTable", TABLE)

        with pytest.raises(SerializationException, match="not valid Unicode"):
            engine.answer("PutItem", {"TableName": "items", "Item": {"id": {"S": "\ud800"}}})


def test_a_closed_engine_says_so() -> None:
    engine = Engine.memory()
    engine.close()

    with pytest.raises(StorageError, match="has been closed"):
        engine.answer("ListTables", {})
    with pytest.raises(StorageError, match="has been closed"):
        engine.tend()


def test_threads_share_an_engine_without_losing_an_update() -> None:
    with Engine.memory() as engine:
        engine.answer("CreateTable", TABLE)

        def work() -> None:
            for _ in range(50):
                engine.answer(
                    "UpdateItem",
                    {
                        "TableName": "items",
                        "Key": {"id": {"S": "counter"}},
                        "UpdateExpression": "ADD hits :one",
                        "ExpressionAttributeValues": {":one": {"N": "1"}},
                    },
                )

        threads = [Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        item = engine.answer("GetItem", {"TableName": "items", "Key": {"id": {"S": "counter"}}})
        assert item["Item"]["hits"] == {"N": "400"}


def test_an_engine_in_memory_goes_back_to_an_image() -> None:
    with Engine.memory() as engine:
        engine.answer("CreateTable", TABLE)
        image = engine.image()
        engine.answer("CreateTable", {**TABLE, "TableName": "after"})

        engine.load(image)

        assert engine.answer("ListTables", {})["TableNames"] == ["items"]


def test_an_engine_on_a_file_does_not_go_back(tmp_path: Path) -> None:
    with Engine.memory() as memory:
        image = memory.image()

    with Engine.open(tmp_path / "app.db") as engine, pytest.raises(StorageError, match="is a file"):
        engine.load(image)


def test_an_answer_at_once_does_not_wait_for_another_process(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with Engine.open(path) as engine:
        engine.answer("CreateTable", TABLE)
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")

        item = {"id": {"S": "1"}}
        waiting = engine.reply_at_once("PutItem", {"TableName": "items", "Item": item})
        other.execute("ROLLBACK")
        other.close()
        done = engine.reply_at_once("PutItem", {"TableName": "items", "Item": item})

    assert waiting is None
    assert done == b"{}"
