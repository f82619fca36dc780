"""GetRecords."""

import pytest
from tests.engine.streamed import Streamed, streamed

from sortkey.wire.errors import (
    ExpiredIteratorException,
    ResourceNotFoundException,
    ValidationException,
)


@pytest.fixture
def shop() -> Streamed:
    return streamed()


def test_an_open_shard_can_always_be_read_on(shop: Streamed) -> None:
    [shard] = shop.shards()
    nothing = shop.ask("GetRecords", ShardIterator=shop.iterator(shard["ShardId"]))
    shop.put("a")
    something = shop.ask("GetRecords", ShardIterator=nothing["NextShardIterator"])

    assert nothing["Records"] == []
    assert len(something["Records"]) == 1
    assert "NextShardIterator" in something


def test_a_closed_shard_ends_with_its_last_record(shop: Streamed) -> None:
    shop.put("a")
    shop.put("b")
    [shard] = shop.shards()
    shop.ask("SplitPartition", TableName="orders")

    first = shop.ask("GetRecords", ShardIterator=shop.iterator(shard["ShardId"]), Limit=1)
    second = shop.ask("GetRecords", ShardIterator=first["NextShardIterator"], Limit=1)
    latest = shop.ask("GetRecords", ShardIterator=shop.iterator(shard["ShardId"], "LATEST"))

    assert len(first["Records"]) == len(second["Records"]) == 1
    assert "NextShardIterator" not in second
    assert latest == {"Records": []}


def test_a_page_has_about_a_megabyte(shop: Streamed) -> None:
    for n in range(4):
        shop.put(str(n), text="x" * 350_000)
    [shard] = shop.shards()

    page = shop.ask("GetRecords", ShardIterator=shop.iterator(shard["ShardId"]))

    assert len(page["Records"]) == 2
    assert len(shop.read(page["NextShardIterator"])) == 2


def test_an_iterator_is_valid_for_fifteen_minutes(shop: Streamed) -> None:
    [shard] = shop.shards()
    iterator = shop.iterator(shard["ShardId"])
    shop.clock.move(900)
    shop.ask("GetRecords", ShardIterator=iterator)
    shop.clock.move(1)

    with pytest.raises(ExpiredIteratorException, match="exceeds the maximum age"):
        shop.ask("GetRecords", ShardIterator=iterator)


def test_an_iterator_of_a_stream_that_is_gone_is_not_found(shop: Streamed) -> None:
    [shard] = shop.shards()
    iterator = shop.iterator(shard["ShardId"])

    with pytest.raises(ResourceNotFoundException, match="Stream: "):
        shop.ask("GetRecords", ShardIterator=iterator.replace("orders", "others"))


@pytest.mark.parametrize(
    "place", ["", "|1|", "|2|WzEsdHJ1ZSwwXQ==", "|1|bm9uc2Vuc2U=", "|1|W10=", "|1|WzFlMzAsMCwwXQ=="]
)
def test_an_invented_iterator_is_rejected(shop: Streamed, place: str) -> None:
    with pytest.raises(ValidationException, match="Invalid ShardIterator"):
        shop.ask("GetRecords", ShardIterator=f"{shop.arn}{place}")


@pytest.mark.parametrize("limit", [0, 1001])
def test_a_page_has_1_to_1000_records(shop: Streamed, limit: int) -> None:
    [shard] = shop.shards()
    with pytest.raises(ValidationException, match="limit"):
        shop.ask("GetRecords", ShardIterator=shop.iterator(shard["ShardId"]), Limit=limit)
