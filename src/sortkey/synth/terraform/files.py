"""The files of the folder: what is set, then what is made, one file for each kind of thing."""

from collections.abc import Iterable, Iterator

from sortkey.synth.model import Parameter, Stack, Vault
from sortkey.synth.naming import snake
from sortkey.synth.notice import GENERATED
from sortkey.synth.terraform.alarms import alarm_blocks, dashboard_blocks, topic_arn
from sortkey.synth.terraform.backups import backup_blocks
from sortkey.synth.terraform.hcl import Block, Expression, block, comment, document, resource
from sortkey.synth.terraform.policies import policy_blocks, policy_name
from sortkey.synth.terraform.tables import local_name, reference, table_blocks

TERRAFORM_VERSION = ">= 1.5.0"
# From 6.29 an index has key_schema, and from 6.37 one can be changed without making all anew.
PROVIDER_VERSION = ">= 6.37.0, < 7.0.0"


def render(stack: Stack) -> dict[str, str]:
    """Every file by its name, always the same ones: none is left over from an earlier design."""
    files = {
        "versions.tf": _versions(),
        "variables.tf": _variables(),
        "tables.tf": [one for table in stack.tables for one in table_blocks(table)],
        "parameters.tf": [_parameter(parameter) for parameter in stack.parameters],
        "policies.tf": [one for policy in stack.policies for one in policy_blocks(policy)],
        "alarms.tf": list(alarm_blocks(stack)),
        "dashboard.tf": list(dashboard_blocks(stack)),
        "backups.tf": list(backup_blocks(stack)),
        "data.tf": list(_data(stack)),
        "outputs.tf": list(_outputs(stack)),
    }
    notice = "\n".join(comment(GENERATED))
    return {
        name: f"{notice}\n\n{document(made)}" if made else f"{notice}\n"
        for name, made in files.items()
    }


def _versions() -> Iterable[Block]:
    wanted = {"source": "hashicorp/aws", "version": PROVIDER_VERSION}
    return [
        block(
            "terraform",
            {"required_version": TERRAFORM_VERSION},
            block("required_providers", {"aws": wanted}),
        ),
        Block("provider", ("aws",), {"region": Expression("var.region")}),
    ]


def _variables() -> Iterable[Block]:
    described = {"description": "Where the tables are", "type": Expression("string")}
    return [Block("variable", ("region",), described)]


def _parameter(parameter: Parameter) -> Block:
    return resource(
        "aws_ssm_parameter",
        local_name(parameter.table),
        {
            "name": parameter.path,
            "description": parameter.description,
            "type": "String",
            "value": reference(parameter.table, "name"),
        },
    )


def _data(stack: Stack) -> Iterator[Block]:
    """What Terraform is to look up, where an ARN must be written out."""
    replicated = any(table.replicas for table in stack.tables) and bool(stack.policies)
    copies = [plan.copies.vault for plan in stack.backup_plans if plan.copies is not None]
    if replicated or any(isinstance(vault, Vault) for vault in copies):
        yield Block("data", ("aws_caller_identity", "current"), {})
    if replicated or stack.backup_plans:
        yield Block("data", ("aws_partition", "current"), {})


def _outputs(stack: Stack) -> Iterator[Block]:
    for table in stack.tables:
        told = f"The name of {table.name}, as it is deployed"
        yield _output(f"{local_name(table)}_table_name", told, reference(table, "name"))
    for policy in stack.policies:
        arn = Expression(f"aws_iam_policy.{policy_name(policy)}.arn")
        yield _output(f"{policy_name(policy)}_policy_arn", policy.description, arn)
    for topic in stack.topics:
        if topic.arn is None:
            yield _output(f"{snake(topic.id)}_arn", "Where alarms go", topic_arn(topic))


def _output(name: str, description: str, value: Expression | str) -> Block:
    return Block("output", (name,), {"description": description, "value": value})
