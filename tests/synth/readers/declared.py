"""A table as some text declares it, made on the embedded engine to see what it is."""

from dataclasses import dataclass
from typing import Any

from sortkey.access.create_request import create_body
from sortkey.design.tables.table import Table
from sortkey.engine.engine import Engine

# What differs from table to table of the same kind.
_CHANGING = {"TableId", "TableArn", "LatestStreamArn", "LatestStreamLabel"}


@dataclass(frozen=True, slots=True)
class Declared:
    """The CreateTable request that a text comes to, and the attribute that records expire by."""

    create: dict[str, Any]
    ttl: str | None


def declared_by_the_design(table: type[Table], environment: str) -> Declared:
    """Return a table as the design itself would create it."""
    definition = table.definition
    body = create_body(definition, environment)
    if definition.settings.replicas:
        # A replicated table needs a stream; the embedded engine has no replicas.
        body["StreamSpecification"] = {
            "StreamEnabled": True,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        }
    return Declared(body, definition.settings.ttl)


def made(declared: Declared) -> dict[str, Any]:
    """The table's description and expiry, once the embedded engine has made it."""
    name = declared.create["TableName"]
    with Engine.memory(clock=lambda: 1_000_000_000.0) as engine:
        engine.answer("CreateTable", declared.create)
        if declared.ttl is not None:
            expiry = {"Enabled": True, "AttributeName": declared.ttl}
            engine.answer(
                "UpdateTimeToLive", {"TableName": name, "TimeToLiveSpecification": expiry}
            )
        table = engine.answer("DescribeTable", {"TableName": name})["Table"]
        ttl = engine.answer("DescribeTimeToLive", {"TableName": name})
    described = {n: v for n, v in table.items() if n not in _CHANGING}
    for indexes in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        if indexes in described:
            plain = [_without_arn(index) for index in described[indexes]]
            described[indexes] = sorted(plain, key=lambda index: index["IndexName"])
    described["AttributeDefinitions"] = sorted(
        described["AttributeDefinitions"], key=lambda attribute: attribute["AttributeName"]
    )
    return described | ttl


def _without_arn(index: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in index.items() if name != "IndexArn"}
