"""A folder of Terraform read back: what Terraform would ask DynamoDB for."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

import hcl2
from tests.synth.readers.declared import Declared


def read(text: str) -> dict[str, Any]:
    """The blocks of a file, with texts as what they mean."""
    return _plain(cast("Any", hcl2).loads(text))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        members = cast("dict[str, Any]", value)
        return {_text(n): _plain(v) for n, v in members.items() if not n.startswith("__")}
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[Any]", value)]
    return _text(value) if isinstance(value, str) else value


def _text(text: str) -> str:
    if not text.startswith('"'):
        return text
    return str(json.loads(text)).replace("$${", "${").replace("%%{", "%{")


def resources(text: str, kind: str) -> Iterator[dict[str, Any]]:
    """The resources of a kind."""
    for one in read(text).get("resource", ()):
        for found, named in one.items():
            if found == kind:
                yield from named.values()


def tables(files: Mapping[str, str]) -> dict[str, Declared]:
    """The tables by their names."""
    named = [
        (kind, name, body)
        for one in read(files["tables.tf"]).get("resource", ())
        for kind, bodies in one.items()
        for name, body in bodies.items()
    ]
    indexes = [body for kind, _, body in named if kind == "aws_dynamodb_global_secondary_index"]
    return {
        table["name"]: _table(
            table, [i for i in indexes if i["table_name"] == f"${{aws_dynamodb_table.{name}.name}}"]
        )
        for kind, name, table in named
        if kind == "aws_dynamodb_table"
    }


def _table(table: Mapping[str, Any], global_indexes: list[Mapping[str, Any]]) -> Declared:
    partition = table["hash_key"]
    types = {a["name"]: a["type"] for a in table["attribute"]}
    types |= {
        key["attribute_name"]: key["attribute_type"]
        for index in global_indexes
        for key in index["key_schema"]
    }
    body: dict[str, Any] = {
        "TableName": table["name"],
        "KeySchema": _schema(partition, table.get("range_key")),
        "AttributeDefinitions": [
            {"AttributeName": name, "AttributeType": kind} for name, kind in types.items()
        ],
        "BillingMode": table["billing_mode"],
        **_capacity(table),
    }
    indexes = {
        "GlobalSecondaryIndexes": [_global_index(index) for index in global_indexes],
        "LocalSecondaryIndexes": [
            _index(i, _schema(partition, i["range_key"]))
            for i in table.get("local_secondary_index", ())
        ],
    }
    body |= {member: made for member, made in indexes.items() if made}
    if table.get("stream_enabled"):
        body["StreamSpecification"] = {
            "StreamEnabled": True,
            "StreamViewType": table["stream_view_type"],
        }
    [expiry] = table.get("ttl", [{}])
    return Declared(body, expiry.get("attribute_name"))


def _element(name: str, kind: str) -> dict[str, str]:
    return {"AttributeName": name, "KeyType": kind}


def _schema(partition: str, sort: str | None) -> list[dict[str, str]]:
    hashed = [_element(partition, "HASH")]
    return hashed if sort is None else [*hashed, _element(sort, "RANGE")]


def _global_index(index: Mapping[str, Any]) -> dict[str, Any]:
    schema = [_element(key["attribute_name"], key["key_type"]) for key in index["key_schema"]]
    [projection] = index["projection"]
    made = _index({"name": index["index_name"], **projection}, schema)
    for units in index.get("provisioned_throughput", ()):
        made["ProvisionedThroughput"] = {
            "ReadCapacityUnits": units["read_capacity_units"],
            "WriteCapacityUnits": units["write_capacity_units"],
        }
    return made


def _index(index: Mapping[str, Any], schema: list[dict[str, str]]) -> dict[str, Any]:
    projection: dict[str, Any] = {"ProjectionType": index["projection_type"]}
    if "non_key_attributes" in index:
        projection["NonKeyAttributes"] = index["non_key_attributes"]
    named = {"IndexName": index["name"], "KeySchema": schema, "Projection": projection}
    return named | _capacity(index)


def _capacity(declared: Mapping[str, Any]) -> dict[str, Any]:
    if "read_capacity" not in declared:
        return {}
    return {
        "ProvisionedThroughput": {
            "ReadCapacityUnits": declared["read_capacity"],
            "WriteCapacityUnits": declared["write_capacity"],
        }
    }
