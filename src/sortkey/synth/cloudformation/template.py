"""The resources and outputs of a stack, as CloudFormation names them."""

from collections.abc import Iterator
from typing import Any

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
    }
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
