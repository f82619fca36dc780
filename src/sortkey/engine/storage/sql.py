"""All SQL statements.

A table's rows and an index's rows have one layout: a partition, a position within it, the item
as the JSON that goes over the wire, the size DynamoDB measures for it, and a checksum. Both key
columns are order-preserving bytes, so every read is a range over one B-tree.
"""

from dataclasses import dataclass

FORMAT = 2

CREATE_TABLES = (
    "CREATE TABLE tables (name TEXT PRIMARY KEY, id INTEGER NOT NULL, "
    "definition TEXT NOT NULL, checksum INTEGER NOT NULL)"
)
CREATE_TOKENS = (
    "CREATE TABLE tokens (token TEXT PRIMARY KEY, expires REAL NOT NULL, "
    "digest BLOB NOT NULL, checksum INTEGER NOT NULL)"
)
INDEX_TOKENS = "CREATE INDEX tokens_by_expiry ON tokens (expires)"
CREATE_CATALOG = (
    "CREATE TABLE catalog (version INTEGER NOT NULL, next_id INTEGER NOT NULL)",
    "INSERT INTO catalog VALUES (1, 1)",
    CREATE_TABLES,
    "CREATE TABLE totals (id INTEGER PRIMARY KEY, items INTEGER NOT NULL, bytes INTEGER NOT NULL)",
    (
        "CREATE TABLE collections (id INTEGER NOT NULL, partition BLOB NOT NULL, "
        "bytes INTEGER NOT NULL, PRIMARY KEY (id, partition)) WITHOUT ROWID"
    ),
    CREATE_TOKENS,
    INDEX_TOKENS,
)

READ_STORED = "SELECT name FROM sqlite_master WHERE type = 'table'"
READ_VERSION = "SELECT version FROM catalog"
BUMP_VERSION = "UPDATE catalog SET version = version + 1"
TAKE_ID = "UPDATE catalog SET next_id = next_id + 1 RETURNING next_id - 1"

SKIP_IDS = "UPDATE catalog SET next_id = max(next_id, ?)"

READ_TABLES = "SELECT name, id, definition, checksum FROM tables ORDER BY name"
WRITE_TABLE = "INSERT OR REPLACE INTO tables (name, id, definition, checksum) VALUES (?, ?, ?, ?)"
DELETE_TABLE = "DELETE FROM tables WHERE name = ?"

READ_TOTALS = "SELECT items, bytes FROM totals WHERE id = ?"
START_TOTALS = "INSERT INTO totals (id, items, bytes) VALUES (?, 0, 0)"
ADD_TOTALS = "UPDATE totals SET items = items + ?, bytes = bytes + ? WHERE id = ?"
DELETE_TOTALS = "DELETE FROM totals WHERE id = ?"

READ_COLLECTION = "SELECT bytes FROM collections WHERE id = ? AND partition = ?"
ADD_COLLECTION = (
    "INSERT INTO collections (id, partition, bytes) VALUES (?, ?, ?) "
    "ON CONFLICT (id, partition) DO UPDATE SET bytes = bytes + excluded.bytes"
)
DELETE_COLLECTIONS = "DELETE FROM collections WHERE id = ?"

READ_TOKEN = "SELECT digest, expires, checksum FROM tokens WHERE token = ?"  # noqa: S105 - SQL
WRITE_TOKEN = "INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)"  # noqa: S105 - SQL
READ_TOKENS = "SELECT token, expires, digest, checksum FROM tokens"
ANY_OLD_TOKEN = "SELECT 1 FROM tokens WHERE expires <= ? LIMIT 1"  # noqa: S105 - SQL
EXPIRE_TOKENS = (
    "DELETE FROM tokens WHERE token IN (SELECT token FROM tokens WHERE expires <= ? LIMIT 100)"
)


@dataclass(frozen=True, slots=True)
class RowStatements:
    """The statements over the rows of one table or index."""

    create: str
    drop: str
    get: str
    get_size: str
    put: str
    put_expiring: str
    delete: str
    forward: str
    backward: str
    scan: str
    walk: str
    index_expiry: str
    expired: str
    set_expiry: str


def row_statements(number: int) -> RowStatements:
    """Return the statements over the rows of the table or index that has this number."""
    rows = f"rows_{number}"
    columns = "item, size, checksum"
    with_keys = f"{columns}, partition, position"
    return RowStatements(
        create=(
            f"CREATE TABLE {rows} (partition BLOB NOT NULL, position BLOB NOT NULL, "
            "size INTEGER NOT NULL, checksum INTEGER NOT NULL, expires INTEGER, "
            "item BLOB NOT NULL, "
            "PRIMARY KEY (partition, position)) WITHOUT ROWID"
        ),
        drop=f"DROP TABLE {rows}",
        get=f"SELECT {columns} FROM {rows} WHERE partition = ? AND position = ?",
        get_size=f"SELECT size FROM {rows} WHERE partition = ? AND position = ?",
        put=(
            f"INSERT OR REPLACE INTO {rows} (partition, position, item, size, checksum) "
            "VALUES (?, ?, ?, ?, ?)"
        ),
        put_expiring=(
            f"INSERT OR REPLACE INTO {rows} (partition, position, item, size, checksum, expires) "
            "VALUES (?, ?, ?, ?, ?, ?)"
        ),
        delete=f"DELETE FROM {rows} WHERE partition = ? AND position = ?",
        forward=(
            f"SELECT {with_keys} FROM {rows} "
            "WHERE partition = ? AND position >= ? AND position < ? "
            "ORDER BY position LIMIT ?"
        ),
        backward=(
            f"SELECT {with_keys} FROM {rows} "
            "WHERE partition = ? AND position >= ? AND position < ? "
            "ORDER BY position DESC LIMIT ?"
        ),
        scan=(
            f"SELECT {with_keys} FROM {rows} "
            "WHERE (partition, position) > (?, ?) AND partition < ? "
            "ORDER BY partition, position LIMIT ?"
        ),
        walk=(
            f"SELECT {with_keys} FROM {rows} "
            "WHERE (partition, position) > (?, ?) ORDER BY partition, position LIMIT ?"
        ),
        index_expiry=f"CREATE INDEX {rows}_expiry ON {rows} (expires) WHERE expires IS NOT NULL",
        expired=(
            f"SELECT {with_keys} FROM {rows} "
            "WHERE expires <= ? AND expires > ? ORDER BY expires LIMIT ?"
        ),
        set_expiry=f"UPDATE {rows} SET expires = ? WHERE partition = ? AND position = ?",
    )
