"""Backups, restores and pasts in a file: verified, and copied by a repair."""

from contextlib import suppress
from pathlib import Path

import pytest
from tests.engine.recoverable import START, Recoverable

from sortkey.clock import MovableClock
from sortkey.engine import Engine, StorageError, past
from sortkey.engine.verify import SourceFile, repair, verify

from .samples import change


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with a backup, one that is being copied, a restore under way and a deleted table."""
    monkeypatch.setattr(past, "BATCH", 2)
    path = tmp_path / "app.db"
    clock = MovableClock(lambda: START)
    with Engine.open(path, clock=clock) as engine:
        shop = Recoverable(engine, clock)
        shop.recover()
        for number in range(9):
            shop.put(str(number))
        shop.back_up("complete")
    with Engine.open(path, clock=clock, grouped=True) as engine:
        shop.engine = engine
        clock.move(5)
        shop.put("0", colour="blue")
        shop.back_up("copied")
        shop.restore("past", 2)
        engine.tend()
        engine.flush()
        shop.put("1", colour="blue")
    return path


def damage(path: Path) -> str:
    with SourceFile(path) as source:
        return "\n".join(map(str, verify(source).damage))


def deleted(path: Path) -> None:
    with Engine.open(path, grouped=True, clock=lambda: START + 60) as engine:
        engine.answer("DeleteTable", {"TableName": "orders"})


def finished(path: Path) -> Recoverable:
    """Open the file, which completes what is under way."""
    shop = object.__new__(Recoverable)
    shop.engine = Engine.open(path, clock=lambda: START + 60)
    return shop


def test_what_is_under_way_is_not_damage(path: Path) -> None:
    assert damage(path) == ""
    deleted(path)
    assert damage(path) == ""
    with finished(path).engine:
        pass
    assert damage(path) == ""


def test_what_is_under_way_is_completed_by_the_next_process(path: Path) -> None:
    deleted(path)
    shop = finished(path)
    with shop.engine:
        expected = {(str(number), 1): "red" for number in range(9)}
        assert shop.items("past") == shop.items("past", IndexName="by_colour") == expected
        complete, copied = shop.backups()
        [system] = shop.backups(BackupType="SYSTEM")
        for name, backup, changed in (
            ("one", complete, ""),
            ("two", copied, "0"),
            ("three", system, "01"),
        ):
            arn = backup["BackupArn"]
            shop.ask("RestoreTableFromBackup", BackupArn=arn, TargetTableName=name)
            assert shop.items(name) == expected | {(each, 1): "blue" for each in changed}
        assert shop.count("pasts") == 0


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE backups SET content = '{}'", "the backup arn:"),
        ("UPDATE backups SET past = 7", "does not match its checksum"),
        ("UPDATE backups SET expires = 'soon'", "does not match its checksum"),
        ("UPDATE pasts SET positions = '{}'", "does not match its checksum"),
        ("DELETE FROM journal WHERE id > 0", "records that are not in the journal"),
        ("DROP TABLE {rows}", "is missing"),
        ("UPDATE {rows} SET item = x'00'", "the backup complete of the table orders"),
        ("DELETE FROM {rows}", "the counts of the backup complete of the table orders"),
        ("DELETE FROM backups", "belongs to no table"),
    ],
)
def test_damage_is_reported(path: Path, statement: str, reason: str) -> None:
    with SourceFile(path) as source:
        numbers = {backup.name: backup.number for _, backup in source.backups() if backup}
    change(path, statement.replace("{rows}", f"rows_{numbers['complete']}"))

    assert reason in damage(path)


def test_a_repair_copies_complete_backups(path: Path) -> None:
    with SourceFile(path) as source:
        result = repair(source)

    assert damage(result.file) == ""
    shop = finished(result.file)
    with shop.engine:
        [backup] = shop.backups()
        shop.ask("RestoreTableFromBackup", BackupArn=backup["BackupArn"], TargetTableName="copy")
        assert len(shop.items("copy")) == len(shop.items()) == 9
        assert shop.ask("ListTables")["TableNames"] == ["copy", "orders"]
        shop.put("new")
    lines = result.exported_to.read_text()
    assert "whose restore is not complete" in lines
    assert "which is not complete or damaged" in lines
    assert result.exported == 2


def test_a_backup_that_meets_damage_does_not_keep_the_file_from_opening(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    last = "SELECT max(partition) FROM rows_1"
    change(path, f"UPDATE rows_1 SET checksum = checksum + 1 WHERE partition = ({last})")

    shop = finished(path)
    with shop.engine:
        assert {backup["BackupStatus"] for backup in shop.backups()} == {"AVAILABLE", "CREATING"}
        readable = 0
        for number in range(9):
            key = {"id": {"S": str(number)}, "line": {"N": "1"}}
            with suppress(StorageError):
                readable += "Item" in shop.ask("GetItem", TableName="orders", Key=key)
        assert readable == 8
    assert "cannot be finished" in caplog.text
    assert "the row of the table orders" in caplog.text
