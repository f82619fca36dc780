"""The changes of a table within a window of time: each changed key once, with both of its images.

A window is read with three pasts of the table. The first two collect only what was written within
the window: for each key its first record, which has the image before the window, and its last one,
which has the time of the latest change. The third is the past at the end of the window, for the
image then. They keep what is read from being trimmed.
"""

from typing import Any, NamedTuple

from sortkey.engine.database import Database
from sortkey.engine.journal import position_at, records_after
from sortkey.engine.keys import RowKey
from sortkey.engine.past import Past, begin_past, cost_of, end_past
from sortkey.engine.storage import sql
from sortkey.engine.table import StoredTable
from sortkey.wire.limits import PAGE_BYTES

# The records that are collected at once, if they are small.
COLLECTED = 4000


class WindowChange(NamedTuple):
    """A key as JSON, the times of its first and latest change, and the images around the window."""

    key: RowKey
    keys: bytes
    began: int
    written: int
    old: bytes | None
    new: bytes | None


class WindowPage(NamedTuple):
    """Changes in the order of their keys, and the key to go on after, or None at the end."""

    changes: list[WindowChange]
    end: RowKey | None


def begin_window(db: Database, table: StoredTable, start: int, end: int) -> dict[str, Any]:
    """Keep the changes from one time up to another, in microseconds; return the window as JSON.

    The caller is in a transaction.
    """
    numbers: list[int] = []
    for at in (start, start, end):
        numbers.append(begin_past(db, table, at))
        table = db.table(table.name)
    ranges: list[list[int]] = []
    for shard, *_ in db.storage.execute(sql.TABLE_SHARDS, (table.rows.number,)).fetchall():
        first, last = (position_at(db.storage, shard, at) for at in (start, end))
        if first < last:
            ranges.append([first, last])
    return {"Pasts": numbers, "Ranges": ranges}


class ExportWindow:
    """A window that is being read; every call is within a transaction."""

    def __init__(self, db: Database, stored: dict[str, Any]) -> None:
        self._db = db
        self.pasts = [Past(db, number) for number in stored["Pasts"]]
        self._first, self._last, self._after = self.pasts
        # Of each shard, the part of its records that is not collected yet.
        self._ranges: list[list[int]] = stored["Ranges"]

    @property
    def stored(self) -> dict[str, Any]:
        """The window as JSON."""
        return {"Pasts": [past.number for past in self.pasts], "Ranges": self._ranges}

    @property
    def is_collected(self) -> bool:
        """Whether all keys that changed within the window are known."""
        return not self._ranges

    def collect(self) -> int:
        """Collect a bounded number of changed keys, and return the bytes that were read."""
        room, total = COLLECTED, 0
        # Parents come first, so that the first change of a key is collected first.
        while self._ranges and room > 0:
            start, end = self._ranges[0]
            page = records_after(self._db.storage, start, room, PAGE_BYTES)
            records = [record for record in page if record.id <= end]
            self._first.add(records)
            self._last.add(records, replace=True)
            room -= sum(cost_of(record) for record in records)
            total += sum(len(each.keys) + len(each.old or b"") for each in records)
            if records and records[-1].id < end:
                self._ranges = [[records[-1].id, end], *self._ranges[1:]]
            else:
                self._ranges = self._ranges[1:]
        return total

    def read(self, after: RowKey, before: bytes) -> WindowPage | None:
        """Return the next changes after a key, of partitions before this one.

        Returns None if so much was written meanwhile that the next call goes on with it.
        """
        if not self._after.collect():
            return None
        changed, reached = self._first.changed_after(after, before)
        changes: list[WindowChange] = []
        total = 0
        for key, first in changed.items():
            if total >= PAGE_BYTES:
                return WindowPage(changes, changes[-1].key)
            last = self._last.record(key)
            written = first.written if last is None else last.written
            changes.append(
                WindowChange(
                    key, first.keys, first.written, written, first.old, self._after.image(key)
                )
            )
            total += len(changes[-1].old or b"") + len(changes[-1].new or b"")
        return WindowPage(changes, reached)

    def end(self) -> None:
        """Forget a window that has been read."""
        for past in self.pasts:
            end_past(self._db, past)
