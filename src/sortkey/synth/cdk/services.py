"""Settings, log groups, queues and buckets in CDK."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sortkey.design.plans.notation import present
from sortkey.design.tables.settings import Removal
from sortkey.synth.cdk.program import (
    FunctionCall,
    Joined,
    LibraryConstant,
    New,
    ProgramStep,
    PropertyAccess,
    Struct,
    Value,
    Variable,
)
from sortkey.synth.model import (
    BucketResource,
    EnvironmentValue,
    LogGroupResource,
    QueueResource,
    SettingResource,
)
from sortkey.synth.programs.services import SECRET_ARN, described

_DAYS: Mapping[int, str] = MappingProxyType(
    {
        1: "ONE_DAY",
        3: "THREE_DAYS",
        5: "FIVE_DAYS",
        7: "ONE_WEEK",
        14: "TWO_WEEKS",
        30: "ONE_MONTH",
        60: "TWO_MONTHS",
        90: "THREE_MONTHS",
        120: "FOUR_MONTHS",
        150: "FIVE_MONTHS",
        180: "SIX_MONTHS",
        365: "ONE_YEAR",
        400: "THIRTEEN_MONTHS",
        545: "EIGHTEEN_MONTHS",
        731: "TWO_YEARS",
        1096: "THREE_YEARS",
        1827: "FIVE_YEARS",
        2192: "SIX_YEARS",
        2557: "SEVEN_YEARS",
        2922: "EIGHT_YEARS",
        3288: "NINE_YEARS",
        3653: "TEN_YEARS",
    }
)


def setting_step(setting: SettingResource) -> ProgramStep:
    """Return the step of the parameter of a setting."""
    asked = {
        "type": "String",
        "description": described(setting),
        "default": setting.default,
        "allowedPattern": SECRET_ARN if setting.is_secret else None,
    }
    return ProgramStep(New("cdk.CfnParameter", present(asked), setting.id), _variable(setting))


def setting_value(setting: SettingResource) -> PropertyAccess:
    """Return the value of a setting."""
    return _variable(setting).get("valueAsString")


def _variable(setting: SettingResource) -> Variable:
    # Its own name could be that of a module or a keyword.
    return Variable(f"{setting.id}Setting")


def value_of(value: EnvironmentValue) -> Value:
    """Return the value of an environment variable: a queue's URL, or a bucket's name."""
    match value:
        case str():
            return value
        case SettingResource():
            return setting_value(value)
        case QueueResource():
            return Variable(value.id).get("queueUrl")
        case BucketResource():
            return Variable(value.id).get("bucketName")


def log_group_step(group: LogGroupResource) -> ProgramStep:
    """Return the step of a log group."""
    made = {
        "logGroupName": group.name,
        "retention": LibraryConstant(f"logs.RetentionDays.{_DAYS[group.days]}"),
        "removalPolicy": _removal(group.removal),
    }
    return ProgramStep(New("logs.LogGroup", made, group.id), Variable(group.id))


def queue_step(queue: QueueResource) -> ProgramStep:
    """Return the step of a queue."""
    letters = None
    if queue.dead_letters is not None:
        target = {
            "queue": Variable(queue.dead_letters.id),
            "maxReceiveCount": queue.deliveries,
        }
        letters = Struct("sqs.DeadLetterQueue", target)
    invisible = queue.invisible_seconds
    made = {
        "queueName": queue.name,
        "visibilityTimeout": None if invisible is None else duration(invisible),
        "retentionPeriod": duration(queue.retention_seconds),
        "deadLetterQueue": letters,
        "encryption": LibraryConstant("sqs.QueueEncryption.SQS_MANAGED"),
        "enforceSSL": True,
    }
    return ProgramStep(New("sqs.Queue", present(made), queue.id), Variable(queue.id), queue.comment)


def bucket_step(bucket: BucketResource) -> ProgramStep:
    """Return the step of a bucket."""
    account, region = PropertyAccess(None, "account"), PropertyAccess(None, "region")
    rules: list[Any] | None = None
    if bucket.keep_days is not None:
        days = FunctionCall("cdk.Duration.days", (bucket.keep_days,))
        rules = [Struct("s3.LifecycleRule", {"id": "Expiry", "expiration": days})]
    made = {
        "bucketName": Joined((f"{bucket.name}-", account, "-", region)),
        "encryption": LibraryConstant("s3.BucketEncryption.S3_MANAGED"),
        "blockPublicAccess": LibraryConstant("s3.BlockPublicAccess.BLOCK_ALL"),
        "enforceSSL": True,
        "lifecycleRules": rules,
        "removalPolicy": _removal(bucket.removal),
    }
    return ProgramStep(New("s3.Bucket", present(made), bucket.id), Variable(bucket.id))


def duration(seconds: int) -> FunctionCall:
    """Return a duration in the largest unit that it has a whole number of."""
    units = {"days": 86_400, "hours": 3_600, "minutes": 60, "seconds": 1}
    unit = next(unit for unit, length in units.items() if seconds % length == 0)
    return FunctionCall(f"cdk.Duration.{unit}", (seconds // units[unit],))


def _removal(removal: Removal) -> LibraryConstant:
    # What a failed first deployment made is empty, and would stop the next one.
    policy = "RETAIN_ON_UPDATE_OR_DELETE" if removal == "retain" else removal.upper()
    return LibraryConstant(f"cdk.RemovalPolicy.{policy}")
