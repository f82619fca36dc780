"""The journal: every change to a table that has a stream or recovery, in the order of its key.

A change is written in the transaction of the write itself, so that a crash neither loses nor
invents one. Its time is in microseconds and never before that of an earlier change, even if the
clock is set back. A table without stream and recovery writes nothing here, except while a backup
of it is copied.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

import orjson

from sortkey.engine.storage import Storage, sql
from sortkey.engine.storage.checksums import record_checksum
from sortkey.wire.values import Item

MICROSECONDS = 1_000_000
# A shard has the ids from this power of two times its own id.
_SHARD_BITS = 32
_DAMAGED = "does not match its checksum"
_OLD_VIEWS = frozenset({"OLD_IMAGE", "NEW_AND_OLD_IMAGES"})
_NEW_VIEWS = frozenset({"NEW_IMAGE", "NEW_AND_OLD_IMAGES"})
# The members of a definition whose purpose needs the items before they changed.
_FOR_THE_PAST = frozenset({"Recovery", "Copies"})


class ChangeKind(IntEnum):
    """What became of an item; a forgotten change has neither its key nor its images."""

    INSERT = 0
    MODIFY = 1
    REMOVE = 2
    EXPIRE = 3
    FORGOTTEN = 4


_KINDS = frozenset(ChangeKind)


class Record(NamedTuple):
    """A change in the journal; images are JSON, and present if the journal keeps them."""

    id: int
    written: int
    kind: ChangeKind
    keys: bytes
    old: bytes | None
    new: bytes | None


class Journal:
    """What is journalled of a table's changes."""

    def __init__(self, definition: Mapping[str, Any], names: list[str]) -> None:
        view = definition.get("StreamSpecification", {}).get("StreamViewType")
        self._keeps_old = view in _OLD_VIEWS or not _FOR_THE_PAST.isdisjoint(definition)
        self._keeps_new = view in _NEW_VIEWS
        self._names = names

    def write(
        self,
        storage: Storage,
        shard: int,
        at: int,
        item: Item,
        *,
        old: bytes | None,
        new: bytes | None,
        by_expiry: bool,
    ) -> None:
        """Write a change of this item; the caller is in a transaction."""
        if new is not None:
            kind = ChangeKind.INSERT if old is None else ChangeKind.MODIFY
        else:
            kind = ChangeKind.EXPIRE if by_expiry else ChangeKind.REMOVE
        keys = orjson.dumps({name: item[name] for name in self._names})
        old = old if self._keeps_old else None
        new = new if self._keeps_new else None
        seal = record_checksum(at, kind, keys, old, new)
        storage.execute(
            sql.ADD_RECORD,
            (first_id(shard), first_id(shard + 1), at, int(kind), keys, old, new, seal),
        )


def journal_of(definition: Mapping[str, Any], names: list[str]) -> Journal | None:
    """Return the journal of a table with this definition, or None if it has none."""
    is_wanted = "StreamSpecification" in definition or not _FOR_THE_PAST.isdisjoint(definition)
    return Journal(definition, names) if is_wanted else None


def first_id(shard: int) -> int:
    """Return the number below the ids of all records of a shard."""
    return shard << _SHARD_BITS


def shard_of(record: int) -> int:
    """Return the shard of the record with this id."""
    return record >> _SHARD_BITS


def records_after(storage: Storage, after: int, most: int, most_bytes: int) -> list[Record]:
    """Return the next records of a shard after one, up to a number and about a size."""
    found: list[Record] = []
    total = 0
    with storage.lock:
        rows = storage.execute(sql.READ_RECORDS, (after, first_id(shard_of(after) + 1), most))
        for row in rows:
            record, written, kind, keys, old, new, _ = row
            if not is_sound_record(row):
                raise storage.damage(f"the record {record} of the journal", _DAMAGED)
            total += len(keys) + len(old or b"") + len(new or b"")
            if found and total > most_bytes:
                break
            found.append(Record(record, written, ChangeKind(kind), keys, old, new))
        rows.close()
    return found


def position_at(storage: Storage, shard: int, at: int) -> int:
    """Return the id after which a shard's records were written at this time or later.

    Times grow with ids, so this is a search by halves.
    """
    low, high = first_id(shard), last_record(storage, shard)
    while low < high:
        middle = (low + high) // 2
        row = storage.execute(sql.RECORD_TIMES, (middle, high + 1, 1)).fetchone()
        # There are none where old records were trimmed.
        if row is None or row[1] >= at:
            high = middle
        else:
            low = row[0]
    return low


def last_record(storage: Storage, shard: int) -> int:
    """Return the id of a shard's latest record, or the number below the first."""
    bounds = first_id(shard), first_id(shard + 1)
    [found] = storage.execute(sql.LAST_RECORD, bounds).fetchone()
    return found or bounds[0]


def journal_now(storage: Storage, now: float) -> int:
    """Return the time in microseconds, never before the latest change, outside transactions."""
    return max(int(now * MICROSECONDS), storage.latest_time())


def is_sound_record(row: Sequence[Any]) -> bool:
    """Return whether a record has its checksum; damage may have changed the types too."""
    _, written, kind, keys, old, new, found = row
    try:
        return record_checksum(written, kind, keys, old, new) == found and kind in _KINDS
    except TypeError:
        return False
