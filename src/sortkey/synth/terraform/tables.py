"""Tables in Terraform, with their auto scaling."""

from collections.abc import Iterator
from typing import Any

from sortkey.design.tables.table import Attribute
from sortkey.synth.model import AutoScaling, IndexResource, TableResource, Units
from sortkey.synth.naming import snake
from sortkey.synth.tables import key_attributes
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, resource

_TABLE, _INDEX = "aws_dynamodb_table", "aws_dynamodb_global_secondary_index"
_SCALED = "Auto scaling changes these."


def local_name(table: TableResource) -> str:
    """Return the name of a table within the folder: its class without the suffix."""
    return snake(table.id.removesuffix("Table"))


def reference(table: TableResource, attribute: str) -> Expression:
    """Return a reference to a table's attribute."""
    return Expression(f"{_TABLE}.{local_name(table)}.{attribute}")


def table_blocks(table: TableResource) -> Iterator[HclBlock]:
    """Yield the blocks of a table and its auto scaling."""
    yield resource(
        _TABLE,
        local_name(table),
        _arguments(table),
        *_blocks(table),
        comment=table.comment,
    )
    for previous, index in zip((None, *table.global_indexes), table.global_indexes, strict=False):
        yield _global_index(index, previous, table)
    yield from _scaling_blocks(table)


def import_blocks(table: TableResource) -> Iterator[HclBlock]:
    """Yield the blocks that take over an existing table, with its global indexes."""
    own = {"to": Expression(f"{_TABLE}.{local_name(table)}"), "id": table.name}
    yield HclBlock("import", (), own)
    for index in table.global_indexes:
        resource_name = Expression(f"{_INDEX}.{index_name(table, index.name)}")
        yield HclBlock("import", (), {"to": resource_name, "id": f"{table.name},{index.name}"})


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
    # The attributes of global indexes belong to these, which are resources of their own.
    keyed = (*key_attributes(table), *(a for index in table.local_indexes for a in index.sort))
    for attribute in dict.fromkeys(keyed):
        yield block("attribute", {"name": attribute.name, "type": attribute.type})
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


def index_name(table: TableResource, index: str) -> str:
    """Return the name of a global index within the folder."""
    return f"{local_name(table)}_{snake(index)}"


def _global_index(
    index: IndexResource, previous: IndexResource | None, table: TableResource
) -> HclBlock:
    """Return an index; DynamoDB creates one at a time, so it waits for the previous one."""
    blocks = [_key(a, "HASH") for a in index.partition] + [_key(a, "RANGE") for a in index.sort]
    blocks.append(block("projection", _projection(index)))
    units = table.provisioned
    if units is not None:
        reserved = {"read_capacity_units": units.reads, "write_capacity_units": units.writes}
        blocks.append(block("provisioned_throughput", reserved))
    if table.ceilings is not None:
        blocks += _ceilings(table.ceilings)
    if any(scaling.index == index.name for scaling in table.scalings):
        ignored = {"ignore_changes": Expression("[provisioned_throughput]")}
        blocks.append(block("lifecycle", ignored, comment=_SCALED))
    after = None
    if previous is not None:
        after = Expression(f"[{_INDEX}.{index_name(table, previous.name)}]")
    arguments = {
        "table_name": reference(table, "name"),
        "index_name": index.name,
        "depends_on": after,
    }
    return resource(_INDEX, index_name(table, index.name), arguments, *blocks)


def _key(attribute: Attribute, kind: str) -> HclBlock:
    typed = {"attribute_name": attribute.name, "attribute_type": attribute.type}
    return block("key_schema", typed | {"key_type": kind})


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
    is_scaled = any(scaling.index is None for scaling in table.scalings)
    ignored = Expression("[read_capacity, write_capacity]") if is_scaled else None
    kept = True if table.removal == "retain" else None
    if kept or ignored:
        comment = _SCALED if ignored else ""
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
    scaled = f"${{{reference(table, 'name').text}}}"
    if scaling.index is not None:
        scaled += f"/index/${{{_INDEX}.{index_name(table, scaling.index)}.index_name}}"
    return resource(
        "aws_appautoscaling_target",
        name,
        {
            "service_namespace": "dynamodb",
            "resource_id": Expression(f'"table/{scaled}"'),
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
