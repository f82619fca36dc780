"""What a design expects of its data and its callers, for whoever judges, prices or deploys it."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Expected:
    """How many records there will be, how large, and how unevenly they are spread."""

    count: int | None = None
    per_partition: int | None = None
    size_bytes: int | None = None
    # The share of all records, or of all traffic, that the largest partition has.
    hottest_share: float | None = None


@dataclass(frozen=True, slots=True)
class Relation:
    """A field that names another entity's record, or copies something of it."""

    field: str
    to: type[Any]
    copies: tuple[str, ...] = ()
    refreshed_by: str | None = None


def refers(
    field: str, to: type[Any], *, copies: tuple[str, ...] = (), refreshed_by: str | None = None
) -> Relation:
    """A field that holds the other entity's id; ``copies`` are fields that repeat its values.

    ``refreshed_by`` names what brings the copies up to date, such as a function on the stream.
    """
    return Relation(field, to, copies, refreshed_by)
