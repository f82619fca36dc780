"""A page of a SELECT: of one partition, of several, or of a whole table or index."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from sortkey.engine import keys
from sortkey.engine.capacity import Usage
from sortkey.engine.database import Database
from sortkey.engine.keys import RowKey, Span
from sortkey.engine.pages import (
    RowPage,
    RowSelection,
    read_page,
    refuse_unprojected,
    start_key,
)
from sortkey.engine.promptness import refuse_long
from sortkey.engine.statements.conditions import (
    AccessPath,
    access_path,
    demands,
    refuse_nested_keys,
)
from sortkey.engine.statements.next_tokens import (
    Position,
    invalid_token,
    read_token,
    write_token,
)
from sortkey.engine.statements.requests import table_named
from sortkey.engine.storage.sql import RowStatements
from sortkey.engine.stored_items import to_json
from sortkey.engine.table import Rows, StoredIndex, StoredTable
from sortkey.expressions.evaluate import condition_names
from sortkey.expressions.tree import Condition
from sortkey.partiql.statements import Selection
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import PAGE_PARTITIONS
from sortkey.wire.values import Item


class SelectedRows(RowSelection):
    """The parts of a SELECT that apply to each row."""

    def __init__(
        self, request: Mapping[str, Any], selection: Selection, condition: Condition | None
    ) -> None:
        self.request = request
        self.projection = selection.projection
        self.filter = condition
        self.select = "ALL"
        self.consistent = request.get("ConsistentRead", False)
        self.limit = request.get("Limit")

    def needs_table(self, index: StoredIndex | None) -> bool:
        """Return whether a local index lacks attributes that are selected by name."""
        if index is None or index.is_global or self.projection is None:
            return False
        return not index.covers(self.projection.names)


class _RowRange(NamedTuple):
    """A statement that reads rows in order, and the rows."""

    sql: str
    span: Span


@dataclass(frozen=True, slots=True)
class _PageReader:
    """The source of a SELECT, what applies to its rows, and what it has consumed."""

    db: Database
    table: StoredTable
    index: StoredIndex | None
    reading: SelectedRows
    usage: Usage

    @property
    def sql(self) -> RowStatements:
        """The statements over the rows of the source."""
        return (self.index or self.table).rows.sql

    def read(self, sql: str, bounds: tuple[bytes, bytes, bytes]) -> RowPage:
        """Read the rows within the bounds, as many as the page still holds."""
        return read_page(
            self.db,
            self.table,
            self.index,
            self.reading,
            self.usage,
            statement=sql,
            bounds=(*bounds, self.reading.limit or -1),
        )


def select(db: Database, request: Mapping[str, Any], selection: Selection) -> dict[str, Any]:
    """Return a page of the items that a SELECT finds."""
    table, index = _source(db, request, selection)
    rows = (index or table).rows
    refuse_nested_keys(table, selection.where)
    _refuse_order(selection, rows)
    path = access_path(rows, selection.where)
    if index is not None and path.named:
        _refuse_unprojected_filter(index, selection)

    position = read_token(request)
    start = _start(position, table, index)
    usage = Usage(table, selection.table)
    reader = _PageReader(db, table, index, SelectedRows(request, selection, path.filter), usage)
    if path.partitions is None:
        pages, end = _scanned(reader, start)
    else:
        ranges = _ranges(path, selection, index or table)
        _refuse_position(position, start, ranges)
        pages, end = _queried(reader, ranges, position, start)
        if index is None and table.sort is None and len(ranges) == 1:
            end = None  # after the only item there is nothing to continue
    return _answer(request, pages, end, usage)


def _source(
    db: Database, request: Mapping[str, Any], selection: Selection
) -> tuple[StoredTable, StoredIndex | None]:
    """Return the table and the index to read, if they have what the SELECT needs."""
    table = table_named(db, selection.table)
    if selection.projection is not None:
        table.refuse_nested_keys(selection.projection.nested_names)
    if selection.index is None:
        return table, None
    try:
        index = db.index(table, selection.index)
    except ValidationException as fault:
        # The service does not name the index here, as it does in a Query.
        raise ValidationException(fault.message.removesuffix(f": {selection.index}")) from None
    if index.is_global:
        if request.get("ConsistentRead", False):
            raise ValidationException(
                "Strongly consistent read is not supported on Global Secondary Indexes"
            )
        refuse_unprojected(index, selection.projection)
    return index.table, index


def _refuse_order(selection: Selection, rows: Rows) -> None:
    """Reject an order that the rows are not stored in."""
    if not selection.order:
        return
    for ordering in selection.order:
        if ordering.name not in rows.names:
            raise ValidationException(
                f"Variable reference {ordering.name} in ORDER BY clause must be part of the "
                "primary key"
            )
    partition = frozenset(attribute.name for attribute in rows.partition)
    if selection.where is None or not demands(selection.where, partition):
        raise ValidationException(
            "Must have at least one non-optional hash key condition in WHERE clause when using "
            "ORDER BY clause."
        )


def _refuse_unprojected_filter(index: StoredIndex, selection: Selection) -> None:
    names = frozenset[str]() if selection.where is None else condition_names(selection.where)
    if not index.covers(names):
        absent = ", ".join(sorted(names - index.projected))
        raise ValidationException(
            f"One or more parameter values were invalid: Secondary index {index.name} does not "
            f"project one or more filter attributes: [{absent}]"
        )


# -- where a page starts --------------------------------------------------------------------------


def _start(position: Position, table: StoredTable, index: StoredIndex | None) -> RowKey | None:
    """Return the last row of the previous page; the table may have changed since."""
    if position.last is None:
        return None
    try:
        return start_key({"ExclusiveStartKey": position.last}, table, index)
    except ValidationException:
        raise invalid_token() from None


def _refuse_position(position: Position, start: RowKey | None, ranges: Sequence[_RowRange]) -> None:
    if position.partition >= len(ranges):
        raise invalid_token()
    partition, first, last = ranges[position.partition].span
    if start is not None and (start.partition != partition or not first <= start.position < last):
        raise invalid_token()


def _ranges(
    path: AccessPath, selection: Selection, source: StoredTable | StoredIndex
) -> list[_RowRange]:
    """Return the rows of each partition, in the order of the SELECT."""
    descending = {ordering.name for ordering in selection.order if ordering.descends}
    rows = source.rows
    backward = bool(rows.sort) and rows.sort[0].name in descending
    sql = rows.sql.backward if backward else rows.sql.forward
    ranges = [_RowRange(sql, source.span(each)) for each in path.partitions or ()]
    if rows.partition[0].name in descending:
        ranges.reverse()
    return ranges


# -- reading --------------------------------------------------------------------------------------


def _scanned(reader: _PageReader, start: RowKey | None) -> tuple[list[RowPage], Position | None]:
    """Read a page of all rows."""
    first = start or RowKey(keys.FIRST, keys.FIRST)
    page = reader.read(reader.sql.scan, (first.partition, first.position, keys.LAST))
    return [page], None if page.last is None else Position(0, page.last)


def _queried(
    reader: _PageReader, ranges: Sequence[_RowRange], position: Position, start: RowKey | None
) -> tuple[list[RowPage], Position | None]:
    """Read partitions one after the other, until the page is full."""
    pages: list[RowPage] = []
    reading = reader.reading
    for number in range(position.partition, len(ranges)):
        if len(pages) == PAGE_PARTITIONS:
            return pages, Position(number, None)
        refuse_long(sum(page.scanned for page in pages))
        sql, span = ranges[number]
        if start is not None:
            span = _rest(span, start, forward=sql == reader.sql.forward)
            start = None
        page = reader.read(sql, span)
        pages.append(page)
        if page.last is not None:
            return pages, Position(number, page.last)
        reading.room -= page.size
        if reading.limit is not None:
            reading.limit -= page.scanned
    return pages, None


def _rest(span: Span, start: RowKey, *, forward: bool) -> Span:
    """Return the part of the span that comes after the previous page."""
    if forward:
        return span._replace(first=start.position + b"\x00")
    return span._replace(last=start.position)


def _answer(
    request: Mapping[str, Any], pages: Sequence[RowPage], end: Position | None, usage: Usage
) -> dict[str, Any]:
    answer: dict[str, Any] = {"Items": _joined(pages)}
    if end is not None:
        answer["NextToken"] = write_token(request, end)
        last: Item | None = end.last
        if last is not None:
            answer["LastEvaluatedKey"] = last
    wanted = request.get("ReturnConsumedCapacity", "NONE")
    if wanted != "NONE":
        answer["ConsumedCapacity"] = usage.report(wanted)
    return answer


def _joined(pages: Sequence[RowPage]) -> Any:
    """Return the items of several pages, some of which are JSON already, as one list."""
    if len(pages) == 1:
        return pages[0].items
    lists = [to_json(page.items)[1:-1] for page in pages]
    return orjson.Fragment(b"[" + b",".join([each for each in lists if each]) + b"]")
