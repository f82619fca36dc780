"""SplitPartition."""

import pytest
from tests.engine.streamed import TABLE, streamed

from sortkey.engine import Engine
from sortkey.wire.errors import ResourceNotFoundException, ValidationException


def test_a_partition_is_divided_in_the_middle_of_its_hashes() -> None:
    shop = streamed()
    shop.ask("SplitPartition", TableName="orders")
    answer = shop.ask("SplitPartition", TableName="orders", Partition=1)

    assert answer["Partitions"] == [
        {"FirstHash": 0, "LastHash": 2**31 - 1},
        {"FirstHash": 2**31, "LastHash": 2**31 + 2**30 - 1},
        {"FirstHash": 2**31 + 2**30, "LastHash": 2**32 - 1},
    ]


def test_a_table_without_a_stream_has_partitions_too() -> None:
    plain = {name: value for name, value in TABLE.items() if name != "StreamSpecification"}
    with Engine.memory() as engine:
        engine.answer("CreateTable", plain)
        answer = engine.answer("SplitPartition", {"TableName": "orders"})
        described = engine.answer("DescribeTable", {"TableName": "orders"})["Table"]

    assert len(answer["Partitions"]) == 2
    assert "Partitions" not in described


def test_only_a_partition_that_exists_can_be_split() -> None:
    shop = streamed()
    with pytest.raises(ValidationException, match="orders has 1 partition"):
        shop.ask("SplitPartition", TableName="orders", Partition=1)
    with pytest.raises(ResourceNotFoundException):
        shop.ask("SplitPartition", TableName="others")


def test_a_partition_of_one_hash_cannot_be_split() -> None:
    shop = streamed()
    for _ in range(32):
        shop.ask("SplitPartition", TableName="orders")
    with pytest.raises(ValidationException, match="only one hash"):
        shop.ask("SplitPartition", TableName="orders")
