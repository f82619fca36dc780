"""What a write should do, on plain records: refused where it must be, else the records after it.

It is derived from what the operation says in fields: the record, the changes, the conditions. What
DynamoDB is sent is not looked at.
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

from sortkey.design.claim import Finish, Release, Take
from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.raw.operation import RawOperation
from sortkey.operations.action import Guard
from sortkey.operations.batch import BatchWrite
from sortkey.operations.change import Change
from sortkey.operations.delete import Check, Delete
from sortkey.operations.operation import Operation
from sortkey.operations.origin import Filled
from sortkey.operations.plan import Step
from sortkey.operations.put import Put
from sortkey.operations.transact import Transaction
from sortkey.operations.update import Changes, Update
from sortkey.operations.upsert import Upsert
from sortkey.operations.write import Write
from sortkey.prove.fields import holds
from sortkey.prove.meaning import NoMeaning
from sortkey.prove.state import Identity, State, identity_of

_ABSENT = "there is no such record"
_PRESENT = "there is such a record already"
_FALSE = "its condition is false"
_CHANGED = "the record is not as it was loaded"
_HELD = "another record holds the value of a unique field"
_FROZEN = "it would change an immutable field"
_TWICE = "two of its writes are about one record"
_CLAIM = "a claim goes to the caller that comes first: see its verdict on safe"
_READS = frozenset({"GetItem", "Query", "Scan"})
# What is there to meet a record that is stored.
_CHANGES = frozenset({"UpdateItem", "DeleteItem"})
_STEP = re.compile(r"\.?([A-Za-z_]\w*)|\[([^\]]+)\]")


class Impossible(Exception):  # noqa: N818 - says what it is
    """A change that a record which may be stored does not allow."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Nothing should change, and why."""

    reason: str


@dataclass(frozen=True, slots=True)
class Effect:
    """The records after a write, and what it should return; None where nothing is said of it."""

    state: State
    result: Any = None


Expected: TypeAlias = Effect | Refusal


def is_write(operation: Operation[Any]) -> bool:
    """Whether an operation is there to change records."""
    return isinstance(operation, Write | Transaction | BatchWrite | Finish | Take | Release)


def effect(operation: Operation[Any], state: State) -> Expected:
    """What a write should do to the records; `NoMeaning` where it cannot be derived."""
    match operation:
        case Transaction(writes):
            return _together(writes, state)
        case BatchWrite(writes):
            return _one_by_one(cast("Sequence[Write[Any]]", writes), state)
        case Finish():
            done = _together(operation.transaction.writes, state)
            return done if isinstance(done, Refusal) else Effect(done.state, operation.result)
        case Take() | Release():
            raise NoMeaning(_CLAIM)
        case _:
            return _alone(cast("Write[Any]", operation), state)


def is_raw_write(operation: Operation[Any]) -> bool:
    """Whether an operation is a raw request that is there to change records."""
    return isinstance(operation, RawOperation) and any(
        step.verb not in _READS for step in operation.parts
    )


@dataclass(frozen=True, slots=True)
class RawEffect:
    """The records after a raw write, as it states them, and whether it may be refused.

    ``changes`` are the places of its updates and deletes, ``met`` of those that met a record.
    """

    state: State
    may_be_refused: bool
    changes: frozenset[int]
    met: frozenset[int]


def raw_effect(operation: RawOperation, arguments: Mapping[str, Any], state: State) -> RawEffect:
    """Return what a raw write should come to.

    Raises `NoMeaning` where it does not state what it should come to, and `Refused` where it states
    a record that cannot be stored.
    """
    after, may_be_refused = state.copy(), False
    changes, met = set[int](), set[int]()
    for place, (request, step) in enumerate(zip(operation.requests, operation.parts, strict=True)):
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
    kinds: Sequence[EntityKind[Any]], arguments: Mapping[str, Any], state: State
) -> Entity | None:
    """The record that the arguments name by all fields of its key, wherever the request looks."""
    for kind in kinds:
        fields = kind.primary.all_fields
        if fields and all(name in arguments for name in fields):
            for record in state.of(kind, expired=True):
                if all(getattr(record, name) == arguments[name] for name in fields):
                    return record
    return None


