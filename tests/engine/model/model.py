"""A DynamoDB that is obviously right: tables are dicts, queries look at every item and sort.

It knows nothing of the engine. Answers are those of the wire, with the members of sets in order and
``ReturnConsumedCapacity`` at ``INDEXES``; errors are raised with the class that DynamoDB names.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tests.engine.model.capacity import Units, charge, entry_of, held, read_units, report, sort_key
from tests.engine.model.conditions import holds, is_refused, names_in
from tests.engine.model.operations import (
    BatchGet,
    BatchWrite,
    Check,
    Delete,
    Get,
    Index,
    Operation,
    Put,
    Read,
    Table,
    TransactGet,
    TransactWrite,
    Update,
    Write,
    key_of,
)
from tests.engine.model.paths import collide, project
from tests.engine.model.updates import is_update_refused, updated
from tests.engine.model.values import Item, Value, item_size, kind, wire, wire_item

from sortkey.wire.errors import (
    ConditionalCheckFailedException,
    IdempotentParameterMismatchException,
    TransactionCanceledException,
    ValidationException,
)

KB = 1024
MB = 1024 * KB
EMPTY_KEY = "an empty key"
FINE = {"Code": "None"}


class Model:
    """All tables, and the answers to all operations."""

    def __init__(self, *tables: Table) -> None:
        self.tables = {table.name: table for table in tables}
        self.items: dict[str, dict[tuple[Value, ...], Item]] = {table.name: {} for table in tables}
        self.tokens: dict[str, Sequence[Write]] = {}

    def answer(self, operation: Operation) -> dict[str, Any]:
        """The answer to one operation, or its error, raised."""
        match operation:
            case Get():
                return self._get(operation)
            case Put() | Update() | Delete():
                return self._write(operation)
            case BatchGet(gets):
                return self._batch_get(gets)
            case BatchWrite(writes):
                return self._batch_write(writes)
            case TransactGet(gets):
                return self._transact_get(gets)
            case TransactWrite(writes, token):
                return self._transact_write(writes, token)

    # -- reads of one item --------------------------------------------------------------------

    def _found(self, get: Get) -> Item | None:
        self._refuse_key(self.tables[get.table], get.key)
        if collide(get.paths):
            raise ValidationException("paths overlap")
        return self._stored(get.table, get.key)

    def _stored(self, table: str, key: Item) -> Item | None:
        return self.items[table].get(tuple(key[name] for name in self.tables[table].key))

    def _get(self, get: Get) -> dict[str, Any]:
        item = self._found(get)
        units: Units = {None: read_units(item_size(item or {}), consistent=get.consistent)}
        return _shown(get, item) | {"ConsumedCapacity": report(self.tables[get.table], units)}

    def _batch_get(self, gets: Sequence[Get]) -> dict[str, Any]:
        self._refuse_repeated(gets)
        items = [self._found(get) for get in gets]
        responses: dict[str, list[Any]] = {get.table: [] for get in gets}
        charges: list[tuple[str, Units]] = []
        for get, item in zip(gets, items, strict=True):
            units = read_units(item_size(item or {}), consistent=get.consistent)
            charges.append((get.table, {None: units}))
            if item is not None:
                responses[get.table].append(_shown(get, item)["Item"])
        capacity = self._totals(charges)
        return {"Responses": responses, "UnprocessedKeys": {}, "ConsumedCapacity": capacity}

    def _transact_get(self, gets: Sequence[Get]) -> dict[str, Any]:
        self._refuse_repeated(gets)
        items = [self._found(get) for get in gets]
        charges: list[tuple[str, Units]] = [
            (get.table, {None: 2 * read_units(item_size(item or {}), consistent=True)})
            for get, item in zip(gets, items, strict=True)
        ]
        responses = [_shown(get, item) for get, item in zip(gets, items, strict=True)]
        return {"Responses": responses, "ConsumedCapacity": self._totals(charges, "Read")}

    # -- writes -------------------------------------------------------------------------------

    def _write(self, write: Put | Update | Delete) -> dict[str, Any]:
        _refuse_expressions(write)
        self._refuse(write)
        before, after = self._outcome(write)
        self._store(write, after)
        table = self.tables[write.table]
        old, new = before or {}, after or {}
        paths = [action.path for action in write.actions] if isinstance(write, Update) else []
        returned = {
            "NONE": {},
            "ALL_OLD": old,
            "ALL_NEW": new,
            "UPDATED_OLD": project(old, paths),
            "UPDATED_NEW": project(new, paths),
        }[write.returns]
        answer = {"Attributes": wire_item(returned)} if returned else {}
        return answer | {"ConsumedCapacity": report(table, charge(table, before, after))}

    def _batch_write(self, writes: Sequence[Put | Delete]) -> dict[str, Any]:
        self._refuse_repeated(writes)
        for write in writes:
            self._refuse(write)
        outcomes = [self._outcome(write) for write in writes]
        charges: list[tuple[str, Units]] = []
        for write, (before, after) in zip(writes, outcomes, strict=True):
            self._store(write, after)
            charges.append((write.table, charge(self.tables[write.table], before, after)))
        return {"UnprocessedItems": {}, "ConsumedCapacity": self._totals(charges)}

    def _transact_write(self, writes: Sequence[Write], token: str | None) -> dict[str, Any]:
        for write in writes:
            _refuse_expressions(write)
        # The first write that does not fit its table cancels all, before any item is looked at.
        for write in writes:
            reason = _reason_against(self._refuse, write)
            if reason != FINE:
                raise TransactionCanceledException(
                    [reason if each is write else FINE for each in writes]
                )
        self._refuse_repeated(writes)
        if token is not None and token in self.tokens:
            return self._replay(writes, token)
        reasons = [_reason_against(self._outcome, write) for write in writes]
        if any(reason != FINE for reason in reasons):
            raise TransactionCanceledException(reasons)
        charges: list[tuple[str, Units]] = []
        for write in writes:
            before, after = self._outcome(write)
            self._store(write, after)
            units = charge(self.tables[write.table], before, after)
            charges.append((write.table, units | {None: 2 * units[None]}))
        if token is not None:
            self.tokens[token] = writes
        return {"ConsumedCapacity": self._totals(charges, "Write")}

    def _replay(self, writes: Sequence[Write], token: str) -> dict[str, Any]:
        """Return the response to a repeated transaction: the cost of reading its items."""
        if self.tokens[token] != writes:
            raise IdempotentParameterMismatchException("another transaction")
        items = [self._stored(write.table, key_of(write)) for write in writes]
        charges: list[tuple[str, Units]] = [
            (write.table, {None: 2 * read_units(item_size(item or {}), consistent=True)})
            for write, item in zip(writes, items, strict=True)
        ]
        return {"ConsumedCapacity": self._totals(charges, "Read")}

    def _outcome(self, write: Write) -> tuple[Item | None, Item | None]:
        """The item before and after a write, which its condition or its result may forbid."""
        table = self.tables[write.table]
        before = self._stored(write.table, key_of(write))
        if write.condition is not None and not holds(write.condition, before or {}):
            wanted = before is not None and write.on_failure == "ALL_OLD"
            raise ConditionalCheckFailedException(item=wire_item(before or {}) if wanted else None)
        match write:
            case Put():
                after = write.item
            case Update():
                after = updated(write.actions, before, write.key)
            case Delete():
                after = None
            case Check():
                after = before
        if after is not None:
            _refuse_item(table, after)
        return before, after

    def _store(self, write: Write, item: Item | None) -> None:
        items = self.items[write.table]
        key = tuple(key_of(write)[name] for name in self.tables[write.table].key)
        if item is None:
            items.pop(key, None)
        else:
            items[key] = item

    # -- refusals -----------------------------------------------------------------------------

    def _refuse(self, write: Write) -> None:
        """Refuse what does not fit the table, whatever is stored."""
        table = self.tables[write.table]
        self._refuse_key(table, key_of(write))
        if isinstance(write, Put):
            _refuse_item(table, write.item)
        if isinstance(write, Update) and {action.path[0] for action in write.actions} & {
            *table.key
        }:
            raise ValidationException("a key is not updated")

    def _refuse_key(self, table: Table, key: Item) -> None:
        for name in table.key:
            _refuse_key_value(table, name, key[name])

    def _refuse_repeated(self, operations: Iterable[Get | Write]) -> None:
        seen: set[tuple[Value, ...]] = set()
        for each in operations:
            key = tuple(key_of(each)[name] for name in self.tables[each.table].key)
            if (each.table, *key) in seen:
                raise ValidationException("the same item twice")
            seen.add((each.table, *key))

    def _totals(self, charges: Iterable[tuple[str, Units]], of: str = "") -> list[dict[str, Any]]:
        """One report for each table, in the order of their names."""
        totals: dict[str, Units] = {}
        for name, units in charges:
            total = totals.setdefault(name, {})
            for index, each in units.items():
                total[index] = total.get(index, 0.0) + each
        return [report(self.tables[name], totals[name], of) for name in sorted(totals)]

    # -- pages --------------------------------------------------------------------------------

    def matching(self, read: Read) -> list[Item]:
        """The whole items that a query or scan meets; a query's are sorted, ties in any order."""
        table = self.tables[read.table]
        source = table.index(read.index) if read.index else table
        items = [
            item
            for item in self.items[read.table].values()
            if all(name in item for name in (*source.partition, *source.sort))
            and all(holds(condition, item) for condition in read.key)
        ]
        if read.key:
            items.sort(key=lambda item: sort_key(source, item), reverse=read.backward)
        return items

    def refuse_read(self, read: Read) -> None:
        """Refuse a query or scan that is wrong whatever is stored."""
        table = self.tables[read.table]
        index = table.index(read.index) if read.index else None
        conditions = [*read.key, *([read.filter] if read.filter else [])]
        if any(map(is_refused, conditions)) or collide(read.paths):
            raise ValidationException("no such condition or projection")
        if index and index.is_global:
            if read.consistent:
                raise ValidationException("a global index is read eventually")
            if read.select == "ALL_ATTRIBUTES" and index.included is not None:
                raise ValidationException("a global index has only what it projects")
            if not {path[0] for path in read.paths} <= held(
                table, index, {p[0] for p in read.paths}
            ):
                raise ValidationException("a global index has only what it projects")
        source = index or table
        if read.key and read.filter and names_in(read.filter) & {*source.partition, *source.sort}:
            raise ValidationException("a key attribute belongs into the key condition")

    def page(self, read: Read, met: Sequence[Item], limit: int | None) -> dict[str, Any]:
        """One page, of the whole items that the query or scan meets from its start on."""
        table = self.tables[read.table]
        index = table.index(read.index) if read.index else None
        fetches = bool(index and not index.is_global and self._needs_table(read, table, index))
        scanned: list[Item] = []
        total = fetched = 0
        answer: dict[str, Any] = {}
        for item in met:
            entry = entry_of(table, index, item) or {}
            scanned.append(item)
            total += item_size(entry)
            fetched += item_size(item) if fetches else 0
            if len(scanned) == limit or max(total, fetched) >= MB:
                names = (*table.key, *((*index.partition, *index.sort) if index else ()))
                # A query that can only have one item cannot be continued.
                if table.sort or index or not read.key:
                    answer["LastEvaluatedKey"] = {name: wire(item[name]) for name in names}
                break
        units: Units = {None: 0.0}
        units[read.index] = read_units(total, consistent=read.consistent)
        rows = [entry_of(table, index, item) or {} for item in scanned]
        if fetches:
            rows = scanned
            for item in scanned:
                units[None] += read_units(item_size(item), consistent=read.consistent)
        kept = [row for row in rows if read.filter is None or holds(read.filter, row)]
        if read.select != "COUNT":
            shown = [project(row, read.paths) if read.paths else row for row in kept]
            answer["Items"] = [wire_item(row) for row in shown]
        return answer | {
            "Count": len(kept),
            "ScannedCount": len(scanned),
            "ConsumedCapacity": report(table, units),
        }

    def _needs_table(self, read: Read, table: Table, index: Index) -> bool:
        if index.included is None:
            return False
        names = {path[0] for path in read.paths}
        if read.filter is not None:
            names |= names_in(read.filter)
        return read.select == "ALL_ATTRIBUTES" or not names <= held(table, index, names)


