"""Upgrades of a file from each format to the next, in the transaction that opens it."""

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import orjson

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


def _add_journal(execute: Execute) -> None:
    """Format 3: changes are journalled for streams and recovery."""
    for statement in sql.CREATE_JOURNAL:
        execute(statement)
    # The first version spelt this table differently, and `sortkey verify` would report it.
    execute("ALTER TABLE collections RENAME TO old_collections")
    execute(sql.CREATE_COLLECTIONS)
    execute("INSERT INTO collections SELECT id, partition, bytes FROM old_collections")
    execute("DROP TABLE old_collections")
    for table, number, text, _ in execute(sql.READ_TABLES).fetchall():
        definition = orjson.loads(text)
        if "StreamSpecification" in definition:
            _begin_stream(execute, number, definition)
            changed = orjson.dumps(definition)
            seal = checksum(table.encode(), changed, number)
            execute(sql.WRITE_TABLE, (table, number, changed.decode(), seal))


def _begin_stream(execute: Execute, number: int, definition: dict[str, Any]) -> None:
    """Begin a stream that was only described so far, under the ARN that it has."""
    label = definition["LatestStreamLabel"]
    began = datetime.fromisoformat(label).replace(tzinfo=UTC).timestamp()
    description = {
        "StreamLabel": label,
        "StreamViewType": definition["StreamSpecification"]["StreamViewType"],
        "CreationRequestDateTime": began,
        "TableName": definition["TableName"],
        "KeySchema": definition["KeySchema"],
    }
    arn = definition["LatestStreamArn"]
    text = orjson.dumps(description).decode()
    [stream] = execute(sql.OPEN_STREAM, (number, arn, text)).fetchone()
    [shard] = execute(sql.TAKE_ID).fetchone()
    whole = (0, (1 << 32) - 1)
    execute(sql.OPEN_SHARD, (shard, number, stream, None, *whole, int(began * 1_000_000)))
    definition["Stream"] = stream
    definition["Partitions"] = [[0, shard]]


def _add_jobs(execute: Execute) -> None:
    """Format 4: exports and imports are recorded."""
    for statement in sql.CREATE_JOBS:
        execute(statement)


UPGRADES: dict[int, Callable[[Execute], None]] = {
    1: _add_checksums,
    2: _add_journal,
    3: _add_jobs,
}
