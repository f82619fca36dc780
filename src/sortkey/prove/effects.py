"""The expected effect of a write on plain records: a refusal, or the records after it.

It is derived from the operation's record, changes and conditions over fields, never from the
requests that are sent to DynamoDB.
"""

import inspect
import re
from ast import literal_eval
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias, cast

from pydantic import BaseModel, ValidationError

from sortkey.design.declaring.claim import Finish, Release, Take
from sortkey.design.declaring.entity import Entity
from sortkey.design.raw.operation import RawOperation
from sortkey.design.records.kind import EntityKind
from sortkey.operations.action import Guard
from sortkey.operations.batch import BatchWrite
from sortkey.operations.change import FieldChange
from sortkey.operations.delete import Check, Delete
from sortkey.operations.kind import Unique
from sortkey.operations.operation import Operation, Returning
from sortkey.operations.origin import Filled
from sortkey.operations.plan import Step
from sortkey.operations.put import Put
from sortkey.operations.transact import Transaction
from sortkey.operations.update import Changes, Update
from sortkey.operations.upsert import Upsert
from sortkey.operations.write import Write
from sortkey.prove.fields import holds
from sortkey.prove.meaning import NoMeaning
from sortkey.prove.state import Identity, RecordState, identity_of

_ABSENT = "the record does not exist"
_PRESENT = "the record already exists"
_FALSE = "its condition is false"
_CHANGED = "the record has changed since it was loaded"
_HELD = "another record has the same value in a unique field"
_FROZEN = "it would change an immutable field"
_TWICE = "two of its writes target the same record"
_CLAIM = "the result of a claim depends on which caller is first: see its `safe` verdict"
_READS = frozenset({"GetItem", "Query", "Scan"})
# The writes that are meant for a stored record.
_CHANGES = frozenset({"UpdateItem", "DeleteItem"})
_STEP = re.compile(r"\.?([A-Za-z_]\w*)|\[([^\]]+)\]")


class Impossible(Exception):  # noqa: N818 - says what it is
    """A change that is impossible for some record that can be stored."""


@dataclass(frozen=True, slots=True)
class ExpectedRefusal:
    """The write should be refused, for this reason, and nothing should change."""

    reason: str


@dataclass(frozen=True, slots=True)
class Effect:
    """The records after a write, and its expected result; None if any result is right."""

    state: RecordState
    result: Any = None


Expected: TypeAlias = Effect | ExpectedRefusal
SingleWrite: TypeAlias = Put[Any] | Update[Any] | Upsert[Any] | Delete[Any] | Check[Any]


def is_write(operation: Operation[Any]) -> bool:
    """Return whether an operation writes records."""
    if isinstance(operation, Returning):
        return is_write(operation._operation)
    return isinstance(operation, Write | Transaction | BatchWrite | Finish | Take | Release)


def writes_of(operation: Operation[Any]) -> Sequence[SingleWrite]:
    """Return the single writes of an operation; empty for a read."""
    match operation:
        case Returning(inner):
            return writes_of(inner)
        case Transaction(writes) | BatchWrite(writes):
            return cast("Sequence[SingleWrite]", writes)
        case Finish():
            return cast("Sequence[SingleWrite]", operation._transaction.writes)
        case Put() | Update() | Upsert() | Delete() | Check():
            return cast("Sequence[SingleWrite]", (operation,))
        case _:
            return ()


def effect(operation: Operation[Any], state: RecordState) -> Expected:
    """Return the expected effect of a write; raise `NoMeaning` if it cannot be derived."""
    match operation:
        case Returning(inner, result):
            return _with_result(effect(inner, state), result)
        case Transaction(writes):
            return _all_or_none(writes, state)
        case BatchWrite():
            return _one_by_one(writes_of(operation), state)
        case Finish():
            done = _all_or_none(writes_of(operation), state)
            return _with_result(done, operation._result)
        case Take() | Release():
            raise NoMeaning(_CLAIM)
        case _:
            return _single_effect(cast("Write[Any]", operation), state)


def _with_result(expected: Expected, result: Any) -> Expected:
    return expected if isinstance(expected, ExpectedRefusal) else Effect(expected.state, result)


def is_raw_write(operation: Operation[Any]) -> bool:
    """Return whether an operation is a raw request that writes records."""
    return isinstance(operation, RawOperation) and any(
        step.verb not in _READS for step in operation._parts
    )


@dataclass(frozen=True, slots=True)
class RawEffect:
    """The records after a raw write, as becomes= states them, and whether it may be refused.

    ``changes`` has the positions of its updates and deletes, ``met`` those that met a record.
    """

    state: RecordState
    may_be_refused: bool
    changes: frozenset[int]
    met: frozenset[int]


