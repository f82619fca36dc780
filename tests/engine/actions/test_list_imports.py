"""ListImports."""

from pathlib import Path
from typing import Any

import pytest
from tests.engine.bucketed import TABLE, Bucketed, items

from sortkey.wire.errors import ValidationException

DAY = 24 * 3600


@pytest.fixture
def shop(tmp_path: Path) -> Bucketed:
    found = Bucketed(tmp_path)
    found.place(items("a"))
    return found


def imports(shop: Bucketed, count: int) -> list[str]:
    """Begin imports to tables of their own, and return their ARNs, the latest first."""
    found: list[str] = []
    for number in range(count):
        table = TABLE | {"TableName": f"table{number}"}
        found.append(shop.begin_import(TableCreationParameters=table)["ImportArn"])
        shop.clock.move(1)
    return found[::-1]


def arns(page: dict[str, Any]) -> list[str]:
    return [each["ImportArn"] for each in page["ImportSummaryList"]]


class TestShape:
    @pytest.mark.parametrize(
        "more",
        [{"PageSize": 0}, {"PageSize": 26}, {"NextToken": "0" * 16}, {"NextToken": "x" * 112}],
    )
    def test_constraints_are_checked(self, shop: Bucketed, more: dict[str, Any]) -> None:
        with pytest.raises(ValidationException):
            shop.ask("ListImports", **more)


class TestValidation:
    def test_a_token_is_that_of_a_page(self, shop: Bucketed) -> None:
        with pytest.raises(ValidationException, match="NextToken"):
            shop.ask("ListImports", NextToken="0f" * 56)


class TestBehaviour:
    def test_the_latest_is_first_and_pages_follow_each_other(self, shop: Bucketed) -> None:
        expected = imports(shop, 5)
        found: list[str] = []
        token: dict[str, Any] = {}
        while True:
            page = shop.ask("ListImports", PageSize=2, **token)
            found += arns(page)
            if "NextToken" not in page:
                break
            assert len(page["NextToken"]) >= 112
            token = {"NextToken": page["NextToken"]}
        assert found == expected

    def test_a_summary_has_the_status_and_the_source(self, shop: Bucketed) -> None:
        [arn] = imports(shop, 1)
        [summary] = shop.ask("ListImports")["ImportSummaryList"]
        described = shop.described_import(arn)
        assert summary == {name: described[name] for name in summary}
        assert summary["ImportStatus"] == "COMPLETED"
        assert "ProcessedItemCount" not in summary

    def test_the_imports_of_one_table_can_be_listed(self, shop: Bucketed) -> None:
        _, arn, _ = imports(shop, 3)
        page = shop.ask("ListImports", TableArn=arn.partition("/import/")[0])
        assert arns(page) == [arn]

    def test_an_import_is_listed_for_ninety_days(self, shop: Bucketed) -> None:
        imports(shop, 1)
        shop.clock.move(90 * DAY)
        assert arns(shop.ask("ListImports")) == []
