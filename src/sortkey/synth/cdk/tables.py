"""Tables in CDK, with their auto scaling."""

from collections.abc import Iterator, Sequence
from typing import Any

from sortkey.design.plans.notation import present
from sortkey.design.tables.table import Attribute
from sortkey.synth.cdk.program import (
    FunctionCall,
    LibraryConstant,
    New,
    ProgramStep,
    Struct,
    This,
    Value,
    Variable,
)
from sortkey.synth.model import AutoScaling, IndexResource, TableResource, Units
from sortkey.synth.naming import pascal

_TYPES = {"S": "STRING", "N": "NUMBER", "B": "BINARY"}


def table_steps(table: TableResource) -> Iterator[ProgramStep]:
    """Yield the steps of a table, its indexes and its auto scaling; replicas need another class."""
    variable = Variable(table.id)
    if table.own_key is not None:
        yield ProgramStep(
            FunctionCall("kms.Key.fromKeyArn", (This(), f"{table.id}Key", table.own_key)),
            _key(table),
        )
    if table.replicas:
        made = New("dynamodb.TableV2", present(_replicated(table)), table.id)
        yield ProgramStep(made, variable, table.comment)
        return
    yield ProgramStep(
        New("dynamodb.Table", present(_single(table)), table.id), variable, table.comment
    )
    for index in table.global_indexes:
        capacity = _capacity(table)
        yield ProgramStep(variable.call("addGlobalSecondaryIndex", **_index(index), **capacity))
    for index in table.local_indexes:
        sort = {"indexName": index.name, "sortKey": _attribute(index.sort[0])}
        yield ProgramStep(variable.call("addLocalSecondaryIndex", **sort, **_projection(index)))
    for scaling in table.scalings:
        yield from _scaling_steps(table, scaling)
    for name, value in table.tags.items():
        yield ProgramStep(FunctionCall("cdk.Tags.of", (variable,)).then("add", name, value))


def _single(table: TableResource) -> dict[str, Any]:
    billing = "PAY_PER_REQUEST" if table.provisioned is None else "PROVISIONED"
    return {
        "tableName": table.name,
        **_keys(table),
        "billingMode": LibraryConstant(f"dynamodb.BillingMode.{billing}"),
        **_capacity(table),
        "timeToLiveAttribute": table.ttl,
        "stream": _stream(table),
        **_own(table),
        "encryption": LibraryConstant(f"dynamodb.TableEncryption.{_encryption(table)}"),
        "encryptionKey": None if table.own_key is None else _key(table),
        "removalPolicy": _removal(table),
    }


def _replicated(table: TableResource) -> dict[str, Any]:
    return {
        "tableName": table.name,
        **_keys(table),
        "billing": _billing(table),
        "timeToLiveAttribute": table.ttl,
        "dynamoStream": _stream(table),
        **_own(table),
        "encryption": _encryption_v2(table),
        "removalPolicy": _removal(table),
        "globalSecondaryIndexes": [
            Struct("dynamodb.GlobalSecondaryIndexPropsV2", _index(index) | _ceilings(table))
            for index in table.global_indexes
        ]
        or None,
        "localSecondaryIndexes": [
            Struct(
                "dynamodb.LocalSecondaryIndexProps",
                {"indexName": index.name, "sortKey": _attribute(index.sort[0])}
                | _projection(index),
            )
            for index in table.local_indexes
        ]
        or None,
        "tags": _tags(table),
        "replicas": [
            Struct(
                "dynamodb.ReplicaTableProps",
                present({"region": replica.region, "tags": _tags(table)}),
            )
            for replica in table.replicas
        ],
    }


def _keys(table: TableResource) -> dict[str, Any]:
    return {
        "partitionKey": _attribute(table.partition),
        "sortKey": None if table.sort is None else _attribute(table.sort),
    }


def _attribute(attribute: Attribute) -> Struct:
    kind = LibraryConstant(f"dynamodb.AttributeType.{_TYPES[attribute.type]}")
    return Struct("dynamodb.Attribute", {"name": attribute.name, "type": kind})


def _index(index: IndexResource) -> dict[str, Any]:
    return {
        "indexName": index.name,
        **_key_of("partitionKey", index.partition),
        **_key_of("sortKey", index.sort),
        **_projection(index),
    }


def _key_of(name: str, attributes: Sequence[Attribute]) -> dict[str, Value]:
    """Return a key of one attribute, or of several under the plural of its name."""
    made: list[Value] = [_attribute(attribute) for attribute in attributes]
    match made:
        case []:
            return {}
        case [only]:
            return {name: only}
        case _:
            return {f"{name}s": made}


