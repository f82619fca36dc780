"""``sortkey verify``: damage in a database file."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from sortkey.cli.main import main
from sortkey.engine import Engine

TABLE = {
    "TableName": "items",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "app.db"
    with Engine.open(path) as engine:
        engine.answer("CreateTable", TABLE)
        for name in ("a", "b"):
            engine.answer("PutItem", {"TableName": "items", "Item": {"id": {"S": name}}})
    return path


def verify(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, ["verify", *map(str, arguments)])


def damage(path: Path) -> None:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("UPDATE rows_1 SET checksum = 1 WHERE CAST(item AS TEXT) LIKE '%\"a\"%'")
        raw.commit()


def test_a_file_without_damage_is_fine(path: Path) -> None:
    result = verify(path)

    assert result.exit_code == 0
    assert result.stdout == f"{path}: 2 rows of 1 table read, no damage found.\n"


def test_damage_is_listed_with_what_to_do(path: Path) -> None:
    damage(path)

    result = verify(path)

    assert result.exit_code == 1
    assert f"{path}: 2 rows of 1 table read, 1 place is damaged:" in result.stdout
    assert (
        '\n  the row of the table items with partition "a" does not match its checksum\n'
        in result.stdout
    )
    assert f"sortkey verify {path} --repair" in result.stdout


def test_a_repair_reports_its_files(path: Path) -> None:
    damage(path)

    result = verify(path, "--repair")

    assert result.exit_code == 1
    assert f"{path.with_name('app.repaired.db')} has 1 item, and new indexes" in result.stdout
    exported = path.with_name("app.damaged.jsonl")
    assert f"1 row that cannot be trusted is in {exported}." in result.stdout
    assert verify(path.with_name("app.repaired.db")).exit_code == 0


def test_a_file_without_damage_is_not_repaired(path: Path) -> None:
    assert verify(path, "--repair").exit_code == 0
    assert [each.name for each in path.parent.iterdir()] == ["app.db"]


def test_a_log_that_may_have_been_removed_is_a_warning(path: Path) -> None:
    with Engine.open(path):
        copy = Path(shutil.copy(path, path.with_name("copy.db")))

    result = verify(copy)

    assert result.exit_code == 0
    assert "Warning: " in result.stdout
    assert "has no log copy.db-wal" in result.stdout
    assert "Warning: " not in verify(path).stdout


def test_programs_read_the_report_as_json(path: Path) -> None:
    damage(path)

    report = json.loads(verify(path, "--repair", "--format", "json").stdout)

    assert report["damage_count"] == len(report["damage"]) == 1
    assert report["damage"][0]["reason"] == "does not match its checksum"
    assert report["repair"]["items"] == 1
    assert report["repair"]["file"] == str(path.with_name("app.repaired.db"))


def test_a_file_that_is_no_database_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "app.db").write_text("hello " * 1000)

    result = verify(tmp_path / "app.db")

    assert result.exit_code == 2
    assert "cannot be read as a database" in result.stderr
    assert verify(tmp_path / "none.db").exit_code == 2
