"""Upgrades of a file from each format to the next, in the transaction that opens it."""

import sqlite3
from collections.abc import Callable
from typing import Any

from sortkey.engine.storage import sql
from sortkey.engine.storage.checksums import checksum, token_checksum

Execute = Callable[..., sqlite3.Cursor]

_ROWS = "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'rows_[0-9]*'"
_HAS_INDEX = "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = ?"


def _add_checksums(execute: Execute) -> None:
    """Format 2: rows, definitions and tokens have checksums."""
    for [name] in execute(_ROWS).fetchall():
        _add_row_checksums(execute, int(name.removeprefix("rows_")))
    definitions = execute("SELECT name, id, definition FROM tables").fetchall()
    execute("DROP TABLE tables")
    execute(sql.CREATE_TABLES)
    for table, number, definition in definitions:
        seal = checksum(table.encode(), definition.encode(), number)
        execute(sql.WRITE_TABLE, (table, number, definition, seal))
    tokens: list[Any] = execute("SELECT token, expires, digest FROM tokens").fetchall()
    execute("DROP TABLE tokens")
    execute(sql.CREATE_TOKENS)
    execute(sql.INDEX_TOKENS)
    for token, expires, digest in tokens:
        execute(sql.WRITE_TOKEN, (token, expires, digest, token_checksum(token, expires, digest)))


def _add_row_checksums(execute: Execute, number: int) -> None:
    statements = sql.row_statements(number)
    by_expiry = execute(_HAS_INDEX, (f"rows_{number}_expiry",)).fetchone()
    execute(f"ALTER TABLE rows_{number} RENAME TO old_rows")
    execute(statements.create)
    execute(
        f"INSERT INTO rows_{number} (partition, position, item, size, checksum, expires) "
        "SELECT partition, position, item, size, checksum(position, item, size), expires "
        "FROM old_rows"
    )
    execute("DROP TABLE old_rows")
    if by_expiry:
        execute(statements.index_expiry)


UPGRADES: dict[int, Callable[[Execute], None]] = {1: _add_checksums}
