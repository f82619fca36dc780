"""The items that a request uses, so that independent requests are run in only one order."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from sortkey.wire.messages import READS, Request
from sortkey.wire.values import Item

# A table, and an item's key in it; or the whole table.
Place: TypeAlias = tuple[str, str | None]

_MEMBERS = ("Get", "Put", "Update", "Delete", "ConditionCheck")


@dataclass(frozen=True, slots=True)
class Footprint:
    """The items that a request reads and writes."""

    reads: frozenset[Place] = frozenset()
    writes: frozenset[Place] = frozenset()

    def conflicts(self, other: "Footprint") -> bool:
        """Return whether the order of the two requests can make a difference."""
        return (
            _overlap(self.writes, other.writes)
            or _overlap(self.writes, other.reads)
            or _overlap(self.reads, other.writes)
        )


NOTHING = Footprint()


def _overlap(some: frozenset[Place], others: frozenset[Place]) -> bool:
    return any(
        table == other_table and (key is None or other_key is None or key == other_key)
        for table, key in some
        for other_table, other_key in others
    )


def footprint(request: Request, keys: dict[str, tuple[str, ...]]) -> Footprint:
    """Return the footprint of a request; ``keys`` has the key attributes of each table."""
    operation, body = request
    if operation in {"Query", "Scan"}:
        # An index contains items of the whole table; partitions are not distinguished.
        return Footprint(reads=frozenset({(body["TableName"], None)}))
    places = frozenset(
        place_of(table, key, keys) for table, key in touched_items(request, keys)
    ) or frozenset({(body.get("TableName", ""), None)})
    if operation in READS:
        return Footprint(reads=places)
    return Footprint(reads=places, writes=places)


def touched_items(request: Request, keys: dict[str, tuple[str, ...]]) -> list[tuple[str, Item]]:
    """Return the tables and keys of the items that a request names."""
    operation, body = request
    members: list[tuple[str, Item]] = []
    if operation.startswith("Transact"):
        members = [
            (member[kind]["TableName"], _named(member[kind]))
            for member in body["TransactItems"]
            for kind in _MEMBERS
            if kind in member
        ]
    elif operation == "BatchGetItem":
        members = [
            (table, key) for table, read in body["RequestItems"].items() for key in read["Keys"]
        ]
    elif operation == "BatchWriteItem":
        members = [
            (table, _named(member))
            for table, written in body["RequestItems"].items()
            for put_or_delete in written
            for member in put_or_delete.values()
        ]
    elif "Key" in body or "Item" in body:
        members = [(body["TableName"], _named(body))]
    return [(table, _key_of(item, keys.get(table, ()))) for table, item in members]


def place_of(table: str, key: Item, keys: dict[str, tuple[str, ...]]) -> Place:
    """Return the place of an item; if the table's keys are not known, the whole table."""
    names = keys.get(table, ())
    return table, str([key.get(name) for name in names]) if names else None


def _named(member: dict[str, Any]) -> Item:
    """Return the item that is put, or the key of one that is read, updated or deleted."""
    return member.get("Key") or member["Item"]


def _key_of(item: Item, names: tuple[str, ...]) -> Item:
    return {name: item[name] for name in names if name in item}
