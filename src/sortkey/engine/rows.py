"""The rows of tables and indexes, made and dropped; the caller is in a transaction."""

from sortkey.engine.database import Database
from sortkey.engine.storage import sql
from sortkey.engine.storage.sql import row_statements
from sortkey.engine.table import Rows


def make_table_rows(db: Database) -> int:
    """The number of new, empty rows for a table, which can be asked what has expired."""
    number = make_index_rows(db)
    db.storage.execute(row_statements(number).index_expiry)
    return number


def make_index_rows(db: Database) -> int:
    """The number of new, empty rows for an index."""
    storage = db.storage
    storage.wrote()
    [number] = storage.execute(sql.TAKE_ID).fetchone()
    storage.execute(row_statements(number).create)
    storage.execute(sql.START_TOTALS, (number,))
    return number


def drop_rows(db: Database, rows: Rows) -> None:
    """Remove the rows, with all that is in them."""
    storage = db.storage
    storage.wrote()
    storage.execute(rows.sql.drop)
    storage.execute(sql.DELETE_TOTALS, (rows.number,))
    storage.execute(sql.DELETE_COLLECTIONS, (rows.number,))