def raw_effect(
    operation: RawOperation, arguments: Mapping[str, Any], state: RecordState
) -> RawEffect:
    """Return the expected effect of a raw write.

    Raises `NoMeaning` if the pattern does not state it, and `Refused` if it states a record that
    cannot be stored.
    """
    after, may_be_refused = state.copy(), False
    changes, met = set[int](), set[int]()
    for place, (request, step) in enumerate(
        zip(operation._requests, operation._parts, strict=True)
    ):
        if step.verb == "ConditionCheck":
            may_be_refused = True
            continue
        becomes = request.becomes
        if becomes is None:
            raise NoMeaning("it is a raw write without becomes=, so its effect is not stated")
        before = _stored_at(step, request.kinds, state)
        if step.verb in _CHANGES:
            changes.add(place)
            met |= set() if before is None else {place}
            before = before or _named(request.kinds, arguments, state)
        record = _stated_record(becomes, before, arguments)
        may_be_refused |= record == before
        if before is not None:
            after.remove(identity_of(before.__kind__, before.__dict__))
        if record is not None:
            record.__kind__.encode(record)
            after.put(record)
    return RawEffect(after, may_be_refused, frozenset(changes), frozenset(met))


def _named(
    kinds: Sequence[EntityKind[Any]], arguments: Mapping[str, Any], state: RecordState
) -> Entity | None:
    """Return the record that the arguments name by all fields of its key, or None."""
    for kind in kinds:
        fields = kind.primary.all_fields
        if fields and all(name in arguments for name in fields):
            for record in state.of(kind, expired=True):
                if all(getattr(record, name) == arguments[name] for name in fields):
                    return record
    return None


def _stored_at(step: Step, kinds: Sequence[EntityKind[Any]], state: RecordState) -> Entity | None:
    """Return the record at the key that a step writes to, or None."""
    stored = step.item or {name: value.value for name, value in (step.key or {}).items()}
    place = {name: stored.get(name) for name in step.table.key_names}
    for kind in kinds:
        for record in state.of(kind, expired=True):
            key = kind.key_of(record)
            if {name: value.value for name, value in key.items()} == place:
                return record
    return None


def _stated_record(
    becomes: Callable[..., Any], before: Entity | None, arguments: Mapping[str, Any]
) -> Entity | None:
    names = list(inspect.signature(becomes).parameters)[1:]
    try:
        return becomes(before, **{name: arguments[name] for name in names})
    except Exception as error:
        why = f"its becomes= raises {type(error).__name__} ({error}) for {before!r}"
        raise Impossible(why) from error


def _single_effect(write: Write[Any], state: RecordState) -> Expected:
    match write:
        case Put():
            return _put(write, state)
        case Update():
            return _update(write, state)
        case Upsert():
            return _upsert(write, state)
        case Delete():
            return _delete(cast("Delete[Any]", write), state)
        case _:
            return _check(cast("Check[Any]", write), state)


def _all_or_none(writes: Iterable[Write[Any]], before: RecordState) -> Expected:
    """Apply all of the writes to the records as they were, or none of them."""
    after, seen = before.copy(), list[Identity]()
    for write in writes:
        identity = identity_of_write(write)
        if identity in seen:
            return ExpectedRefusal(_TWICE)
        seen.append(identity)
        done = _single_effect(write, before)
        if isinstance(done, ExpectedRefusal):
            return done
        changed = done.state.records.get(identity)
        if changed is None:
            after.remove(identity)
        else:
            after.records[identity] = changed
    return Effect(after)


def _one_by_one(writes: Iterable[Write[Any]], before: RecordState) -> Expected:
    state = before
    for write in writes:
        done = _single_effect(write, state)
        if isinstance(done, ExpectedRefusal):
            return done
        state = done.state
    return Effect(state)


def identity_of_write(write: Write[Any]) -> Identity:
    """Return the identity of the record that a write targets."""
    return identity_of(_kind(write), known_fields(write))


def known_fields(write: Write[Any]) -> Mapping[str, Any]:
    """Return the fields of a write's record that are known before it is read: at least its key."""
    match write:
        case Put():
            return write.record.__dict__
        case Changes():
            return write._known
        case _:
            key = cast("Delete[Any] | Check[Any]", write)._key
            origins = [value.origin for value in key.values()]
            return {k: v for o in origins if isinstance(o, Filled) for k, v in o.bound.items()}


def _kind(write: Any) -> EntityKind[Any]:
    return cast("EntityKind[Any]", write._kind)


