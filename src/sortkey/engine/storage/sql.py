"""All SQL statements.

A table's rows and an index's rows have one layout: a partition, a position within it, the item
as the JSON that goes over the wire, the size DynamoDB measures for it, and a checksum. Both key
columns are order-preserving bytes, so every read is a range over one B-tree.
"""

from collections.abc import Mapping
from dataclasses import dataclass

FORMAT = 4

CREATE_TABLES = (
    "CREATE TABLE tables (name TEXT PRIMARY KEY, id INTEGER NOT NULL, "
    "definition TEXT NOT NULL, checksum INTEGER NOT NULL)"
)
CREATE_COLLECTIONS = (
    "CREATE TABLE collections (id INTEGER NOT NULL, partition BLOB NOT NULL, "
    "bytes INTEGER NOT NULL, PRIMARY KEY (id, partition)) WITHOUT ROWID"
)
CREATE_TOKENS = (
    "CREATE TABLE tokens (token TEXT PRIMARY KEY, expires REAL NOT NULL, "
    "digest BLOB NOT NULL, checksum INTEGER NOT NULL)"
)
INDEX_TOKENS = "CREATE INDEX tokens_by_expiry ON tokens (expires)"
# The id of a record is that of its shard and a count, so ids grow from a shard to its children.
CREATE_JOURNAL = (
    (
        "CREATE TABLE streams (id INTEGER PRIMARY KEY, table_id INTEGER NOT NULL, "
        "arn TEXT NOT NULL UNIQUE, description TEXT NOT NULL, ended INTEGER)"
    ),
    (
        "CREATE TABLE shards (id INTEGER PRIMARY KEY, table_id INTEGER NOT NULL, "
        "stream_id INTEGER, parent INTEGER, first_hash INTEGER NOT NULL, "
        "last_hash INTEGER NOT NULL, began INTEGER NOT NULL, ended INTEGER, last_record INTEGER)"
    ),
    "CREATE INDEX shards_by_stream ON shards (stream_id)",
    "CREATE INDEX shards_by_table ON shards (table_id)",
    (
        "CREATE TABLE journal (id INTEGER PRIMARY KEY, written INTEGER NOT NULL, "
        "kind INTEGER NOT NULL, keys BLOB NOT NULL, old BLOB, new BLOB, checksum INTEGER NOT NULL)"
    ),
    "CREATE TABLE journal_time (latest INTEGER NOT NULL)",
    "INSERT INTO journal_time VALUES (0)",
    # A past of a table that is being read, and how far its records of the journal are sorted.
    (
        "CREATE TABLE pasts (id INTEGER PRIMARY KEY, table_id INTEGER NOT NULL, "
        "definition TEXT NOT NULL, positions TEXT NOT NULL, checksum INTEGER NOT NULL)"
    ),
    # A backup that is not complete has the past that it is copied from.
    (
        "CREATE TABLE backups (arn TEXT PRIMARY KEY, id INTEGER NOT NULL, past INTEGER, "
        "expires INTEGER, content TEXT NOT NULL, checksum INTEGER NOT NULL)"
    ),
    "CREATE INDEX backups_incomplete ON backups (past) WHERE past IS NOT NULL",
    "CREATE INDEX backups_by_expiry ON backups (expires) WHERE expires IS NOT NULL",
)
# A job that has no end is taken up again.
CREATE_JOBS = (
    (
        "CREATE TABLE jobs (arn TEXT PRIMARY KEY, kind TEXT NOT NULL, began INTEGER NOT NULL, "
        "ended INTEGER, content TEXT NOT NULL, checksum INTEGER NOT NULL)"
    ),
    "CREATE INDEX jobs_open ON jobs (began) WHERE ended IS NULL",
    "CREATE INDEX jobs_by_end ON jobs (began) WHERE ended IS NOT NULL",
)
CREATE_CATALOG = (
    "CREATE TABLE catalog (version INTEGER NOT NULL, next_id INTEGER NOT NULL)",
    "INSERT INTO catalog VALUES (1, 1)",
    CREATE_TABLES,
    "CREATE TABLE totals (id INTEGER PRIMARY KEY, items INTEGER NOT NULL, bytes INTEGER NOT NULL)",
    CREATE_COLLECTIONS,
    CREATE_TOKENS,
    INDEX_TOKENS,
    *CREATE_JOURNAL,
    *CREATE_JOBS,
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
LARGE_TOTALS = "SELECT id, bytes FROM totals WHERE bytes > ?"
START_TOTALS = "INSERT INTO totals (id, items, bytes) VALUES (?, 0, 0)"
ADD_TOTALS = "UPDATE totals SET items = items + ?, bytes = bytes + ? WHERE id = ?"
DELETE_TOTALS = "DELETE FROM totals WHERE id = ?"

READ_COLLECTION = "SELECT bytes FROM collections WHERE id = ? AND partition = ?"
ADD_COLLECTION = (
    "INSERT INTO collections (id, partition, bytes) VALUES (?, ?, ?) "
    "ON CONFLICT (id, partition) DO UPDATE SET bytes = bytes + excluded.bytes"
)
DELETE_COLLECTIONS = "DELETE FROM collections WHERE id = ?"
DELETE_EMPTY_COLLECTION = "DELETE FROM collections WHERE id = ? AND partition = ? AND bytes = 0"

READ_TOKEN = "SELECT digest, expires, checksum FROM tokens WHERE token = ?"  # noqa: S105 - SQL
WRITE_TOKEN = "INSERT OR REPLACE INTO tokens VALUES (?, ?, ?, ?)"  # noqa: S105 - SQL
READ_TOKENS = "SELECT token, expires, digest, checksum FROM tokens"
ANY_OLD_TOKEN = "SELECT 1 FROM tokens WHERE expires <= ? LIMIT 1"  # noqa: S105 - SQL
EXPIRE_TOKENS = (
    "DELETE FROM tokens WHERE token IN (SELECT token FROM tokens WHERE expires <= ? LIMIT 100)"
)

# The latest time is that of a record, or one that was stored because no record has it. A shard
# that is closed stores its own.
_LAST_TIMES = (
    "SELECT (SELECT written FROM journal WHERE id > shards.id << 32 "
    "AND id < (shards.id + 1) << 32 ORDER BY id DESC LIMIT 1) AS written "
    "FROM shards WHERE ended IS NULL"
)
READ_TIME = (
    f"SELECT max(latest, coalesce((SELECT max(written) FROM ({_LAST_TIMES})), 0)) FROM journal_time"
)
READ_DATA_VERSION = "PRAGMA data_version"
WRITE_TIME = "UPDATE journal_time SET latest = ?"

_STREAM = "SELECT id, table_id, arn, description, ended FROM streams"
OPEN_STREAM = "INSERT INTO streams (table_id, arn, description) VALUES (?, ?, ?) RETURNING id"
CLOSE_STREAM = "UPDATE streams SET ended = ? WHERE id = ? AND ended IS NULL"
FIND_STREAM = f"{_STREAM} WHERE arn = ?"
READ_STREAMS = f"{_STREAM} ORDER BY arn"
# One that has ended, once its last shard is deleted.
DELETE_STREAM = (
    "DELETE FROM streams WHERE id = ?1 AND ended < ?2 "
    "AND NOT EXISTS (SELECT 1 FROM shards WHERE stream_id = ?1)"
)

_SHARD = (
    "SELECT id, table_id, stream_id, parent, first_hash, last_hash, began, ended, last_record "
    "FROM shards"
)
OPEN_SHARD = (
    "INSERT INTO shards (id, table_id, stream_id, parent, first_hash, last_hash, began) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
CLOSE_SHARD = "UPDATE shards SET ended = ?, last_record = ? WHERE id = ?"
FIND_SHARD = f"{_SHARD} WHERE id = ?"
READ_SHARDS = f"{_SHARD} ORDER BY id"
STREAM_SHARDS = f"{_SHARD} WHERE stream_id = ? ORDER BY id"
TABLE_SHARDS = f"{_SHARD} WHERE table_id = ? ORDER BY id"
DELETE_SHARD = "DELETE FROM shards WHERE id = ?"

# The first parameter is the id of the shard, shifted; the second that of the next shard.
ADD_RECORD = (
    "INSERT INTO journal (id, written, kind, keys, old, new, checksum) VALUES ("
    "max(?, coalesce((SELECT max(id) FROM journal WHERE id < ?), 0)) + 1, ?, ?, ?, ?, ?, ?)"
)
_RECORD = "SELECT id, written, kind, keys, old, new, checksum FROM journal"
READ_JOURNAL = f"{_RECORD} ORDER BY id"
READ_RECORDS = f"{_RECORD} WHERE id > ? AND id < ? ORDER BY id LIMIT ?"
RECORD_TIMES = "SELECT id, written FROM journal WHERE id > ? AND id < ? ORDER BY id LIMIT ?"
LAST_RECORD = "SELECT max(id) FROM journal WHERE id > ? AND id < ?"
EMPTY_RECORD = (
    "UPDATE journal SET kind = ?, keys = ?, old = NULL, new = NULL, checksum = ? WHERE id = ?"
)
DELETE_RECORDS = "DELETE FROM journal WHERE id > ? AND id <= ?"

WRITE_PAST = (
    "INSERT OR REPLACE INTO pasts (id, table_id, definition, positions, checksum) "
    "VALUES (?, ?, ?, ?, ?)"
)
READ_PASTS = "SELECT id, table_id, definition, positions, checksum FROM pasts"
FIND_PAST = f"{READ_PASTS} WHERE id = ?"
PAST_TABLES = "SELECT table_id FROM pasts"
DELETE_PAST = "DELETE FROM pasts WHERE id = ?"

WRITE_BACKUP = (
    "INSERT OR REPLACE INTO backups (arn, id, past, expires, content, checksum) "
    "VALUES (?, ?, ?, ?, ?, ?)"
)
READ_BACKUPS = "SELECT arn, id, past, expires, content, checksum FROM backups"
FIND_BACKUP = f"{READ_BACKUPS} WHERE arn = ?"
INCOMPLETE_BACKUP = f"{READ_BACKUPS} WHERE past IS NOT NULL LIMIT 1"
EXPIRED_BACKUPS = f"{READ_BACKUPS} WHERE expires <= ?"
DELETE_BACKUP = "DELETE FROM backups WHERE arn = ?"

WRITE_JOB = (
    "INSERT OR REPLACE INTO jobs (arn, kind, began, ended, content, checksum) "
    "VALUES (?, ?, ?, ?, ?, ?)"
)
READ_JOBS = "SELECT arn, kind, began, ended, content, checksum FROM jobs"
JOBS_OF_KIND = f"{READ_JOBS} WHERE kind = ? AND began >= ? ORDER BY arn DESC"
# The last parameter is a part of the content: the client token as JSON.
JOBS_WITH_TOKEN = (
    f"{READ_JOBS} WHERE kind = ? AND (ended IS NULL OR ended >= ?) AND instr(content, ?) > 0"
)
COUNT_ALL_OPEN_JOBS = "SELECT count(*) FROM jobs WHERE ended IS NULL"
COUNT_OPEN_JOBS = "SELECT count(*) FROM jobs WHERE ended IS NULL AND kind = ?"
FIND_JOB = f"{READ_JOBS} WHERE arn = ?"
OPEN_JOB = f"{READ_JOBS} WHERE ended IS NULL ORDER BY began LIMIT 1"
_OLD_JOBS = "FROM jobs WHERE ended IS NOT NULL AND began < ?"
ANY_OLD_JOB = f"SELECT 1 {_OLD_JOBS} LIMIT 1"
DELETE_OLD_JOBS = f"DELETE {_OLD_JOBS}"

# Rows are dropped when no table, no backup and no past needs them any more.
ROWS_ARE_NEEDED = (
    "SELECT 1 FROM tables WHERE id = ?1 UNION ALL SELECT 1 FROM backups WHERE id = ?1 "
    "UNION ALL SELECT 1 FROM pasts WHERE table_id = ?1"
)


@dataclass(frozen=True, slots=True)
class PastStatements:
    """The statements over the keys that have changed since a past moment."""

    create: str
    drop: str
    add: str
    replace: str
    get: str
    walk: str
    count_lost: str


def past_statements(number: int) -> PastStatements:
    """Return the statements of the past that has this number."""
    changed = f"past_{number}"
    columns = "(partition, position, record) VALUES (?, ?, ?)"
    found = (
        "SELECT partition, position, record, id, written, kind, keys, old, new, checksum "
        f"FROM {changed} LEFT JOIN journal ON id = record"
    )
    return PastStatements(
        # Of each key, the first record of the journal since that moment.
        create=(
            f"CREATE TABLE {changed} (partition BLOB NOT NULL, position BLOB NOT NULL, "
            "record INTEGER NOT NULL, PRIMARY KEY (partition, position)) WITHOUT ROWID"
        ),
        drop=f"DROP TABLE {changed}",
        add=f"INSERT OR IGNORE INTO {changed} {columns}",
        replace=f"INSERT OR REPLACE INTO {changed} {columns}",
        get=f"{found} WHERE partition = ? AND position = ?",
        walk=(
            f"{found} WHERE (partition, position) > (?, ?) AND partition < ? "
            "ORDER BY partition, position LIMIT ?"
        ),
        count_lost=f"SELECT count(*) FROM {changed} WHERE record NOT IN (SELECT id FROM journal)",
    )


@dataclass(frozen=True, slots=True)
class RowStatements:
    """The statements over the rows of one table or index."""

    create: str
    drop: str
    get: str
    get_size: str
    count: str
    put: str
    put_expiring: str
    delete: str
    forward: str
    backward: str
    scan: str
    # These three without checksum and position.
    unverified: Mapping[str, str]
    walk: str
    index_expiry: str
    expired: str
    set_expiry: str


def row_statements(number: int) -> RowStatements:
    """Return the statements over the rows of the table or index that has this number."""
    rows = f"rows_{number}"
    columns = "item, size, checksum"
    with_keys = f"{columns}, partition, position"
    # In one partition, which the reader knows: reading it again for each row takes time.
    with_position = f"{columns}, NULL, position"
    in_partition = (
        f"SELECT {with_position} FROM {rows} WHERE partition = ? AND position >= ? AND position < ?"
    )
    forward = f"{in_partition} ORDER BY position LIMIT ?"
    backward = f"{in_partition} ORDER BY position DESC LIMIT ?"
    scan = (
        f"SELECT {with_keys} FROM {rows} WHERE (partition, position) > (?, ?) AND partition < ? "
        "ORDER BY partition, position LIMIT ?"
    )
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
        count=f"SELECT count(*) FROM {rows} WHERE partition = ?",
        put=(
            f"INSERT OR REPLACE INTO {rows} (partition, position, item, size, checksum) "
            "VALUES (?, ?, ?, ?, ?)"
        ),
        put_expiring=(
            f"INSERT OR REPLACE INTO {rows} (partition, position, item, size, checksum, expires) "
            "VALUES (?, ?, ?, ?, ?, ?)"
        ),
        delete=f"DELETE FROM {rows} WHERE partition = ? AND position = ?",
        forward=forward,
        backward=backward,
        scan=scan,
        unverified={
            each: f"SELECT item, size {each[each.index('FROM') :]}"
            for each in (forward, backward, scan)
        },
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