def _shown(get: Get, item: Item | None) -> dict[str, Any]:
    if item is None:
        return {}
    return {"Item": wire_item(project(item, get.paths) if get.paths else item)}


def _refuse_expressions(write: Write) -> None:
    if write.condition is not None and is_refused(write.condition):
        raise ValidationException("no such condition")
    if isinstance(write, Update) and is_update_refused(write.actions):
        raise ValidationException("no such update")


def _refuse_item(table: Table, item: Item) -> None:
    """Refuse an item that is too large or could not stand in an index."""
    if item_size(item) > 400 * KB:
        raise ValidationException("too large")
    for index in table.indexes:
        for name in (*index.partition, *index.sort):
            if name in item:
                _refuse_key_value(table, name, item[name])


def _refuse_key_value(table: Table, name: str, value: Value) -> None:
    if kind(value) != table.kinds[name]:
        raise ValidationException("a key of another type")
    if value in ("", b""):
        raise ValidationException(EMPTY_KEY)


def _reason_against(judge: Callable[[Write], Any], write: Write) -> dict[str, Any]:
    """Return why a transaction with this write is cancelled; an empty key rejects the request."""
    try:
        judge(write)
    except ConditionalCheckFailedException as error:
        return {"Code": "ConditionalCheckFailed"} | ({"Item": error.item} if error.item else {})
    except ValidationException as error:
        if error.message == EMPTY_KEY:
            raise
        return {"Code": "ValidationError"}
    return FINE
