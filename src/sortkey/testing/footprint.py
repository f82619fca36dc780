"""What a request touches, so that two that cannot notice each other need only one order."""

from dataclasses import dataclass
from typing import Any, TypeAlias

from sortkey.wire.messages import READS, Request

# A table, and an item's key in it; or the whole table.
_Place: TypeAlias = tuple[str, str | None]

_MEMBERS = ("Get", "Put", "Update", "Delete", "ConditionCheck")


@dataclass(frozen=True, slots=True)
class Footprint:
    """The items that a request reads and writes."""

    reads: frozenset[_Place] = frozenset()
    writes: frozenset[_Place] = frozenset()

    def minds(self, other: "Footprint") -> bool:
        """Whether the order of the two can make a difference."""
        return (
            _meet(self.writes, other.writes)
            or _meet(self.writes, other.reads)
            or _meet(self.reads, other.writes)
        )


NOTHING = Footprint()


def _meet(some: frozenset[_Place], others: frozenset[_Place]) -> bool:
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
    places = frozenset(_places(operation, body, keys))
    if operation in READS:
        return Footprint(reads=places)
    return Footprint(reads=places, writes=places)


def _places(operation: str, body: dict[str, Any], keys: dict[str, tuple[str, ...]]) -> list[_Place]:
    if operation.startswith("Transact"):
        members = [
            member[kind] for member in body["TransactItems"] for kind in _MEMBERS if kind in member
        ]
        return [_place(member, keys) for member in members]
    if operation == "BatchGetItem":
        return [
            (table, _key_text(key, keys.get(table, ())))
            for table, asked in body["RequestItems"].items()
            for key in asked["Keys"]
        ]
    if operation == "BatchWriteItem":
        return [
            (table, _key_text(_batched(member), keys.get(table, ())))
            for table, members in body["RequestItems"].items()
            for member in members
        ]
    if "TableName" in body and ("Key" in body or "Item" in body):
        return [_place(body, keys)]
    return [(body.get("TableName", ""), None)]


def _batched(member: dict[str, Any]) -> dict[str, Any]:
    put = member.get("PutRequest")
    return put["Item"] if put else member["DeleteRequest"]["Key"]


def _place(member: dict[str, Any], keys: dict[str, tuple[str, ...]]) -> _Place:
    table: str = member["TableName"]
    return table, _key_text(member.get("Key") or member["Item"], keys.get(table, ()))


def _key_text(item: dict[str, Any], names: tuple[str, ...]) -> str | None:
    # Without the table's keys, the whole table counts as touched.
    return str([item.get(name) for name in names]) if names else None
