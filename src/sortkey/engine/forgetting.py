"""Forgetting a key: nothing in the journal shows any more what was stored under it.

For the erasure of a person, it is not enough to delete the items: the journal has their old images
for streams and recovery, for up to 35 days. A forgotten record keeps its place and its time, so
that shards have no gaps, and loses its key and its images. A restore then treats the key as one
that has not changed since: it is absent in the past, as it is now.

What is outside the journal is not changed: backups, exports, reports of bulk puts and other tables
may hold the key, and are listed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import orjson

from sortkey.engine import keys
from sortkey.engine.backups import all_backups
from sortkey.engine.database import Database
from sortkey.engine.definitions.arns import table_arn
from sortkey.engine.export_objects import object_key
from sortkey.engine.exported_keys import count_exported, count_reported
from sortkey.engine.jobs import jobs_of
from sortkey.engine.journal import ChangeKind, Record, first_id, records_after
from sortkey.engine.keys import KeyAttribute, RowKey
from sortkey.engine.reports import report_of_items
from sortkey.engine.storage import sql
from sortkey.engine.storage.checksums import record_checksum
from sortkey.engine.streams import trim_horizon
from sortkey.engine.table import StoredTable, checked_key_bytes
from sortkey.errors import SortkeyError
from sortkey.wire.errors import ServiceError
from sortkey.wire.limits import PAGE_BYTES, PARTITION_KEY_BYTES
from sortkey.wire.values import Item, read_item
from sortkey.wording.prose import listed

# The records that are read in one transaction.
_PIECE = 2000
_NO_KEYS = b"{}"

Progress = Callable[[int], object]


class NotForgotten(SortkeyError):  # noqa: N818 - it says what happened
    """The key cannot be forgotten; the message says why and what to do."""


class HeldCopy(NamedTuple):
    """Items with the key that are stored elsewhere, and how to name that place."""

    kind: Literal["backup", "export", "report", "table"]
    name: str
    place: str
    # None if it is not known whether an export or a report has any.
    items: int | None


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was removed from the journal, and what is left elsewhere."""

    read: int
    records: int
    # Those of the last day, which a reader of a stream may not have seen.
    recent: int
    copies: list[HeldCopy]
    # Whether another process has kept the log of the file, which may have traces of the items.
    is_in_log: bool = False


def forget(
    db: Database, name: str, key: Mapping[str, str], progress: Progress = lambda _: None
) -> Forgotten:
    """Remove a key, or all keys of a partition, from the journal of a table.

    Raises:
        NotForgotten: The table still has such items, or its past is being read.
    """
    known = _known(db, name)
    wanted = _checked(known[0], key)
    journalled = {table.rows.number for table in known} | _streamed(db, name)
    horizon = trim_horizon(db)
    read = records = recent = 0
    for shard in _shards(db, journalled):
        last = first_id(shard)
        while True:
            with db.transaction():
                _refuse_present(db, name, wanted, journalled)
                page = records_after(db.storage, last, _PIECE, PAGE_BYTES)
                for record in page:
                    if _is_of(record, wanted):
                        _empty(db, record)
                        records += 1
                        recent += record.written >= horizon
            if not page:
                break
            last = page[-1].id
            read += len(page)
            progress(read)
    _forget_collections(db, known, wanted)
    return Forgotten(read, records, recent, list(_copies(db, name, wanted)))


def _known(db: Database, name: str) -> list[StoredTable]:
    """Return the table with this name, and those whose backups have it, the latest first."""
    table = db.find(name)
    backups = [backup.table for backup in all_backups(db) if backup.table.name == name]
    found = [*([] if table is None else [table]), *reversed(backups)]
    if not found:
        tables = ", ".join(db.names) or "none"
        raise NotForgotten(f"there is no table {name}, and no backup of one; the tables: {tables}")
    return found


def _checked(table: StoredTable, key: Mapping[str, str]) -> Item:
    """Return the key as the journal has it, or raise an error that shows what is expected."""
    names = table.rows.names
    if names[0] not in key or not set(key) <= set(names):
        expected = " and ".join(names)
        partition = f", or {names[0]} alone for its whole partition" if len(names) > 1 else ""
        raise NotForgotten(
            f"the key of {table.name} is {expected}{partition}, but the given key has "
            f"{listed(key) or 'no attribute'}"
        )
    typed = {name: {kind: key[name]} for name, kind in _attributes(table) if name in key}
    try:
        found, _ = read_item(typed)
        for name, kind in _attributes(table):
            if name in found:
                checked_key_bytes(name, kind, found[name][kind], PARTITION_KEY_BYTES)
    except (ServiceError, UnicodeEncodeError) as error:
        raise NotForgotten(f"this is not a key of {table.name}: {error}") from error
    return found


