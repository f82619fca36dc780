"""Billing: capacity bought ahead (PROVISIONED) or paid by the request, as it is declared."""

from collections.abc import Mapping
from typing import Any

from sortkey.engine.definitions import INVALID
from sortkey.engine.table_shapes import ProvisionedThroughput
from sortkey.wire.errors import ValidationException

_MOST_UNITS = 1_000_000_000_000


def refuse_throughput(request: Mapping[str, Any]) -> None:
    """Refuse a new table whose billing mode and throughput do not go together."""
    throughput: ProvisionedThroughput | None = request.get("ProvisionedThroughput")
    if request.get("BillingMode", "PROVISIONED") == "PAY_PER_REQUEST":
        if throughput is not None:
            raise ValidationException(
                f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
                "when BillingMode is PAY_PER_REQUEST"
            )
        return
    if throughput is None:
        raise ValidationException(
            f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when "
            "BillingMode is PROVISIONED"
        )
    refuse_units(throughput)


def refuse_units(throughput: ProvisionedThroughput, where: str = "") -> None:
    """Refuse more capacity than anybody may buy."""
    for member in ("ReadCapacityUnits", "WriteCapacityUnits"):
        if throughput[member] > _MOST_UNITS:
            raise ValidationException(
                f"Given value {throughput[member]} for {member} is out of bounds{where}"
            )


def refuse_index_throughput(index: Mapping[str, Any], billing_mode: str) -> None:
    """Refuse a global index whose throughput does not go with its table's billing mode."""
    name = index["IndexName"]
    throughput: ProvisionedThroughput | None = index.get("ProvisionedThroughput")
    if billing_mode == "PAY_PER_REQUEST":
        if throughput is not None:
            raise ValidationException(
                f"{INVALID}ProvisionedThroughput should not be specified for index: {name} when "
                "BillingMode is PAY_PER_REQUEST"
            )
        return
    if throughput is None:
        raise ValidationException(
            f"{INVALID}ProvisionedThroughput must be specified for index: {name}"
        )
    refuse_units(throughput, f" for index {name}")


def described_throughput(throughput: ProvisionedThroughput | None) -> dict[str, Any]:
    """The throughput of a table or index as a description shows it; on demand it is zero."""
    units: ProvisionedThroughput = throughput or {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0}
    return {
        "NumberOfDecreasesToday": 0,
        "ReadCapacityUnits": units["ReadCapacityUnits"],
        "WriteCapacityUnits": units["WriteCapacityUnits"],
    }
