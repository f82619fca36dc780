"""The files of the folder, one for each kind of resource."""

from collections.abc import Iterable, Iterator

from sortkey.synth.comments import GENERATED, comment
from sortkey.synth.model import ExportedName, Stack
from sortkey.synth.naming import snake
from sortkey.synth.terraform.alarms import alarm_blocks, dashboard_blocks, topic_arn
from sortkey.synth.terraform.backups import backup_blocks
from sortkey.synth.terraform.hcl import Expression, HclBlock, block, document, resource
from sortkey.synth.terraform.policies import policy_blocks, policy_name
from sortkey.synth.terraform.programs import program_files, program_outputs, program_variables
from sortkey.synth.terraform.regions import provider_blocks, regional_blocks
from sortkey.synth.terraform.secrets import key_blocks
from sortkey.synth.terraform.tables import import_blocks, local_name, reference, table_blocks

TERRAFORM_VERSION = ">= 1.5.0"
# Since 6.44 a global index is a resource of its own, so that one changes without the others.
PROVIDER_VERSION = ">= 6.44.0, < 7.0.0"


def render(stack: Stack) -> dict[str, str]:
    """Return every file by its name.

    The names change only with the first and the last function, so no outdated file remains unseen.
    """
    files = {
        "versions.tf": [*_versions(), *provider_blocks(stack)],
        "variables.tf": [*_variables(), *program_variables(stack.programs)],
        "tables.tf": [one for table in stack.tables for one in table_blocks(table)],
        "imports.tf": [one for table in stack.adopted for one in import_blocks(table)],
        "parameters.tf": [_parameter(parameter) for parameter in stack.parameters],
        "policies.tf": [one for policy in stack.policies for one in policy_blocks(policy)],
        **program_files(stack.programs),
        "alarms.tf": list(alarm_blocks(stack)),
        "dashboard.tf": list(dashboard_blocks(stack)),
        "backups.tf": list(backup_blocks(stack)),
        "secrets.tf": list(key_blocks(stack)),
        "regions.tf": list(regional_blocks(stack)),
        "data.tf": list(_data(stack)),
        "outputs.tf": list(_outputs(stack)),
    }
    notice = "\n".join(comment(GENERATED))
    return {
        name: f"{notice}\n\n{document(made)}" if made else f"{notice}\n"
        for name, made in files.items()
    }


def _versions() -> Iterable[HclBlock]:
    wanted = {"source": "hashicorp/aws", "version": PROVIDER_VERSION}
    return [
        block(
            "terraform",
            {"required_version": TERRAFORM_VERSION},
            block("required_providers", {"aws": wanted}),
        ),
        HclBlock("provider", ("aws",), {"region": Expression("var.region")}),
    ]


def _variables() -> Iterable[HclBlock]:
    described = {"description": "The region of the tables", "type": Expression("string")}
    return [HclBlock("variable", ("region",), described)]


def _parameter(parameter: ExportedName) -> HclBlock:
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


def _data(stack: Stack) -> Iterator[HclBlock]:
    """Yield the data that Terraform looks up for ARNs."""
    has_replicas = any(table.replicas for table in stack.tables)
    # Their ARNs are in the policies.
    replicated = has_replicas and bool(stack.policies)
    if replicated or stack.programs.buckets:
        yield HclBlock("data", ("aws_caller_identity", "current"), {})
    if replicated or stack.backup_plans:
        yield HclBlock("data", ("aws_partition", "current"), {})


def _outputs(stack: Stack) -> Iterator[HclBlock]:
    for table in stack.tables:
        text = f"The deployed name of {table.name}"
        yield _output(f"{local_name(table)}_table_name", text, reference(table, "name"))
    for policy in stack.policies:
        arn = Expression(f"aws_iam_policy.{policy_name(policy)}.arn")
        yield _output(f"{policy_name(policy)}_policy_arn", policy.description, arn)
    for topic in stack.topics:
        if topic.arn is None:
            yield _output(f"{snake(topic.id)}_arn", "Where alarms go", topic_arn(topic))
    if stack.secret_key is not None:
        arn = Expression("aws_kms_key.secrets.arn")
        yield _output("secrets_key_arn", stack.secret_key.description, arn)
    for output in program_outputs(stack.programs):
        yield _output(*output)


def _output(name: str, description: str, value: Expression | str) -> HclBlock:
    return HclBlock("output", (name,), {"description": description, "value": value})
