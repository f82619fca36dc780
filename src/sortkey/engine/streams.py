"""Streams and their shards: who has which part of the journal, and for how long.

A shard has the changes of one partition of a table. When the partition is split, and every few
hours, it is closed, and others continue it: its children. A reader that takes shards only after
their parents sees the changes of each item in their order. Records are readable for a day.

Recovery uses the same journal, so the changes of a table that has only recovery are in shards too,
which belong to no stream and are closed only when their partition is split.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import orjson

from sortkey.engine.database import Database
from sortkey.engine.journal import MICROSECONDS, first_id, journal_of, last_record, position_at
from sortkey.engine.keys import HASH_BYTES
from sortkey.engine.partitions import PARTITION_BYTES, WHOLE, PartitionMap
from sortkey.engine.storage import sql
from sortkey.engine.table import Definition, StoredTable
from sortkey.engine.weather import EngineWeather, WantedSplit
from sortkey.wire.errors import ResourceNotFoundException

RETENTION_SECONDS = 24 * 3600
ROLL_SECONDS = 4 * 3600
# Sequence numbers have at least 21 digits.
_FIRST_SEQUENCE_NUMBER = 10**20


class Stream(NamedTuple):
    """A stream, also one that was disabled within the last day."""

    id: int
    table_id: int
    arn: str
    description: dict[str, Any]
    ended: int | None


class Shard(NamedTuple):
    """A part of the journal; an ended one has no more changes after its last record."""

    id: int
    table_id: int
    stream_id: int | None
    parent: int | None
    first_hash: int
    last_hash: int
    began: int
    ended: int | None
    last_record: int | None

    @property
    def name(self) -> str:
        """The ShardId; names sort by age."""
        return f"shardId-{self.began // 1000:020}-{self.id:08x}"


def sequence_number(record: int) -> str:
    """Return the SequenceNumber of the record with this id."""
    return str(_FIRST_SEQUENCE_NUMBER + record)


def record_of(sequence: str) -> int | None:
    """Return the id of the record with this SequenceNumber, or None if there cannot be one."""
    return int(sequence) - _FIRST_SEQUENCE_NUMBER if sequence.isdecimal() else None


# -- reading --------------------------------------------------------------------------------------


def find_stream(db: Database, arn: str) -> Stream | None:
    """Return the stream with this ARN, if it can still be read."""
    with db.storage.lock:
        row = db.storage.execute(sql.FIND_STREAM, (arn,)).fetchone()
    return None if row is None else _readable(db, _stream(row))


def stream_with(db: Database, arn: str) -> Stream:
    """Return the stream with this ARN, or raise DynamoDB's error."""
    stream = find_stream(db, arn)
    if stream is None:
        raise ResourceNotFoundException(f"Requested resource not found: Stream: {arn} not found")
    return stream


def all_streams(db: Database) -> Iterator[Stream]:
    """Yield all streams that can be read, in the order of their ARNs."""
    with db.storage.lock:
        rows = db.storage.execute(sql.READ_STREAMS).fetchall()
    for row in rows:
        stream = _readable(db, _stream(row))
        if stream is not None:
            yield stream


def shards_of(db: Database, stream: Stream) -> list[Shard]:
    """Return the shards of a stream that can still be read, parents before children."""
    with db.storage.lock:
        rows = db.storage.execute(sql.STREAM_SHARDS, (stream.id,)).fetchall()
    horizon = trim_horizon(db)
    shards = [Shard(*row) for row in rows]
    return [shard for shard in shards if shard.ended is None or shard.ended >= horizon]


def oldest_position(db: Database, shard: Shard) -> int:
    """Return the record before the oldest that can still be read."""
    storage, first = db.storage, first_id(shard.id)
    row = storage.execute(sql.RECORD_TIMES, (first, first_id(shard.id + 1), 1)).fetchone()
    if row is None:
        return first if shard.last_record is None else shard.last_record
    return max(row[0] - 1, position_at(storage, shard.id, trim_horizon(db)))


def trim_horizon(db: Database) -> int:
    """Return the time before which no record of a stream can be read."""
    return int((db.clock() - RETENTION_SECONDS) * MICROSECONDS)


def _stream(row: Any) -> Stream:
    number, table, arn, description, ended = row
    return Stream(number, table, arn, orjson.loads(description), ended)


def _readable(db: Database, stream: Stream) -> Stream | None:
    return stream if stream.ended is None or stream.ended >= trim_horizon(db) else None


# -- changing; the caller is in a transaction -----------------------------------------------------


