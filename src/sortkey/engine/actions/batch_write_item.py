"""BatchWriteItem: put or delete up to 25 items of any tables, each on its own."""

from collections.abc import Mapping
from itertools import chain, compress
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

from sortkey.engine.changes import ItemChange, delete_change, make_all
from sortkey.engine.database import Database
from sortkey.engine.named_tables import KeysAreTableNames
from sortkey.engine.parameters import CollectionMetrics, ConsumedCapacity
from sortkey.engine.promptness import refuse_long
from sortkey.engine.shapes import shown_json
from sortkey.engine.table import StoredTable
from sortkey.engine.tally import Tally, WrittenItem, collections_touched
from sortkey.engine.weather import EngineWeather, Excess, throttled
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import BATCH_WRITE_REQUESTS, ITEM_BYTES
from sortkey.wire.values import TOO_LARGE, TWO_TYPES, AttributeValue, Item, read_item


class DeleteRequest(TypedDict):
    """An item to delete."""

    Key: dict[str, AttributeValue]


class PutRequest(TypedDict):
    """An item to put."""

    Item: dict[str, AttributeValue]


class WriteRequest(TypedDict):
    """One of the two."""

    DeleteRequest: NotRequired[DeleteRequest]
    PutRequest: NotRequired[PutRequest]


class BatchWriteItem(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    ReturnItemCollectionMetrics: NotRequired[CollectionMetrics]
    RequestItems: Annotated[dict[str, list[WriteRequest]], KeysAreTableNames()]


class _BatchWrite(NamedTuple):
    """An item to put, with its size, or the key of one to delete."""

    item: Item
    size: int
    deletes: bool


def batch_write_item(db: Database, request: BatchWriteItem) -> dict[str, Any]:
    """Write all items, and return the metrics that the request asks for."""
    batches = request["RequestItems"]
    _refuse_counts(batches)
    writes = {name: [_read(each) for each in batch] for name, batch in batches.items()}

    with db.transaction():
        tables = [db.table(name) for name in writes]
        changes = [
            _plan(db, table, batch) for table, batch in zip(tables, writes.values(), strict=True)
        ]
        _refuse_duplicates(changes)
        unprocessed: dict[str, list[WriteRequest]] = {}
        if db.weather is not None:
            unprocessed = _take_out_unserved(db.weather, batches, writes, changes)
        make_all(db, chain.from_iterable(changes))
        tally = Tally(request)
        if tally.is_wanted:
            for name, table, batch in zip(writes, tables, changes, strict=True):
                for change in batch:
                    change.charge(tally.usage(table, name))
        touched = (
            WrittenItem(name, change.table, change.key, write.item)
            for (name, batch), planned in zip(writes.items(), changes, strict=True)
            for write, change in zip(batch, planned, strict=True)
        )
        answer: dict[str, Any] = {"UnprocessedItems": unprocessed}
        return answer | collections_touched(db, request, touched) | tally.report()


def _refuse_counts(batches: Mapping[str, list[WriteRequest]]) -> None:
    if not batches:
        raise ValidationException("The requestItems parameter is required for BatchWriteItem")
    if any(not 1 <= len(batch) <= BATCH_WRITE_REQUESTS for batch in batches.values()):
        shown = ", ".join(f"{name}={shown_json(batch)}" for name, batch in batches.items())
        raise ValidationException(
            f"1 validation error detected: Value '{{{shown}}}' at 'requestItems' failed to satisfy "
            "constraint: Map value must satisfy constraint: [Member must have length less than or "
            f"equal to {BATCH_WRITE_REQUESTS}, Member must have length greater than or equal to 1]"
        )
    if sum(map(len, batches.values())) > BATCH_WRITE_REQUESTS:
        raise ValidationException("Too many items requested for the BatchWriteItem call")
    for batch in batches.values():
        if any(("PutRequest" in each) == ("DeleteRequest" in each) for each in batch):
            raise ValidationException(TWO_TYPES)


def _read(write: WriteRequest) -> _BatchWrite:
    put = write.get("PutRequest")
    if put is None:
        return _BatchWrite(*read_item(write.get("DeleteRequest", {}).get("Key", {})), deletes=True)
    item, size = read_item(put["Item"])
    if size > ITEM_BYTES:
        raise ValidationException(TOO_LARGE)
    return _BatchWrite(item, size, deletes=False)


def _plan(db: Database, table: StoredTable, batch: list[_BatchWrite]) -> list[ItemChange]:
    """Return the changes to one table, without writing them."""
    names = table.rows.names
    before = db.get if table.needs_before else db.measure
    changes: list[ItemChange] = []
    steps = 0
    for item, size, deletes in batch:
        if deletes:
            key = table.key_of(item)
            change = delete_change(table, key, before(table, key))
        else:
            # The error for an invalid key differs from that of PutItem.
            key = table.key_of({name: item[name] for name in names if name in item})
            table.refuse_index_keys(item)
            change = ItemChange(table, key, before(table, key), item, size)
        changes.append(change)
        if change.before is not None:
            steps += change.before.steps
            refuse_long(steps)
    return changes


def _take_out_unserved(
    weather: EngineWeather,
    batches: Mapping[str, list[WriteRequest]],
    writes: Mapping[str, list[_BatchWrite]],
    changes: list[list[ItemChange]],
) -> dict[str, list[WriteRequest]]:
    """Remove the writes that cannot be served now, and return their requests.

    Raises:
        RequestThrottled: None can be served.
    """
    unprocessed: dict[str, list[WriteRequest]] = {}
    excesses: list[Excess] = []
    has_room = True
    for (name, batch), written, planned in zip(
        batches.items(), writes.values(), changes, strict=True
    ):
        served: list[bool] = []
        for change in planned:
            demands = change.demands()
            is_free = has_room and not weather.conflict(demands)
            found = weather.meet(demands) if is_free else []
            excesses += found
            served.append(is_free and not found)
            has_room = has_room and not (served[-1] and weather.ends_early)
        if not all(served):
            unprocessed[name] = [
                each for each, is_served in zip(batch, served, strict=True) if not is_served
            ]
        written[:] = compress(written, served)
        planned[:] = compress(planned, served)
    if excesses and not any(changes):
        raise throttled(excesses)
    return unprocessed


def _refuse_duplicates(changes: list[list[ItemChange]]) -> None:
    """Reject two changes to one item, even if the request uses two names for its table."""
    items = [(change.table.name, change.key) for batch in changes for change in batch]
    if len(set(items)) < len(items):
        raise ValidationException("Provided list of item keys contains duplicates")
