"""What runs, in CloudFormation: the parameters, resources and outputs of functions."""

from collections.abc import Iterator
from typing import Any

from sortkey.synth.cloudformation.apis import api_resources
from sortkey.synth.cloudformation.functions import function_resources
from sortkey.synth.cloudformation.services import bucket_resources, queue_resources
from sortkey.synth.cloudformation.sources import change_source, message_source, schedule_resources
from sortkey.synth.cloudformation.yaml import Noted, arn
from sortkey.synth.model import Programs, SettingResource
from sortkey.synth.programs.services import SECRET_ARN, described


def program_parameters(programs: Programs) -> Iterator[tuple[str, Any]]:
    """Yield the place of the functions' code, and the settings."""
    if not programs.functions:
        return
    yield (
        "CodeBucket",
        _text("The bucket with the asset of the functions, which sortkey package builds"),
    )
    yield (
        "CodeKey",
        _text("The key of the asset in the bucket; another asset needs another key"),
    )
    for setting in programs.settings:
        yield setting.id, _setting(setting)


def _text(description: str) -> dict[str, Any]:
    return {"Type": "String", "Description": description}


def _setting(setting: SettingResource) -> dict[str, Any]:
    default = {} if setting.default is None else {"Default": setting.default}
    pattern = {"AllowedPattern": SECRET_ARN} if setting.is_secret else {}
    return _text(described(setting)) | default | pattern


def program_resources(programs: Programs) -> Iterator[tuple[str, Any]]:
    """Yield everything that runs, after the queues and buckets that it uses."""
    for queue in programs.queues:
        yield from queue_resources(queue)
    for bucket in programs.buckets:
        yield from bucket_resources(bucket)
    for function in programs.functions:
        yield from function_resources(function)
    for schedule in programs.schedules:
        yield from schedule_resources(schedule)
    for changes in programs.changes:
        yield changes.id, Noted(changes.comment, change_source(changes))
    for messages in programs.messages:
        yield messages.id, message_source(messages)
    for api in programs.apis:
        yield from api_resources(api)


def program_outputs(programs: Programs) -> Iterator[tuple[str, Any]]:
    """Yield the addresses of the APIs."""
    for api in programs.apis:
        described = {"Description": api.description}
        yield f"{api.id}Address", described | {"Value": arn(api.id, "ApiEndpoint")}
