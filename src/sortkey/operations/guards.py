"""Guards that tie a write to the record as it was loaded, or as it was created."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from sortkey.errors import ConditionFailed, VersionConflict
from sortkey.expressions.tree import AttributeNotExists, Compare, Condition, Path, Value
from sortkey.operations.action import Guard
from sortkey.operations.kind import Kind

E = TypeVar("E")


def unchanged(kind: Kind[E], record: E, fields: Iterable[str]) -> Iterator[Guard]:
    """The stored record still has these fields as they were loaded."""
    for field in fields:
        yield Guard(
            _holds(kind, record, field),
            VersionConflict,
            f"{{entity}} {{key}} has another {field} than when it was loaded; load it again",
        )


def same_frozen(kind: Kind[E], record: E) -> Iterator[Guard]:
    """The stored record has the same in each immutable field as the one to be written over it."""
    for field in sorted(kind.frozen_fields - kind.key_fields):
        yield Guard(
            _holds(kind, record, field),
            ConditionFailed,
            f"{{entity}} {{key}} has another {field}, which is immutable",
        )


def _holds(kind: Kind[E], record: E, field: str) -> Condition:
    """The stored record has in a field what this one has."""
    path = Path((kind.stored_names[field],))
    stored = kind.encode_field(field, kind.values(record)[field])
    return AttributeNotExists(path) if stored is None else Compare("=", path, Value(stored))
