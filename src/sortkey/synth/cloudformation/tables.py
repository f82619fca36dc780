"""Tables in CloudFormation, with their auto scaling."""

from collections.abc import Iterator
from typing import Any

from sortkey.design.tables.settings import Replica
from sortkey.design.tables.table import Attribute
from sortkey.synth.cloudformation.yaml import Noted, ref, sub, unless_empty
from sortkey.synth.model import AutoScaling, IndexResource, TableResource, Units
from sortkey.synth.naming import pascal
from sortkey.synth.tables import key_attributes

_POLICY = {"retain": "Retain", "destroy": "Delete"}


def table_resource(table: TableResource) -> dict[str, Any]:
    """Return the table; with replicas it is a global table, which is another resource type."""
    policy = _POLICY[table.removal]
    global_table = bool(table.replicas)
    properties = _global_table(table) if global_table else _table(table)
    return {
        "Type": "AWS::DynamoDB::GlobalTable" if global_table else "AWS::DynamoDB::Table",
        "DeletionPolicy": policy,
        "UpdateReplacePolicy": policy,
        "Properties": {k: v for k, v in properties.items() if v not in (None, [], {})},
    }


def _table(table: TableResource) -> dict[str, Any]:
    return {
        **_keys(table),
        "GlobalSecondaryIndexes": [
            _index(index)
            | unless_empty("ProvisionedThroughput", _throughput(table.provisioned))
            | unless_empty("OnDemandThroughput", _maxima(table.ceilings))
            for index in table.global_indexes
        ],
        "LocalSecondaryIndexes": [_index(index) for index in table.local_indexes],
        "BillingMode": _billing_mode(table),
        "ProvisionedThroughput": _throughput(table.provisioned),
        "OnDemandThroughput": _maxima(table.ceilings),
        **_expiry_and_stream(table),
        **_own(table),
        "SSESpecification": _encryption(table) | unless_empty("KMSMasterKeyId", table.own_key),
        "Tags": _tags(table),
    }


def _global_table(table: TableResource) -> dict[str, Any]:
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


def _replica(table: TableResource, replica: Replica) -> dict[str, Any]:
    return {
        "Region": replica.region,
        **_own(table),
        **_reads(table, None),
        **unless_empty(
            "GlobalSecondaryIndexes",
            [
                {"IndexName": index.name, **reads}
                for index in table.global_indexes
                if (reads := _reads(table, index.name))
            ],
        ),
        **unless_empty("SSESpecification", unless_empty("KMSMasterKeyId", replica.key)),
        **unless_empty("Tags", _tags(table)),
    }


def _keys(table: TableResource) -> dict[str, Any]:
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


def _index(index: IndexResource) -> dict[str, Any]:
    return {
        "IndexName": index.name,
        "KeySchema": _schema(index.partition, index.sort),
        "Projection": {"ProjectionType": index.projection}
        | unless_empty("NonKeyAttributes", list(index.included)),
    }


def _billing_mode(table: TableResource) -> str:
    return "PAY_PER_REQUEST" if table.provisioned is None else "PROVISIONED"


def _throughput(units: Units | None) -> dict[str, Any]:
    if units is None:
        return {}
    return {"ReadCapacityUnits": units.reads, "WriteCapacityUnits": units.writes}


def _maxima(units: Units | None) -> dict[str, Any]:
    if units is None:
        return {}
    return unless_empty("MaxReadRequestUnits", units.reads) | unless_empty(
        "MaxWriteRequestUnits", units.writes
    )


def _reads(table: TableResource, index: str | None) -> dict[str, Any]:
    """Return the read settings of a global table's replica."""
    if table.ceilings is not None:
        most = unless_empty("MaxReadRequestUnits", table.ceilings.reads)
        return unless_empty("ReadOnDemandThroughputSettings", most)
    scaling = _scaling(table, "read", index)
    settings: dict[str, Any] = (
        {"ReadCapacityUnits": table.provisioned.reads if table.provisioned else None}
        if scaling is None
        else {"ReadCapacityAutoScalingSettings": _tracked(scaling)}
    )
    return {"ReadProvisionedThroughputSettings": settings}


def _writes(table: TableResource, index: str | None) -> dict[str, Any]:
    """Return the write settings of a global table, which all replicas share."""
    if table.ceilings is not None:
        most = unless_empty("MaxWriteRequestUnits", table.ceilings.writes)
        return unless_empty("WriteOnDemandThroughputSettings", most)
    scaling = _scaling(table, "write", index)
    tracked = {} if scaling is None else {"WriteCapacityAutoScalingSettings": _tracked(scaling)}
    return {"WriteProvisionedThroughputSettings": tracked}


def _scaling(table: TableResource, dimension: str, index: str | None) -> AutoScaling | None:
    wanted = (dimension, index)
    return next((s for s in table.scalings if (s.dimension, s.index) == wanted), None)


def _tracked(scaling: AutoScaling) -> dict[str, Any]:
    return {
        "MinCapacity": scaling.least,
        "MaxCapacity": scaling.most,
        "TargetTrackingScalingPolicyConfiguration": {"TargetValue": scaling.target_percent},
    }


def _expiry_and_stream(table: TableResource) -> dict[str, Any]:
    expiry = {} if table.ttl is None else {"AttributeName": table.ttl, "Enabled": True}
    return {
        "TimeToLiveSpecification": expiry,
        "StreamSpecification": unless_empty("StreamViewType", table.stream),
    }


def _own(table: TableResource) -> dict[str, Any]:
    """Return the properties that each replica has itself."""
    days = table.recovery_days
    recovery: dict[str, Any] = {"PointInTimeRecoveryEnabled": days is not None}
    return {
        "PointInTimeRecoverySpecification": recovery | unless_empty("RecoveryPeriodInDays", days),
        "DeletionProtectionEnabled": table.deletion_protection,
        "TableClass": table.table_class,
    }


def _encryption(table: TableResource) -> dict[str, Any]:
    return {} if table.key is None else {"SSEEnabled": True, "SSEType": "KMS"}


def _tags(table: TableResource) -> list[dict[str, str]]:
    return [{"Key": name, "Value": value} for name, value in table.tags.items()]


def scaling_resources(table: TableResource) -> Iterator[tuple[str, Any]]:
    """Return the auto scaling of a table and its indexes; a global table contains its own."""
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


def _scaling_target(table: TableResource, scaling: AutoScaling) -> dict[str, Any]:
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


def _scaling_policy(name: str, scaling: AutoScaling) -> dict[str, Any]:
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
