"""``sortkey forget``: a key removed from the history of a table."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.engine.recoverable import TABLE, Recoverable

from sortkey.cli.main import main
from sortkey.clock import MovableClock
from sortkey.engine import Engine


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in which an item was deleted, and one of its backups still has it."""
    path = tmp_path / "app.db"
    with Engine.open(path) as engine:
        shop = Recoverable(engine, MovableClock())
        shop.recover()
        shop.put("a")
        shop.put("b")
        shop.back_up("friday")
        shop.put("c")
        for name in "ac":
            shop.delete(name)
    return path


def forget(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["forget", *map(str, arguments)])


def test_a_key_is_removed_from_the_journal(path: Path) -> None:
    result = forget(path, "orders", "id=c", "line=1", "--vacuum")

    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        f"{path}: 2 changes removed from the journal of orders.",
        "  2 of the last day: if the table has a stream, a reader that is",
        "  behind never sees them.",
    ]


def test_a_key_that_the_journal_does_not_have_is_reported(path: Path) -> None:
    result = forget(path, "orders", "id=nobody")

    assert result.exit_code == 0
    assert result.stdout == f"{path}: the journal of orders has no change of this key.\n"


def test_another_table_that_still_has_the_key_is_listed(path: Path) -> None:
    with Engine.open(path) as engine:
        engine.answer("CreateTable", TABLE | {"TableName": "copies"})
        item = {"id": {"S": "c"}, "line": {"N": "1"}}
        engine.answer("PutItem", {"TableName": "copies", "Item": item})

    result = forget(path, "orders", "id=c")

    assert "\nThe key is still stored in:\n  the table copies, 1 item: delete it\n" in result.stdout


def test_a_backup_that_still_has_the_key_is_listed(path: Path) -> None:
    result = forget(path, "orders", "id=a")

    assert result.exit_code == 1
    assert "\nThe key is still stored in:\n  the backup friday, 1 item: delete" in result.stdout


def test_exports_that_have_the_key_are_listed(path: Path, tmp_path: Path) -> None:
    buckets = tmp_path / "buckets"
    (buckets / "exports").mkdir(parents=True)
    with Engine.open(path, buckets=buckets) as engine:
        arn = engine.answer("DescribeTable", {"TableName": "orders"})["Table"]["TableArn"]
        engine.answer(
            "PutItem",
            {
                "TableName": "orders",
                "Item": {"id": {"S": "d"}, "line": {"N": "1"}, "colour": {"S": "red"}},
            },
        )
        engine.answer("ExportTableToPointInTime", {"TableArn": arn, "S3Bucket": "exports"})
        engine.answer(
            "DeleteItem",
            {"TableName": "orders", "Key": {"id": {"S": "d"}, "line": {"N": "1"}}},
        )

    searched = forget(path, "orders", "id=d", "--buckets", buckets)
    not_there = forget(path, "orders", "id=e", "--buckets", buckets)
    not_searched = forget(path, "orders", "id=d")

    assert (searched.exit_code, not_there.exit_code, not_searched.exit_code) == (1, 0, 1)
    assert "  the export exports/AWSDynamoDB/" in searched.stdout
    assert "/, 1 item: delete its objects" in searched.stdout
    assert "\nThe key is still stored in:" not in not_searched.stdout
    assert (
        "\nThese may have the key and were not searched, see --buckets:\n"
        "  the export exports/AWSDynamoDB/"
    ) in not_searched.stdout


def test_reports_of_bulk_puts_that_have_the_key_are_listed(path: Path, tmp_path: Path) -> None:
    buckets = tmp_path / "buckets"
    (buckets / "data").mkdir(parents=True)
    record = {
        "Item": {"id": {"S": "d"}, "line": {"N": "1"}},
        "ConditionExpression": "attribute_exists(id)",
    }
    (buckets / "data" / "new.json").write_text(json.dumps(record))
    with Engine.open(path, buckets=buckets) as engine:
        engine.answer(
            "StartBulkPutItems",
            {
                "TableName": "orders",
                "InputS3Configuration": {"S3Bucket": "data", "InputFormat": "DYNAMODB_JSON"},
                "OutputS3Configuration": {
                    "S3Bucket": "data",
                    "OutputType": ["CONDITION_CHECK_FAILURE"],
                },
            },
        )

    searched = forget(path, "orders", "id=d", "--buckets", buckets)
    not_searched = forget(path, "orders", "id=d")

    assert "  the report data/AWSDynamoDB/" in searched.stdout
    assert "/condition-check-failures.json, 1 item: delete this object" in searched.stdout
    assert (
        "\nThese may have the key and were not searched, see --buckets:\n"
        "  the report data/AWSDynamoDB/"
    ) in not_searched.stdout


def test_a_program_reads_the_report_as_json(path: Path) -> None:
    result = forget(path, "orders", "id=a", "--format", "json")

    found = json.loads(result.stdout)
    assert (found["version"], found["records"], found["recent"]) == (1, 2, 2)
    assert [copy["name"] for copy in found["copies"]] == ["friday"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("orders", "id=b"), "the table orders still has 1 such item"),
        (("orders", "a"), "a is not of the form NAME=VALUE"),
        (("nowhere", "id=a"), "there is no table nowhere"),
    ],
)
def test_misuse_is_explained(path: Path, arguments: tuple[str, ...], message: str) -> None:
    result = forget(path, *arguments)

    assert result.exit_code == 2
    assert message in result.stderr


def test_the_key_of_the_table_is_shown_if_a_part_is_missing(path: Path) -> None:
    names = [element["AttributeName"] for element in TABLE["KeySchema"]]
    assert " and ".join(names) in forget(path, "orders", "line=1").stderr