def settle_stream(db: Database, number: int, definition: Definition) -> None:
    """Begin or end the stream of a table as its definition now says."""
    had, has = "Stream" in definition, "StreamSpecification" in definition
    if had == has:
        return
    if has:
        _begin_stream(db, number, definition)
    else:
        _end_stream(db, definition)
    reopen_shards(db, number, definition)


def _end_stream(db: Database, definition: Definition) -> None:
    ended = db.storage.timestamp(db.clock())
    db.storage.wrote()
    db.storage.execute(sql.CLOSE_STREAM, (ended, definition.pop("Stream")))


def _begin_stream(db: Database, number: int, definition: Definition) -> None:
    storage = db.storage
    storage.wrote()
    at = datetime.fromtimestamp(round(db.clock(), 3), UTC)
    while storage.execute(sql.FIND_STREAM, (_arn(definition, at),)).fetchone():
        at += timedelta(milliseconds=1)
    arn = _arn(definition, at)
    definition["LatestStreamLabel"] = _label(at)
    definition["LatestStreamArn"] = arn
    description = {
        "StreamLabel": _label(at),
        "StreamViewType": definition["StreamSpecification"]["StreamViewType"],
        "CreationRequestDateTime": at.timestamp(),
        "TableName": definition["TableName"],
        "KeySchema": definition["KeySchema"],
    }
    opened = storage.execute(sql.OPEN_STREAM, (number, arn, orjson.dumps(description).decode()))
    [definition["Stream"]] = opened.fetchone()


def _label(at: datetime) -> str:
    return at.isoformat(timespec="milliseconds").partition("+")[0]


def _arn(definition: Definition, at: datetime) -> str:
    return f"{definition['TableArn']}/stream/{_label(at)}"


def reopen_shards(db: Database, number: int, definition: Definition) -> None:
    """Close the shards of a table, and open one for each partition if it is journalled."""
    storage = db.storage
    storage.wrote()
    at = storage.timestamp(db.clock())
    partitions = PartitionMap(definition.get("Partitions", WHOLE)).all
    closed: dict[int, int | None] = {}
    for shard in {each.shard for each in partitions if each.shard is not None}:
        closed[shard] = Shard(*storage.execute(sql.FIND_SHARD, (shard,)).fetchone()).stream_id
        storage.execute(sql.CLOSE_SHARD, (at, last_record(storage, shard), shard))
    if journal_of(definition, []) is None:
        definition["Partitions"] = [[each.first, None] for each in partitions]
        return
    stream = definition.get("Stream")
    opened: list[list[int]] = []
    for first, last, before in partitions:
        [shard] = storage.execute(sql.TAKE_ID).fetchone()
        parent = before if before in closed and closed[before] == stream else None
        storage.execute(sql.OPEN_SHARD, (shard, number, stream, parent, first, last, at))
        opened.append([first, shard])
    definition["Partitions"] = opened


def split(db: Database, table: StoredTable, number: int, at: int | None = None) -> StoredTable:
    """Divide a partition of a table; the shards of both halves continue the one before."""
    definition = table.definition | {"Partitions": table.partitions.split(number, at)}
    db.storage.wrote()
    reopen_shards(db, table.rows.number, definition)
    return db.save(table.rows.number, definition)


def split_for_heat(db: Database, weather: EngineWeather, wanted: WantedSplit) -> None:
    """Divide a hot partition; one of a table in its map too, which streams and exports follow.

    A split within one partition key is a matter of heat alone: all of its changes stay in one
    shard, and so in order.
    """
    first = wanted.first
    if wanted.demand.index is None and len(first.partition) == HASH_BYTES:
        with db.transaction():
            table = db.find(wanted.demand.table.name)
            if table is not None and table.rows.number == wanted.demand.number:
                at = int.from_bytes(first.partition, "big")
                split(db, table, table.partitions.number_of(at), at)
    weather.split(wanted)


def settle_shards(db: Database, table: StoredTable, definition: Definition) -> None:
    """Open or close the shards if the definition begins or ends that a table is journalled."""
    if (table.journal is None) != (journal_of(definition, []) is None):
        reopen_shards(db, table.rows.number, definition)


def end_journal(db: Database, number: int, definition: Definition) -> None:
    """Close the stream and the shards of a table that is being deleted."""
    if journal_of(definition, []) is None:
        return
    ended = {
        member: value
        for member, value in definition.items()
        if member not in {"StreamSpecification", "Recovery", "Copies"}
    }
    if "Stream" in ended:
        _end_stream(db, ended)
    reopen_shards(db, number, ended)


