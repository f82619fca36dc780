"""The resources and outputs of a stack, as CloudFormation names them."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.cloudformation.alarms import alarm_resources
from sortkey.synth.cloudformation.backups import backup_resources
from sortkey.synth.cloudformation.policies import policy_resource
from sortkey.synth.cloudformation.tables import scaling_resources, table_resource
from sortkey.synth.cloudformation.yaml import Noted, comment, document, ref
from sortkey.synth.model import Parameter, Stack
from sortkey.synth.notice import GENERATED


def render(stack: Stack) -> dict[str, str]:
    """The one template."""
    template = {
        "AWSTemplateFormatVersion": "2010-09-09",
        "Description": stack.description,
        "Resources": dict(_resources(stack)),
    } | _given("Outputs", dict(_outputs(stack)))
    notice = "\n".join(comment(GENERATED, ""))
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
        described = {"Description": f"The name of {table.name}, as it is deployed"}
        yield f"{table.id}Name", described | {"Value": ref(table.id)}
    for policy in stack.policies:
        yield f"{policy.id}Arn", {"Description": policy.description, "Value": ref(policy.id)}
    for topic in stack.topics:
        if topic.arn is None:
            yield f"{topic.id}Arn", {"Description": "Where alarms go", "Value": ref(topic.id)}


def _given(name: str, value: Any) -> dict[str, Any]:
    return {name: value} if value else {}


def _parameter(parameter: Parameter) -> dict[str, Any]:
    return {
        "Type": "AWS::SSM::Parameter",
        "Properties": {
            "Name": parameter.path,
            "Description": parameter.description,
            "Type": "String",
            "Value": ref(parameter.table.id),
        },
    }
