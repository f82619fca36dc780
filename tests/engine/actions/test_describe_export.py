"""DescribeExport."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.engine.exported import Exportable, exportable
from tests.engine.recoverable import START

from sortkey.wire.errors import ExportNotFoundException, ValidationException


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Exportable]:
    opened = exportable(tmp_path)
    with opened.engine:
        yield opened


def test_the_arn_is_long_enough(shop: Exportable) -> None:
    with pytest.raises(ValidationException, match="greater than or equal to 37"):
        shop.ask("DescribeExport", ExportArn="export")


def test_an_export_that_does_not_exist_is_not_found(shop: Exportable) -> None:
    with pytest.raises(ExportNotFoundException, match="Export not found"):
        shop.ask("DescribeExport", ExportArn=f"{shop.arn}/export/01693685827463-2d8752fd")


def test_an_export_is_described_until_it_is_complete(shop: Exportable) -> None:
    shop.put("a")
    begun = shop.export()
    assert shop.ask("DescribeExport", ExportArn=begun["ExportArn"])["ExportDescription"] == begun
    shop.clock.move(5)

    described = shop.described(begun)

    results = {name: described[name] for name in described.keys() - begun.keys()}
    assert results.keys() == {"EndTime", "ExportManifest", "ItemCount", "BilledSizeBytes"}
    assert (results["EndTime"], results["ItemCount"]) == (START + 5, 1)
    assert described["ExportStatus"] == "COMPLETED"


def test_an_export_of_a_deleted_table_is_described(shop: Exportable) -> None:
    export = shop.export()
    shop.tend()
    shop.ask("DeleteTable", TableName="orders")
    assert shop.described(export)["TableArn"] == shop.arn
