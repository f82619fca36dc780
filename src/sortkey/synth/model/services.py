"""What the functions of a stack use beside its tables."""

from dataclasses import dataclass

from sortkey.design.tables.settings import Removal


@dataclass(frozen=True, slots=True)
class SettingResource:
    """A value that is given when the stack is deployed; of a secret, the ARN of the secret."""

    id: str
    description: str
    default: str | None
    is_secret: bool


@dataclass(frozen=True, slots=True)
class LogGroupResource:
    """A log group, and for how many days it keeps an entry."""

    id: str
    name: str
    days: int
    removal: Removal


@dataclass(frozen=True, slots=True)
class QueueResource:
    """A queue; after ``deliveries`` a message goes to ``dead_letters``.

    ``rules`` are the ids of the schedules whose events it gets if they cannot be delivered.
    """

    id: str
    name: str
    comment: str
    invisible_seconds: int | None
    retention_seconds: int
    dead_letters: "QueueResource | None" = None
    deliveries: int = 0
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BucketResource:
    """A private bucket; the whole name ends in the account and the region, since all are known."""

    id: str
    name: str
    keep_days: int | None
    removal: Removal


@dataclass(frozen=True, slots=True)
class BucketObjects:
    """The objects of a bucket."""

    bucket: BucketResource


@dataclass(frozen=True, slots=True)
class LogStreams:
    """The streams of a log group."""

    group: LogGroupResource
