"""Creating and dropping rows of tables and indexes; the caller is in a transaction."""

from collections.abc import Iterable

from sortkey.engine.database import Database
from sortkey.engine.promptness import refuse_long
from sortkey.engine.storage import sql
from sortkey.engine.storage.sql import row_statements
from sortkey.engine.table import Definition, Rows

# Dropped in a microsecond.
_STEP_BYTES = 1000


def make_all_rows(db: Database, definition: Definition) -> int:
    """Create empty rows for a table and for each of its indexes, which get their numbers."""
    number = make_table_rows(db)
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for index in definition.get(member, ()):
            index["Number"] = make_index_rows(db)
    return number


def make_table_rows(db: Database) -> int:
    """Create empty rows for a table, with an index by expiry, and return their id number."""
    number = make_index_rows(db)
    db.storage.execute(row_statements(number).index_expiry)
    return number


def make_index_rows(db: Database) -> int:
    """Create empty rows for an index, and return their id number."""
    storage = db.storage
    storage.wrote()
    [number] = storage.execute(sql.TAKE_ID).fetchone()
    storage.execute(row_statements(number).create)
    storage.execute(sql.START_TOTALS, (number,))
    return number


def refuse_long_drop(db: Database, dropped: Iterable[Rows]) -> None:
    """Raise an error if the call must be prompt and these rows are too many to be dropped."""
    refuse_long(sum(db.storage.totals(rows.number)[1] // _STEP_BYTES for rows in dropped))


def release_rows(db: Database, rows: Rows) -> None:
    """Drop the rows of a deleted table, unless a backup or a past needs them."""
    if are_needed(db, rows):
        db.storage.wrote()
        db.storage.execute(sql.DELETE_COLLECTIONS, (rows.number,))
    else:
        drop_rows(db, rows)


def are_needed(db: Database, rows: Rows) -> bool:
    """Return whether a table, a backup or a past needs these rows."""
    return db.storage.execute(sql.ROWS_ARE_NEEDED, (rows.number,)).fetchone() is not None


def drop_rows(db: Database, rows: Rows) -> None:
    """Drop the rows and their contents."""
    storage = db.storage
    storage.wrote()
    storage.execute(rows.sql.drop)
    storage.execute(sql.DELETE_TOTALS, (rows.number,))
    storage.execute(sql.DELETE_COLLECTIONS, (rows.number,))
