"""Tables as CDK makes them, with what scales them."""

from collections.abc import Iterator, Sequence
from typing import Any

from sortkey.design.table import Attribute
from sortkey.synth.cdk.program import Call, Member, New, Step, Struct, This, Value, Variable, said
from sortkey.synth.model import Index, Scaling, Table, Units
from sortkey.synth.naming import pascal

_TYPES = {"S": "STRING", "N": "NUMBER", "B": "BINARY"}


def table_steps(table: Table) -> Iterator[Step]:
    """The table, its indexes and what scales it; one with replicas is of another class."""
    variable = Variable(table.id)
    if table.own_key is not None:
        yield Step(
            Call("kms.Key.fromKeyArn", (This(), f"{table.id}Key", table.own_key)), _key(table)
        )
    if table.replicas:
        made = New("dynamodb.TableV2", said(_replicated(table)), table.id)
        yield Step(made, variable, table.comment)
        return
    yield Step(New("dynamodb.Table", said(_single(table)), table.id), variable, table.comment)
    for index in table.global_indexes:
        capacity = _capacity(table)
        yield Step(variable.call("addGlobalSecondaryIndex", **_index(index), **capacity))
    for index in table.local_indexes:
        sort = {"indexName": index.name, "sortKey": _attribute(index.sort[0])}
        yield Step(variable.call("addLocalSecondaryIndex", **sort, **_projection(index)))
    for scaling in table.scalings:
        yield from _scaling_steps(table, scaling)
    for name, value in table.tags.items():
        yield Step(Call("cdk.Tags.of", (variable,)).then("add", name, value))


def _single(table: Table) -> dict[str, Any]:
    billing = "PAY_PER_REQUEST" if table.provisioned is None else "PROVISIONED"
    return {
        "tableName": table.name,
        **_keys(table),
        "billingMode": Member(f"dynamodb.BillingMode.{billing}"),
        **_capacity(table),
        "timeToLiveAttribute": table.ttl,
        "stream": _stream(table),
        **_own(table),
        "encryption": Member(f"dynamodb.TableEncryption.{_encryption(table)}"),
        "encryptionKey": None if table.own_key is None else _key(table),
        "removalPolicy": _removal(table),
    }


def _replicated(table: Table) -> dict[str, Any]:
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
                said({"region": replica.region, "tags": _tags(table)}),
            )
            for replica in table.replicas
        ],
    }


def _keys(table: Table) -> dict[str, Any]:
    return {
        "partitionKey": _attribute(table.partition),
        "sortKey": None if table.sort is None else _attribute(table.sort),
    }


def _attribute(attribute: Attribute) -> Struct:
    kind = Member(f"dynamodb.AttributeType.{_TYPES[attribute.type]}")
    return Struct("dynamodb.Attribute", {"name": attribute.name, "type": kind})


def _index(index: Index) -> dict[str, Any]:
    return {
        "indexName": index.name,
        **_key_of("partitionKey", index.partition),
        **_key_of("sortKey", index.sort),
        **_projection(index),
    }


def _key_of(name: str, attributes: Sequence[Attribute]) -> dict[str, Value]:
    """A key of one attribute, or of several under the plural of its name."""
    made: list[Value] = [_attribute(attribute) for attribute in attributes]
    match made:
        case []:
            return {}
        case [only]:
            return {name: only}
        case _:
            return {f"{name}s": made}


def _projection(index: Index) -> dict[str, Any]:
    kind = Member(f"dynamodb.ProjectionType.{index.projection}")
    return said({"projectionType": kind, "nonKeyAttributes": list(index.included) or None})


def _capacity(table: Table) -> dict[str, Any]:
    """What is reserved, or the ceilings, of a table and of each of its indexes."""
    reserved = table.provisioned or Units(None, None)
    most = table.ceilings or Units(None, None)
    return said(
        {
            "readCapacity": reserved.reads,
            "writeCapacity": reserved.writes,
            "maxReadRequestUnits": most.reads,
            "maxWriteRequestUnits": most.writes,
        }
    )


def _ceilings(table: Table) -> dict[str, Any]:
    """What an index of a replicated table does not take over from it, as it does the rest."""
    return {} if table.ceilings is None else _capacity(table)


def _billing(table: Table) -> Call:
    units = table.provisioned
    if units is None:
        return Call("dynamodb.Billing.onDemand", (), _capacity(table))
    reads = _scaled(table, "read") or Call("dynamodb.Capacity.fixed", (units.reads or 0,))
    capacity = said({"readCapacity": reads, "writeCapacity": _scaled(table, "write")})
    return Call("dynamodb.Billing.provisioned", (), capacity)


def _scaled(table: Table, dimension: str) -> Call | None:
    for scaling in table.scalings:
        if (scaling.dimension, scaling.index) == (dimension, None):
            bounds = {"minCapacity": scaling.least, "maxCapacity": scaling.most}
            target = {"targetUtilizationPercent": scaling.target_percent}
            return Call("dynamodb.Capacity.autoscaled", (), bounds | target)
    return None


def _stream(table: Table) -> Member | None:
    return None if table.stream is None else Member(f"dynamodb.StreamViewType.{table.stream}")


def _own(table: Table) -> dict[str, Any]:
    """What every copy of a table has for itself."""
    days = table.recovery_days
    recovery = {"pointInTimeRecoveryEnabled": days is not None, "recoveryPeriodInDays": days}
    return {
        "pointInTimeRecoverySpecification": Struct(
            "dynamodb.PointInTimeRecoverySpecification", said(recovery)
        ),
        "deletionProtection": table.deletion_protection,
        "tableClass": Member(f"dynamodb.TableClass.{table.table_class}"),
    }


def _encryption(table: Table) -> str:
    if table.key is None:
        return "DEFAULT"
    return "AWS_MANAGED" if table.own_key is None else "CUSTOMER_MANAGED"


def _encryption_v2(table: Table) -> Call:
    if table.key is None:
        return Call("dynamodb.TableEncryptionV2.dynamoOwnedKey")
    if table.own_key is None:
        return Call("dynamodb.TableEncryptionV2.awsManagedKey")
    keys = {replica.region: replica.key for replica in table.replicas}
    return Call("dynamodb.TableEncryptionV2.customerManagedKey", (_key(table), keys))


def _key(table: Table) -> Variable:
    return Variable(f"{table.id}Key")


def _removal(table: Table) -> Member:
    return Member(f"cdk.RemovalPolicy.{table.removal.upper()}")


def _tags(table: Table) -> list[Struct] | None:
    tags = [Struct("cdk.CfnTag", {"key": key, "value": value}) for key, value in table.tags.items()]
    return tags or None


def _scaling_steps(table: Table, scaling: Scaling) -> Iterator[Step]:
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
    yield Step(made, scaled)
    target = {"targetUtilizationPercent": scaling.target_percent}
    yield Step(scaled.call("scaleOnUtilization", **target))
