"""BatchWriteItem: up to 25 items of any tables put or deleted, each for itself."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, NotRequired, TypedDict

from sortkey.engine.changes import TOO_LARGE, Change, delete_change
from sortkey.engine.database import Database
from sortkey.engine.named_tables import ByTable
from sortkey.engine.parameters import CollectionMetrics, ConsumedCapacity
from sortkey.engine.shapes import shown_json
from sortkey.engine.table import Table
from sortkey.engine.tally import Tally, Touched, collections_touched
from sortkey.wire.errors import ValidationException
from sortkey.wire.limits import BATCH_WRITE_REQUESTS, ITEM_BYTES
from sortkey.wire.values import TWO_TYPES, AttributeValue, Item, read_item


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
    """The request, its members in the order in which DynamoDB complains about them."""

    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    ReturnItemCollectionMetrics: NotRequired[CollectionMetrics]
    RequestItems: Annotated[dict[str, list[WriteRequest]], ByTable()]


class _Write(NamedTuple):
    """An item to put, with its size, or the key of one to delete."""

    item: Item
    size: int
    deletes: bool


def batch_write_item(db: Database, request: BatchWriteItem) -> dict[str, Any]:
    """What was not written, which is nothing, and what the request asks to know."""
    batches = request["RequestItems"]
    _refuse_counts(batches)
    writes = {name: [_read(each) for each in batch] for name, batch in batches.items()}

    with db.transaction():
        tables = [db.table(name) for name in writes]
        changes = [
            _plan(db, table, batch) for table, batch in zip(tables, writes.values(), strict=True)
        ]
        _refuse_duplicates(changes)
        for batch in changes:
            for change in batch:
                change.make(db)
        tally = Tally(request)
        if tally.asked:
            for name, table, batch in zip(writes, tables, changes, strict=True):
                for change in batch:
                    change.charge(tally.usage(table, name))
        touched = (
            Touched(name, change.table, change.key, write.item)
            for (name, batch), planned in zip(writes.items(), changes, strict=True)
            for write, change in zip(batch, planned, strict=True)
        )
        answer: dict[str, Any] = {"UnprocessedItems": {}}
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


def _read(write: WriteRequest) -> _Write:
    put = write.get("PutRequest")
    if put is None:
        return _Write(*read_item(write.get("DeleteRequest", {}).get("Key", {})), deletes=True)
    item, size = read_item(put["Item"])
    if size > ITEM_BYTES:
        raise ValidationException(TOO_LARGE)
    return _Write(item, size, deletes=False)


def _plan(db: Database, table: Table, batch: list[_Write]) -> list[Change]:
    """The changes to one table; nothing is written yet."""
    names = table.rows.names
    # Only the indexes need to know what was there; without them its size is enough.
    before = db.get if table.indexes else db.measure
    changes: list[Change] = []
    for item, size, deletes in batch:
        if deletes:
            key = table.key_of(item)
            change = delete_change(table, key, before(table, key))
        else:
            # A key that does not fit is refused in other words than PutItem has for it.
            key = table.key_of({name: item[name] for name in names if name in item})
            table.refuse_index_keys(item)
            change = Change(table, key, before(table, key), item, size)
        changes.append(change)
    return changes


def _refuse_duplicates(changes: list[list[Change]]) -> None:
    """Refuse two changes to one item, also where the request has two names for its table."""
    items = [(change.table.name, change.key) for batch in changes for change in batch]
    if len(set(items)) < len(items):
        raise ValidationException("Provided list of item keys contains duplicates")
