"""Tables in Terraform, with their auto scaling."""

from collections.abc import Iterator
from typing import Any

from sortkey.design.tables.table import Attribute
from sortkey.synth.model import AutoScaling, IndexResource, TableResource, Units
from sortkey.synth.naming import snake
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, resource


def local_name(table: TableResource) -> str:
    """Return the name of a table within the folder: its class without the suffix."""
    return snake(table.id.removesuffix("Table"))


def reference(table: TableResource, attribute: str) -> Expression:
    """Return a reference to a table's attribute."""
    return Expression(f"aws_dynamodb_table.{local_name(table)}.{attribute}")


def table_blocks(table: TableResource) -> Iterator[HclBlock]:
    """Yield the blocks of a table and its auto scaling."""
    yield resource(
        "aws_dynamodb_table",
        local_name(table),
        _arguments(table),
        *_blocks(table),
        comment=table.comment,
    )
    yield from _scaling_blocks(table)


def _arguments(table: TableResource) -> dict[str, Any]:
    units = table.provisioned or Units(None, None)
    return {
        "name": table.name,
        "billing_mode": "PAY_PER_REQUEST" if table.provisioned is None else "PROVISIONED",
        "read_capacity": units.reads,
        "write_capacity": units.writes,
        "hash_key": table.partition.name,
        "range_key": None if table.sort is None else table.sort.name,
        "table_class": table.table_class,
        "deletion_protection_enabled": table.deletion_protection,
        "stream_enabled": True if table.stream else None,
        "stream_view_type": table.stream,
        "tags": table.tags or None,
    }


def _blocks(table: TableResource) -> Iterator[HclBlock]:
    for attribute in table.attributes:
        yield block("attribute", {"name": attribute.name, "type": attribute.type})
    for index in table.global_indexes:
        yield _global_index(index, table)
    for index in table.local_indexes:
        key = {"name": index.name, "range_key": index.sort[0].name}
        yield block("local_secondary_index", key | _projection(index))
    if table.ceilings is not None:
        yield from _ceilings(table.ceilings)
    if table.ttl is not None:
        yield block("ttl", {"attribute_name": table.ttl, "enabled": True})
    days = table.recovery_days
    yield block(
        "point_in_time_recovery",
        {"enabled": days is not None, "recovery_period_in_days": days},
    )
    if table.key is not None:
        yield block("server_side_encryption", {"enabled": True, "kms_key_arn": table.own_key})
    yield from _replicas(table)
    yield from _lifecycle(table)


def _global_index(index: IndexResource, table: TableResource) -> HclBlock:
    units = table.provisioned or Units(None, None)
    capacity = {"read_capacity": units.reads, "write_capacity": units.writes}
    ceilings = () if table.ceilings is None else tuple(_ceilings(table.ceilings))
    keys = [_key(a, "HASH") for a in index.partition] + [_key(a, "RANGE") for a in index.sort]
    named = {"name": index.name} | _projection(index) | capacity
    return block("global_secondary_index", named, *keys, *ceilings)


def _key(attribute: Attribute, kind: str) -> HclBlock:
    return block("key_schema", {"attribute_name": attribute.name, "key_type": kind})


def _projection(index: IndexResource) -> dict[str, Any]:
    included = list(index.included) or None
    return {"projection_type": index.projection, "non_key_attributes": included}


def _ceilings(units: Units) -> Iterator[HclBlock]:
    if units.reads is not None or units.writes is not None:
        most = {"max_read_request_units": units.reads, "max_write_request_units": units.writes}
        yield block("on_demand_throughput", most)


def _replicas(table: TableResource) -> Iterator[HclBlock]:
    for replica in table.replicas:
        yield block(
            "replica",
            {
                "region_name": replica.region,
                "kms_key_arn": replica.key,
                "point_in_time_recovery": table.recovery_days is not None,
                "deletion_protection_enabled": table.deletion_protection,
                "propagate_tags": True,
            },
        )


def _lifecycle(table: TableResource) -> Iterator[HclBlock]:
    scaled = ["read_capacity", "write_capacity", "global_secondary_index"]
    ignored = Expression(f"[{', '.join(scaled)}]") if table.scalings else None
    kept = True if table.removal == "retain" else None
    if kept or ignored:
        comment = "Auto scaling changes these." if ignored else ""
        arguments = {"prevent_destroy": kept, "ignore_changes": ignored}
        yield block("lifecycle", arguments, comment=comment)


def _scaling_blocks(table: TableResource) -> Iterator[HclBlock]:
    for scaling in table.scalings:
        place = "" if scaling.index is None else f"_{snake(scaling.index)}"
        name = f"{local_name(table)}{place}_{scaling.dimension}"
        yield _scaling_target(table, scaling, name)
        yield _scaling_policy(scaling, name)


def _scaling_target(table: TableResource, scaling: AutoScaling, name: str) -> HclBlock:
    place = "table" if scaling.index is None else "index"
    index = "" if scaling.index is None else f"/index/{scaling.index}"
    return resource(
        "aws_appautoscaling_target",
        name,
        {
            "service_namespace": "dynamodb",
            "resource_id": Expression(f'"table/${{{reference(table, "name").text}}}{index}"'),
            "scalable_dimension": f"dynamodb:{place}:{scaling.dimension.title()}CapacityUnits",
            "min_capacity": scaling.least,
            "max_capacity": scaling.most,
        },
        comment=(
            f"From {scaling.least} to {scaling.most} units a second, so that "
            f"{scaling.target_percent} % of them are used."
        ),
    )


def _scaling_policy(scaling: AutoScaling, name: str) -> HclBlock:
    target = f"aws_appautoscaling_target.{name}"
    metric = f"DynamoDB{scaling.dimension.title()}CapacityUtilization"
    return resource(
        "aws_appautoscaling_policy",
        name,
        {
            "name": name,
            "policy_type": "TargetTrackingScaling",
            "service_namespace": Expression(f"{target}.service_namespace"),
            "resource_id": Expression(f"{target}.resource_id"),
            "scalable_dimension": Expression(f"{target}.scalable_dimension"),
        },
        block(
            "target_tracking_scaling_policy_configuration",
            {"target_value": scaling.target_percent},
            block("predefined_metric_specification", {"predefined_metric_type": metric}),
        ),
    )