def new_journal(db: Database, number: int, definition: Definition) -> Definition:
    """Return the definition of a table whose journal is lost: its stream begins again."""
    fresh = {name: value for name, value in definition.items() if name not in {"Stream", "Copies"}}
    fresh["Partitions"] = [[first, None] for first, _ in definition.get("Partitions", WHOLE)]
    if journal_of(fresh, []) is not None:
        settle_stream(db, number, fresh)
        reopen_shards(db, number, fresh)
    return fresh


# -- upkeep ---------------------------------------------------------------------------------------

_TRIMMED = 1000


def tend_journal(db: Database) -> bool:
    """Roll old shards and trim old records, and return whether there may be more."""
    storage = db.storage
    with storage.lock:
        shards = [Shard(*row) for row in storage.execute(sql.READ_SHARDS).fetchall()]
    if not shards:
        return False
    tables = {table.rows.number: table for table in map(db.find, db.names) if table is not None}
    now = int(db.clock() * MICROSECONDS)
    rolled = now - ROLL_SECONDS * MICROSECONDS
    try:
        # Only readers of a stream need shards that end.
        old = {
            shard.table_id
            for shard in shards
            if shard.stream_id is not None and shard.ended is None and shard.began <= rolled
        }
        aged = _aged(db, tables, shards, now)
    except TypeError:  # damage has changed a type
        raise storage.damage("the list of shards", "has a time of another type") from None
    due = old & tables.keys()
    if due:
        # One table at a time, and before its records are trimmed: no number is given twice.
        _roll(db, tables[min(due)].name)
        return True
    return any(_trim_shard(db, shard, before) for shard, before in aged)


def split_large(db: Database) -> bool:
    """Divide a partition of a table that has grown large, and return whether one was."""
    with db.storage.lock:
        large = dict(db.storage.execute(sql.LARGE_TOTALS, (PARTITION_BYTES,)).fetchall())
    if not large:
        return False
    for name in db.names:
        table = db.find(name)
        if table is not None and _is_large(table, large):
            with db.transaction():
                table = db.find(name)
                if table is not None and _is_large(table, large):
                    split(db, table, table.partitions.widest)
            return True
    return False


def _is_large(table: StoredTable, sizes: dict[int, int]) -> bool:
    """Return whether the items need more partitions than there are; hashes spread them evenly."""
    return sizes.get(table.rows.number, 0) > PARTITION_BYTES * len(table.partitions.all)


def _roll(db: Database, name: str) -> None:
    """Close the shards of a table, and open others."""
    with db.transaction():
        table = db.find(name)
        if table is not None:
            definition = dict(table.definition)
            reopen_shards(db, table.rows.number, definition)
            db.save(table.rows.number, definition)


def _aged(
    db: Database, tables: Mapping[int, StoredTable], shards: Sequence[Shard], now: int
) -> list[tuple[Shard, int]]:
    """Return the shards that may have records that nothing needs, and the times of such records.

    Most shards began later, so that none of their records needs to be looked at.
    """
    with db.storage.lock:
        # A past that is being read may need any record.
        untouched = {table for [table] in db.storage.execute(sql.PAST_TABLES)}
    aged: list[tuple[Shard, int]] = []
    for shard in shards:
        seconds = RETENTION_SECONDS if shard.stream_id else 0
        # Recovery needs the records of a shard, but no shard without records.
        table = tables.get(shard.table_id)
        if table is not None and shard.last_record != first_id(shard.id):
            seconds = max(seconds, table.recovery_seconds)
        before = now - seconds * MICROSECONDS
        if shard.began < before and shard.table_id not in untouched:
            aged.append((shard, before))
    return aged


def _trim_shard(db: Database, shard: Shard, before: int) -> bool:
    """Delete a bounded number of old records, or a shard without any; return whether it did."""
    storage = db.storage
    bounds = first_id(shard.id), first_id(shard.id + 1)
    with storage.lock:
        times = storage.execute(sql.RECORD_TIMES, (*bounds, 1)).fetchall()
        if times and times[0][1] < before:
            times = storage.execute(sql.RECORD_TIMES, (*bounds, _TRIMMED)).fetchall()
    old = [record for record, written in times if written < before]
    is_over = not times and shard.ended is not None and shard.ended < before
    if not old and not is_over:
        return False
    with db.transaction():
        storage.wrote()
        # If the clock is set back, times before this one are still not restorable.
        storage.timestamp(db.clock())
        if old:
            storage.execute(sql.DELETE_RECORDS, (bounds[0], old[-1]))
        else:
            storage.execute(sql.DELETE_SHARD, (shard.id,))
            storage.execute(sql.DELETE_STREAM, (shard.stream_id, before))
    return True
