"""Vector indexes, which the engine does not have: requests that name one are rejected."""

from collections.abc import Iterable
from typing import NotRequired, TypedDict

from sortkey.engine.definitions.shapes import IndexName
from sortkey.wire.errors import ValidationException


class VectorIndex(TypedDict):
    """A vector index; no table has one."""

    IndexName: IndexName


class VectorIndexUpdate(TypedDict):
    """One of two changes to a vector index."""

    Create: NotRequired[VectorIndex]
    Delete: NotRequired[VectorIndex]


def refuse_vector_indexes(indexes: Iterable[VectorIndex]) -> None:
    """Reject the VectorIndexes of a new table."""
    for index in indexes:
        raise _unsupported("VectorIndexes", index)


def refuse_vector_updates(updates: Iterable[VectorIndexUpdate]) -> None:
    """Reject the VectorIndexUpdates of a table."""
    for update in updates:
        raise _unsupported("VectorIndexUpdates", update.get("Create") or update.get("Delete"))


def _unsupported(member: str, index: VectorIndex | None) -> ValidationException:
    name = "" if index is None else f" Index: {index['IndexName']}"
    return ValidationException(f"{member} is not supported: there are no vector indexes.{name}")
