"""A page of a Query or a Scan: rows read up to a limit, then filtered and projected."""

import sqlite3
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple
from zlib import adler32

import orjson

from sortkey.engine.capacity import Usage, read_units
from sortkey.engine.database import Database, EngineItem
from sortkey.engine.keys import FIRST, RowKey
from sortkey.engine.parameters import projection_of
from sortkey.engine.promptness import MOST_STEPS, condition_steps, refuse_long
from sortkey.engine.stored_items import StoredItems
from sortkey.engine.table import Rows, StoredIndex, StoredTable
from sortkey.engine.weather import Demand
from sortkey.expressions import legacy
from sortkey.expressions.evaluate import condition_names, condition_weight, holds
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import KB, PAGE_BYTES
from sortkey.wire.values import Item, item_size, read_item

# Pages up to this size need no estimate of the work.
_FEW_ROWS = 16
_FEW_BYTES = 16 * KB
_STARTING_KEY = "The provided starting key is invalid"


class RowSelection:
    """The parameters of a Query or a Scan that apply to each row."""

    # The page ends with the item that fills this many bytes.
    room = PAGE_BYTES

    def __init__(self, request: Mapping[str, Any], given: Placeholders, old_filter: str) -> None:
        self.request = request
        self.projection: Projection | None = projection_of(request, given)
        self.filter: Condition | None = None
        self.filter_member = "Filter Expression"
        text = request.get("FilterExpression")
        conditions = request.get(old_filter)
        operator = request.get("ConditionalOperator")
        if text is not None:
            self.filter = given.condition(text, "FilterExpression")
        elif conditions:
            self.filter = legacy.filter_condition(conditions, operator)
            self.filter_member = old_filter
        elif operator is not None:
            raise ValidationException(
                "ConditionalOperator cannot be used without Filter or Expected"
            )
        self.select = self._select()
        self.consistent: bool = request.get("ConsistentRead", False)
        self.limit: int | None = request.get("Limit")

    def _select(self) -> str:
        request = self.request
        select = request.get("Select")
        if select is None:
            return "ALL" if self.projection is None else "SPECIFIC_ATTRIBUTES"
        if self.projection is not None and select != "SPECIFIC_ATTRIBUTES":
            member = (
                "ProjectionExpression" if "ProjectionExpression" in request else "AttributesToGet"
            )
            wanted = "only the Count" if select == "COUNT" else select
            raise ValidationException(f"Cannot specify the {member} when choosing to get {wanted}")
        if select == "SPECIFIC_ATTRIBUTES" and self.projection is None:
            raise ValidationException(
                "Must specify the AttributesToGet or ProjectionExpression when choosing to get "
                "SPECIFIC_ATTRIBUTES"
            )
        if select == "ALL_PROJECTED_ATTRIBUTES" and "IndexName" not in request:
            raise ValidationException(
                "ALL_PROJECTED_ATTRIBUTES can be used only when Querying using an IndexName"
            )
        return select

    def source(self, db: Database) -> tuple[StoredTable, StoredIndex | None]:
        """Return the table to read, and the index if the request names one with all it needs."""
        table = db.table(self.request["TableName"])
        if self.projection is not None:
            table.refuse_nested_keys(self.projection.nested_names)
        name = self.request.get("IndexName")
        if name is None:
            return table, None
        index = db.index(table, name)
        if index.is_global:
            if self.consistent:
                raise ValidationException(
                    "Consistent reads are not supported on global secondary indexes"
                )
            if self.select == "ALL_ATTRIBUTES" and not index.projects_all:
                raise ValidationException(
                    "One or more parameter values were invalid: Select type ALL_ATTRIBUTES is not "
                    f"supported for global secondary index {name} because its projection type is "
                    "not ALL"
                )
            refuse_unprojected(index, self.projection)
        # Not the table from above: the index may be newer than its definition.
        return index.table, index

    def needs_table(self, index: StoredIndex | None) -> bool:
        """Return whether a local index lacks attributes, which the table must provide."""
        if index is None or index.is_global or index.projects_all:
            return False
        if self.select == "ALL_ATTRIBUTES":
            return True
        names = self.projection.names if self.projection else frozenset[str]()
        if self.filter is not None:
            names |= condition_names(self.filter)
        return not index.covers(names)


def refuse_unprojected(index: StoredIndex, projection: Projection | None) -> None:
    """Reject a projection on attributes that a global index does not have."""
    if projection is not None and not index.covers(projection.names):
        absent = ", ".join(sorted(projection.names - index.projected))
        raise ValidationException(
            f"One or more parameter values were invalid: Global secondary index {index.name} "
            f"does not project [{absent}]"
        )


def start_key(
    request: Mapping[str, Any], table: StoredTable, index: StoredIndex | None
) -> RowKey | None:
    """Return the end of the previous page, if the request continues one."""
    given = request.get("ExclusiveStartKey")
    if given is None:
        return None
    try:
        start, _ = read_item(given)
    except ValidationException as error:
        raise ValidationException(f"{_STARTING_KEY}: {error.message}") from None
    names = set(table.rows.names) | set(index.rows.names if index else ())
    if start.keys() != names:
        detail = "" if index else ": The provided key element does not match the schema"
        raise ValidationException(_STARTING_KEY + detail)
    try:
        primary = table.key_of(table.key_attributes(start))
    except ValidationException as error:
        raise ValidationException(f"{_STARTING_KEY}: {error.message}") from None
    if index is None:
        return primary
    key = index.key_of(start, primary)
    if key is None:
        raise ValidationException(
            f"{_STARTING_KEY}: The provided key element does not match the schema"
        )
    return key


