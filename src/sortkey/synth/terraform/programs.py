"""What runs, in Terraform: the variables, files and outputs of functions."""

from collections.abc import Iterable, Iterator

from sortkey.synth.model import Programs, SettingResource
from sortkey.synth.naming import snake
from sortkey.synth.programs.services import ASSET, described
from sortkey.synth.terraform import references
from sortkey.synth.terraform.apis import api_blocks
from sortkey.synth.terraform.functions import function_blocks
from sortkey.synth.terraform.hcl import Expression, HclBlock, block
from sortkey.synth.terraform.services import bucket_blocks, queue_blocks
from sortkey.synth.terraform.sources import change_block, message_block, schedule_blocks


def program_variables(programs: Programs) -> Iterator[HclBlock]:
    """Yield the place of the functions' code, and the settings."""
    if not programs.functions:
        return
    text = "The path of the asset of the functions, which sortkey package builds"
    yield _variable("code", text, default=ASSET)
    for setting in programs.settings:
        yield _setting(setting)


def _variable(
    name: str, description: str, *blocks: HclBlock, default: str | None = None
) -> HclBlock:
    typed = {"description": description, "type": Expression("string")}
    arguments = typed if default is None else typed | {"default": default}
    return HclBlock("variable", (name,), arguments, blocks)


def _setting(setting: SettingResource) -> HclBlock:
    name = snake(setting.id)
    if not setting.is_secret:
        return _variable(name, setting.description, default=setting.default)
    checked = block(
        "validation",
        {
            "condition": Expression(f'can(regex("^arn:[^:]+:secretsmanager:", var.{name}))'),
            "error_message": "Give the ARN of a secret in Secrets Manager.",
        },
    )
    return _variable(name, described(setting), checked)


def program_files(programs: Programs) -> dict[str, Iterable[HclBlock]]:
    """Return the blocks of each file of what runs; without functions there is no such file."""
    if not programs.functions:
        return {}
    return {
        "functions.tf": [one for f in programs.functions for one in function_blocks(f)],
        "apis.tf": [one for api in programs.apis for one in api_blocks(api)],
        "schedules.tf": [one for s in programs.schedules for one in schedule_blocks(s)],
        "sources.tf": [
            *(change_block(source) for source in programs.changes),
            *(message_block(source) for source in programs.messages),
        ],
        "queues.tf": [one for queue in programs.queues for one in queue_blocks(queue)],
        "buckets.tf": [one for bucket in programs.buckets for one in bucket_blocks(bucket)],
    }


def program_outputs(programs: Programs) -> Iterator[tuple[str, str, Expression]]:
    """Yield the name, the description and the value of the address of each API."""
    for api in programs.apis:
        yield f"{snake(api.id)}_address", api.description, references.api(api, "api_endpoint")
