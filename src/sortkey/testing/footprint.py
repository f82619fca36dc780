"""What a request touches, so that two that cannot notice each other need only one order."""

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

    def minds(self, other: "Footprint") -> bool:
        """Whether the order of the two can make a difference."""
        return (
            _meet(self.writes, other.writes)
            or _meet(self.writes, other.reads)
            or _meet(self.reads, other.writes)
        )


NOTHING = Footprint()


def _meet(some: frozenset[Place], others: frozenset[Place]) -> bool:
    return any(
        table == other_table and (key is None or other_key is None or key == other_key)
        for table, key in some
        for other_table, other_key in others
    )


def footprint(request: Request, keys: dict[str, tuple[str, ...]]) -> Footprint:
    """What a request touches; ``keys`` has the key attributes of each table."""
    operation, body = request
    if operation in {"Query", "Scan"}:
        # An index follows the whole table, and a partition is not worth telling apart.
        return Footprint(reads=frozenset({(body["TableName"], None)}))
    places = frozenset(
        place_of(table, key, keys) for table, key in touched_items(request, keys)
    ) or frozenset({(body.get("TableName", ""), None)})
    if operation in READS:
        return Footprint(reads=places)
    return Footprint(reads=places, writes=places)


def touched_items(request: Request, keys: dict[str, tuple[str, ...]]) -> list[tuple[str, Item]]:
    """Return the items that a request names, each by its table and its key."""
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
            (table, key) for table, asked in body["RequestItems"].items() for key in asked["Keys"]
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
    """Return where an item is; without the table's keys, the whole table counts as touched."""
    names = keys.get(table, ())
    return table, str([key.get(name) for name in names]) if names else None


def _named(member: dict[str, Any]) -> Item:
    """The item that is put, or the key of the one that is read, changed or deleted."""
    return member.get("Key") or member["Item"]


def _key_of(item: Item, names: tuple[str, ...]) -> Item:
    return {name: item[name] for name in names if name in item}
