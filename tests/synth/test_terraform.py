"""The Terraform output of `synth`, checked by its formatter, parser and AWS provider."""

from functools import cache
from typing import Any

import pytest
from tests.synth.outputs import DESIGNS, GENERATED, output
from tests.synth.readers import provider
from tests.synth.readers.provider import Block, Schema
from tests.synth.readers.references import dangling, resources
from tests.synth.tools import NODE_TOOLS, needs, run_program

from sortkey.synth.terraform.files import PROVIDER_VERSION

pytestmark = [pytest.mark.acceptance, needs(NODE_TOOLS)]

PROVIDER = NODE_TOOLS / "node_modules/@cdktn/provider-aws"


@cache
def terraform(design: str) -> dict[str, Any]:
    return run_program("terraform.cjs", output("terraform", design, "prod"))


def parsed(design: str) -> list[dict[str, Any]]:
    return [read["parsed"] for read in terraform(design).values()]


def schema_of(kind: str) -> Schema:
    return provider.schema_of(PROVIDER, kind)


@pytest.mark.parametrize("design", [*DESIGNS, *GENERATED])
def test_it_is_laid_out_as_its_formatter_would(design: str) -> None:
    files = output("terraform", design, "prod")

    assert {name: read["formatted"] for name, read in terraform(design).items()} == files


@pytest.mark.parametrize("design", [*DESIGNS, *GENERATED])
def test_the_provider_takes_every_resource(design: str) -> None:
    faults = [
        fault
        for kind, name, body in resources(parsed(design))
        for fault in provider.faults(schema_of(kind), body, f"{kind}.{name}")
    ]

    assert faults == []


@pytest.mark.parametrize("design", [*DESIGNS, *GENERATED])
def test_references_are_declared_and_have_their_attributes(design: str) -> None:
    files = parsed(design)
    schemas = {kind: schema_of(kind) for kind, _, _ in resources(files)}

    assert dangling(files, schemas) == []


def test_the_provider_s_schema_is_of_a_version_that_the_output_asks_for() -> None:
    least = PROVIDER_VERSION.removeprefix(">= ").partition(",")[0]
    held = tuple(map(int, provider.version(PROVIDER).split(".")))

    assert tuple(map(int, least.split("."))) <= held < (7,)
    index = schema_of("aws_dynamodb_global_secondary_index").members["key_schema"]
    assert isinstance(index, Block)
    assert "attribute_type" in index.schema.members


def table(**changed: Any) -> dict[str, Any]:
    return {"name": "things", "attribute": [{"name": "PK", "type": "S"}]} | changed


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (table(sort_key="SK"), "t.sort_key is unknown"),
        (table(ttl=[{"attribute": "expires"}]), "t.ttl.attribute is unknown"),
        (table(lifecycle=[{"prevent_destroy": True}], name=None), "t.name is no string"),
        (table(attribute=[{"name": "PK"}]), "t.attribute.type is missing"),
        (table(read_capacity="5"), "t.read_capacity is no number"),
        (table(read_capacity=True), "t.read_capacity is no number"),
        (table(deletion_protection_enabled="true"), "t.deletion_protection_enabled is no boolean"),
        (table(ttl={"enabled": True}), "t.ttl is a block"),
        (table(ttl=[{"enabled": True}, {"enabled": True}]), "t.ttl is there twice"),
    ],
)
def test_what_the_provider_would_not_take_is_found(body: dict[str, Any], expected: str) -> None:
    assert list(provider.faults(schema_of("aws_dynamodb_table"), body, "t")) == [expected]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"alarm_actions": "arn:topic"}, "a.alarm_actions is no string[]"),
        ({"alarm_actions": [1]}, "a.alarm_actions is no string[]"),
        ({"alarm_actions": ["${aws_sns_topic.news.arn}"]}, None),
        ({"threshold": "${var.most}"}, None),
    ],
)
def test_lists_are_checked_and_values_known_later_are_not(
    arguments: dict[str, Any], expected: str | None
) -> None:
    body = {"alarm_name": "reads"} | arguments

    found = list(provider.faults(schema_of("aws_cloudwatch_metric_alarm"), body, "a"))
    assert found == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("${aws_sns_topic.news.arn}", []),
        ("the ${aws_sns_topic.news.arn} of ${var.region}", []),
        ("${aws_sns_topic.olds.arn}", ["aws_sns_topic.olds.arn"]),
        ("${aws_sns_topic.news.address}", ["aws_sns_topic.news.address"]),
        ("${var.place}", ["var.place"]),
        ("$${aws_sns_topic.olds.arn}", []),
    ],
)
def test_what_leads_nowhere_is_found(value: str, expected: list[str]) -> None:
    topic = {"resource": {"aws_sns_topic": {"news": [{"name": "news"}]}}}
    used = {"variable": {"region": [{"type": "string"}]}, "output": {"where": [{"value": value}]}}

    assert dangling([topic, used], {"aws_sns_topic": schema_of("aws_sns_topic")}) == expected
