"""Guards that tie a write to the record as it was loaded."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from sortkey.errors import VersionConflict
from sortkey.expressions.tree import AttributeNotExists, Compare, Path, Value
from sortkey.operations.action import Guard
from sortkey.operations.kind import Kind

E = TypeVar("E")


def unchanged(kind: Kind[E], record: E, fields: Iterable[str]) -> Iterator[Guard]:
    """The stored record still has these fields as they were loaded."""
    values = kind.values(record)
    for field in fields:
        path = Path((kind.stored_names[field],))
        stored = kind.encode_field(field, values[field])
        condition = (
            AttributeNotExists(path) if stored is None else Compare("=", path, Value(stored))
        )
        yield Guard(
            condition,
            VersionConflict,
            f"{{entity}} {{key}} has another {field} than when it was loaded; load it again",
        )
