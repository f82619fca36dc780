"""Actions: single writes to single items, and the conditions under which they happen."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from sortkey.errors import (
    AlreadyExists,
    NotFound,
    NotUnique,
    Outdated,
    RecordError,
    VersionConflict,
)
from sortkey.expressions.evaluate import holds
from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    Compare,
    Condition,
    Or,
    Path,
    Update,
    Value,
)
from sortkey.operations.kind import Kind
from sortkey.operations.plan import Step, Verb
from sortkey.wire.values import Item


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition, and the error to raise when it is false."""

    condition: Condition
    error: type[RecordError]
    message: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Action:
    """One write, which happens only if all of its guards hold."""

    step: Step
    guards: tuple[Guard, ...]
    key: Mapping[str, Value]
    # The kind, if its record may still be stored under an earlier key.
    moving: Kind[Any] | None = None
    # What a transaction does instead if a guard does not hold.
    otherwise: "Action | None" = None

    def failure(self, stored: Item | None) -> RecordError:
        """Return the error for a guard that did not hold for the stored item."""
        guard = self._broken(stored or {})
        key = shown_key(self.key)
        error = guard.error(
            guard.message.format(entity=self.step.entity, key=describe_key(key)),
            entity=self.step.entity,
            key=key,
            stored=stored,
        )
        if isinstance(error, NotUnique):
            error.field = guard.field
        return error

    def _broken(self, stored: Item) -> Guard:
        for guard in self.guards:
            if not holds(guard.condition, stored):
                return guard
        # The record changed between the write and the copy of it in the response.
        return Guard(self.guards[0].condition, VersionConflict, "{entity} {key} is being changed")


def action(
    verb: Verb,
    kind: Kind[Any],
    key: Mapping[str, Value],
    guards: tuple[Guard, ...],
    *,
    item: Item | None = None,
    update: Update | None = None,
) -> Action:
    """Return a write to one item of the kind's table."""
    step = Step(
        verb,
        kind.table,
        (kind.name,),
        key=None if item is not None else key,
        item=item,
        update=update,
        condition=all_of(tuple(guard.condition for guard in guards)),
        secrets=kind.secrets,
    )
    return Action(step, guards, key, kind if kind.moving else None)


def all_of(conditions: tuple[Condition, ...]) -> Condition | None:
    """Return one condition that holds when all of these do, or None if there are none."""
    if len(conditions) > 1:
        return And(conditions)
    return conditions[0] if conditions else None


def is_absent(kind: Kind[Any], now: float) -> Guard:
    """Require that nothing is stored at the key, or that the stored record has expired."""
    nothing = AttributeNotExists(Path((kind.key_names[0],)))
    condition = nothing if kind.expires is None else Or((nothing, expired(kind.expires, now)))
    return Guard(condition, AlreadyExists, "{entity} {key} already exists")


def is_there(kind: Kind[Any], now: float) -> Guard:
    """Require that a record is stored at the key and has not expired."""
    present = _present(kind.key_names[0])
    if kind.expires is None:
        return present
    return replace(present, condition=And((present.condition, unexpired(kind.expires, now))))


@lru_cache
def _present(attribute: str) -> Guard:
    """Require that an item with this key attribute is stored."""
    condition = AttributeExists(Path((attribute,)))
    return Guard(condition, NotFound, "{entity} {key} does not exist")


def expired(attribute: str, now: float) -> Condition:
    """Return the condition that the attribute holds a time in the past."""
    return Compare("<=", Path((attribute,)), seconds(now))


def unexpired(attribute: str, now: float) -> Condition:
    """Return the condition that the attribute holds a time in the future, or is missing."""
    path = Path((attribute,))
    return Or((AttributeNotExists(path), Compare(">", path, seconds(now))))


def seconds(now: float) -> Value:
    """Return a time in whole seconds, as DynamoDB's TTL stores it."""
    return Value({"N": str(int(now))})


def in_shape(kind: Kind[Any], *, or_absent: bool = False) -> tuple[Guard, ...]:
    """Require that the record is stored in the current shape, so no update mixes two shapes."""
    if kind.shape == 1:
        return ()
    number = Value({"N": str(kind.shape)})
    condition: Condition = Compare("=", Path((kind.shape_attribute,)), number)
    if or_absent:
        condition = Or((AttributeNotExists(Path((kind.key_names[0],))), condition))
    return (
        Guard(
            condition,
            Outdated,
            f"{{entity}} {{key}} is not stored in shape {kind.shape}, which this update expects: "
            "load it and replace() it, or run `sortkey backfill`",
        ),
    )


def is_version(kind: Kind[Any], number: int) -> Guard:
    """Require that the record still has the version that was loaded."""
    path = Path((kind.version or "",))
    # A record that was stored before its entity had a version is read as version 0.
    unversioned = number == 0
    condition = (
        AttributeNotExists(path) if unversioned else Compare("=", path, Value({"N": str(number)}))
    )
    return Guard(
        condition,
        VersionConflict,
        "{entity} {key} was changed after it was loaded: load it again and decide again",
    )


def shown_key(key: Mapping[str, Value]) -> dict[str, Any]:
    """Return a key's plain values by attribute."""
    return {name: next(iter(value.value.values())) for name, value in key.items()}


def describe_key(key: Mapping[str, Any]) -> str:
    """Return a key as text for messages."""
    return " / ".join(str(value) for value in key.values())
