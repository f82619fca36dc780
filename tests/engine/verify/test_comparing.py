"""Everything that can be wrong with a file is found."""

import os
import random
import shutil
import signal
from pathlib import Path

import pytest

from sortkey.engine import Engine, StorageError
from sortkey.engine.verify import SourceFile, Verification, verify
from sortkey.errors import SortkeyError

from .samples import NOW, SHOP, answers, change, outcome


def verified(path: Path) -> Verification:
    with SourceFile(path) as source:
        return verify(source)


def reasons(path: Path) -> str:
    return "\n".join(map(str, verified(path).damage))


def test_an_intact_file_has_no_damage(path: Path) -> None:
    before = path.read_bytes()

    found = verified(path)

    assert (found.tables, found.damage) == (2, [])
    assert found.rows == 60 + 48 + 60 + 1
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.iterdir()] == ["app.db"]


def test_a_file_that_is_in_use_is_read_as_it_was_at_one_moment(path: Path) -> None:
    with Engine.open(path, clock=lambda: NOW) as engine, SourceFile(path) as source:
        engine.answer("DeleteTable", {"TableName": "shop"})

        assert verify(source).rows == 60 + 48 + 60 + 1
        assert verified(path).rows == 1


def test_an_index_that_is_being_filled_may_lack_entries(path: Path) -> None:
    with Engine.open(path, grouped=True, clock=lambda: NOW) as engine:
        new = SHOP["GlobalSecondaryIndexes"][0] | {"IndexName": "again"}
        update = {"TableName": "shop", "GlobalSecondaryIndexUpdates": [{"Create": new}]}
        definitions = SHOP["AttributeDefinitions"]
        engine.answer("UpdateTable", update | {"AttributeDefinitions": definitions})

    assert verified(path).damage == []


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("UPDATE rows_1 SET checksum = checksum + 1", "does not match its checksum"),
        ("UPDATE rows_1 SET expires = 5", "has the expiry time 5 instead of"),
        ("UPDATE rows_1 SET partition = partition || x'00'", "is stored under another key"),
        ("DELETE FROM rows_1 WHERE size % 2", "has no item in the table"),
        ("DELETE FROM rows_2", "is missing"),
        ("UPDATE rows_3 SET size = 7", "does not match its checksum"),
        ("UPDATE totals SET items = items + 1", "the counts of the table shop are"),
        ("DELETE FROM totals", "the counts of the table shop are None"),
        ("UPDATE collections SET bytes = 1", "the collection sizes of the table shop"),
        ("INSERT INTO collections VALUES (1, x'00', 5)", "without items"),
        ("INSERT INTO collections VALUES (9, x'00', 5)", "belongs to no table"),
        ("UPDATE tokens SET digest = x'00'", "the request token once"),
        ("UPDATE tables SET definition = '{}'", "the definition of the table"),
        ("UPDATE catalog SET next_id = 2", "would give a new table the rows"),
        ("DELETE FROM catalog", "does not have its only row"),
        ("DROP TABLE rows_2", "the SQLite table rows_2 is missing"),
        ("DROP INDEX rows_1_expiry", "the SQLite index rows_1_expiry is missing"),
        ("CREATE TABLE rows_9 (x)", "the SQLite table rows_9 belongs to no table"),
        ("DROP TABLE catalog", "the catalog cannot be read"),
    ],
)
def test_damage_is_reported(path: Path, statement: str, reason: str) -> None:
    change(path, statement)

    assert reason in reasons(path)


def test_an_entry_that_differs_from_its_item_is_reported(path: Path) -> None:
    with Engine.open(path) as engine:
        spare = {"pk": {"S": "q"}, "sk": {"N": "1"}, "status": {"S": "new"}, "amount": {"N": "1"}}
        engine.answer("PutItem", {"TableName": "shop", "Item": spare})
        change(
            path, "CREATE TABLE kept AS SELECT * FROM rows_2 WHERE CAST(item AS TEXT) LIKE '%new%'"
        )
        engine.answer("PutItem", {"TableName": "shop", "Item": spare | {"x": {"S": "y"}}})
        change(path, "INSERT OR REPLACE INTO rows_2 SELECT * FROM kept", "DROP TABLE kept")
        moved = spare | {"amount": {"N": "2"}}
        assert "differs from the item in the table" in reasons(path)

        engine.answer("PutItem", {"TableName": "shop", "Item": moved})
        change(
            path, "CREATE TABLE kept AS SELECT * FROM rows_2 WHERE CAST(item AS TEXT) LIKE '%new%'"
        )
        engine.answer("PutItem", {"TableName": "shop", "Item": spare})
        change(path, "INSERT OR REPLACE INTO rows_2 SELECT * FROM kept", "DROP TABLE kept")

    assert "does not belong to the item in the table" in reasons(path)


def test_a_log_that_may_be_missing_is_reported_and_is_no_damage(path: Path) -> None:
    with Engine.open(path):
        copy = shutil.copy(path, path.with_name("copy.db"))

    found = verified(Path(copy))
    assert found.may_lack_log
    assert not found.damage_count


def test_the_log_of_a_killed_process_is_read_and_left_alone(path: Path) -> None:
    child = os.fork()
    if child == 0:
        try:
            Engine.open(path).answer("DeleteTable", {"TableName": "shop"})
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    log = path.with_name("app.db-wal").read_bytes()

    assert verified(path).rows == 1
    assert path.with_name("app.db-wal").read_bytes() == log


def test_a_file_that_is_opened_while_it_is_read_must_be_read_again(path: Path) -> None:
    with SourceFile(path) as source, Engine.open(path), pytest.raises(StorageError, match="again"):
        verify(source)


@pytest.mark.parametrize("content", [b"", b"hello" * 1000])
def test_what_is_no_database_cannot_be_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "app.db").write_bytes(content)

    with pytest.raises(StorageError):
        verified(tmp_path / "app.db")


def test_another_format_is_not_verified(path: Path) -> None:
    change(path, "PRAGMA user_version = 1")

    with pytest.raises(StorageError, match="has the format 1"):
        verified(path)


def flip(path: Path, bit: int) -> None:
    content = bytearray(path.read_bytes())
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


def check_flips(intact: Path, folder: Path, count: int, seed: int) -> None:
    """Flip single bits: the answers are as before, or an error, or `verify` reports damage."""
    generator = random.Random(seed)
    expected = answers(Path(shutil.copy(intact, folder / "app.db")))
    size = intact.stat().st_size
    for _ in range(count):
        bit = generator.randrange(size * 8)
        copy = Path(shutil.copy(intact, folder / "app.db"))
        flip(copy, bit)
        try:
            is_reported = bool(verified(copy).damage_count)
        except StorageError:
            is_reported = True
        found = outcome(copy)
        assert is_reported or not isinstance(found, SortkeyError), (bit, found)
        assert is_reported or found == expected, bit
        for ending in ("-wal", "-shm", "-journal"):
            copy.with_name(copy.name + ending).unlink(missing_ok=True)


def test_every_flipped_bit_that_changes_an_answer_is_found(intact: Path, tmp_path: Path) -> None:
    check_flips(intact, tmp_path, 100, seed=1)


@pytest.mark.acceptance
@pytest.mark.slow
def test_every_flipped_bit_of_many_that_changes_an_answer_is_found(
    intact: Path, tmp_path: Path
) -> None:
    check_flips(intact, tmp_path, 5_000, seed=2)
