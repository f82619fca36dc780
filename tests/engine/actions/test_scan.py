"""Scan."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.wire.errors import ValidationException

Ask = Callable[..., dict[str, Any]]
COUNT = 60


@pytest.fixture(autouse=True)
def items(ask: Ask) -> None:
    for number in range(COUNT):
        ask(
            "PutItem",
            TableName="plain",
            Item={"id": {"S": f"user-{number}"}, "age": {"N": str(number)}},
        )


def scan(ask: Ask, **more: Any) -> dict[str, Any]:
    return ask("Scan", TableName="plain", **more)


def pages(ask: Ask, **more: Any) -> list[str]:
    found: list[str] = []
    start: dict[str, Any] = {}
    while True:
        page = scan(ask, **more, **start)
        found += [item["id"]["S"] for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            return found
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


class TestShape:
    def test_segments_are_numbered_from_zero(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="'segment' failed to satisfy constraint"):
            scan(ask, Segment=-1, TotalSegments=2)


class TestValidation:
    @pytest.mark.parametrize(
        ("given", "complaint"),
        [
            ({"Segment": 0}, "TotalSegments parameter is required"),
            ({"TotalSegments": 2}, "Segment parameter is required"),
            ({"Segment": 2, "TotalSegments": 2}, "Segment: 2 is not less than TotalSegments: 2"),
        ],
    )
    def test_a_segment_and_their_number_go_together(
        self, ask: Ask, given: dict[str, int], complaint: str
    ) -> None:
        with pytest.raises(ValidationException, match=complaint):
            scan(ask, **given)

    def test_a_page_starts_inside_its_segment(self, ask: Ask) -> None:
        first = scan(ask, Limit=1)["LastEvaluatedKey"]

        with pytest.raises(ValidationException, match="with correct Segment"):
            scan(ask, Segment=3, TotalSegments=4, ExclusiveStartKey=first)

    def test_a_starting_key_has_the_tables_key(self, ask: Ask) -> None:
        with pytest.raises(ValidationException, match="The provided starting key is invalid"):
            scan(ask, ExclusiveStartKey={"other": {"S": "x"}})


class TestBehaviour:
    @pytest.mark.parametrize("size", [1, 7, COUNT, COUNT + 1])
    def test_pages_join_without_gap_or_repeat(self, ask: Ask, size: int) -> None:
        found = pages(ask, Limit=size)

        assert len(found) == COUNT
        assert len(set(found)) == COUNT

    @pytest.mark.parametrize("total", [1, 2, 5, 1000])
    def test_segments_share_the_table_out(self, ask: Ask, total: int) -> None:
        found = [
            item
            for segment in range(total)
            for item in pages(ask, Segment=segment, TotalSegments=total, Limit=4)
        ]

        assert sorted(found) == sorted(f"user-{number}" for number in range(COUNT))

    def test_segments_are_of_about_the_same_size(self, ask: Ask) -> None:
        sizes = [scan(ask, Segment=number, TotalSegments=3)["Count"] for number in range(3)]

        assert min(sizes) > COUNT / 10

    def test_a_filter_may_name_the_key(self, ask: Ask) -> None:
        answer = scan(
            ask, FilterExpression="id = :id", ExpressionAttributeValues={":id": {"S": "user-7"}}
        )

        assert (answer["Count"], answer["ScannedCount"]) == (1, COUNT)

    def test_the_old_scan_filter_is_understood(self, ask: Ask) -> None:
        answer = scan(
            ask,
            ScanFilter={"age": {"ComparisonOperator": "LT", "AttributeValueList": [{"N": "9"}]}},
        )

        assert answer["Count"] == 9

    def test_it_is_charged_for_everything_it_reads(self, ask: Ask) -> None:
        ask("PutItem", TableName="plain", Item={"id": {"S": "big"}, "x": {"S": "x" * 20_000}})

        answer = scan(
            ask,
            FilterExpression="attribute_exists(nothing)",
            ConsistentRead=True,
            ReturnConsumedCapacity="TOTAL",
        )

        assert answer["Items"] == []
        assert answer["ConsumedCapacity"]["CapacityUnits"] == 6.0

    def test_a_sparse_index_has_only_the_items_with_its_key(self, ask: Ask) -> None:
        item = {"pk": {"S": "a"}, "sk": {"S": "b"}}
        ask("PutItem", TableName="shop", Item=item)
        ask("PutItem", TableName="shop", Item=item | {"sk": {"S": "c"}, "status": {"S": "open"}})

        answer = ask("Scan", TableName="shop", IndexName="status_keys")

        assert [found["sk"]["S"] for found in answer["Items"]] == ["c"]
