"""Unique fields: a lock record holds each value, written in the same transaction as its owner.

The lock expires with its owner, so it is never left behind alive, and an expired one counts as
absent. It names its owner, so that only the owner's writes move or remove it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sortkey.errors import NotUnique, VersionConflict
from sortkey.expressions.tree import (
    AttributeNotExists,
    Compare,
    Or,
    Path,
    Remove,
    Set,
    Update,
    Value,
)
from sortkey.operations.action import Action, Guard, action, is_absent
from sortkey.operations.kind import Kind, Unique
from sortkey.operations.plan import Step
from sortkey.wire.values import AttributeValue, Item

# Not a name that a field is likely to have: the lock is in every index keyed on its attributes.
OWNER = "_owner"
LOCK = "unique lock"


def fields(kind: Kind[Any], uniques: Iterable[Unique]) -> frozenset[str]:
    """The fields that say which locks a record has, and how long."""
    expires = () if kind.expires_field is None else (kind.expires_field,)
    return frozenset((*(unique.field for unique in uniques), *expires))


def take(
    kind: Kind[Any], unique: Unique, key: Mapping[str, Value], stored: Item, now: float
) -> Iterator[Action]:
    """The lock of a record that is about to be stored, if its field has a value."""
    value = _held(unique, stored)
    if value is not None:
        yield _take(kind, unique, value, key, time=_time(kind, stored), now=now)


def claim(
    kind: Kind[Any],
    unique: Unique,
    keys: tuple[Mapping[str, Value], Mapping[str, Value]],
    stored: Item,
    now: float,
) -> Iterator[Action]:
    """The lock of a record that may hold it already, under its key of before or of now."""
    before, after = keys
    for taken in take(kind, unique, after, stored, now):
        [guard] = taken.guards
        mine = Or((guard.condition, _is_owner(before), _is_owner(after)))
        yield action(
            "PutItem", kind, taken.key, (replace(guard, condition=mine),), item=taken.step.item
        )


def move(
    kind: Kind[Any],
    unique: Unique,
    key: Mapping[str, Value],
    before: Item,
    *,
    after: Item,
    now: float,
) -> Iterator[Action]:
    """What happens to the lock when the record's field, or its expiry, changes."""
    old, new = _held(unique, before), _held(unique, after)
    time = _time(kind, after)
    if old == new:
        if old is not None and _time(kind, before) != time:
            yield _postpone(kind, unique, old, key, time)
        return
    if old is not None:
        yield _release(kind, unique, old, key)
    if new is not None:
        yield _take(kind, unique, new, key, time=time, now=now)


def kept_steps(kind: Kind[Any], key: Mapping[str, Value], before: Item) -> tuple[Step, ...]:
    """What a write sends for locks that it turns out to keep, where they expire with the record."""
    if kind.expires is None:
        return ()
    held = [(unique, _held(unique, before)) for unique in kind.uniques]
    time = _time(kind, before)
    return tuple(
        _postpone(kind, unique, value, key, time).step
        for unique, value in held
        if value is not None
    )


def release(
    kind: Kind[Any], unique: Unique, key: Mapping[str, Value], stored: Item
) -> Iterator[Action]:
    """The removal of the lock of a record that is about to be removed."""
    value = _held(unique, stored)
    if value is not None:
        yield _release(kind, unique, value, key)


def _take(
    kind: Kind[Any],
    unique: Unique,
    value: AttributeValue,
    key: Mapping[str, Value],
    *,
    time: AttributeValue | None,
    now: float,
) -> Action:
    lock = unique.lock_key(value)
    item = {name: part.value for name, part in lock.items()} | {OWNER: _owner(key).value}
    if kind.type_attribute is not None:
        item[kind.type_attribute] = {"S": LOCK}
    if kind.expires is not None and time is not None:
        item[kind.expires] = time
    guard = Guard(
        is_absent(kind, now).condition,
        NotUnique,
        f"another {kind.name} has this {unique.field} already",
        unique.field,
    )
    return action("PutItem", kind, lock, (guard,), item=item)


def _release(
    kind: Kind[Any], unique: Unique, value: AttributeValue, key: Mapping[str, Value]
) -> Action:
    # DynamoDB may have removed an expired lock before its owner.
    nobody = AttributeNotExists(Path((kind.key_names[0],)))
    guard = _changed(kind, Or((nobody, _is_owner(key))))
    return action("DeleteItem", kind, unique.lock_key(value), (guard,))


def _postpone(
    kind: Kind[Any],
    unique: Unique,
    value: AttributeValue,
    key: Mapping[str, Value],
    time: AttributeValue | None,
) -> Action:
    path = Path((kind.expires or "",))
    update = Update((Remove(path) if time is None else Set(path, Value(time)),))
    guard = _changed(kind, _is_owner(key))
    return action("UpdateItem", kind, unique.lock_key(value), (guard,), update=update)


def _changed(kind: Kind[Any], condition: Compare | Or) -> Guard:
    return Guard(
        condition,
        VersionConflict,
        f"the {kind.name} that holds {{key}} was changed since it was loaded; load it again",
    )


def _held(unique: Unique, stored: Item) -> AttributeValue | None:
    """The value that a lock is held for; several records may have none."""
    value = stored.get(unique.stored)
    return None if value is None or "NULL" in value else value


def _is_owner(key: Mapping[str, Value]) -> Compare:
    return Compare("=", Path((OWNER,)), _owner(key))


def _owner(key: Mapping[str, Value]) -> Value:
    return Value({"M": {name: part.value for name, part in key.items()}})


def _time(kind: Kind[Any], stored: Item) -> AttributeValue | None:
    return None if kind.expires is None else stored.get(kind.expires)
