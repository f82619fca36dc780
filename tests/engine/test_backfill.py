"""Back-fill: a batch at a time, in any process, under way while items change."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine
from sortkey.engine.backfill import BATCH
from sortkey.wire.errors import LimitExceededException, ValidationException

COUNT = 2 * BATCH + 10


def put(engine: Engine, number: int, **more: Any) -> None:
    item = {"id": {"S": str(number)}, "group": {"N": str(number % 3)}} | more
    engine.answer("PutItem", {"TableName": "items", "Item": item})


def add_index(engine: Engine, name: str = "by_group", attribute: str = "group") -> None:
    engine.answer(
        "UpdateTable",
        {
            "TableName": "items",
            "AttributeDefinitions": [{"AttributeName": attribute, "AttributeType": "N"}],
            "GlobalSecondaryIndexUpdates": [
                {
                    "Create": {
                        "IndexName": name,
                        "KeySchema": [{"AttributeName": attribute, "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                }
            ],
        },
    )
    engine.flush()


def index(engine: Engine) -> dict[str, Any]:
    table = engine.answer("DescribeTable", {"TableName": "items"})["Table"]
    return table["GlobalSecondaryIndexes"][0]


def scan(engine: Engine, **more: Any) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = []
    start: dict[str, Any] = {}
    while True:
        page = engine.answer("Scan", {"TableName": "items"} | more | start)
        items += page["Items"]
        if "LastEvaluatedKey" not in page:
            return sorted(items, key=lambda item: item["id"]["S"])
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def tend(engine: Engine) -> bool:
    more = engine.tend()
    engine.flush()
    return more


def filled(path: Path) -> Engine:
    engine = Engine.open(path, grouped=True)
    engine.answer(
        "CreateTable",
        {
            "TableName": "items",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
            "BillingMode": "PAY_PER_REQUEST",
        },
    )
    for number in range(COUNT):
        put(engine, number)
    engine.flush()
    return engine


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "app.db"


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    with filled(path) as opened:
        yield opened


def test_a_server_fills_an_index_between_requests(engine: Engine) -> None:
    add_index(engine)
    assert index(engine)["IndexStatus"] == "CREATING"

    assert tend(engine)
    assert index(engine)["Backfilling"] is True
    while tend(engine):
        pass
    assert index(engine)["IndexStatus"] == "ACTIVE"
    assert index(engine)["ItemCount"] == COUNT
    assert scan(engine, IndexName="by_group") == scan(engine)


def test_an_index_is_not_read_before_it_is_full(engine: Engine) -> None:
    add_index(engine)
    with pytest.raises(ValidationException, match="backfilling global secondary index: by_group"):
        engine.answer("Scan", {"TableName": "items", "IndexName": "by_group"})


def test_one_index_is_made_at_a_time(engine: Engine) -> None:
    add_index(engine)
    with pytest.raises(LimitExceededException, match="Only 1 online index"):
        add_index(engine, "another")


def test_an_index_that_is_being_made_can_be_given_up(engine: Engine) -> None:
    add_index(engine)
    tend(engine)
    engine.answer(
        "UpdateTable",
        {
            "TableName": "items",
            "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by_group"}}],
        },
    )
    assert not tend(engine)
    assert "GlobalSecondaryIndexes" not in engine.answer("DescribeTable", {"TableName": "items"})


def test_what_changes_meanwhile_is_neither_lost_nor_doubled(engine: Engine) -> None:
    add_index(engine)
    for number in range(0, COUNT, 7):
        put(engine, number, group={"N": "9"})
    for number in range(1, COUNT, 7):
        engine.answer("DeleteItem", {"TableName": "items", "Key": {"id": {"S": str(number)}}})
    put(engine, COUNT)
    tend(engine)
    for number in range(2, COUNT, 7):
        put(engine, number, group={"N": "9"})
    for number in range(3, COUNT, 7):
        engine.answer("DeleteItem", {"TableName": "items", "Key": {"id": {"S": str(number)}}})
    while tend(engine):
        pass

    items = scan(engine)
    assert scan(engine, IndexName="by_group") == items
    assert index(engine)["ItemCount"] == len(items)
    assert (
        index(engine)["IndexSizeBytes"]
        == engine.answer("DescribeTable", {"TableName": "items"})["Table"]["TableSizeBytes"]
    )


def test_what_is_deleted_before_it_is_reached_is_never_counted(engine: Engine) -> None:
    add_index(engine)

    for number in range(BATCH):
        engine.answer("DeleteItem", {"TableName": "items", "Key": {"id": {"S": str(number)}}})
    assert index(engine)["ItemCount"] == 0
    while tend(engine):
        pass

    assert index(engine)["ItemCount"] == COUNT - BATCH


def test_another_process_goes_on_where_one_stopped(path: Path) -> None:
    with filled(path) as first:
        add_index(first)
        assert tend(first)
    with Engine.open(path, grouped=True) as second:
        assert index(second)["IndexStatus"] == "CREATING"
        while tend(second):
            pass
        assert index(second)["ItemCount"] == COUNT


def test_a_program_that_opens_the_file_finishes_what_a_server_began(path: Path) -> None:
    with filled(path) as server:
        add_index(server)
        assert tend(server)

    with Engine.open(path) as engine:
        assert index(engine)["IndexStatus"] == "ACTIVE"
        assert len(scan(engine, IndexName="by_group")) == COUNT


def test_a_program_that_waits_for_an_index_finishes_what_another_began(path: Path) -> None:
    with filled(path) as server, Engine.open(path) as engine:
        add_index(server)
        assert tend(server)

        assert index(engine)["IndexStatus"] == "ACTIVE"
        assert len(scan(engine, IndexName="by_group")) == COUNT


def test_values_that_no_key_may_have_are_passed_over() -> None:
    with Engine.memory() as engine:
        engine.answer(
            "CreateTable",
            {
                "TableName": "items",
                "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
                "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
                "BillingMode": "PAY_PER_REQUEST",
            },
        )
        for number, text in enumerate(["", "x" * 2048, "x" * 2049]):
            item = {"id": {"S": str(number)}, "text": {"S": text}}
            engine.answer("PutItem", {"TableName": "items", "Item": item})
        engine.answer(
            "UpdateTable",
            {
                "TableName": "items",
                "AttributeDefinitions": [{"AttributeName": "text", "AttributeType": "S"}],
                "GlobalSecondaryIndexUpdates": [
                    {
                        "Create": {
                            "IndexName": "by_text",
                            "KeySchema": [{"AttributeName": "text", "KeyType": "HASH"}],
                            "Projection": {"ProjectionType": "KEYS_ONLY"},
                        }
                    }
                ],
            },
        )
        found = engine.answer("Scan", {"TableName": "items", "IndexName": "by_text"})["Items"]
        assert [item["id"] for item in found] == [{"S": "1"}]