# Single writes.


def creates(put: Put[Any]) -> bool:
    """Return whether a put succeeds only if no record is stored at its key."""
    is_new = _kind(put).version is not None and put._loaded_version == 0
    return put._mode == "create" or (put._mode == "put" and is_new)


def _put(put: Put[Any], state: RecordState) -> Expected:
    kind, identity = _kind(put), identity_of_write(put)
    living = state.living(identity)
    versioned = kind.version is not None
    if creates(put) and living is not None:
        return ExpectedRefusal(_PRESENT)
    if not creates(put) and (versioned or put._mode == "replace"):
        if living is None:
            return ExpectedRefusal(_ABSENT)
        if versioned and _version(kind, living) != put._loaded_version:
            return ExpectedRefusal(_CHANGED)
        if put._before is not None and _differs(living, put._before, _locking(kind)):
            return ExpectedRefusal(_CHANGED)
    if living is not None and _differs(living, put.record, kind.frozen_fields):
        return ExpectedRefusal(_FROZEN)
    return (
        _false(put._conditions, identity, state)
        or _not_unique(put.record, put._before, identity, state)
        or _stored(put.record, state, put.record)
    )


def _update(update: Update[Any], state: RecordState) -> Expected:
    kind, identity = _kind(update), identity_of_write(update)
    living, loaded = state.living(identity), update._loaded
    if living is None:
        return ExpectedRefusal(_ABSENT)
    if loaded is not None and _moved(update, living, loaded):
        return ExpectedRefusal(_CHANGED)
    refused = _false(update._conditions, identity, state)
    if refused is not None:
        return refused
    after = _after(kind, update._changes, dict(living.__dict__), update._time)
    if isinstance(after, ExpectedRefusal):
        return after
    return _not_unique(after, loaded, identity, state) or _stored(after, state, after)


def _upsert(upsert: Upsert[Any], state: RecordState) -> Expected:
    kind, identity = _kind(upsert), identity_of_write(upsert)
    living = state.living(identity)
    refused = _unmet(upsert._conditions, living, kind)
    if refused is not None:
        return refused
    values = dict(living.__dict__) if living else {**kind.defaults(), **upsert._known}
    if living is None and kind.created_field is not None:
        values[kind.created_field] = kind.moment(kind.created_field, upsert._time)
    after = _after(kind, upsert._changes, values, upsert._time)
    return after if isinstance(after, ExpectedRefusal) else _stored(after, state, after)


def _delete(delete: Delete[Any], state: RecordState) -> Expected:
    kind, identity = _kind(delete), identity_of_write(delete)
    living, loaded = state.living(identity), delete._loaded
    versioned = kind.version is not None and not delete._erases
    tied = loaded is not None and (versioned or bool(kind.uniques))
    if living is None and (delete._required or tied):
        return ExpectedRefusal(_ABSENT)
    if loaded is not None and living is not None:
        changed = versioned and _version(kind, living) != _version(kind, loaded)
        if changed or _differs(living, loaded, _unique_fields(kind)):
            return ExpectedRefusal(_CHANGED)
    refused = _false(delete._conditions, identity, state)
    if refused is not None:
        return refused
    after = state.copy()
    after.remove(identity)
    # If the record changed since it was loaded, either version is a right result.
    return Effect(after, living if loaded in (None, living) else None)


def _check(check: Check[Any], state: RecordState) -> Expected:
    kind, identity = _kind(check), identity_of_write(check)
    living, loaded = state.living(identity), check._loaded
    if (living is not None) is check._absent:
        return ExpectedRefusal(_PRESENT if check._absent else _ABSENT)
    if (
        loaded is not None
        and living is not None
        and _version(kind, living) != _version(kind, loaded)
    ):
        return ExpectedRefusal(_CHANGED)
    return _false(check._conditions, identity, state) or Effect(state)


# Reasons for a refusal.


def _false(
    guards: Sequence[Guard], identity: Identity, state: RecordState
) -> ExpectedRefusal | None:
    """Return a refusal if a condition is false for the stored record, even an expired one."""
    return _unmet(guards, state.records.get(identity), identity[0])


def _unmet(
    guards: Sequence[Guard], record: Entity | None, kind: EntityKind[Any]
) -> ExpectedRefusal | None:
    met = all(holds(guard.condition, record, kind) for guard in guards)
    return None if met else ExpectedRefusal(_FALSE)