def _stored_at(step: Step, kinds: Sequence[EntityKind[Any]], state: State) -> Entity | None:
    """The record at the key that a step writes to."""
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


def _alone(write: Write[Any], state: State) -> Expected:
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


def _together(writes: Iterable[Write[Any]], before: State) -> Expected:
    """All of the writes over the records as they were, or none of them."""
    after, seen = before.copy(), list[Identity]()
    for write in writes:
        identity = _identity(write)
        if identity in seen:
            return Refusal(_TWICE)
        seen.append(identity)
        done = _alone(write, before)
        if isinstance(done, Refusal):
            return done
        changed = done.state.records.get(identity)
        if changed is None:
            after.remove(identity)
        else:
            after.records[identity] = changed
    return Effect(after)


def _one_by_one(writes: Iterable[Write[Any]], before: State) -> Expected:
    state = before
    for write in writes:
        done = _alone(write, state)
        if isinstance(done, Refusal):
            return done
        state = done.state
    return Effect(state)


def _identity(write: Write[Any]) -> Identity:
    match write:
        case Put():
            return identity_of(_kind(write), write.record.__dict__)
        case Changes():
            return identity_of(_kind(write), write.known)
        case _:
            return _of_key(cast("Delete[Any] | Check[Any]", write))


def _of_key(write: Delete[Any] | Check[Any]) -> Identity:
    bound: dict[str, Any] = {}
    for value in write.key.values():
        if isinstance(value.origin, Filled):
            bound |= value.origin.bound
    return identity_of(_kind(write), bound)


def _kind(write: Any) -> EntityKind[Any]:
    return cast("EntityKind[Any]", write.kind)


# One write each.


def _put(put: Put[Any], state: State) -> Expected:
    kind, identity = _kind(put), _identity(put)
    living = state.living(identity)
    versioned = kind.version is not None
    creates = put.mode == "create" or (versioned and put.mode == "put" and put.loaded_version == 0)
    if creates and living is not None:
        return Refusal(_PRESENT)
    if not creates and (versioned or put.mode == "replace"):
        if living is None:
            return Refusal(_ABSENT)
        if versioned and _version(kind, living) != put.loaded_version:
            return Refusal(_CHANGED)
        if put.before is not None and _differs(living, put.before, _locking(kind)):
            return Refusal(_CHANGED)
    if living is not None and _differs(living, put.record, kind.frozen_fields):
        return Refusal(_FROZEN)
    return (
        _false(put.asked, identity, state)
        or _not_unique(put.record, put.before, identity, state)
        or _stored(put.record, state, put.record)
    )


def _update(update: Update[Any], state: State) -> Expected:
    kind, identity = _kind(update), _identity(update)
    living, loaded = state.living(identity), update.loaded
    if living is None:
        return Refusal(_ABSENT)
    if loaded is not None and _moved(update, living, loaded):
        return Refusal(_CHANGED)
    refused = _false(update.asked, identity, state)
    if refused is not None:
        return refused
    after = _after(kind, update.changes, dict(living.__dict__), update.time)
    if isinstance(after, Refusal):
        return after
    return _not_unique(after, loaded, identity, state) or _stored(after, state, after)


def _upsert(upsert: Upsert[Any], state: State) -> Expected:
    kind, identity = _kind(upsert), _identity(upsert)
    living = state.living(identity)
    refused = _unmet(upsert.asked, living, kind)
    if refused is not None:
        return refused
    values = dict(living.__dict__) if living else {**kind.defaults(), **upsert.known}
    if living is None and kind.created_field is not None:
        values[kind.created_field] = kind.moment(kind.created_field, upsert.time)
    after = _after(kind, upsert.changes, values, upsert.time)
    return after if isinstance(after, Refusal) else _stored(after, state, after)


def _delete(delete: Delete[Any], state: State) -> Expected:
    kind, identity = _kind(delete), _identity(delete)
    living, loaded = state.living(identity), delete.loaded
    versioned = kind.version is not None and not delete.erases
    tied = loaded is not None and (versioned or bool(kind.uniques))
    if living is None and (delete.must or tied):
        return Refusal(_ABSENT)
    if loaded is not None and living is not None:
        changed = versioned and _version(kind, living) != _version(kind, loaded)
        if changed or _differs(living, loaded, _unique_fields(kind)):
            return Refusal(_CHANGED)
    refused = _false(delete.asked, identity, state)
    if refused is not None:
        return refused
    after = state.copy()
    after.remove(identity)
    # One that was changed since it was loaded may be answered as it is here or as it was stored.
    return Effect(after, living if loaded in (None, living) else None)


