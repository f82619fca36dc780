"""ListBulkOperations."""

from pathlib import Path
from typing import Any

import pytest
from tests.engine.bucketed import TABLE, Bucketed, items

from sortkey.wire.errors import ValidationException

DAY = 24 * 3600


@pytest.fixture
def shop(tmp_path: Path) -> Bucketed:
    found = Bucketed(tmp_path)
    found.ask("CreateTable", **TABLE)
    found.place(items("a"))
    return found


def arns(page: dict[str, Any]) -> list[str]:
    return [each["BulkOperationArn"] for each in page["BulkOperationsSummaryList"]]


class TestShape:
    @pytest.mark.parametrize("more", [{"MaxResults": 0}, {"MaxResults": 26}, {"NextToken": "0f"}])
    def test_constraints_are_checked(self, shop: Bucketed, more: dict[str, Any]) -> None:
        with pytest.raises(ValidationException):
            shop.ask("ListBulkOperations", **more)


class TestValidation:
    def test_a_token_is_that_of_a_page(self, shop: Bucketed) -> None:
        with pytest.raises(ValidationException, match="NextToken"):
            shop.ask("ListBulkOperations", NextToken="0f" * 8)


class TestBehaviour:
    def test_ten_are_listed_at_once_and_the_latest_is_first(self, shop: Bucketed) -> None:
        begun: list[str] = []
        for _ in range(12):
            begun.append(shop.begin_bulk()["BulkOperationArn"])
            shop.clock.move(1)
        page = shop.ask("ListBulkOperations")
        rest = shop.ask("ListBulkOperations", NextToken=page["NextToken"])
        assert len(arns(page)) == 10
        assert arns(page) + arns(rest) == begun[::-1]
        assert "NextToken" not in rest

    def test_a_summary_has_the_status_and_the_times(self, shop: Bucketed) -> None:
        arn = shop.begin_bulk()["BulkOperationArn"]
        time = 1_800_000_000.0
        assert shop.ask("ListBulkOperations")["BulkOperationsSummaryList"] == [
            {
                "BulkOperationArn": arn,
                "BulkOperationStatus": "COMPLETED",
                "StartTime": time,
                "EndTime": time,
            }
        ]

    def test_an_operation_is_listed_for_ninety_days(self, shop: Bucketed) -> None:
        shop.begin_bulk()
        shop.clock.move(90 * DAY + 1)
        assert arns(shop.ask("ListBulkOperations")) == []
