"""Guards that require fields to be stored as they were loaded, or as they were created."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from sortkey.errors import ConditionFailed, VersionConflict
from sortkey.expressions.tree import AttributeNotExists, Compare, Condition, In, Value
from sortkey.operations.action import Guard
from sortkey.operations.kind import Kind

E = TypeVar("E")


def unchanged(kind: Kind[E], record: E, fields: Iterable[str]) -> Iterator[Guard]:
    """Require that the stored record still has these fields as they were loaded."""
    for field in fields:
        yield Guard(
            _holds(kind, record, field),
            VersionConflict,
            f"{{entity}} {{key}} has a different {field} than when it was loaded: load it again",
        )


def same_frozen(kind: Kind[E], record: E) -> Iterator[Guard]:
    """Require that the stored record has the same immutable fields as the new one."""
    for field in sorted(kind.frozen_fields - kind.key_fields):
        yield Guard(
            _holds(kind, record, field),
            ConditionFailed,
            f"{{entity}} {{key}} has a different {field}, which is immutable",
        )


def _holds(kind: Kind[E], record: E, field: str) -> Condition:
    """Return the condition that the stored record has the same value in a field."""
    place, value = kind.place_of_field(field), kind.values(record)[field]
    stored = kind.encode_field(field, value)
    if stored is None:
        return AttributeNotExists(place.path)
    also = place.also(value) if place.also else None
    if also is not None:
        return In(place.path, (Value(stored), Value(also)))
    return Compare("=", place.path, Value(stored))
