"""Tables as CloudFormation declares them, with what scales them."""

from collections.abc import Iterator
from typing import Any

from sortkey.design.settings import Replica
from sortkey.design.table import Attribute
from sortkey.synth.cloudformation.yaml import Noted, ref, sub
from sortkey.synth.model import Index, Scaling, Table, Units
from sortkey.synth.naming import pascal
from sortkey.synth.tables import key_attributes

_POLICY = {"retain": "Retain", "destroy": "Delete"}


def table_resource(table: Table) -> dict[str, Any]:
    """The table; one with replicas is a global table, which is another resource."""
    policy = _POLICY[table.removal]
    global_table = bool(table.replicas)
    properties = _global_table(table) if global_table else _table(table)
    return {
        "Type": "AWS::DynamoDB::GlobalTable" if global_table else "AWS::DynamoDB::Table",
        "DeletionPolicy": policy,
        "UpdateReplacePolicy": policy,
        "Properties": {k: v for k, v in properties.items() if v not in (None, [], {})},
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        **_keys(table),
        "GlobalSecondaryIndexes": [
            _index(index)
            | _given("ProvisionedThroughput", _throughput(table.provisioned))
            | _given("OnDemandThroughput", _maxima(table.ceilings))
            for index in table.global_indexes
        ],
        "LocalSecondaryIndexes": [_index(index) for index in table.local_indexes],
        "BillingMode": _billing_mode(table),
        "ProvisionedThroughput": _throughput(table.provisioned),
        "OnDemandThroughput": _maxima(table.ceilings),
        **_expiry_and_stream(table),
        **_own(table),
        "SSESpecification": _encryption(table) | _given("KMSMasterKeyId", table.own_key),
        "Tags": _tags(table),
    }


def _global_table(table: Table) -> dict[str, Any]:
    return {
        **_keys(table),
        "GlobalSecondaryIndexes": [
            _index(index) | _writes(table, index.name) for index in table.global_indexes
        ],
        "LocalSecondaryIndexes": [_index(index) for index in table.local_indexes],
        "BillingMode": _billing_mode(table),
        **_writes(table, None),
        **_expiry_and_stream(table),
        "SSESpecification": _encryption(table),
        "Replicas": [
            _replica(table, Replica("", table.own_key)) | {"Region": ref("AWS::Region")},
            *(_replica(table, replica) for replica in table.replicas),
        ],
    }


def _replica(table: Table, replica: Replica) -> dict[str, Any]:
    return {
        "Region": replica.region,
        **_own(table),
        **_reads(table, None),
        **_given(
            "GlobalSecondaryIndexes",
            [
                {"IndexName": index.name, **reads}
                for index in table.global_indexes
                if (reads := _reads(table, index.name))
            ],
        ),
        **_given("SSESpecification", _given("KMSMasterKeyId", replica.key)),
        **_given("Tags", _tags(table)),
    }


def _keys(table: Table) -> dict[str, Any]:
    key = key_attributes(table)
    return {
        "TableName": table.name,
        "KeySchema": _schema(key[:1], key[1:]),
        "AttributeDefinitions": [
            {"AttributeName": a.name, "AttributeType": a.type} for a in table.attributes
        ],
    }


def _schema(partition: tuple[Attribute, ...], sort: tuple[Attribute, ...]) -> list[dict[str, str]]:
    return [
        *({"AttributeName": a.name, "KeyType": "HASH"} for a in partition),
        *({"AttributeName": a.name, "KeyType": "RANGE"} for a in sort),
    ]


def _index(index: Index) -> dict[str, Any]:
    return {
        "IndexName": index.name,
        "KeySchema": _schema(index.partition, index.sort),
        "Projection": {"ProjectionType": index.projection}
        | _given("NonKeyAttributes", list(index.included)),
    }


def _billing_mode(table: Table) -> str:
    return "PAY_PER_REQUEST" if table.provisioned is None else "PROVISIONED"


def _throughput(units: Units | None) -> dict[str, Any]:
    if units is None:
        return {}
    return {"ReadCapacityUnits": units.reads, "WriteCapacityUnits": units.writes}


def _maxima(units: Units | None) -> dict[str, Any]:
    if units is None:
        return {}
    return _given("MaxReadRequestUnits", units.reads) | _given("MaxWriteRequestUnits", units.writes)


