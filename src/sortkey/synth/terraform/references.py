"""References to what runs, and to what it uses, in Terraform."""

from sortkey.synth.model import (
    BucketObjects,
    BucketResource,
    EnvironmentValue,
    FunctionResource,
    HttpApiResource,
    LogGroupResource,
    LogStreams,
    QueueResource,
    Service,
    SettingResource,
)
from sortkey.synth.naming import snake
from sortkey.synth.terraform.hcl import Expression


def function_name(function: FunctionResource) -> str:
    """Return the name of a function within the folder."""
    return snake(function.id.removesuffix("Function"))


def role_name(function: FunctionResource) -> str:
    """Return the name of the execution role of a function within the folder."""
    return snake(function.role_id)


def queue_name(queue: QueueResource) -> str:
    """Return the name of a queue within the folder."""
    return snake(queue.id.removesuffix("Queue"))


def bucket_name(bucket: BucketResource) -> str:
    """Return the name of a bucket within the folder."""
    return snake(bucket.id.removesuffix("Bucket"))


def function(function: FunctionResource, attribute: str) -> Expression:
    """Return a reference to a function."""
    return Expression(f"aws_lambda_function.{function_name(function)}.{attribute}")


def role(function: FunctionResource, attribute: str) -> Expression:
    """Return a reference to the execution role of a function."""
    return Expression(f"aws_iam_role.{role_name(function)}.{attribute}")


def queue(queue: QueueResource, attribute: str) -> Expression:
    """Return a reference to a queue."""
    return Expression(f"aws_sqs_queue.{queue_name(queue)}.{attribute}")


def bucket(bucket: BucketResource, attribute: str) -> Expression:
    """Return a reference to a bucket."""
    return Expression(f"aws_s3_bucket.{bucket_name(bucket)}.{attribute}")


def api(api: HttpApiResource, attribute: str) -> Expression:
    """Return a reference to an API."""
    return Expression(f"aws_apigatewayv2_api.{snake(api.id)}.{attribute}")


def log_group(group: LogGroupResource, attribute: str) -> Expression:
    """Return a reference to a log group."""
    return Expression(f"aws_cloudwatch_log_group.{snake(group.id)}.{attribute}")


def setting(setting: SettingResource) -> Expression:
    """Return a reference to the variable of a setting."""
    return Expression(f"var.{snake(setting.id)}")


def value(value: EnvironmentValue) -> Expression | str:
    """Return the value of an environment variable: a queue's URL, or a bucket's name."""
    match value:
        case str():
            return value
        case SettingResource():
            return setting(value)
        case QueueResource():
            return queue(value, "url")
        case BucketResource():
            return bucket(value, "bucket")


def arn_of(service: Service) -> Expression:
    """Return the ARN of what a function uses."""
    match service:
        case QueueResource():
            return queue(service, "arn")
        case BucketResource():
            return bucket(service, "arn")
        case BucketObjects(own):
            return Expression(f'"${{{bucket(own, "arn").text}}}/*"')
        case LogStreams(group):
            return Expression(f'"${{{log_group(group, "arn").text}}}:*"')
        case SettingResource():
            return setting(service)
