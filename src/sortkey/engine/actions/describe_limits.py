"""DescribeLimits: the capacity that an account may provision, with Amazon's defaults."""

from typing import Any, TypedDict

from sortkey.engine.database import Database


class DescribeLimits(TypedDict):
    """The request, which has no members."""


def describe_limits(db: Database, request: DescribeLimits) -> dict[str, Any]:  # noqa: ARG001 - an action's signature
    """Return the default limits of an account and a table; the engine itself has none."""
    return {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }
