"""Tables as a design declares them, made where they are missing."""

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from sortkey.design.settings import Provisioned
from sortkey.design.table import Index, TableDefinition
from sortkey.errors import SortkeyError
from sortkey.operations.operation import Context, Conversation, Pause
from sortkey.wire.errors import (
    ResourceInUseException,
    ResourceNotFoundException,
    ValidationException,
)
from sortkey.wire.messages import Request

_POLL_SECONDS = 0.2


class TableMismatch(SortkeyError):  # noqa: N818 - reads as what was found
    """A table that exists is not the one that the design declares."""


def create_body(table: TableDefinition, environment: str) -> dict[str, Any]:
    """The CreateTable request of a declared table."""
    indexes = table.indexes.values()
    attributes = {a.name: a.type for i in (table.primary, *indexes) for a in i.attributes}
    body: dict[str, Any] = {
        "TableName": table.name_in(environment),
        "KeySchema": _key_schema(table.primary),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in attributes.items()
        ],
    } | _billing(table)
    for kind, member in (("global", "GlobalSecondaryIndexes"), ("local", "LocalSecondaryIndexes")):
        made = [_index(index, table) for index in indexes if index.kind == kind]
        if made:
            body[member] = made
    if table.settings.stream is not None:
        body["StreamSpecification"] = {
            "StreamEnabled": True,
            "StreamViewType": table.settings.stream,
        }
    return body


def _key_schema(index: Index) -> list[dict[str, str]]:
    partition = [{"AttributeName": a.name, "KeyType": "HASH"} for a in index.partition]
    return partition + [{"AttributeName": a.name, "KeyType": "RANGE"} for a in index.sort]


def _index(index: Index, table: TableDefinition) -> dict[str, Any]:
    projection: dict[str, Any] = (
        {"ProjectionType": index.projection}
        if isinstance(index.projection, str)
        else {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.projection)}
    )
    body = {
        "IndexName": index.name,
        "KeySchema": _key_schema(index),
        "Projection": projection,
    }
    if index.kind == "global" and isinstance(table.settings.billing, Provisioned):
        body |= _throughput(table.settings.billing)
    return body


def _billing(table: TableDefinition) -> dict[str, Any]:
    billing = table.settings.billing
    if isinstance(billing, Provisioned):
        return {"BillingMode": "PROVISIONED"} | _throughput(billing)
    return {"BillingMode": "PAY_PER_REQUEST"}


def _throughput(billing: Provisioned) -> dict[str, Any]:
    units = {"ReadCapacityUnits": billing.reads, "WriteCapacityUnits": billing.writes}
    return {"ProvisionedThroughput": units}


def create_missing(tables: Iterable[TableDefinition], context: Context) -> Conversation[None]:
    """Create the tables that are not there; refuse one that is there and is another."""
    for table in tables:
        wanted = create_body(table, context.environment)
        name = {"TableName": wanted["TableName"]}
        try:
            found = (yield Request("DescribeTable", name))["Table"]
        except ResourceNotFoundException:
            with suppress(ResourceInUseException):  # another process was quicker
                yield Request("CreateTable", wanted)
            found = (yield Request("DescribeTable", name))["Table"]
        while found["TableStatus"] != "ACTIVE":
            yield Pause(_POLL_SECONDS)
            found = (yield Request("DescribeTable", name))["Table"]
        _refuse_other(table, wanted, found)
        yield from _set_expiry(table, name)


def delete_existing(tables: Iterable[TableDefinition], context: Context) -> Conversation[None]:
    """Delete the tables that are there, with everything in them."""
    for table in tables:
        name = {"TableName": table.name_in(context.environment)}
        with suppress(ResourceNotFoundException):
            yield Request("DeleteTable", name)
            while True:
                yield Request("DescribeTable", name)
                yield Pause(_POLL_SECONDS)


def _refuse_other(table: TableDefinition, wanted: dict[str, Any], found: dict[str, Any]) -> None:
    name = wanted["TableName"]
    if found["KeySchema"] != wanted["KeySchema"]:
        raise TableMismatch(
            f"the table {name} exists with other keys than {table} declares "
            f"({_keys(found)}, not {_keys(wanted)}): use another name, or delete it"
        )
    types = {a["AttributeName"]: a["AttributeType"] for a in found["AttributeDefinitions"]}
    for attribute in wanted["AttributeDefinitions"]:
        key, kind = attribute["AttributeName"], attribute["AttributeType"]
        if types.get(key, kind) != kind:
            raise TableMismatch(
                f"the key {key} of {name} is of type {types[key]}, and {table} declares {kind}: "
                "use another name, or delete the table"
            )
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        there = {index["IndexName"]: index for index in found.get(member, ())}
        for index in wanted.get(member, ()):
            known = there.get(index["IndexName"])
            if known is None:
                raise TableMismatch(
                    f"the table {name} exists without the index {index['IndexName']} that {table} "
                    "declares: add it with UpdateTable, or use a new table"
                )
            if known["KeySchema"] != index["KeySchema"]:
                raise TableMismatch(
                    f"the index {index['IndexName']} of {name} has other keys than {table} "
                    f"declares ({_keys(known)}, not {_keys(index)})"
                )


def _keys(described: dict[str, Any]) -> str:
    return ", ".join(key["AttributeName"] for key in described["KeySchema"])


def _set_expiry(table: TableDefinition, name: dict[str, str]) -> Conversation[None]:
    ttl = table.settings.ttl
    if ttl is None or (yield from _expires_by(ttl, name)):
        return
    specification = {"Enabled": True, "AttributeName": ttl}
    try:
        yield Request("UpdateTimeToLive", name | {"TimeToLiveSpecification": specification})
    except ValidationException:
        # Perhaps another process was quicker.
        if not (yield from _expires_by(ttl, name)):
            raise


def _expires_by(attribute: str, name: dict[str, str]) -> Conversation[bool]:
    answer = yield Request("DescribeTimeToLive", name)
    found = answer["TimeToLiveDescription"]
    is_set = found["TimeToLiveStatus"].startswith("ENABL")
    return is_set and found.get("AttributeName") == attribute
