"""Unique fields: each value has a lock record, written in the same transaction as its owner.

The lock expires with its owner, so it never outlives it, and an expired lock counts as absent. It
names its owner, so that only the owner's writes move or delete it.

Two records that were stored before their field became unique may share a value, which only one of
them can own. The other can be deleted, or get another value; the lock then stays as it is.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from sortkey.errors import NotUnique, VersionConflict
from sortkey.expressions.tree import (
    AttributeNotExists,
    Compare,
    Condition,
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

# An unlikely name for a field: a lock appears in every index whose keys it has.
OWNER = "_owner"
LOCK = "unique lock"

_LockedValue: TypeAlias = tuple[AttributeValue, ...]


def fields(kind: Kind[Any], uniques: Iterable[Unique]) -> frozenset[str]:
    """Return the fields that decide which locks a record has, and when they expire."""
    expires = () if kind.expires_field is None else (kind.expires_field,)
    return frozenset((*(field for unique in uniques for field in unique.fields), *expires))


def take(
    kind: Kind[Any], unique: Unique, key: Mapping[str, Value], stored: Item, now: float
) -> Iterator[Action]:
    """Lock the value of a record that is about to be stored, if its field has one."""
    value = _locked_value(unique, stored)
    if value is not None:
        yield _take(kind, unique, value, key, time=_time(kind, stored), now=now)


def claim(
    kind: Kind[Any],
    unique: Unique,
    keys: tuple[Mapping[str, Value], Mapping[str, Value]],
    stored: Item,
    now: float,
) -> Iterator[Action]:
    """Lock the value of a record that may already own it, under its old or its new key."""
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
    """Move the lock when the record's field changes, or update when it expires."""
    old, new = _locked_value(unique, before), _locked_value(unique, after)
    time = _time(kind, after)
    if old == new:
        if old is not None and _time(kind, before) != time:
            yield _postpone(kind, unique, old, key, time)
        return
    if old is not None:
        yield _release(kind, unique, old, key)
    if new is not None:
        yield _take(kind, unique, new, key, time=time, now=now)


def is_kept(unique: Unique, before: Item, after: Item) -> bool:
    """Return whether a write leaves a unique value as it is."""
    return _locked_value(unique, before) == _locked_value(unique, after)


def kept_steps(kind: Kind[Any], key: Mapping[str, Value], before: Item) -> tuple[Step, ...]:
    """Return the writes that keep a record's locks, if these expire with the record."""
    if kind.expires is None:
        return ()
    locked = [(unique, _locked_value(unique, before)) for unique in kind.uniques]
    time = _time(kind, before)
    return tuple(
        _postpone(kind, unique, value, key, time).step
        for unique, value in locked
        if value is not None
    )


def release(
    kind: Kind[Any], unique: Unique, key: Mapping[str, Value], stored: Item
) -> Iterator[Action]:
    """Delete the lock of a record that is about to be deleted."""
    value = _locked_value(unique, stored)
    if value is not None:
        yield _release(kind, unique, value, key)


def _take(
    kind: Kind[Any],
    unique: Unique,
    value: _LockedValue,
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
    guard = _taken(kind, unique, is_absent(kind, now).condition)
    return action("PutItem", kind, lock, (guard,), item=item)


def _release(
    kind: Kind[Any], unique: Unique, value: _LockedValue, key: Mapping[str, Value]
) -> Action:
    # DynamoDB may have removed an expired lock before its owner.
    absent = AttributeNotExists(Path((kind.key_names[0],)))
    lock = unique.lock_key(value)
    release = action("DeleteItem", kind, lock, (_changed(kind, Or((absent, _is_owner(key)))),))
    # Another owner means that two records had the value when the field became unique: the write
    # requires that the record still has it. Then the lock stays, as long as the other owns it.
    leave = action("ConditionCheck", kind, lock, (_changed(kind, _is_not_owner(key)),))
    return replace(release, otherwise=leave)


def _postpone(
    kind: Kind[Any],
    unique: Unique,
    value: _LockedValue,
    key: Mapping[str, Value],
    time: AttributeValue | None,
) -> Action:
    path = Path((kind.expires or "",))
    update = Update((Remove(path) if time is None else Set(path, Value(time)),))
    guard = _changed(kind, _is_owner(key))
    postpone = action("UpdateItem", kind, unique.lock_key(value), (guard,), update=update)
    absent = AttributeNotExists(Path((kind.key_names[0],)))
    # The second guard alone is the condition; the first one only says why it does not hold.
    shared = _taken(kind, unique, Or((absent, _is_owner(key))))
    return replace(postpone, guards=(shared, guard))


def _taken(kind: Kind[Any], unique: Unique, condition: Condition) -> Guard:
    return Guard(
        condition,
        NotUnique,
        f"another {kind.name} already has this {unique.field}{_scope(unique)}",
        unique.field,
    )


def _scope(unique: Unique) -> str:
    return f" within its {' and '.join(unique.within)}" if unique.within else ""


def _changed(kind: Kind[Any], condition: Compare | Or) -> Guard:
    return Guard(
        condition,
        VersionConflict,
        f"the {kind.name} that owns {{key}} was changed after it was loaded: load it again",
    )


def _locked_value(unique: Unique, stored: Item) -> _LockedValue | None:
    """Return the scope and value to lock, or None: any number of records may have no value."""
    values = [stored.get(name) for name in unique.attributes]
    present = tuple(value for value in values if value is not None and "NULL" not in value)
    return present if len(present) == len(values) else None


def _is_owner(key: Mapping[str, Value]) -> Compare:
    return Compare("=", Path((OWNER,)), _owner(key))


def _is_not_owner(key: Mapping[str, Value]) -> Or:
    path = Path((OWNER,))
    return Or((AttributeNotExists(path), Compare("<>", path, _owner(key))))


def _owner(key: Mapping[str, Value]) -> Value:
    return Value({"M": {name: part.value for name, part in key.items()}})


def _time(kind: Kind[Any], stored: Item) -> AttributeValue | None:
    return None if kind.expires is None else stored.get(kind.expires)
