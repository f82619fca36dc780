"""The expected data and load of a design, for checks, prices and deployment."""

from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected number of records, their size, and how unevenly they are spread.

    An entity's ``expected=`` applies to every key. If one key spreads the records differently, it
    has its own ``expected=``: a popular product makes its orders by product uneven, but not those
    by customer. A key takes members that it does not set from its entity.
    """

    count: int | None = None
    per_partition: int | None = None
    size_bytes: int | None = None
    # The share of all records, or of all traffic, that the largest partition has.
    hottest_share: float | None = None

    def over(self, other: "Expected") -> "Expected":
        """Return these expectations, with members that are not set from the other."""
        said = {each.name: getattr(self, each.name) for each in fields(self)}
        held = {each.name: getattr(other, each.name) for each in fields(other)}
        return Expected(**{n: held[n] if value is None else value for n, value in said.items()})


@dataclass(frozen=True, slots=True)
class Relation:
    """A field that refers to another entity's record, or copies values of it."""

    field: str
    to: type[Any]
    copies: tuple[str, ...] = ()
    refreshed_by: str | None = None


def refers(
    field: str, to: type[Any], *, copies: tuple[str, ...] = (), refreshed_by: str | None = None
) -> Relation:
    """Declare a field with another entity's id; ``copies`` are fields that repeat its values.

    ``refreshed_by`` names the code that updates the copies, such as a function on the stream.
    """
    return Relation(field, to, copies, refreshed_by)
