"""GetShardIterator."""

from typing import Any

import pytest
from tests.engine.streamed import START, Streamed, streamed

from sortkey.wire.errors import ResourceNotFoundException, ValidationException


@pytest.fixture
def shop() -> Streamed:
    """A stream with a change every ten seconds."""
    opened = streamed()
    for name in "abcde":
        opened.put(name)
        opened.clock.move(10)
    return opened


def read_from(shop: Streamed, kind: str, **place: Any) -> str:
    [shard] = shop.shards()
    records = shop.read(shop.iterator(shard["ShardId"], kind, **place))
    return "".join(record["dynamodb"]["Keys"]["id"]["S"] for record in records)


def test_from_the_oldest(shop: Streamed) -> None:
    assert read_from(shop, "TRIM_HORIZON") == "abcde"


def test_from_now_on(shop: Streamed) -> None:
    [shard] = shop.shards()
    latest = shop.iterator(shard["ShardId"], "LATEST")
    shop.put("f")

    assert [r["dynamodb"]["Keys"]["id"]["S"] for r in shop.read(latest)] == ["f"]


def test_from_a_record_on_and_after_it(shop: Streamed) -> None:
    number = shop.records()[2]["dynamodb"]["SequenceNumber"]

    assert read_from(shop, "AT_SEQUENCE_NUMBER", SequenceNumber=number) == "cde"
    assert read_from(shop, "AFTER_SEQUENCE_NUMBER", SequenceNumber=number) == "de"


@pytest.mark.parametrize("kind", ["AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"])
def test_from_the_number_at_which_the_shard_starts(shop: Streamed, kind: str) -> None:
    [shard] = shop.shards()
    number = shard["SequenceNumberRange"]["StartingSequenceNumber"]

    assert read_from(shop, kind, SequenceNumber=number) == "abcde"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-90_000, "abcde"),
        (0, "abcde"),
        (9.999, "bcde"),
        (10, "bcde"),
        (10.001, "cde"),
        (41, ""),
        (-1e308, "abcde"),
    ],
)
def test_from_a_time_on(shop: Streamed, seconds: float, expected: str) -> None:
    assert read_from(shop, "AT_TIMESTAMP", Timestamp=START + seconds) == expected


def test_from_a_time_on_in_a_shard_of_any_length() -> None:
    shop = streamed()
    for n in range(100):
        shop.put(f"{n:02}")
        shop.clock.move(1)
    for n in (0, 1, 50, 98, 99):
        expected = "".join(f"{each:02}" for each in range(n, 100))
        assert read_from(shop, "AT_TIMESTAMP", Timestamp=START + n) == expected


@pytest.mark.parametrize(
    ("kind", "place"),
    [
        ("AT_TIMESTAMP", {}),
        ("AT_TIMESTAMP", {"Timestamp": START + 10_000}),
        ("AT_SEQUENCE_NUMBER", {}),
        ("AFTER_SEQUENCE_NUMBER", {"SequenceNumber": "1" * 20}),
        ("AFTER_SEQUENCE_NUMBER", {"SequenceNumber": "1" * 40}),
        ("AFTER_SEQUENCE_NUMBER", {"SequenceNumber": "x" * 21}),
        ("LATEST", {"SequenceNumber": "1" * 21}),
        ("TRIM_HORIZON", {"Timestamp": START}),
        ("SOMEWHERE", {}),
    ],
)
def test_a_place_that_does_not_fit_its_type_is_rejected(
    shop: Streamed, kind: str, place: dict[str, Any]
) -> None:
    with pytest.raises(ValidationException):
        read_from(shop, kind, **place)


def test_a_shard_that_does_not_exist_is_not_found(shop: Streamed) -> None:
    with pytest.raises(ResourceNotFoundException, match="Shard: "):
        shop.iterator("shardId-00000000000000000000-00000099")
