"""Billing modes: PROVISIONED capacity, or PAY_PER_REQUEST."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from sortkey.engine.definitions.schemas import INVALID
from sortkey.engine.definitions.shapes import ProvisionedThroughput
from sortkey.engine.table import Definition
from sortkey.wire.errors import ValidationException

ON_DEMAND = "PAY_PER_REQUEST"
_MOST_UNITS = 1_000_000_000_000
_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")


def refuse_throughput(request: Mapping[str, Any]) -> None:
    """Reject a new table whose billing mode and throughput do not go together."""
    throughput: ProvisionedThroughput | None = request.get("ProvisionedThroughput")
    if request.get("BillingMode", "PROVISIONED") == ON_DEMAND:
        _refuse_on_demand(throughput)
    elif throughput is None:
        raise ValidationException(
            f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when "
            "BillingMode is PROVISIONED"
        )
    else:
        refuse_units(throughput)


def _refuse_on_demand(throughput: ProvisionedThroughput | None) -> None:
    if throughput is not None:
        raise ValidationException(
            f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
            "when BillingMode is PAY_PER_REQUEST"
        )


def refuse_units(throughput: ProvisionedThroughput, where: str = "") -> None:
    """Reject more capacity than an account may provision."""
    for member in _UNITS:
        if throughput[member] > _MOST_UNITS:
            raise ValidationException(
                f"Given value {throughput[member]} for {member} is out of bounds{where}"
            )


def refuse_index_throughput(index: Mapping[str, Any], billing_mode: str) -> None:
    """Reject a global index whose throughput does not go with its table's billing mode."""
    name = index["IndexName"]
    throughput: ProvisionedThroughput | None = index.get("ProvisionedThroughput")
    if billing_mode == ON_DEMAND:
        if throughput is not None:
            raise ValidationException(
                f"{INVALID}ProvisionedThroughput should not be specified for index: {name} when "
                "BillingMode is PAY_PER_REQUEST"
            )
    elif throughput is None:
        raise ValidationException(
            f"{INVALID}ProvisionedThroughput must be specified for index: {name}"
        )
    else:
        refuse_units(throughput, f" for index {name}")


def new_throughput(throughput: ProvisionedThroughput | None) -> dict[str, Any]:
    """Return the throughput of a new definition; on demand it is zero."""
    units = throughput or {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    return {"NumberOfDecreasesToday": 0} | {member: units[member] for member in _UNITS}


def billing_mode(definition: Definition) -> str:
    """Return the billing mode of a table."""
    return definition.get("BillingModeSummary", {}).get("BillingMode", "PROVISIONED")


def change_billing(definition: Definition, request: Mapping[str, Any], now: float) -> None:
    """Set the billing mode and throughput of an UpdateTable request in a table's definition."""
    current = billing_mode(definition)
    wanted = request.get("BillingMode", current)
    throughput: ProvisionedThroughput | None = request.get("ProvisionedThroughput")
    if wanted == ON_DEMAND:
        _refuse_on_demand(throughput)
        if current != ON_DEMAND:
            _become_on_demand(definition, now)
        return
    if current == ON_DEMAND:
        _refuse_unprovisioned_indexes(definition, request)
        definition["BillingModeSummary"]["BillingMode"] = "PROVISIONED"
    if throughput is not None:
        change_units(definition["ProvisionedThroughput"], throughput, now, "the table")


def _become_on_demand(definition: Definition, now: float) -> None:
    definition["BillingModeSummary"] = {
        "BillingMode": ON_DEMAND,
        "LastUpdateToPayPerRequestDateTime": now,
    }
    for each in (definition, *definition.get("GlobalSecondaryIndexes", ())):
        each["ProvisionedThroughput"] |= dict.fromkeys(_UNITS, 0)


def _refuse_unprovisioned_indexes(definition: Definition, request: Mapping[str, Any]) -> None:
    """Reject a table that becomes provisioned while one of its indexes is not."""
    provisioned = {
        update["Update"]["IndexName"]
        for update in request.get("GlobalSecondaryIndexUpdates", ())
        if "ProvisionedThroughput" in update.get("Update", {})
    }
    missing = [
        index["IndexName"]
        for index in definition.get("GlobalSecondaryIndexes", ())
        if index["IndexName"] not in provisioned
    ]
    if missing:
        raise ValidationException(
            f"{INVALID}ProvisionedThroughput must be specified for index: {','.join(missing)}"
        )


def change_units(
    current: dict[str, Any], wanted: ProvisionedThroughput, now: float, whose: str
) -> None:
    """Set the throughput of a table or an index, noting when it went up or down."""
    changes = [wanted[member] - current[member] for member in _UNITS]
    if not any(changes):
        raise ValidationException(
            f"The provisioned throughput for {whose} will not change. The requested value equals "
            "the current value. "
            + " ".join(
                f"Current {member} provisioned for {whose}: {current[member]}. "
                f"Requested {member}: {wanted[member]}."
                for member in _UNITS
            )
            + " Refer to the Amazon DynamoDB Developer Guide for current limits and how to "
            "request higher limits."
        )
    if max(changes) > 0:
        current["LastIncreaseDateTime"] = now
    if min(changes) < 0:
        current["NumberOfDecreasesToday"] = decreases_today(current, now) + 1
        current["LastDecreaseDateTime"] = now
    for member in _UNITS:
        current[member] = wanted[member]


def decreases_today(throughput: Mapping[str, Any], now: float) -> int:
    """Return how often a throughput was decreased since midnight UTC."""
    last: float = throughput.get("LastDecreaseDateTime", 0)
    same_day = datetime.fromtimestamp(last, UTC).date() == datetime.fromtimestamp(now, UTC).date()
    return throughput["NumberOfDecreasesToday"] if same_day else 0
