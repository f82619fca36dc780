"""DescribeTimeToLive: the attribute by which a table's items expire."""

from typing import Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import described_table
from sortkey.engine.named_tables import bare_name
from sortkey.engine.shapes import TableName


class DescribeTimeToLive(TypedDict):
    """The request."""

    TableName: TableName


def describe_time_to_live(db: Database, request: DescribeTimeToLive) -> dict[str, Any]:
    """Return whether items expire, and by which attribute."""
    db.refresh()
    name = request["TableName"]
    if db.weather is not None:
        found = db.find(name)
        number = None if found is None else found.rows.number
        db.weather.changes.refuse_description_of_expiry(bare_name(name), number)
    table = described_table(db, name)
    attribute = table.expiry_attribute
    is_changing = db.weather is not None and db.weather.changes.is_changing_expiry(
        table.rows.number
    )
    if attribute is None:
        status = "DISABLING" if is_changing else "DISABLED"
        return {"TimeToLiveDescription": {"TimeToLiveStatus": status}}
    status = "ENABLING" if is_changing else "ENABLED"
    return {"TimeToLiveDescription": {"TimeToLiveStatus": status, "AttributeName": attribute}}