def _projection(index: IndexResource) -> dict[str, Any]:
    kind = LibraryConstant(f"dynamodb.ProjectionType.{index.projection}")
    return present({"projectionType": kind, "nonKeyAttributes": list(index.included) or None})


def _capacity(table: TableResource) -> dict[str, Any]:
    """Return the provisioned capacity, or the on-demand limits, of a table or index."""
    reserved = table.provisioned or Units(None, None)
    most = table.ceilings or Units(None, None)
    return present(
        {
            "readCapacity": reserved.reads,
            "writeCapacity": reserved.writes,
            "maxReadRequestUnits": most.reads,
            "maxWriteRequestUnits": most.writes,
        }
    )


def _ceilings(table: TableResource) -> dict[str, Any]:
    """Return the on-demand limits of a replicated table's index, which it does not inherit."""
    return {} if table.ceilings is None else _capacity(table)


def _billing(table: TableResource) -> FunctionCall:
    units = table.provisioned
    if units is None:
        return FunctionCall("dynamodb.Billing.onDemand", (), _capacity(table))
    reads = _scaled(table, "read") or FunctionCall("dynamodb.Capacity.fixed", (units.reads or 0,))
    capacity = present({"readCapacity": reads, "writeCapacity": _scaled(table, "write")})
    return FunctionCall("dynamodb.Billing.provisioned", (), capacity)


def _scaled(table: TableResource, dimension: str) -> FunctionCall | None:
    for scaling in table.scalings:
        if (scaling.dimension, scaling.index) == (dimension, None):
            bounds = {"minCapacity": scaling.least, "maxCapacity": scaling.most}
            target = {"targetUtilizationPercent": scaling.target_percent}
            return FunctionCall("dynamodb.Capacity.autoscaled", (), bounds | target)
    return None


def _stream(table: TableResource) -> LibraryConstant | None:
    return (
        None if table.stream is None else LibraryConstant(f"dynamodb.StreamViewType.{table.stream}")
    )


def _own(table: TableResource) -> dict[str, Any]:
    """Return the properties that each replica has itself."""
    days = table.recovery_days
    recovery = {"pointInTimeRecoveryEnabled": days is not None, "recoveryPeriodInDays": days}
    return {
        "pointInTimeRecoverySpecification": Struct(
            "dynamodb.PointInTimeRecoverySpecification", present(recovery)
        ),
        "deletionProtection": table.deletion_protection,
        "tableClass": LibraryConstant(f"dynamodb.TableClass.{table.table_class}"),
    }


def _encryption(table: TableResource) -> str:
    if table.key is None:
        return "DEFAULT"
    return "AWS_MANAGED" if table.own_key is None else "CUSTOMER_MANAGED"


def _encryption_v2(table: TableResource) -> FunctionCall:
    if table.key is None:
        return FunctionCall("dynamodb.TableEncryptionV2.dynamoOwnedKey")
    if table.own_key is None:
        return FunctionCall("dynamodb.TableEncryptionV2.awsManagedKey")
    keys = {replica.region: replica.key for replica in table.replicas}
    return FunctionCall("dynamodb.TableEncryptionV2.customerManagedKey", (_key(table), keys))


def _key(table: TableResource) -> Variable:
    return Variable(f"{table.id}Key")


def _removal(table: TableResource) -> LibraryConstant:
    return LibraryConstant(f"cdk.RemovalPolicy.{table.removal.upper()}")


def _tags(table: TableResource) -> list[Struct] | None:
    tags = [Struct("cdk.CfnTag", {"key": key, "value": value}) for key, value in table.tags.items()]
    return tags or None


def _scaling_steps(table: TableResource, scaling: AutoScaling) -> Iterator[ProgramStep]:
    dimension, variable = scaling.dimension.title(), Variable(table.id)
    bounds = {"minCapacity": scaling.least, "maxCapacity": scaling.most}
    scaled = Variable(f"{table.id}{pascal(scaling.index or '')}{dimension}Scaling")
    made = (
        variable.call(f"autoScale{dimension}Capacity", **bounds)
        if scaling.index is None
        else variable.call(
            f"autoScaleGlobalSecondaryIndex{dimension}Capacity", scaling.index, **bounds
        )
    )
    yield ProgramStep(made, scaled)
    target = {"targetUtilizationPercent": scaling.target_percent}
    yield ProgramStep(scaled.call("scaleOnUtilization", **target))
