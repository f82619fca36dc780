"""Templates of different origins made comparable: by what things are called, not by their ids."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

Json = Any

# The property by which a resource is known outside of its template.
_NAMES = {
    "AWS::DynamoDB::Table": "TableName",
    "AWS::DynamoDB::GlobalTable": "TableName",
    "AWS::SSM::Parameter": "Name",
    "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
    "AWS::SNS::Topic": "TopicName",
    "AWS::CloudWatch::Alarm": "AlarmName",
    "AWS::CloudWatch::Dashboard": "DashboardName",
    "AWS::KMS::Key": "Description",
    "AWS::KMS::ReplicaKey": "Description",
    "AWS::KMS::Alias": "AliasName",
    "AWS::Backup::BackupVault": "BackupVaultName",
}
# What runs, which CDK writes in another way; programs_by_template.py reads it.
_PROGRAMS = {
    "AWS::ApiGatewayV2::Api": "Name",
    "AWS::Events::Rule": "Name",
    "AWS::IAM::Role": "RoleName",
    "AWS::Lambda::Function": "FunctionName",
    "AWS::Logs::LogGroup": "LogGroupName",
    "AWS::S3::Bucket": "BucketName",
    "AWS::SQS::Queue": "QueueName",
}
_NAMED = _NAMES | _PROGRAMS
_SUBSTITUTED = re.compile(r"\$\{([^}]+)\}")
_PSEUDO = {
    "AWS::Region": "eu-central-1",
    "AWS::AccountId": "123456789012",
    "AWS::Partition": "aws",
    "AWS::NoValue": "",
}


def comparable(template: Mapping[str, Json]) -> dict[tuple[str, str], Json]:
    """The resources that have names, by type and name, with texts in place of references."""
    return {
        (kind, name): _whole(resource)
        for kind, name, resource in resolved(template)
        if kind in _NAMES
    }


def resolved(template: Mapping[str, Json]) -> Iterator[tuple[str, str, dict[str, Json]]]:
    """Each resource with its type and name, or its id where it has none, without references."""
    names = _names(template)
    for key, resource in template["Resources"].items():
        said = {name: resource.get(name) for name in ("Properties", "DeletionPolicy")}
        yield resource["Type"], names[key], _comparable(said, names)


def _names(template: Mapping[str, Json]) -> dict[str, str]:
    return {
        key: str(_comparable(resource["Properties"].get(_NAMED.get(resource["Type"], ""), key), {}))
        for key, resource in template["Resources"].items()
    }


def _whole(resource: dict[str, Json]) -> dict[str, Json]:
    """The resource with what CloudFormation takes for granted, and lists without order sorted."""
    properties: dict[str, Json] = resource["Properties"]
    # What is so where nothing is said.
    if "KeySchema" in properties:
        properties.setdefault("BillingMode", "PROVISIONED")
    if properties.get("SSESpecification", {}).get("SSEEnabled"):
        properties["SSESpecification"].setdefault("SSEType", "KMS")
    else:
        properties.pop("SSESpecification", None)
    if properties.get("Path") == "/":
        del properties["Path"]
    if "Replicas" in properties:
        replicas = properties["Replicas"]
        properties["Replicas"] = sorted(replicas, key=lambda replica: replica["Region"])
    if "DashboardBody" in properties:
        properties["DashboardBody"] = widgets_in(json.loads(properties["DashboardBody"]))
    if "Metrics" in properties:
        properties["Metrics"] = [_query(query) for query in properties["Metrics"]]
    if "Dimensions" in properties:
        properties["Dimensions"] = _sorted_dimensions(properties)
    return resource


def outputs_of(template: Mapping[str, Json]) -> dict[str, str]:
    """The outputs by their descriptions, with texts in place of references."""
    names = _names(template)
    outputs: Mapping[str, Json] = template.get("Outputs", {})
    return {each["Description"]: _comparable(each["Value"], names) for each in outputs.values()}


def widgets_in(body: Mapping[str, Json]) -> list[Json]:
    """The widgets of a dashboard without what is so anyway."""
    return [_widget(widget) for widget in body["widgets"]]


def _widget(widget: dict[str, Json]) -> dict[str, Json]:
    """A widget without what is so anyway: a graph over time, of averages, every five minutes."""
    shown = widget["properties"]
    usual: dict[str, Json] = {"view": "timeSeries", "yAxis": {}, "period": 300}
    plain = {name: value for name, value in shown.items() if usual.get(name) != value}
    if "metrics" in plain:
        plain["metrics"] = [_line(line) for line in plain["metrics"]]
    return widget | {"properties": plain}


def _line(line: list[Json]) -> Json:
    namespace, name, *rest = line
    said: dict[str, Json] = rest.pop() if isinstance(rest[-1], dict) else {}
    options = {"stat": "Average"} | said
    return [namespace, name, sorted(zip(rest[::2], rest[1::2], strict=True)), options]


def _query(query: dict[str, Json]) -> dict[str, Json]:
    if "Expression" in query:
        return {"Expression": query["Expression"], "Label": query["Label"]}
    query["MetricStat"]["Metric"]["Dimensions"] = _sorted_dimensions(query["MetricStat"]["Metric"])
    return query


def _sorted_dimensions(metric: Mapping[str, Json]) -> list[Json]:
    return sorted(metric["Dimensions"], key=lambda dimension: dimension["Name"])


def _comparable(value: Json, names: Mapping[str, str]) -> Json:
    match value:
        case {"Ref": key}:
            return _PSEUDO.get(key) or names.get(key, key)
        case {"Fn::GetAtt": [key, "QueueName"]}:
            return names[key]
        case {"Fn::GetAtt": [key, attribute]}:
            return f"{names[key]}.{attribute}"
        case {"Fn::Sub": text}:
            return _SUBSTITUTED.sub(lambda found: _filled(found[1], names), str(text))
        case {"Fn::Join": ["", parts]}:
            return "".join(_comparable(part, names) for part in cast("list[Json]", parts))
        case dict():
            members = cast("dict[str, Json]", value)
            return {name: _comparable(member, names) for name, member in members.items()}
        case list():
            items = [_comparable(item, names) for item in cast("list[Json]", value)]
            # CDK writes the only item of a list without it, where that means the same.
            return items[0] if len(items) == 1 and isinstance(items[0], str) else items
        case _:
            return value


def _filled(name: str, names: Mapping[str, str]) -> str:
    if name in _PSEUDO:
        return _PSEUDO[name]
    key, dot, attribute = name.partition(".")
    return f"{names[key]}{dot}{attribute}" if key in names else f"${{{name}}}"
