"""The permissions that a function needs beside those of its role: of its logs, queues and so on."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import Function, OnChange, OnMessage
from sortkey.design.declaring.services import Bucket, Queue, Setting
from sortkey.synth.model import (
    BucketObjects,
    BucketResource,
    LogGroupResource,
    LogStreams,
    Place,
    QueueResource,
    RegionalKey,
    Resource,
    SecretKeyResource,
    SettingResource,
    Statement,
    TableResource,
)
from sortkey.synth.policies import KEY_READS, KEY_VIA_DYNAMODB
from sortkey.synth.programs.services import used_settings
from sortkey.synth.secrets import context_conditions

# The role needs them although no handler sends them: Lambda reads the stream with it.
_STREAM_ACTIONS = ("DescribeStream", "GetRecords", "GetShardIterator")
# The same of a queue.
_RECEIVING = ("sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage")
_TRACING = ("xray:PutTelemetryRecords", "xray:PutTraceSegments")
# The statement that the CDK writes itself.
TRACING = "Tracing"


@dataclass(frozen=True, slots=True)
class Used:
    """What the functions of a design use, by what declares it."""

    tables: Mapping[str, TableResource]
    queues: Mapping[Queue, QueueResource]
    buckets: Mapping[Bucket, BucketResource]
    settings: Mapping[Setting, SettingResource]
    key: SecretKeyResource | None


def own_statements(
    function: Function,
    design: Design,
    used: Used,
    logs: LogGroupResource,
    dead_letters: QueueResource | None,
) -> tuple[Statement, ...]:
    """Return the statements of a function's own policy."""
    received = [used.queues[one.queue] for one in function.triggers if isinstance(one, OnMessage)]
    changed = [one for one in function.triggers if isinstance(one, OnChange)]
    secrets = [used.settings[s] for s in dict.fromkeys(used_settings(function)) if s.secret]
    read = [used.buckets[bucket] for bucket in dict.fromkeys(function.reads)]
    written = [used.buckets[bucket] for bucket in dict.fromkeys(function.writes)]
    letters = () if dead_letters is None else (dead_letters,)
    log_actions = ("logs:CreateLogStream", "logs:PutLogEvents")
    statements = (
        _statement("Logs", "For its log group.", log_actions, (LogStreams(logs),)),
        _statement(TRACING, "For X-Ray.", _TRACING, ("*",)),
        _statement(
            "SendMessages",
            "For messages that it sends.",
            ("sqs:SendMessage",),
            [used.queues[queue] for queue in dict.fromkeys(function.sends_to)],
        ),
        _statement("ReceiveMessages", "For messages that call it.", _RECEIVING, received),
        *_change_statements(changed, design, used),
        _statement(
            "DeadLetters", "For calls that failed too often.", ("sqs:SendMessage",), letters
        ),
        _statement(
            "ReadObjects", "For objects that it reads.", ("s3:GetObject",), map(BucketObjects, read)
        ),
        _statement(
            "ListObjects",
            "Without this, S3 answers that a missing object is forbidden.",
            ("s3:ListBucket",),
            read,
        ),
        _statement(
            "WriteObjects",
            "For objects that it writes.",
            ("s3:PutObject",),
            map(BucketObjects, written),
        ),
        _statement("Secrets", "For its secrets.", ("secretsmanager:GetSecretValue",), secrets),
    )
    return tuple(statement for statement in statements if statement.resources)


def _change_statements(
    changed: Iterable[OnChange], design: Design, used: Used
) -> Iterator[Statement]:
    """Yield the statements for streams, their keys, and the secret fields in their images."""
    triggers = list(changed)
    tables = {one.table: used.tables[one.table.definition.title] for one in triggers}
    yield _statement(
        "Changes",
        "For changes that call it.",
        tuple(f"dynamodb:{action}" for action in _STREAM_ACTIONS),
        [Resource(table, is_stream=True) for table in tables.values()],
    )
    yield _statement(
        "Streams",
        "IAM allows this action on everything or on nothing.",
        ("dynamodb:ListStreams",),
        ("*",) if tables else (),
    )
    keys = dict.fromkeys(table.own_key for table in tables.values() if table.own_key is not None)
    yield Statement(
        "KeysOfChanges",
        "DynamoDB uses the keys of these tables on behalf of the caller.",
        KEY_READS,
        tuple(keys),
        KEY_VIA_DYNAMODB,
    )
    has_secrets = any(
        entity.__kind__.secrets
        for one in triggers
        for entity in (one.entities or design.entities[one.table])
        if tables[one.table].stream != "KEYS_ONLY"
    )
    if used.key is not None and has_secrets:
        yield Statement(
            "SecretFields",
            "For secret fields of records that changed.",
            ("kms:Decrypt",),
            (RegionalKey(), *map(RegionalKey, used.key.regions)),
            context_conditions(used.key),
        )


def _statement(
    sid: str, comment: str, actions: tuple[str, ...], resources: Iterable[Place]
) -> Statement:
    return Statement(sid, comment, actions, tuple(resources))
