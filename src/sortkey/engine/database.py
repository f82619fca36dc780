"""The engine's tables and the items in them, as the actions see them."""

import orjson

from sortkey.engine.clock import Clock
from sortkey.engine.keys import RowKey
from sortkey.engine.storage import Storage, Transaction, sql
from sortkey.engine.table import Definition, Index, Table
from sortkey.wire.errors import ResourceNotFoundException, ValidationException
from sortkey.wire.limits import SHORTEST_TABLE_NAME
from sortkey.wire.values import Item


def bare_name(name: str) -> str:
    """The name of a table that is given by its name or its ARN."""
    return name.rpartition("table/")[2] if name.startswith("arn:") else name


class Stored:
    """An item as it is stored: its JSON, its size, and, once somebody asks, its attributes."""

    __slots__ = ("_item", "raw", "size")

    def __init__(self, raw: bytes, size: int) -> None:
        self.raw = raw
        self.size = size
        self._item: Item | None = None

    @property
    def item(self) -> Item:
        """The item's attributes."""
        item = self._item
        if item is None:
            item = self._item = orjson.loads(self.raw)
        return item


class Database:
    """All tables of one storage."""

    def __init__(self, storage: Storage, clock: Clock) -> None:
        self.storage = storage
        self.clock = clock
        self._tables: dict[str, Table] = {}
        # What each was made from, so that only what changed is made anew.
        self._known: dict[str, tuple[int, str, Table]] = {}
        self._version = 0
        self.refresh()
        storage.on_begin = self.refresh
        storage.on_roll_back = self._reload

    # -- tables -----------------------------------------------------------------------------

    def refresh(self) -> bool:
        """Read the definitions again if any process changed one; whether that was so."""
        storage = self.storage
        with storage.lock:
            version = storage.catalog_version()
            if version == self._version:
                return False
            known, self._known = self._known, {}
            for name, number, definition in storage.execute(sql.READ_TABLES):
                found = known.get(name)
                if found is None or found[:2] != (number, definition):
                    found = (number, definition, Table(number, orjson.loads(definition)))
                self._known[name] = found
            self._tables = {name: table for name, (_, _, table) in self._known.items()}
            self._version = version
        return True

    def _reload(self) -> None:
        """Forget definitions that were saved in a transaction that is undone."""
        self._version = 0
        self.refresh()

    def find(self, name: str) -> Table | None:
        """The table by that name or ARN, if there is one."""
        bare = bare_name(name)
        table = self._tables.get(bare)
        if table is None and self.refresh():
            table = self._tables.get(bare)
        # An ARN names one table only: not its namesake elsewhere.
        return table if table is not None and name in {table.name, table.arn} else None

    def table(self, name: str) -> Table:
        """The table by that name or ARN, for reading or writing items."""
        table = self._tables.get(name) or self.find(name)
        if table is None:
            if len(bare_name(name)) < SHORTEST_TABLE_NAME:
                raise ValidationException(
                    "Invalid table/index name.  Table/index names must be between 3 and 255 "
                    "characters long, and may contain only the characters a-z, A-Z, 0-9, '_', '-', "
                    "and '.'"
                )
            raise ResourceNotFoundException("Requested resource not found")
        return table

    def index(self, table: Table, name: str) -> Index:
        """The index of a table by that name, for reading."""
        index = table.indexes.get(name)
        if (index is None or index.status != "ACTIVE") and self.refresh():
            index = self.table(table.name).indexes.get(name)
        if index is None:
            raise ValidationException(f"The table does not have the specified index: {name}")
        if index.status == "CREATING":
            raise ValidationException(
                f"Cannot read from backfilling global secondary index: {name}"
            )
        return index

    @property
    def names(self) -> list[str]:
        """The names of all tables, in order."""
        self.refresh()
        return sorted(self._tables, key=str.encode)

    def save(self, number: int, definition: Definition) -> Table:
        """Store a table's definition, new or changed; the caller is in a transaction."""
        self.storage.wrote()
        name: str = definition["TableName"]
        self.storage.execute(sql.WRITE_TABLE, (name, number, orjson.dumps(definition).decode()))
        self._changed()
        return self._tables[name]

    def forget(self, name: str) -> None:
        """Remove a table's definition; the caller is in a transaction."""
        self.storage.wrote()
        self.storage.execute(sql.DELETE_TABLE, (name,))
        self._changed()

    def _changed(self) -> None:
        self.storage.execute(sql.BUMP_VERSION)
        self.refresh()

    # -- items ------------------------------------------------------------------------------

    def transaction(self) -> Transaction:
        """A ``with`` block in which what is read stays true and what is written is one commit."""
        return self.storage.transaction()

    def get(self, table: Table, key: RowKey) -> Stored | None:
        """The stored item, or nothing."""
        storage = self.storage
        with storage.lock:
            row = storage.execute(table.rows.sql.get, key).fetchone()
        return None if row is None else Stored(*row)

    def measure(self, table: Table, key: RowKey) -> Stored | None:
        """The stored item's size, without its content, for writes that need no more."""
        storage = self.storage
        with storage.lock:
            row = storage.execute(table.rows.sql.get_size, key).fetchone()
        return None if row is None else Stored(b"", *row)
