"""What a design expects of its data and its callers, for whoever judges, prices or deploys it."""

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Expected:
    """How many records there will be, how large, and how unevenly they are spread.

    An entity's ``expected=`` is about its records by every key. Where one key spreads them
    otherwise, its own ``expected=`` says how: a popular product makes its orders by product uneven,
    and not those by customer. Members that a key leaves out are those of its entity.
    """

    count: int | None = None
    per_partition: int | None = None
    size_bytes: int | None = None
    # The share of all records, or of all traffic, that the largest partition has.
    hottest_share: float | None = None

    def over(self, other: "Expected") -> "Expected":
        """Return these expectations, with the other's where these say nothing."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        held = {each.name: getattr(other, each.name) for each in fields(other)}
        return Expected(**{n: held[n] if value is None else value for n, value in said.items()})


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
