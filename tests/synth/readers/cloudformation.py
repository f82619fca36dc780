"""A CloudFormation template read back: what CloudFormation would ask DynamoDB for."""

from collections.abc import Mapping
from typing import Any

import yaml
from tests.synth.readers.declared import Declared


class _Loader(yaml.SafeLoader):
    """Knows the short forms of CloudFormation's functions."""


def _function(loader: yaml.SafeLoader, suffix: str, node: yaml.Node) -> dict[str, Any]:
    assert isinstance(node, yaml.ScalarNode)
    text = loader.construct_scalar(node)
    match suffix:
        case "GetAtt":
            return {"Fn::GetAtt": text.split(".", 1)}
        case "Ref":
            return {"Ref": text}
        case _:
            return {f"Fn::{suffix}": text}


_Loader.add_multi_constructor("!", _function)  # pyright: ignore[reportUnknownMemberType]


def template(text: str) -> dict[str, Any]:
    """The template with its functions in their long forms, as in JSON."""
    return yaml.load(text, _Loader)


def tables(template: Mapping[str, Any]) -> dict[str, Declared]:
    """The tables by their names, whichever kind of resource they are."""
    found: dict[str, Declared] = {}
    for resource in template["Resources"].values():
        properties = resource["Properties"]
        match resource["Type"]:
            case "AWS::DynamoDB::Table":
                found[properties["TableName"]] = _table(properties)
            case "AWS::DynamoDB::GlobalTable":
                found[properties["TableName"]] = _global_table(properties)
            case _:
                pass
    return found


_CREATED = {
    *("TableName", "KeySchema", "AttributeDefinitions", "BillingMode", "ProvisionedThroughput"),
    *("GlobalSecondaryIndexes", "LocalSecondaryIndexes"),
}


def _table(properties: Mapping[str, Any]) -> Declared:
    body = {name: value for name, value in properties.items() if name in _CREATED}
    body["GlobalSecondaryIndexes"] = [
        {name: value for name, value in index.items() if name != "OnDemandThroughput"}
        for index in properties.get("GlobalSecondaryIndexes", ())
    ]
    return _declared(body, properties)


def _global_table(properties: Mapping[str, Any]) -> Declared:
    body = {name: value for name, value in properties.items() if name in _CREATED}
    here = properties["Replicas"][0]
    places = {index["IndexName"]: index for index in here.get("GlobalSecondaryIndexes", ())}
    if properties["BillingMode"] == "PROVISIONED":
        body |= _units(here, properties)
    body["GlobalSecondaryIndexes"] = [
        {name: index[name] for name in ("IndexName", "KeySchema", "Projection")}
        | (_units(places[index["IndexName"]], index) if "ProvisionedThroughput" in body else {})
        for index in properties.get("GlobalSecondaryIndexes", ())
    ]
    return _declared(body, properties)


def _units(reads: Mapping[str, Any], writes: Mapping[str, Any]) -> dict[str, Any]:
    reading = reads["ReadProvisionedThroughputSettings"]
    scaled = reading.get("ReadCapacityAutoScalingSettings", {})
    writing = writes["WriteProvisionedThroughputSettings"]["WriteCapacityAutoScalingSettings"]
    return {
        "ProvisionedThroughput": {
            "ReadCapacityUnits": reading.get("ReadCapacityUnits", scaled.get("MinCapacity")),
            "WriteCapacityUnits": writing["MinCapacity"],
        }
    }


def _declared(body: dict[str, Any], properties: Mapping[str, Any]) -> Declared:
    stream = properties.get("StreamSpecification")
    if stream is not None:
        body["StreamSpecification"] = {"StreamEnabled": True} | stream
    expiry = properties.get("TimeToLiveSpecification", {})
    return Declared(
        {name: value for name, value in body.items() if value != []}, expiry.get("AttributeName")
    )
