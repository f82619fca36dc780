"""DescribeLimits: the capacity that an account may provision, as Amazon grants it at first."""

from typing import Any, TypedDict

from sortkey.engine.database import Database


class DescribeLimits(TypedDict):
    """The request, which has no members."""


def describe_limits(db: Database, request: DescribeLimits) -> dict[str, Any]:  # noqa: ARG001 - an action's signature
    """The limits of the account and of each table; the engine itself has none."""
    return {
        "AccountMaxReadCapacityUnits": 80_000,
        "AccountMaxWriteCapacityUnits": 80_000,
        "TableMaxReadCapacityUnits": 40_000,
        "TableMaxWriteCapacityUnits": 40_000,
    }