def _not_unique(
    record: Entity, before: Entity | None, identity: Identity, state: RecordState
) -> ExpectedRefusal | None:
    kind = identity[0]
    for unique in kind.uniques:
        value = _held(record, unique)
        if value is None or (before is not None and _held(before, unique) == value):
            continue
        for other in state.of(kind, expired=kind.expires_field is None):
            own = identity_of(kind, other.__dict__)
            if own != identity and _held(other, unique) == value:
                return ExpectedRefusal(_HELD)
    return None


def _held(record: Entity, unique: Unique) -> tuple[Any, ...] | None:
    """Return the scope and the value that must be unique; None if there is no value."""
    values = tuple(getattr(record, name) for name in (*unique.within, unique.field))
    return None if None in values else values


def _moved(update: Update[Any], living: Entity, loaded: Entity) -> bool:
    """Return whether fields that the update relies on have changed since the record was loaded."""
    kind, touched = _kind(update), set(update._touched())
    if kind.version is not None and _version(kind, living) != _version(kind, loaded):
        return True
    tied = {n for entry in kind.entries if entry.fields & touched for n in entry.fields}
    tied -= touched | kind.key_fields
    locking = _locking(kind)
    return _differs(living, loaded, sorted(tied | locking if touched & locking else tied))


def _differs(one: Entity, other: Entity, names: Iterable[str]) -> bool:
    return any(getattr(one, name) != getattr(other, name) for name in names)


def _unique_fields(kind: EntityKind[Any]) -> list[str]:
    return sorted({name for unique in kind.uniques for name in unique.fields})


def _locking(kind: EntityKind[Any]) -> set[str]:
    """Return the fields that decide which locks a record holds, and for how long."""
    uniques = set(_unique_fields(kind))
    expires = {kind.expires_field} if uniques and kind.expires_field else set[str]()
    return uniques | expires


def _version(kind: EntityKind[Any], record: Entity) -> int:
    return 0 if kind.version_field is None else getattr(record, kind.version_field)


def _stored(record: Entity, before: RecordState, result: Any) -> Effect:
    after = before.copy()
    after.put(record)
    return Effect(after, result)


# Changes.


def _after(
    kind: EntityKind[Any], changes: Sequence[FieldChange], before: Mapping[str, Any], time: float
) -> Entity | ExpectedRefusal:
    """Return the changed record, or a refusal if it would no longer be valid."""
    values = dict(before)
    for change in changes:
        values[change.place.field] = _changed(kind, change, values)
    if kind.version_field is not None:
        values[kind.version_field] = values.get(kind.version_field, 0) + 1
    if kind.updated_field is not None:
        values[kind.updated_field] = datetime.fromtimestamp(time, UTC)
    try:
        return kind.model.model_validate(values, by_name=True)
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"])) or kind.name
        return ExpectedRefusal(
            f"the record would no longer be a valid {kind.name} ({where}: {fault['msg']})"
        )


def _changed(kind: EntityKind[Any], change: FieldChange, values: Mapping[str, Any]) -> Any:
    field = change.place.field
    if not change.place.is_whole:
        return _changed_inside(change, deepcopy(values.get(field)))
    held = values.get(field)
    match change.verb:
        case "set":
            return change.value
        case "remove":
            return _left_out(kind, field)
        case "add":
            start = kind.defaults().get(field) if held is None else held
            return change.value if not start else start + change.value
        case "append":
            return [*(held or ()), *change.value]
        case "include":
            return {*(held or ()), *change.value}
        case "exclude":
            return {*(held or ())} - {*change.value}


def _left_out(kind: EntityKind[Any], field: str) -> Any:
    """Return the value of a field that is not stored."""
    if field in kind.defaults():
        return kind.defaults()[field]
    return set[Any]() if kind.codec.fields[field].omits_empty else None


def _changed_inside(change: FieldChange, held: Any) -> Any:
    """Return the value of a field with a change inside it."""
    steps = [name or literal_eval(index) for name, index in _STEP.findall(change.place.shown)][1:]
    *way, last = steps
    inner = held
    for step in way:
        inner = getattr(inner, step) if isinstance(inner, BaseModel) else inner[step]
    if inner is None:
        raise Impossible(f"it changes {change.place.shown}, but the value around it may be None")
    value: Any = change.value
    if isinstance(inner, BaseModel):
        setattr(inner, last, getattr(inner, last) + value if change.verb == "add" else value)
    elif change.verb == "remove":
        del inner[last]
    elif change.verb == "add":
        inner[last] = (inner.get(last) or 0) + value
    elif isinstance(inner, list) and last >= len(cast("list[Any]", inner)):
        inner.append(value)  # pyright: ignore[reportUnknownMemberType]
    else:
        inner[last] = value
    return held
