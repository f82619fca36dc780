"""DescribeEndpoints: the address of the service."""

from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.arns import REGION

_CACHE_MINUTES = 1440


class DescribeEndpoints(TypedDict):
    """The request, which has no members."""


def describe_endpoints(db: Database, request: DescribeEndpoints) -> dict[str, Any]:  # noqa: ARG001 - an action's signature
    """Return the region's endpoint; a server returns its own address instead."""
    address = f"dynamodb.{REGION}.amazonaws.com"
    return {"Endpoints": [{"Address": address, "CachePeriodInMinutes": _CACHE_MINUTES}]}
