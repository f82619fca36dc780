"""Promises: the guarantees that entities declare, checked on the items before and after a write."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from sortkey.design.declaring.claim import Claim
from sortkey.design.declaring.design import Design
from sortkey.design.records.kind import EntityKind
from sortkey.prove.values import NOW
from sortkey.wire.values import Item
from sortkey.wording.prose import a

# A table, and an item's key in it.
Where: TypeAlias = tuple[str, str]
Stored: TypeAlias = Mapping[Where, Item]

PromiseName: TypeAlias = Literal["is unique", "has a version", "is immutable", "keeps its identity"]

# How to keep each promise.
CHANGES: Mapping[PromiseName, str] = {
    "is unique": "Write it with create() or replace(), which lock the value in a transaction",
    "has a version": "Write with a condition on the loaded version, and increment the version",
    "is immutable": "Write with the condition attribute_not_exists on the key, as create() does",
    "keeps its identity": (
        "Put the fields of identity= into the key, or write with the condition "
        "attribute_not_exists on the key"
    ),
}


@dataclass(frozen=True, slots=True)
class Promise:
    """One promise of an entity, about one field or the whole record."""

    kind: EntityKind[Any]
    name: PromiseName
    field: str = ""

    def __str__(self) -> str:
        return f"{self.kind.name}{'.' if self.field else ''}{self.field} {self.name}"


def promises(design: Design) -> Iterator[Promise]:
    """Yield every promise of a design's entities, which every write has to keep."""
    for kind in design.kinds:
        yield from promises_of(kind)


def promises_of(kind: EntityKind[Any]) -> Iterator[Promise]:
    """Yield every promise of an entity."""
    yield from (Promise(kind, "is unique", unique.field) for unique in kind.uniques)
    if kind.version_field is not None:
        yield Promise(kind, "has a version", kind.version_field)
    if kind.immutable:
        yield Promise(kind, "is immutable")
    yield from (Promise(kind, "is immutable", name) for name in sorted(kind.frozen_fields))
    if kind.identity:
        yield Promise(kind, "keeps its identity")


def broken(promise: Promise, before: Stored, after: Stored) -> str:
    """Return how the items after a write break a promise; empty if they keep it."""
    kind = promise.kind
    own = {where: item for where, item in after.items() if _is_own(kind, where, item)}
    old = {where: item for where, item in before.items() if _is_own(kind, where, item)}
    match promise.name:
        case "is unique":
            return _shared(promise, own)
        case "has a version":
            return _unversioned(promise, old, own)
        case "is immutable":
            return _changed(promise, old, own)
        case "keeps its identity":
            return _replaced(promise, old, own)


def _is_own(kind: EntityKind[Any], where: Where, item: Item) -> bool:
    """Return whether an item is a record of an entity and has not expired."""
    if where[0] != kind.table.name_in("dev") or not kind.is_mine(item):
        return False
    end = None if kind.expires is None else item.get(kind.expires)
    return end is None or int(str(end["N"])) > NOW.timestamp()


def _shared(promise: Promise, own: Stored) -> str:
    [unique] = [one for one in promise.kind.uniques if one.field == promise.field]
    seen: dict[str, Where] = {}
    for where, item in own.items():
        if not all(name in item for name in unique.attributes):
            continue
        first = seen.setdefault(str([item[name] for name in unique.attributes]), where)
        if first != where:
            return f"{promise.field} is unique, but two {promise.kind.name} records share a value"
    return ""


def _unversioned(promise: Promise, before: Stored, own: Stored) -> str:
    name = promise.kind.stored_names[promise.field]
    for where, item in own.items():
        old = before.get(where)
        if old is not None and item != old and _number(item, name) <= _number(old, name):
            return (
                f"{a(promise.kind.name)} was changed but its {promise.field} was not incremented, "
                "so a caller that loaded it earlier would overwrite the change"
            )
    return ""


def _number(item: Item, name: str) -> int:
    return int(str(next(iter(item.get(name, {"N": "0"}).values()))))


def _changed(promise: Promise, before: Stored, own: Stored) -> str:
    names: Sequence[str] = [promise.kind.stored_names[promise.field]] if promise.field else []
    for where, item in own.items():
        old = before.get(where)
        if old is None:
            continue
        looked = names or [*old, *item]
        if any(old.get(name) != item.get(name) for name in looked):
            return f"{promise} but was changed"
    return ""


def _replaced(promise: Promise, before: Stored, own: Stored) -> str:
    names = [promise.kind.stored_names[name] for name in promise.kind.identity]
    for where, item in own.items():
        old = before.get(where)
        if old is not None and any(old.get(name) != item.get(name) for name in names):
            return f"one {promise.kind.name} overwrites another with the same key"
    return ""


def is_claim(kind: EntityKind[Any]) -> bool:
    """Return whether an entity is a claim, whose work is done once."""
    return issubclass(kind.model, Claim)