class RowPage(NamedTuple):
    """The items of a page, how many there are and were read, and where it ends if it is full."""

    items: Any
    matched: int
    scanned: int
    size: int
    last: Item | None


def answer_page(
    db: Database,
    table: StoredTable,
    index: StoredIndex | None,
    reading: RowSelection,
    *,
    statement: str,
    bounds: tuple[Any, ...],
) -> dict[str, Any]:
    """Return the page of the rows that the statement finds."""
    usage = Usage(table, reading.request["TableName"])
    page = read_page(db, table, index, reading, usage, statement=statement, bounds=bounds)
    answer: dict[str, Any] = {} if page.last is None else {"LastEvaluatedKey": page.last}
    if reading.select != "COUNT":
        answer["Items"] = page.items
    answer["Count"] = page.matched
    answer["ScannedCount"] = page.scanned
    wanted = reading.request.get("ReturnConsumedCapacity", "NONE")
    if wanted != "NONE":
        answer["ConsumedCapacity"] = usage.report(wanted)
    return answer


def read_page(
    db: Database,
    table: StoredTable,
    index: StoredIndex | None,
    reading: RowSelection,
    usage: Usage,
    *,
    statement: str,
    bounds: tuple[Any, ...],
) -> RowPage:
    """Read the rows that the statement finds, and charge them."""
    stored: list[EngineItem] | None = None
    with db.storage.lock:
        cursor = db.storage.execute(statement, bounds)
        raws, total = _rows(db, (index or table).rows, cursor, reading.room, bounds[0])
        is_full = total >= reading.room or len(raws) == reading.limit
        if reading.needs_table(index):
            # The items behind the rows, before anything changes them.
            stored, read = _fetched(db, table, raws)
            is_full |= sum(each.size for each in stored) >= PAGE_BYTES
            if read < len(raws):
                raws = raws[:read]
                total = sum(item_size(orjson.loads(raw)) for raw in raws)
    last: Item | None = None
    if raws and is_full:
        end: Item = orjson.loads(raws[-1])
        names = dict.fromkeys((*table.rows.names, *(index.rows.names if index else ())))
        last = {name: end[name] for name in names}

    units = read_units(total, consistent=reading.consistent)
    usage.read(units, index.name if index else None)
    for each in stored or ():
        usage.read(read_units(each.size, consistent=reading.consistent))
    if db.weather is not None:
        found_units = units + sum(
            read_units(each.size, consistent=reading.consistent) for each in stored or ()
        )
        # A page is about one place of the table or the index: that of its first row.
        at = _first_key(table, index, raws) or RowKey(bounds[0], FIRST)
        db.weather.admit([Demand.read(table, index, at, found_units)])
    if reading.filter is None and reading.projection is None and stored is None:
        return RowPage(StoredItems(raws), len(raws), len(raws), total, last)
    found = raws if stored is None else [each.raw for each in stored]
    if len(raws) > _FEW_ROWS or total > _FEW_BYTES or stored:
        refuse_long(_steps(reading, found))
    items = _wanted(reading, found)
    return RowPage(items, len(items), len(raws), total, last)


def _first_key(
    table: StoredTable, index: StoredIndex | None, raws: Sequence[bytes]
) -> RowKey | None:
    if not raws:
        return None
    item: Item = orjson.loads(raws[0])
    primary = table.stored_key(item)
    return primary if index is None or not index.is_global else index.key_of(item, primary)


def _rows(
    db: Database, rows: Rows, cursor: sqlite3.Cursor, room: int, only: bytes
) -> tuple[list[bytes], int]:
    """Return the rows of the page and their size; a page ends with the item that fills it.

    Rows without a partition are in the partition ``only``.
    """
    raws: list[bytes] = []
    total = 0
    partition, position = only, b""
    try:
        while True:
            before = len(raws)
            for raw, size, found, partition, position in islice(cursor, MOST_STEPS):
                # `checksum`, without the cost of a call.
                if adler32(raw, adler32(position, size)) != found:
                    raise db.damage(rows, partition or only, position)
                raws.append(raw)
                total += size
                if total >= room:
                    return raws, total
            if len(raws) - before < MOST_STEPS:
                return raws, total
            refuse_long(len(raws) + 1)
    except TypeError:  # damage has changed a type
        raise db.damage(rows, partition or only, position) from None
    finally:
        cursor.close()


def _steps(reading: RowSelection, raws: list[bytes]) -> int:
    """Return about how many steps it takes to filter and project these rows."""
    weight = 0 if reading.filter is None else condition_weight(reading.filter)
    return len(raws) * (2 + weight) + condition_steps(sum(map(len, raws)), weight)


def _fetched(db: Database, table: StoredTable, raws: list[bytes]) -> tuple[list[EngineItem], int]:
    """Return the whole items behind rows of a local index, as many as a page holds.

    The number of rows that were read is the second result.
    """
    found: list[EngineItem] = []
    total = 0
    for read, raw in enumerate(raws, 1):
        stored = db.get(table, table.stored_key(orjson.loads(raw)))
        if stored is not None:
            found.append(stored)
            total += stored.size
            if total >= PAGE_BYTES:
                return found, read
    return found, len(raws)


def _wanted(reading: RowSelection, raws: list[bytes]) -> list[Any]:
    """Return the items that pass the filter, with the requested attributes."""
    condition, projection = reading.filter, reading.projection
    wanted: list[Any] = []
    for raw in raws:
        if condition is None and projection is None:
            wanted.append(orjson.Fragment(raw))
            continue
        item: Item = orjson.loads(raw)
        if condition is None or holds(condition, item):
            wanted.append(orjson.Fragment(raw) if projection is None else projection.apply(item))
    return wanted
