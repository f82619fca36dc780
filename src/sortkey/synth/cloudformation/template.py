"""The template of a stack: its resources and outputs."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.cloudformation.alarms import alarm_resources
from sortkey.synth.cloudformation.backups import backup_resources
from sortkey.synth.cloudformation.policies import policy_resource
from sortkey.synth.cloudformation.tables import scaling_resources, table_resource
from sortkey.synth.cloudformation.yaml import Noted, document, ref, unless_empty
from sortkey.synth.comments import GENERATED, comment
from sortkey.synth.model import ExportedName, Stack


def render(stack: Stack) -> dict[str, str]:
    """Return the template as one file."""
    template = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": stack.description,
        "Resources": dict(_resources(stack)),
    } | unless_empty("Outputs", dict(_outputs(stack)))
    notice = "\n".join(comment(GENERATED))
    return {"template.yaml": f"{notice}\n{document(template)}"}


def _resources(stack: Stack) -> Iterator[tuple[str, Any]]:
    for table in stack.tables:
        made = table_resource(table)
        yield table.id, Noted(table.comment, made) if table.comment else made
        yield from scaling_resources(table)
    for parameter in stack.parameters:
        yield parameter.id, _parameter(parameter)
    for policy in stack.policies:
        yield policy.id, policy_resource(policy)
    yield from alarm_resources(stack)
    yield from backup_resources(stack)


def _outputs(stack: Stack) -> Iterator[tuple[str, Any]]:
    for table in stack.tables:
        described = {"Description": f"The deployed name of {table.name}"}
        yield f"{table.id}Name", described | {"Value": ref(table.id)}
    for policy in stack.policies:
        yield f"{policy.id}Arn", {"Description": policy.description, "Value": ref(policy.id)}
    for topic in stack.topics:
        if topic.arn is None:
            yield f"{topic.id}Arn", {"Description": "Where alarms go", "Value": ref(topic.id)}


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
