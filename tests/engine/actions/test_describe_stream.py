"""DescribeStream."""

import pytest
from tests.engine.streamed import START, TABLE, streamed

from sortkey.wire.errors import ResourceNotFoundException, ValidationException


def test_a_stream_is_described() -> None:
    described = streamed().describe()

    assert described["StreamStatus"] == "ENABLED"
    assert described["StreamViewType"] == "NEW_AND_OLD_IMAGES"
    assert described["TableName"] == "orders"
    assert described["KeySchema"] == TABLE["KeySchema"]
    assert described["CreationRequestDateTime"] == START
    assert described["StreamArn"].endswith(described["StreamLabel"])


def test_shards_come_in_pages() -> None:
    shop = streamed()
    for _ in range(3):
        shop.ask("SplitPartition", TableName="orders")
    every = [shard["ShardId"] for shard in shop.shards()]

    found: list[str] = []
    place: dict[str, str] = {}
    while True:
        answer = shop.ask("DescribeStream", StreamArn=shop.arn, Limit=2, **place)
        page = answer["StreamDescription"]
        found += [shard["ShardId"] for shard in page["Shards"]]
        if "LastEvaluatedShardId" not in page:
            break
        place = {"ExclusiveStartShardId": page["LastEvaluatedShardId"]}

    assert found == every
    assert len(every) == 1 + 2 + 3 + 4


def test_a_filter_gives_the_children_of_a_shard() -> None:
    shop = streamed()
    [parent] = shop.shards()
    shop.ask("SplitPartition", TableName="orders")
    _, *children = shop.shards()

    def children_of(shard: str) -> list[object]:
        wanted = {"Type": "CHILD_SHARDS", "ShardId": shard}
        answer = shop.ask("DescribeStream", StreamArn=shop.arn, ShardFilter=wanted)
        return answer["StreamDescription"]["Shards"]

    assert children_of(parent["ShardId"]) == children
    assert children_of(children[0]["ShardId"]) == []


def test_a_stream_that_does_not_exist_is_not_found() -> None:
    shop = streamed()
    with pytest.raises(ResourceNotFoundException, match="Stream: "):
        shop.describe(shop.arn.replace("orders", "others"))
    with pytest.raises(ValidationException, match="streamArn"):
        shop.describe("x" * 40)


@pytest.mark.parametrize("wanted", [{"Type": "CHILD_SHARDS"}, {"ShardId": "s" * 30}, {"Type": "x"}])
def test_a_filter_needs_its_type_and_its_shard(wanted: dict[str, str]) -> None:
    shop = streamed()
    with pytest.raises(ValidationException, match="shardFilter"):
        shop.ask("DescribeStream", StreamArn=shop.arn, ShardFilter=wanted)
