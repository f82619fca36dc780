"""A database for one read that lags: each item is as the read's view has it.

The rows of items that were written lately are taken from the `Versions`, all others from the
storage. Nothing is written for it, so such a read neither waits for writes nor holds them up.
"""

from collections.abc import Generator, Iterable
from heapq import merge
from operator import itemgetter
from typing import Any

import orjson

from sortkey.engine.changes import index_entry
from sortkey.engine.database import Database, EngineItem, PageRow
from sortkey.engine.keys import RowKey
from sortkey.engine.lag import ItemPlace, ItemState, ItemWrite, Versions, View
from sortkey.engine.storage.checksums import checksum
from sortkey.engine.table import StoredIndex, StoredTable

_KEY = itemgetter(3, 4)


class LaggingReads(Database):
    """The database in a view, whose choice for an item holds for the whole read."""

    def __init__(self, db: Database, versions: Versions, view: View) -> None:
        """Share what the database has; the storage still calls back the database alone."""
        self.__dict__.update(db.__dict__)
        # The tables and global indexes whose present state the read did not see.
        self.behind: dict[tuple[StoredTable, StoredIndex | None], None] = {}
        self._present = db
        self._versions = versions
        self._view = view
        # By the number of a table or a global index, and the item.
        self._chosen: dict[tuple[int, ItemPlace], ItemWrite | None] = {}

    @property
    def present(self) -> Database:
        """The database as it is now."""
        return self._present

    def get(self, table: StoredTable, key: RowKey) -> EngineItem | None:
        """Return the item as the read sees it, or None."""
        present = self._present.get(table, key)
        missed = self._first_missed(table, None, ItemPlace(table.rows.number, key))
        if missed is None:
            return present
        if missed.before != (None if present is None else ItemState(present.raw, present.size)):
            self.behind[table, None] = None
        return None if missed.before is None else EngineItem(*missed.before)

    def page(
        self,
        source: StoredTable | StoredIndex,
        statement: str,
        bounds: tuple[Any, ...],
        room: int,
        given: Generator[PageRow] | None = None,
    ) -> tuple[list[bytes], int]:
        """Return the rows that the statement finds in the view, and their size."""
        is_scan = statement == source.rows.sql.scan
        number = source.rows.number
        if is_scan:
            places = self._versions.in_partitions(number, bounds[0], bounds[2])
        else:
            places = self._versions.in_partition(number, bounds[0])
        if not places:
            return super().page(source, statement, bounds, room, given)
        with self.storage.snapshot():
            # The snapshot begins here: it is no later than the versions that are found next.
            self.storage.catalog_version()
            rows = {
                key: row
                for key, row in self._rows(source, places).items()
                if _is_within(bounds, key, is_scan=is_scan)
            }
            present = super().page(source, statement, bounds, room)
            if not rows:
                return present
            backward = statement == source.rows.sql.backward
            merged = self._merged(statement, bounds, rows, backward=backward)
            seen = super().page(source, statement, bounds, room, merged)
        if seen != present:
            table, index = _table_and_index(source)
            self.behind[table, index] = None
        return seen

    def _merged(
        self,
        statement: str,
        bounds: tuple[Any, ...],
        rows: dict[RowKey, PageRow | None],
        *,
        backward: bool,
    ) -> Generator[PageRow]:
        """Yield the stored rows in order, with these in the place of those that have their keys."""
        *span, limit = bounds
        enough = limit if limit < 0 else limit + len(rows)
        # The rows of a Query come without their partition, which is the first of its bounds.
        found = (
            (raw, size, seal, partition or span[0], position)
            for raw, size, seal, partition, position in self.storage.execute(
                statement, (*span, enough)
            )
        )
        unchanged = (row for row in found if _KEY(row) not in rows)
        replaced = sorted((row for row in rows.values() if row), key=_KEY, reverse=backward)
        for row in merge(unchanged, replaced, key=_KEY, reverse=backward):
            yield row
            limit -= 1
            if limit == 0:
                return

    def _rows(
        self, source: StoredTable | StoredIndex, places: Iterable[ItemPlace]
    ) -> dict[RowKey, PageRow | None]:
        """Return the rows of items that the read sees in an earlier state, and None for no row."""
        table, copy = _table_and_index(source)
        number = source.rows.number
        rows: dict[RowKey, PageRow | None] = {}
        for place in places:
            missed = self._first_missed(table, copy, place)
            if missed is None:
                continue
            for write in self._versions.of(place, self.storage):
                rows.update(dict.fromkeys(write.rows.get(number, ())))
            if missed.before is not None:
                row = _row(source, place.key, missed.before)
                if row is not None:
                    rows[RowKey(*_KEY(row))] = row
        return rows

    def _first_missed(
        self, table: StoredTable, index: StoredIndex | None, place: ItemPlace
    ) -> ItemWrite | None:
        """Return the first write to an item that the read does not see, or None if it sees all."""
        chosen = ((index or table).rows.number, place)
        if chosen not in self._chosen:
            writes = self._versions.of(place, self.storage)
            seen = self._view(table, index, writes) if writes else 0
            self._chosen[chosen] = writes[seen] if seen < len(writes) else None
        return self._chosen[chosen]


def _table_and_index(
    source: StoredTable | StoredIndex,
) -> tuple[StoredTable, StoredIndex | None]:
    """Return what lags together: a global index, or a table with its local indexes."""
    if isinstance(source, StoredTable):
        return source, None
    return source.table, source if source.is_global else None


def _row(source: StoredTable | StoredIndex, key: RowKey, state: ItemState) -> PageRow | None:
    """Return the row of an item in a table or an index, or None if it does not appear there."""
    if isinstance(source, StoredTable):
        return state.raw, state.size, checksum(key.position, *state), key.partition, key.position
    entry = index_entry(source, key, orjson.loads(state.raw), state.size)
    if entry is None:
        return None
    partition, position, raw, size, seal = entry.row
    return raw, size, seal, partition, position


def _is_within(bounds: tuple[Any, ...], key: RowKey, *, is_scan: bool) -> bool:
    """Return whether a statement with these bounds finds a row with this key."""
    first, second, last, _ = bounds
    if is_scan:
        return key > (first, second) and key.partition < last
    return key.partition == first and second <= key.position < last
