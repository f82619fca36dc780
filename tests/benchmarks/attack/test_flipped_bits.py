"""A wrong read of a damaged file is found, and a reported one is fine."""

from pathlib import Path

import pytest

from benchmarks.attack import damaged
from sortkey import Engine


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.db"
    damaged.fill(file)
    return file


def test_a_good_file_is_fine(good: Path) -> None:
    assert damaged.outcome(str(good)) == damaged.FINE


def test_a_file_that_reports_its_damage_is_fine(good: Path) -> None:
    good.write_bytes(good.read_bytes()[:20_000])

    assert damaged.outcome(str(good)) == damaged.FINE


def test_a_wrong_item_is_found(good: Path) -> None:
    change(good, "SET #t = :t", {":t": {"S": "something else"}})

    assert damaged.outcome(str(good)).startswith("a read was wrong in silence")


def test_a_missing_item_is_found(good: Path) -> None:
    with Engine.open(good) as engine:
        engine.answer("DeleteItem", {"TableName": "Damaged", "Key": {"pk": {"S": "key-7"}}})

    assert damaged.outcome(str(good)) == damaged.INCOMPLETE


def change(file: Path, expression: str, values: dict[str, dict[str, str]]) -> None:
    with Engine.open(file) as engine:
        engine.answer(
            "UpdateItem",
            {
                "TableName": "Damaged",
                "Key": {"pk": {"S": "key-7"}},
                "UpdateExpression": expression,
                "ExpressionAttributeNames": {"#t": "text"},
                "ExpressionAttributeValues": values,
            },
        )
