"""The CreateTable request of a declared table."""

from typing import Any

from sortkey.design.tables.settings import Provisioned
from sortkey.design.tables.table import Index, TableDefinition


def create_body(table: TableDefinition, environment: str) -> dict[str, Any]:
    """Return the body of the CreateTable request in an environment."""
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