def _attributes(table: StoredTable) -> list[KeyAttribute]:
    return [*table.rows.partition, *table.rows.sort]


def _streamed(db: Database, name: str) -> set[int]:
    """Return the numbers of tables with this name whose stream can be read, deleted ones too."""
    with db.storage.lock:
        rows = db.storage.execute(sql.READ_STREAMS).fetchall()
    return {table for _, table, _, text, _ in rows if orjson.loads(text)["TableName"] == name}


def _shards(db: Database, tables: set[int]) -> list[int]:
    with db.storage.lock:
        rows = db.storage.execute(sql.READ_SHARDS).fetchall()
    return [shard for shard, table, *_ in rows if table in tables]


def _refuse_present(db: Database, name: str, wanted: Item, journalled: set[int]) -> None:
    table = db.find(name)
    if table is not None and (count := _count(db, table, wanted)):
        raise NotForgotten(
            f"the table {name} still has {count} such item{'s' * (count > 1)}: delete "
            f"{'them' if count > 1 else 'it'} first"
        )
    if journalled & {number for [number] in db.storage.execute(sql.PAST_TABLES)}:
        raise NotForgotten(
            f"a backup, restore or export of {name} is under way: try again when it is complete"
        )


def _is_of(record: Record, wanted: Item) -> bool:
    found = orjson.loads(record.keys)
    return all(found.get(name) == value for name, value in wanted.items())


def _empty(db: Database, record: Record) -> None:
    kind = ChangeKind.FORGOTTEN
    seal = record_checksum(record.written, kind, _NO_KEYS, None, None)
    db.storage.wrote()
    db.storage.execute(sql.EMPTY_RECORD, (int(kind), _NO_KEYS, seal, record.id))


def _forget_collections(db: Database, known: list[StoredTable], wanted: Item) -> None:
    """Remove the sizes of empty item collections, which name their partition."""
    with db.transaction():
        db.storage.wrote()
        for table in known:
            place = _place(table, wanted)
            if place is not None:
                row = (table.rows.number, place.partition)
                db.storage.execute(sql.DELETE_EMPTY_COLLECTION, row)


def _copies(db: Database, name: str, wanted: Item) -> Iterator[HeldCopy]:
    for backup in all_backups(db):
        if backup.table.name == name and (count := _count(db, backup.table, wanted)):
            yield HeldCopy("backup", backup.name, backup.arn, count)
    for job in jobs_of(db, "export"):
        is_complete = job.ended is not None and not job.has_failed
        if is_complete and job.content["TableArn"] == table_arn(name):
            items = count_exported(db.buckets, job, wanted)
            if items != 0:
                bucket = job.content["Request"]["S3Bucket"]
                yield HeldCopy("export", f"{bucket}/{object_key(job, '')}", job.arn, items)
    for job in jobs_of(db, "bulk"):
        report = report_of_items(job)
        if report is not None and job.content["TableArn"] == table_arn(name):
            # Until the operation has ended, the report has not appeared.
            items = None if job.ended is None else count_reported(db.buckets, report, wanted)
            if items != 0:
                yield HeldCopy("report", "/".join(report), job.arn, items)
    for other in map(db.find, db.names):
        if other is not None and other.name != name and (count := _count(db, other, wanted)):
            yield HeldCopy("table", other.name, other.arn, count)


def _count(db: Database, table: StoredTable, wanted: Item) -> int:
    """Return the number of items with the key; 0 if the table has keys of another kind."""
    place = _place(table, wanted)
    if place is None:
        return 0
    partition, position = place
    with db.storage.lock:
        if table.sort is None or table.sort.name in wanted:
            return len(
                db.storage.execute(table.rows.sql.get_size, (partition, position)).fetchall()
            )
        [count] = db.storage.execute(table.rows.sql.count, (partition,)).fetchone()
    return count


def _place(table: StoredTable, wanted: Item) -> RowKey | None:
    """Return the row key, with the position if the sort key is given.

    Returns None if the table has keys of another kind, so that it cannot have such an item.
    """
    kinds = dict(_attributes(table))
    if not all(kinds.get(name) in value for name, value in wanted.items()):
        return None
    name, kind = table.partition
    if name not in wanted:
        return None
    partition = keys.hashed(keys.scalar_bytes(kind, wanted[name][kind]))
    if table.sort is None or table.sort.name not in wanted:
        return RowKey(partition, keys.FIRST)
    name, kind = table.sort
    return RowKey(partition, keys.scalar_bytes(kind, wanted[name][kind]))
