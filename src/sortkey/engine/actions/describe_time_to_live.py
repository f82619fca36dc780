"""DescribeTimeToLive: the attribute by which a table's items expire."""

from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import described_table
from sortkey.engine.shapes import TableName


class DescribeTimeToLive(TypedDict):
    """The request."""

    TableName: TableName


def describe_time_to_live(db: Database, request: DescribeTimeToLive) -> dict[str, Any]:
    """Return whether items expire, and by which attribute."""
    db.refresh()
    attribute = described_table(db, request["TableName"]).expiry_attribute
    if attribute is None:
        return {"TimeToLiveDescription": {"TimeToLiveStatus": "DISABLED"}}
    return {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": attribute}}
