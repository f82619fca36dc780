"""The template of a stack: its resources and outputs."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from sortkey.synth.cloudformation.alarms import alarm_resources
from sortkey.synth.cloudformation.backups import backup_resources, vault_resources
from sortkey.synth.cloudformation.policies import policy_resource
from sortkey.synth.cloudformation.programs import (
    program_outputs,
    program_parameters,
    program_resources,
)
from sortkey.synth.cloudformation.secrets import key_resources, replica_key_resources
from sortkey.synth.cloudformation.tables import scaling_resources, table_resource
from sortkey.synth.cloudformation.yaml import Noted, arn, document, ref, unless_empty
from sortkey.synth.comments import GENERATED, comment
from sortkey.synth.model import ExportedName, RegionalPart, Stack


def render(stack: Stack) -> dict[str, str]:
    """Return the template, and one for each other region."""
    template = unless_empty("Outputs", dict(_outputs(stack)))
    asked = dict(program_parameters(stack.programs))
    templates = {"template.yaml": _text(stack.description, _resources(stack), template, asked)}
    for part in stack.regions:
        templates[f"template-{part.region}.yaml"] = _text(
            part.description, _regional_resources(part), {}, _parameters(part)
        )
    return templates


def _text(
    description: str,
    resources: Iterator[tuple[str, Any]],
    outputs: Mapping[str, Any],
    parameters: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    template = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": description,
        **unless_empty("Parameters", parameters),
        "Resources": dict(resources),
        **outputs,
    }
    notice = "\n".join(comment(GENERATED))
    return f"{notice}\n{document(template)}"


def _regional_resources(part: RegionalPart) -> Iterator[tuple[str, Any]]:
    if part.key is not None:
        yield from replica_key_resources(part.key)
    if part.vault is not None:
        yield from vault_resources(part.vault.name)


def _parameters(part: RegionalPart) -> dict[str, Any]:
    if part.key is None:
        return {}
    described = "The ARN of the key in the region of the tables: the output SecretsKeyArn there"
    return {"PrimaryKeyArn": {"Type": "String", "Description": described}}


def _resources(stack: Stack) -> Iterator[tuple[str, Any]]:
    for table in stack.tables:
        made = table_resource(table)
        yield table.id, Noted(table.comment, made) if table.comment else made
        yield from scaling_resources(table)
    for parameter in stack.parameters:
        yield parameter.id, _parameter(parameter)
    for policy in stack.policies:
        yield policy.id, policy_resource(policy)
    yield from program_resources(stack.programs)
    yield from alarm_resources(stack)
    yield from backup_resources(stack)
    if stack.secret_key is not None:
        yield from key_resources(stack.secret_key)


def _outputs(stack: Stack) -> Iterator[tuple[str, Any]]:
    for table in stack.tables:
        described = {"Description": f"The deployed name of {table.name}"}
        yield f"{table.id}Name", described | {"Value": ref(table.id)}
    for policy in stack.policies:
        yield f"{policy.id}Arn", {"Description": policy.description, "Value": ref(policy.id)}
    for topic in stack.topics:
        if topic.arn is None:
            yield f"{topic.id}Arn", {"Description": "Where alarms go", "Value": ref(topic.id)}
    if stack.secret_key is not None:
        described = {"Description": stack.secret_key.description}
        yield "SecretsKeyArn", described | {"Value": arn("SecretsKey")}
    yield from program_outputs(stack.programs)


def _parameter(parameter: ExportedName) -> dict[str, Any]:
    return {
        "Type": "AWS::SSM::Parameter",
        "Properties": {
            "Name": parameter.path,
            "Description": parameter.description,
            "Type": "String",
            "Value": ref(parameter.table.id),
        },
    }
