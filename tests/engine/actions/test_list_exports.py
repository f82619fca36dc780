"""ListExports."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.exported import Exportable, exportable
from tests.engine.recoverable import DAY

from sortkey.wire.errors import ValidationException


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Exportable]:
    opened = exportable(tmp_path)
    with opened.engine:
        yield opened


@pytest.mark.parametrize("most", [0, 26])
def test_a_page_has_up_to_25_exports(shop: Exportable, most: int) -> None:
    with pytest.raises(ValidationException, match="'maxResults' failed"):
        shop.ask("ListExports", MaxResults=most)


def test_a_token_is_that_of_a_page(shop: Exportable) -> None:
    with pytest.raises(ValidationException, match="NextToken is not valid"):
        shop.ask("ListExports", NextToken="other")


def test_exports_are_listed_by_their_arn_backwards_a_page_at_a_time(shop: Exportable) -> None:
    begun: list[str] = []
    for _ in range(5):
        begun.append(shop.export()["ExportArn"])
        shop.clock.move(1)

    found: list[str] = []
    page = shop.ask("ListExports", MaxResults=2)
    while True:
        found += [each["ExportArn"] for each in page["ExportSummaries"]]
        if "NextToken" not in page:
            break
        page = shop.ask("ListExports", MaxResults=2, NextToken=page["NextToken"])
    assert found == begun[::-1]


def test_a_summary_has_the_status_and_the_type(shop: Exportable) -> None:
    shop.clock.move(1000)
    begun = shop.export_window(0, 900)
    summary = {"ExportArn": begun["ExportArn"], "ExportType": "INCREMENTAL_EXPORT"}
    assert shop.ask("ListExports") == {
        "ExportSummaries": [summary | {"ExportStatus": "IN_PROGRESS"}]
    }
    shop.tend()
    assert shop.ask("ListExports") == {"ExportSummaries": [summary | {"ExportStatus": "COMPLETED"}]}


def test_only_exports_of_a_table_are_listed(shop: Exportable) -> None:
    shop.export()
    assert len(shop.ask("ListExports", TableArn=shop.arn)["ExportSummaries"]) == 1
    assert shop.ask("ListExports", TableArn=f"{shop.arn}s")["ExportSummaries"] == []


def test_exports_are_listed_for_ninety_days(shop: Exportable) -> None:
    shop.export()
    shop.tend()
    shop.clock.move(90 * DAY)
    assert len(shop.ask("ListExports")["ExportSummaries"]) == 1
    shop.clock.move(1)
    assert shop.ask("ListExports") == {"ExportSummaries": []}
