"""The queues, buckets and settings that functions use."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta

from sortkey.design.declaring.functions import Function
from sortkey.design.declaring.services import Bucket, Queue, Setting
from sortkey.design.tables.settings import Removal
from sortkey.errors import Refused
from sortkey.synth.model import BucketResource, QueueResource, SettingResource
from sortkey.synth.naming import pascal
from sortkey.synth.programs.names import ProgramNames, setting_id

# The ARN of a secret, as CloudFormation compares it.
SECRET_ARN = r"arn:[\w-]+:secretsmanager:[\w-]+:\d{12}:secret:.+"  # noqa: S105 - a pattern
# The asset of the functions' code, in the folder from which they are deployed, by default.
ASSET = "asset.zip"
# As long as SQS keeps a message, so that there is time to find out why it failed.
DEAD_LETTER_SECONDS = 14 * 24 * 3600


def queues_of(functions: Iterable[Function], names: ProgramNames) -> dict[Queue, QueueResource]:
    """Return the queues of all functions, each with its dead letters."""
    declared = dict.fromkeys(queue for function in functions for queue in function.queues)
    _check_names(declared)
    return {queue: _queue(queue, names) for queue in declared}


def _queue(queue: Queue, names: ProgramNames) -> QueueResource:
    own = f"{pascal(queue.name)}Queue"
    letters = dead_letters(
        f"{own}DeadLetters",
        names.dead_letters(queue.name),
        f"Messages of {queue.name} that failed {_times(queue.deliveries)}.",
    )
    return QueueResource(
        own,
        names.queue(queue.name),
        "",
        _seconds(queue.invisible),
        _seconds(queue.retention),
        letters,
        queue.deliveries,
    )


def dead_letters(own: str, name: str, comment: str, rules: tuple[str, ...] = ()) -> QueueResource:
    """Return a queue of dead letters."""
    return QueueResource(own, name, comment, None, DEAD_LETTER_SECONDS, rules=rules)


def buckets_of(
    functions: Iterable[Function], names: ProgramNames, removal: Removal
) -> dict[Bucket, BucketResource]:
    """Return the buckets of all functions."""
    declared = dict.fromkeys(bucket for function in functions for bucket in function.buckets)
    _check_names(declared)
    return {
        bucket: BucketResource(
            f"{pascal(bucket.name)}Bucket", names.bucket(bucket.name), bucket.keep_days, removal
        )
        for bucket in declared
    }


def settings_of(functions: Iterable[Function]) -> dict[Setting, SettingResource]:
    """Return the settings of all functions and of their APIs."""
    declared = dict.fromkeys(one for function in functions for one in used_settings(function))
    seen: dict[str, Setting] = {}
    for setting in declared:
        if seen.setdefault(setting.deployed_variable, setting) is not setting:
            raise Refused(f"two different settings have the variable {setting.variable}")
    return {
        setting: SettingResource(
            setting_id(setting.deployed_variable),
            setting.description,
            setting.default,
            setting.secret,
        )
        for setting in declared
    }


def described(setting: SettingResource) -> str:
    """Return the description of the parameter of a setting."""
    if setting.is_secret:
        return f"The ARN of the secret in Secrets Manager: {setting.description}"
    return setting.description


def used_settings(function: Function) -> Iterator[Setting]:
    """Yield the settings of a function, and those of the tokens of its APIs."""
    yield from function.settings
    for api in function.apis:
        yield from (one for one in (api.issuer, api.audience) if isinstance(one, Setting))


def check_distinct(kind: str, named: Mapping[str, object], name: str, one: object) -> None:
    """Raise an error if something else of this kind has the name already."""
    if named.get(name, one) != one:
        raise Refused(f"two different {kind} are called {name}: rename one of them")


def _check_names(declared: Iterable[Queue] | Iterable[Bucket]) -> None:
    seen: dict[str, Queue | Bucket] = {}
    for one in declared:
        kind = "queues" if isinstance(one, Queue) else "buckets"
        check_distinct(kind, seen, one.name, one)
        seen[one.name] = one


def _seconds(duration: timedelta) -> int:
    return round(duration.total_seconds())


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
