"""The projections of indexes and the cost of reads and writes, for the model."""

from collections.abc import Iterable
from typing import Any, TypeAlias

from tests.engine.model.operations import Index, Table
from tests.engine.model.values import Item, item_size, order, wire, wire_item

KB = 1024

# Capacity units by the name of an index; None is the table itself.
Units: TypeAlias = dict[str | None, float]


def sort_key(source: Table | Index, item: Item) -> tuple[Any, ...]:
    """Return the attributes by which a query of the table or index sorts."""
    return tuple(order(item[name]) for name in source.sort)


def held(table: Table, index: Index, names: Iterable[Any]) -> set[Any]:
    """Return the attributes that the index projects."""
    if index.included is None:
        return set(names)
    return {*table.key, *index.partition, *index.sort, *index.included}


def entry_of(table: Table, index: Index | None, item: Item | None) -> Item | None:
    """Return the part of an item in a table or an index, or None if it lacks a key of the index."""
    if item is None or index is None:
        return item
    if any(name not in item for name in (*index.partition, *index.sort)):
        return None
    names = held(table, index, item)
    return {name: value for name, value in item.items() if name in names}


def read_units(size: int, *, consistent: bool) -> float:
    """A unit for each 4 KB begun, half of it where the read need not be consistent."""
    units = max(1, -(-size // (4 * KB)))
    return float(units) if consistent else units / 2


def write_units(*items: Item) -> float:
    """A unit for each KB begun of the largest item."""
    return float(max(1, *(-(-item_size(item) // KB) for item in items), 0))


def charge(table: Table, before: Item | None, after: Item | None) -> Units:
    """Return the cost of a write to the table and to each index that it changes."""
    units: Units = {None: write_units(before or {}, after or {})}
    for index in table.indexes:
        old, new = entry_of(table, index, before), entry_of(table, index, after)
        if old == new or (old and new and wire_item(old) == wire_item(new)):
            continue
        keys = (*index.partition, *index.sort)
        if old and new and all(wire(old[name]) == wire(new[name]) for name in keys):
            units[index.name] = write_units(old, new)
        else:
            units[index.name] = sum(write_units(entry) for entry in (old, new) if entry)
    return units


def report(table: Table, units: Units, of: str = "") -> dict[str, Any]:
    """The ConsumedCapacity of a table, in a transaction also by reads or writes."""

    def counted(number: float) -> dict[str, float]:
        return {"CapacityUnits": number} | ({f"{of}CapacityUnits": number} if of else {})

    answer: dict[str, Any] = {"TableName": table.name, **counted(sum(units.values()))}
    answer["Table"] = counted(units[None])
    for index in table.indexes:
        if index.name in units:
            member = f"{'Global' if index.is_global else 'Local'}SecondaryIndexes"
            answer.setdefault(member, {})[index.name] = counted(units[index.name])
    return answer
