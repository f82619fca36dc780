"""A repair copies what can be trusted, restores what follows from it, and exports the rest."""

import json
import shutil
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sortkey.engine import Engine, StorageError
from sortkey.engine.verify import Repair, SourceFile, repair, verify

from .samples import ITEMS, NOW, SHOP, answers, change

PAGE = 8192


def repaired(path: Path) -> Repair:
    before = path.read_bytes()
    with SourceFile(path) as source:
        result = repair(source)
    assert path.read_bytes() == before
    with SourceFile(result.file) as source:
        assert verify(source).damage == []
    return result


def exported(result: Repair) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.exported_to.read_text().splitlines()]


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM rows_2",
        "DELETE FROM rows_3 WHERE size % 2",
        "UPDATE rows_2 SET item = x'00'",
        "UPDATE totals SET items = 0, bytes = 0",
        "DELETE FROM collections",
        "UPDATE rows_1 SET expires = NULL",
        "UPDATE rows_1 SET size = size + 1",
        "UPDATE rows_1 SET partition = partition || x'00'",
        "UPDATE rows_1 SET position = position || x'00'",
        "DROP INDEX rows_1_expiry",
        "UPDATE catalog SET next_id = 1",
    ],
)
def test_what_follows_from_the_items_is_restored(intact: Path, path: Path, statement: str) -> None:
    change(path, statement)

    result = repaired(path)

    assert result.items == 61
    assert not result.exported_to.exists()
    assert answers(result.file) == answers(Path(shutil.copy(intact, path.with_name("x.db"))))


def test_a_damaged_item_is_restored_from_an_index_with_all_attributes(path: Path) -> None:
    change(
        path,
        "UPDATE rows_1 SET item = CAST(replace(CAST(item AS TEXT), 'text 7', 'test 7') AS BLOB)",
    )

    result = repaired(path)

    assert (result.items, result.restored, result.exported) == (61, 1, 1)
    with Engine.open(result.file, clock=lambda: NOW) as engine:
        found = engine.answer("Scan", {"TableName": "shop"})["Items"]
    assert ITEMS[7] in found


def test_an_item_that_only_an_index_has_is_restored(intact: Path, path: Path) -> None:
    change(path, "DELETE FROM rows_1 WHERE CAST(item AS TEXT) LIKE '%text 7 %'")

    result = repaired(path)

    assert result.restored == 1
    assert answers(result.file) == answers(intact)


def test_an_item_that_nothing_proves_is_exported(path: Path) -> None:
    change(
        path,
        "UPDATE rows_1 SET item = CAST(replace(CAST(item AS TEXT), 'text 5 ', 'test 5 ') AS BLOB)",
    )

    result = repaired(path)

    assert (result.items, result.restored, result.exported) == (60, 0, 1)
    [line] = exported(result)
    assert line["place"] == 'the row of the table shop with partition "p5", position "\\x02\\x825"'
    assert "test 5" in line["raw"]
    assert stat.S_IMODE(result.exported_to.stat().st_mode) == 0o600


def test_the_rows_of_a_table_without_a_definition_are_exported(path: Path) -> None:
    change(path, "UPDATE tables SET definition = '{}' WHERE name = 'plain'")

    result = repaired(path)

    assert result.items == 60
    assert [line["place"] for line in exported(result)] == [
        "the definition of the table plain",
        "rows_4, whose table is not known",
    ]


def test_rows_before_and_after_an_unreadable_page_are_copied(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    table = {name: value for name, value in SHOP.items() if "Indexes" not in name}
    table["AttributeDefinitions"] = SHOP["AttributeDefinitions"][:2]
    with Engine.open(path) as engine:
        engine.answer("CreateTable", table)
        for n in range(400):
            item = {"pk": {"S": f"p{n}"}, "sk": {"N": "1"}, "v": {"S": "value" * 50}}
            engine.answer("PutItem", {"TableName": "shop", "Item": item})
    content = bytearray(path.read_bytes())
    pages = [at for at in range(0, len(content), PAGE) if b"value" in content[at : at + PAGE]]
    content[pages[len(pages) // 2]] = 0xFF
    path.write_bytes(content)

    result = repaired(path)

    assert result.unreadable == 1
    assert 300 < result.items < 400


def test_a_transaction_is_not_repeated_after_a_repair(path: Path) -> None:
    change(path, "DELETE FROM totals")

    result = repaired(path)

    with closing(sqlite3.connect(result.file)) as raw:
        assert raw.execute("SELECT token FROM tokens").fetchall() == [("once",)]


def test_a_new_table_gets_new_rows_after_a_repair(path: Path) -> None:
    result = repaired(path)

    with Engine.open(result.file) as engine:
        engine.answer("CreateTable", SHOP | {"TableName": "other"})
        assert engine.answer("Scan", {"TableName": "other"})["Count"] == 0


@pytest.mark.parametrize("name", ["app.repaired.db", "app.damaged.jsonl"])
def test_no_file_is_overwritten(path: Path, name: str) -> None:
    path.with_name(name).write_text("mine")

    with SourceFile(path) as source, pytest.raises(StorageError, match=f"{name} exists already"):
        repair(source)

    assert path.with_name(name).read_text() == "mine"
