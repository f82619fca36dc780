"""UpdateTimeToLive: start or stop to expire items by an attribute."""

import copy
from typing import Annotated, Any, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.definitions.descriptions import described_table
from sortkey.engine.shapes import Length, TableName
from sortkey.engine.upkeep import finish_unless_tended
from sortkey.wire.errors import ValidationException


class TimeToLiveSpecification(TypedDict):
    """The attribute, and whether items expire by it."""

    Enabled: bool
    AttributeName: Annotated[str, Length(1, 255)]


class UpdateTimeToLive(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TableName: TableName
    TimeToLiveSpecification: TimeToLiveSpecification


def update_time_to_live(db: Database, request: UpdateTimeToLive) -> dict[str, Any]:
    """Change the setting at once, also for existing items, and return it."""
    wanted = request["TimeToLiveSpecification"]
    attribute = wanted["AttributeName"]
    with db.transaction():
        table = described_table(db, request["TableName"])
        if db.weather is not None:
            db.weather.changes.refuse_new_expiry(table.name, table.rows.number)
        _refuse(table.expiry_attribute, attribute, enabled=wanted["Enabled"])
        if db.weather is not None:
            db.weather.changes.change_expiry(table.rows.number)
        definition = copy.deepcopy(table.definition)
        if wanted["Enabled"]:
            definition["TimeToLive"] = attribute
            # Existing items get their expiry time in the background.
            definition["ExpiryFilledTo"] = ["", ""]
        else:
            del definition["TimeToLive"]
            definition.pop("ExpiryFilledTo", None)
        db.save(table.rows.number, definition)
    finish_unless_tended(db)
    return {"TimeToLiveSpecification": {"Enabled": wanted["Enabled"], "AttributeName": attribute}}


def _refuse(current: str | None, wanted: str, *, enabled: bool) -> None:
    if current is not None and current != wanted:
        raise ValidationException(
            f"TimeToLive is active on a different AttributeName: current AttributeName is {current}"
        )
    if enabled and current is not None:
        raise ValidationException("TimeToLive is already enabled")
    if not enabled and current is None:
        raise ValidationException("TimeToLive is already disabled")