def _reads(table: Table, index: str | None) -> dict[str, Any]:
    """What a replica of a global table says of its reads."""
    if table.ceilings is not None:
        most = _given("MaxReadRequestUnits", table.ceilings.reads)
        return _given("ReadOnDemandThroughputSettings", most)
    scaling = _scaling(table, "read", index)
    settings: dict[str, Any] = (
        {"ReadCapacityUnits": table.provisioned.reads if table.provisioned else None}
        if scaling is None
        else {"ReadCapacityAutoScalingSettings": _tracked(scaling)}
    )
    return {"ReadProvisionedThroughputSettings": settings}


def _writes(table: Table, index: str | None) -> dict[str, Any]:
    """What a global table says of its writes, which are the same everywhere."""
    if table.ceilings is not None:
        most = _given("MaxWriteRequestUnits", table.ceilings.writes)
        return _given("WriteOnDemandThroughputSettings", most)
    scaling = _scaling(table, "write", index)
    tracked = {} if scaling is None else {"WriteCapacityAutoScalingSettings": _tracked(scaling)}
    return {"WriteProvisionedThroughputSettings": tracked}


def _scaling(table: Table, dimension: str, index: str | None) -> Scaling | None:
    wanted = (dimension, index)
    return next((s for s in table.scalings if (s.dimension, s.index) == wanted), None)


def _tracked(scaling: Scaling) -> dict[str, Any]:
    return {
        "MinCapacity": scaling.least,
        "MaxCapacity": scaling.most,
        "TargetTrackingScalingPolicyConfiguration": {"TargetValue": scaling.target_percent},
    }


def _expiry_and_stream(table: Table) -> dict[str, Any]:
    expiry = {} if table.ttl is None else {"AttributeName": table.ttl, "Enabled": True}
    return {
        "TimeToLiveSpecification": expiry,
        "StreamSpecification": _given("StreamViewType", table.stream),
    }


def _own(table: Table) -> dict[str, Any]:
    """What every copy of a table has for itself."""
    days = table.recovery_days
    recovery: dict[str, Any] = {"PointInTimeRecoveryEnabled": days is not None}
    return {
        "PointInTimeRecoverySpecification": recovery | _given("RecoveryPeriodInDays", days),
        "DeletionProtectionEnabled": table.deletion_protection,
        "TableClass": table.table_class,
    }


def _encryption(table: Table) -> dict[str, Any]:
    return {} if table.key is None else {"SSEEnabled": True, "SSEType": "KMS"}


def _tags(table: Table) -> list[dict[str, str]]:
    return [{"Key": name, "Value": value} for name, value in table.tags.items()]


def _given(name: str, value: Any) -> dict[str, Any]:
    """The member, where there is something to say."""
    return {name: value} if value else {}


def scaling_resources(table: Table) -> Iterator[tuple[str, Any]]:
    """What scales a table and its indexes; a global table says it itself."""
    if table.replicas:
        return
    for scaling in table.scalings:
        place = table.id if scaling.index is None else f"{table.id}{pascal(scaling.index)}"
        name = f"{place}{scaling.dimension.title()}Scaling"
        yield (
            f"{name}Target",
            Noted(
                f"From {scaling.least} to {scaling.most} units a second, so that "
                f"{scaling.target_percent} % of them are used.",
                _scaling_target(table, scaling),
            ),
        )
        yield f"{name}Policy", _scaling_policy(name, scaling)


def _scaling_target(table: Table, scaling: Scaling) -> dict[str, Any]:
    place = "table" if scaling.index is None else "index"
    index = "" if scaling.index is None else f"/index/{scaling.index}"
    return {
        "Type": "AWS::ApplicationAutoScaling::ScalableTarget",
        "Properties": {
            "ServiceNamespace": "dynamodb",
            "ResourceId": sub(f"table/${{{table.id}}}{index}"),
            "ScalableDimension": f"dynamodb:{place}:{scaling.dimension.title()}CapacityUnits",
            "MinCapacity": scaling.least,
            "MaxCapacity": scaling.most,
        },
    }


def _scaling_policy(name: str, scaling: Scaling) -> dict[str, Any]:
    metric = f"DynamoDB{scaling.dimension.title()}CapacityUtilization"
    return {
        "Type": "AWS::ApplicationAutoScaling::ScalingPolicy",
        "Properties": {
            "PolicyName": name,
            "PolicyType": "TargetTrackingScaling",
            "ScalingTargetId": ref(f"{name}Target"),
            "TargetTrackingScalingPolicyConfiguration": {
                "PredefinedMetricSpecification": {"PredefinedMetricType": metric},
                "TargetValue": scaling.target_percent,
            },
        },
    }
