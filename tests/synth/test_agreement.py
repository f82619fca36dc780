"""All targets deploy the same resources, and those are the ones that were checked."""

import re
from functools import cache
from typing import Any, cast

import pytest
from tests.synth.iam.requests import ARN
from tests.synth.outputs import DESIGNS, output, stack
from tests.synth.readers import cloudformation
from tests.synth.readers.deployed import Deployed
from tests.synth.readers.deployed_by_template import by_template
from tests.synth.readers.deployed_by_terraform import by_terraform

from sortkey.synth.documents import KEY_ARN, document_of
from sortkey.synth.targets import TARGETS


@cache
def template(design: str, environment: str) -> dict[str, Any]:
    text = output("cloudformation", design, environment)["template.yaml"]
    return cloudformation.template(text)


@pytest.mark.parametrize(
    ("design", "environment"),
    [("everything", "dev"), ("programs", "dev"), *((design, "prod") for design in DESIGNS)],
)
def test_terraform_deploys_what_the_template_deploys(design: str, environment: str) -> None:
    made = by_terraform(output("terraform", design, environment))

    assert made.settings
    assert made == by_template(template(design, environment))


@pytest.mark.parametrize("design", DESIGNS)
def test_terraform_deploys_to_other_regions_what_the_templates_deploy_there(design: str) -> None:
    files = output("cloudformation", design, "prod")
    folder = output("terraform", design, "prod")

    for part in stack(design, "prod").regions:
        made = by_template(cloudformation.template(files[f"template-{part.region}.yaml"]))
        assert made == by_terraform(folder, part.region)
        assert made != Deployed()


def judged(design: str) -> dict[str, Any]:
    """The policies that test_policies.py evaluates."""
    return {
        policy.name: [
            (
                *(statement["Sid"], statement["Action"], distinct(statement["Resource"])),
                {
                    (operator, key): [values] if isinstance(values, str) else values
                    for operator, keys in statement.get("Condition", {}).items()
                    for key, values in keys.items()
                },
            )
            for statement in cast("list[dict[str, Any]]", document_of(policy, ARN)["Statement"])
        ]
        for policy in stack(design, "prod").policies
    }


def distinct(resources: list[str]) -> list[str]:
    return list(dict.fromkeys(resources))


def here(resource: str) -> bool:
    """Not in a region where a table is only replicated."""
    if ":key/The key of" in resource:
        return False
    return not resource.startswith("arn:aws:dynamodb:") or resource.startswith(ARN)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_policies_that_are_judged_are_those_that_are_written(design: str) -> None:
    written = by_template(template(design, "prod")).policies

    assert {
        name: [
            (sid, actions, [whole(r) for r in resources if here(r)], conditions)
            for sid, actions, resources, conditions in statements
        ]
        for name, statements in written.items()
    } == judged(design)


def whole(resource: str) -> str:
    """The ARN of a table, where the reader leaves its name alone."""
    name, dot, index = resource.partition(".Arn")
    if name.startswith("The key of"):
        return KEY_ARN
    return f"{ARN}{name}{index}" if dot else resource


def comments_in(target: str) -> str:
    text = "".join(output(target, "everything", "prod").values())
    return " ".join(re.findall(r"^ *(?:#|//) (.*)$", text, re.MULTILINE))


@pytest.mark.parametrize("target", TARGETS)
def test_what_the_design_says_of_a_table_stands_beside_it_as_a_comment(target: str) -> None:
    said = comments_in(target)

    assert 'Things, with a name that holds a colon: and "quotes".' in said
    assert "A second paragraph of ${what} they are." in said


@pytest.mark.parametrize("target", TARGETS)
def test_patterns_that_no_policy_can_keep_apart_are_noted_where_they_are_granted(
    target: str,
) -> None:
    said = comments_in(target)

    assert "These partitions are not of one owner_id: no policy keeps sessions apart" in said
