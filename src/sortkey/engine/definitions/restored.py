"""The definition of a restored table: that of its source, with what the request overrides.

Keys, indexes, billing, throughput and encryption are restored. Tags, the stream, the time to live,
recovery, the table class, the resource policy and the protection against deletion are not.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from sortkey.engine.definitions.new import new_table
from sortkey.engine.definitions.schemas import names_in
from sortkey.engine.definitions.shapes import (
    BillingMode,
    GlobalSecondaryIndex,
    LocalSecondaryIndex,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
)
from sortkey.engine.definitions.throughput import ON_DEMAND, billing_mode, refuse_units
from sortkey.engine.definitions.vectors import VectorIndex
from sortkey.engine.table import Definition
from sortkey.wire.errors import ValidationException

_INVALID = "Invalid Request: "


class RestoreOverrides(TypedDict):
    """The members of both restore requests that change the new table."""

    BillingModeOverride: NotRequired[BillingMode]
    GlobalSecondaryIndexOverride: NotRequired[list[GlobalSecondaryIndex]]
    LocalSecondaryIndexOverride: NotRequired[list[LocalSecondaryIndex]]
    ProvisionedThroughputOverride: NotRequired[ProvisionedThroughput]
    OnDemandThroughputOverride: NotRequired[OnDemandThroughput]
    SSESpecificationOverride: NotRequired[SSESpecification]
    VectorIndexOverride: NotRequired[list[VectorIndex]]


def restored_table(
    source: Definition, request: Mapping[str, Any], now: float, summary: Mapping[str, Any]
) -> Definition:
    """Return the definition of the new table, not yet numbered."""
    for index in request.get("VectorIndexOverride", ()):
        raise _unknown_index(index)
    mode = _refuse_billing(source, request)
    wanted: dict[str, Any] = {
        "TableName": request["TargetTableName"],
        "KeySchema": source["KeySchema"],
        "BillingMode": mode,
        "LocalSecondaryIndexes": _local_indexes(source, request),
        "GlobalSecondaryIndexes": _global_indexes(source, request, mode),
    }
    if mode == ON_DEMAND:
        limits = request.get("OnDemandThroughputOverride", source.get("OnDemandThroughput"))
        wanted |= {"OnDemandThroughput": limits} if limits else {}
    else:
        wanted["ProvisionedThroughput"] = request.get(
            "ProvisionedThroughputOverride", source["ProvisionedThroughput"]
        )
    if "SSESpecificationOverride" in request:
        wanted["SSESpecification"] = request["SSESpecificationOverride"]
    wanted = {member: value for member, value in wanted.items() if value != []}
    wanted["AttributeDefinitions"] = _used_attributes(source, wanted)
    definition = new_table(wanted, now)
    if "SSESpecificationOverride" not in request and "SSEDescription" in source:
        definition["SSEDescription"] = source["SSEDescription"]
    return definition | {"RestoreSummary": {**summary, "RestoreInProgress": True}}


def _refuse_billing(source: Definition, request: Mapping[str, Any]) -> str:
    """Return the billing mode of the new table; reject throughput that does not go with it."""
    wanted: str | None = request.get("BillingModeOverride")
    mode = wanted or billing_mode(source)
    throughput: ProvisionedThroughput | None = request.get("ProvisionedThroughputOverride")
    if throughput is not None and mode == ON_DEMAND:
        raise ValidationException(
            f"{_INVALID}Cannot override ProvisionedThroughput "
            + (
                "unless BillingMode is PROVISIONED"
                if wanted is None
                else "if BillingMode is overridden to PAY_PER_REQUEST"
            )
        )
    if throughput is None and wanted == "PROVISIONED":
        raise ValidationException(
            f"{_INVALID}Must override ProvisionedThroughput if BillingMode is overridden to "
            "PROVISIONED"
        )
    if throughput is not None:
        refuse_units(throughput)
    for member in request.get("OnDemandThroughputOverride", ()):
        if mode != ON_DEMAND:
            raise ValidationException(
                f"{_INVALID}Cannot override {member} for OnDemandThroughput unless "
                "BillingModeOverride is PAY_PER_REQUEST"
            )
    return mode


def _local_indexes(source: Definition, request: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    existing: Sequence[Mapping[str, Any]] = source.get("LocalSecondaryIndexes", [])
    wanted: Sequence[Mapping[str, Any]] = request.get("LocalSecondaryIndexOverride", existing)
    _refuse_new(wanted, existing)
    return wanted


def _global_indexes(
    source: Definition, request: Mapping[str, Any], mode: str
) -> Sequence[Mapping[str, Any]]:
    existing: Sequence[Mapping[str, Any]] = source.get("GlobalSecondaryIndexes", [])
    if "GlobalSecondaryIndexOverride" not in request:
        return [_same_index(index, request, mode) for index in existing]
    wanted: Sequence[Mapping[str, Any]] = request["GlobalSecondaryIndexOverride"]
    _refuse_new(wanted, existing)
    for index in wanted:
        name = index["IndexName"]
        if "WarmThroughput" in index:
            raise ValidationException(
                f"{_INVALID}WarmThroughput cannot be overridden for index {name}"
            )
        if mode == ON_DEMAND and "ProvisionedThroughput" in index:
            raise ValidationException(
                f"{_INVALID}Cannot override ProvisionedThroughput if BillingMode is overridden to "
                f"PAY_PER_REQUEST for index {name}"
            )
        if mode != ON_DEMAND and "ProvisionedThroughput" not in index:
            raise ValidationException(
                f"{_INVALID}Must specify provisioned throughput for index {name}"
            )
    return wanted


def _same_index(
    index: Mapping[str, Any], request: Mapping[str, Any], mode: str
) -> Mapping[str, Any]:
    """Return an index of the source as it is restored without an override."""
    same = {member: index[member] for member in ("IndexName", "KeySchema", "Projection")}
    if mode == ON_DEMAND:
        limits = index.get("OnDemandThroughput")
        return same | ({"OnDemandThroughput": limits} if limits else {})
    if request.get("BillingModeOverride") == "PROVISIONED":
        raise ValidationException(
            f"{_INVALID}Must override ProvisionedThroughput if BillingMode is overridden to "
            f"PROVISIONED for index {index['IndexName']}"
        )
    return same | {"ProvisionedThroughput": index["ProvisionedThroughput"]}


def _refuse_new(wanted: Iterable[Mapping[str, Any]], existing: Sequence[Mapping[str, Any]]) -> None:
    """Reject an index whose keys and projection no index of the source has; its name may differ."""
    known = [_content(index) for index in existing]
    for index in wanted:
        if _content(index) not in known:
            raise _unknown_index(index)


def _content(index: Mapping[str, Any]) -> tuple[Any, ...]:
    projection = index["Projection"]
    return (
        index["KeySchema"],
        projection.get("ProjectionType"),
        set(projection.get("NonKeyAttributes", ())),
    )


def _unknown_index(index: Mapping[str, Any]) -> ValidationException:
    return ValidationException(
        f"{_INVALID}Index {index['IndexName']} does not match a secondary index that existed in "
        "the source table and cannot be created during the restore operation"
    )


def _used_attributes(source: Definition, wanted: Mapping[str, Any]) -> list[Any]:
    schemas = [wanted["KeySchema"]]
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        schemas += [index["KeySchema"] for index in wanted.get(member, ())]
    used = {name for schema in schemas for name in names_in(schema)}
    return [each for each in source["AttributeDefinitions"] if each["AttributeName"] in used]