def _check(check: Check[Any], state: State) -> Expected:
    kind, identity = _kind(check), _identity(check)
    living, loaded = state.living(identity), check.loaded
    if (living is not None) is check.absent:
        return Refusal(_PRESENT if check.absent else _ABSENT)
    if (
        loaded is not None
        and living is not None
        and _version(kind, living) != _version(kind, loaded)
    ):
        return Refusal(_CHANGED)
    return _false(check.asked, identity, state) or Effect(state)


# What may stand in the way.


def _false(asked: Sequence[Guard], identity: Identity, state: State) -> Refusal | None:
    """A condition is about what is stored, even if that has expired."""
    return _unmet(asked, state.records.get(identity), identity[0])


def _unmet(asked: Sequence[Guard], record: Entity | None, kind: EntityKind[Any]) -> Refusal | None:
    met = all(holds(guard.condition, record, kind) for guard in asked)
    return None if met else Refusal(_FALSE)


def _not_unique(
    record: Entity, before: Entity | None, identity: Identity, state: State
) -> Refusal | None:
    kind = identity[0]
    for name in _unique_fields(kind):
        value = getattr(record, name)
        if value is None or (before is not None and getattr(before, name) == value):
            continue
        for other in state.of(kind, expired=kind.expires_field is None):
            own = identity_of(kind, other.__dict__)
            if own != identity and getattr(other, name) == value:
                return Refusal(_HELD)
    return None


def _moved(update: Update[Any], living: Entity, loaded: Entity) -> bool:
    """Whether a record is not as it was loaded, in what the update relies on."""
    kind, touched = _kind(update), set(update.touched())
    if kind.version is not None and _version(kind, living) != _version(kind, loaded):
        return True
    tied = {n for entry in kind.entries if entry.fields & touched for n in entry.fields}
    tied -= touched | kind.key_fields
    locking = _locking(kind)
    return _differs(living, loaded, sorted(tied | locking if touched & locking else tied))


def _differs(one: Entity, other: Entity, names: Iterable[str]) -> bool:
    return any(getattr(one, name) != getattr(other, name) for name in names)


def _unique_fields(kind: EntityKind[Any]) -> list[str]:
    return [unique.field for unique in kind.uniques]


def _locking(kind: EntityKind[Any]) -> set[str]:
    """The fields that say which locks a record holds, and how long."""
    uniques = set(_unique_fields(kind))
    expires = {kind.expires_field} if uniques and kind.expires_field else set[str]()
    return uniques | expires


def _version(kind: EntityKind[Any], record: Entity) -> int:
    return 0 if kind.version_field is None else getattr(record, kind.version_field)


def _stored(record: Entity, before: State, result: Any) -> Effect:
    after = before.copy()
    after.put(record)
    return Effect(after, result)


# Changes.


def _after(
    kind: EntityKind[Any], changes: Sequence[Change], before: Mapping[str, Any], time: float
) -> Entity | Refusal:
    """The record with its changes; a refusal where its own entity would not read it again."""
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
        return Refusal(
            f"the record would no longer be a valid {kind.name} ({where}: {fault['msg']})"
        )


def _changed(kind: EntityKind[Any], change: Change, values: Mapping[str, Any]) -> Any:
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
    """How a field is read that is not stored."""
    if field in kind.defaults():
        return kind.defaults()[field]
    return set[Any]() if kind.codec.fields[field].omits_empty else None


def _changed_inside(change: Change, held: Any) -> Any:
    """A field with something inside it changed."""
    steps = [name or literal_eval(index) for name, index in _STEP.findall(change.place.shown)][1:]
    *way, last = steps
    inner = held
    for step in way:
        inner = getattr(inner, step) if isinstance(inner, BaseModel) else inner[step]
    if inner is None:
        raise Impossible(f"it changes {change.place.shown}, and what that lies in may not be there")
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
