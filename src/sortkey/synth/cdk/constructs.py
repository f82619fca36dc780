"""The constructs of a stack, in the order in which they are made."""

from collections.abc import Iterable, Iterator, Mapping

from sortkey.synth.cdk.alarms import alarm_steps, dashboard_steps
from sortkey.synth.cdk.apis import api_steps
from sortkey.synth.cdk.backups import backup_steps, vault_steps
from sortkey.synth.cdk.functions import code_step, function_steps
from sortkey.synth.cdk.policies import policy_steps
from sortkey.synth.cdk.program import Member, New, Program, ProgramSection, ProgramStep, Variable
from sortkey.synth.cdk.secrets import key_steps, replica_key_steps
from sortkey.synth.cdk.services import bucket_step, queue_step, setting_step
from sortkey.synth.cdk.sources import change_step, message_step, schedule_step
from sortkey.synth.cdk.tables import table_steps
from sortkey.synth.model import RegionalPart, Stack
from sortkey.synth.naming import pascal

_MODULES = {
    "apigateway": "aws-apigatewayv2",
    "authorizers": "aws-apigatewayv2-authorizers",
    "integrations": "aws-apigatewayv2-integrations",
    "backup": "aws-backup",
    "cloudwatch": "aws-cloudwatch",
    "actions": "aws-cloudwatch-actions",
    "dynamodb": "aws-dynamodb",
    "events": "aws-events",
    "targets": "aws-events-targets",
    "iam": "aws-iam",
    "kms": "aws-kms",
    "lambda": "aws-lambda",
    "logs": "aws-logs",
    "s3": "aws-s3",
    "sns": "aws-sns",
    "sqs": "aws-sqs",
    "ssm": "aws-ssm",
}


def program_of(stack: Stack) -> Program:
    """Return the program of a stack."""
    programs = stack.programs
    sections = {
        "Settings": [setting_step(setting) for setting in programs.settings],
        "Tables": [step for table in stack.tables for step in table_steps(table)],
        "Exported names": list(_parameter_steps(stack)),
        "Secret fields": list(key_steps(stack.secret_key)) if stack.secret_key else [],
        "Policies": [step for policy in stack.policies for step in policy_steps(policy)],
        "Queues": [queue_step(queue) for queue in programs.queues],
        "Buckets": [bucket_step(bucket) for bucket in programs.buckets],
        "Functions": [
            *([code_step()] if programs.functions else []),
            *(step for function in programs.functions for step in function_steps(function)),
        ],
        "Schedules": [schedule_step(schedule) for schedule in programs.schedules],
        "Changes and messages": [
            *(change_step(source) for source in programs.changes),
            *(message_step(source) for source in programs.messages),
        ],
        "APIs": [step for api in programs.apis for step in api_steps(api)],
        "Alarms": list(alarm_steps(stack)),
        "Dashboard": list(dashboard_steps(stack)),
        "Backups": list(backup_steps(stack)),
        "Outputs": list(_output_steps(stack)),
    }
    return Program(
        name=f"{pascal(stack.design)}Stack",
        description=stack.description,
        modules=dict(_modules(stack)),
        functions=frozenset(_functions(stack)),
        sections=_sections(sections),
        members=tuple(_members(stack)),
    )


def _members(stack: Stack) -> Iterator[Member]:
    for table in stack.tables:
        kind = "dynamodb.TableV2" if table.replicas else "dynamodb.Table"
        yield Member(Variable(table.id), kind)
    if stack.secret_key is not None:
        yield Member(Variable("SecretsKey"), "kms.Key")
    for kind, own in (
        ("sqs.Queue", stack.programs.queues),
        ("s3.Bucket", stack.programs.buckets),
        ("lambda.Function", stack.programs.functions),
        ("apigateway.HttpApi", stack.programs.apis),
    ):
        yield from (Member(Variable(one.id), kind) for one in own)


def regional_program_of(stack: Stack, part: RegionalPart) -> Program:
    """Return the program of a stack's resources in another region."""
    sections = {
        "Secret fields": list(replica_key_steps(part.key)) if part.key else [],
        "Backups": list(vault_steps(part.vault)) if part.vault else [],
    }
    used = {"backup": part.vault is not None, "kms": part.key is not None}
    return Program(
        name=f"{pascal(stack.design)}{pascal(part.region)}Stack",
        description=part.description,
        modules={alias: _MODULES[alias] for alias, is_used in used.items() if is_used},
        functions=frozenset(),
        sections=_sections(sections),
    )


def _sections(sections: Mapping[str, list[ProgramStep]]) -> tuple[ProgramSection, ...]:
    return tuple(ProgramSection(name, tuple(steps)) for name, steps in sections.items() if steps)


def _modules(stack: Stack) -> Iterable[tuple[str, str]]:
    programs = stack.programs
    has_tokens = any(api.authorizer is not None for api in programs.apis)
    used = {
        "apigateway": bool(programs.apis),
        "authorizers": has_tokens,
        "integrations": bool(programs.apis),
        "backup": bool(stack.backup_plans),
        "cloudwatch": bool(stack.alarms or stack.dashboard),
        "actions": bool(stack.alarms),
        "events": bool(stack.backup_plans or programs.schedules),
        "targets": bool(programs.schedules),
        "iam": bool(stack.policies or programs.functions),
        "kms": bool(stack.secret_key) or any(table.own_key for table in stack.tables),
        "lambda": bool(programs.functions),
        "logs": bool(programs.functions),
        "s3": bool(programs.buckets),
        "sns": bool(stack.topics),
        "sqs": bool(programs.queues),
        "ssm": bool(stack.parameters),
    }
    return ((alias, module) for alias, module in _MODULES.items() if used.get(alias, True))


def _functions(stack: Stack) -> Iterator[str]:
    if stack.programs.functions:
        yield "asset"
    if stack.alarms or stack.dashboard:
        yield "metric"
        if stack.programs.functions:
            yield "serviceMetric"
    if stack.dashboard:
        yield "graph"
    if stack.alarms:
        yield "alarm"


def _parameter_steps(stack: Stack) -> Iterator[ProgramStep]:
    for parameter in stack.parameters:
        yield ProgramStep(
            New(
                "ssm.StringParameter",
                {
                    "parameterName": parameter.path,
                    "stringValue": Variable(parameter.table.id).get("tableName"),
                    "description": parameter.description,
                },
                parameter.id,
            )
        )


def _output_steps(stack: Stack) -> Iterator[ProgramStep]:
    for table in stack.tables:
        text = f"The deployed name of {table.name}"
        yield _output(f"{table.id}Name", Variable(table.id), "tableName", text)
    for policy in stack.policies:
        arn = "managedPolicyArn"
        yield _output(f"{policy.id}Arn", Variable(policy.id), arn, policy.description)
    for topic in stack.topics:
        if topic.arn is None:
            yield _output(f"{topic.id}Arn", Variable(topic.id), "topicArn", "Where alarms go")
    if stack.secret_key is not None:
        key = Variable("SecretsKey")
        yield _output(f"{key.id}Arn", key, "keyArn", stack.secret_key.description)
    for api in stack.programs.apis:
        yield _output(f"{api.id}Address", Variable(api.id), "apiEndpoint", api.description)


def _output(name: str, variable: Variable, attribute: str, description: str) -> ProgramStep:
    value = {"value": variable.get(attribute), "description": description}
    return ProgramStep(New("cdk.CfnOutput", value, name))
