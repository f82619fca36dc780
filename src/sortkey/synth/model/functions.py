"""The functions of a stack, and what calls them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sortkey.design.declaring.roles import Architecture
from sortkey.synth.model.policies import Policy, Statement
from sortkey.synth.model.services import (
    BucketResource,
    LogGroupResource,
    QueueResource,
    SettingResource,
)
from sortkey.synth.model.tables import TableResource

# A text, the value of a setting, the URL of a queue, or the name of a bucket.
EnvironmentValue: TypeAlias = str | SettingResource | QueueResource | BucketResource


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a call without a waiting caller is tried again, and for how long."""

    attempts: int
    seconds: int


@dataclass(frozen=True, slots=True)
class FunctionResource:
    """A Lambda function with its execution role.

    The role has ``policies``, those of the role of the design, and ``statements`` of its own.
    """

    id: str
    name: str
    # The name of its execution role.
    role: str
    description: str
    handler: str
    memory: int
    seconds: int
    concurrency: int | None
    architecture: Architecture
    environment: Mapping[str, EnvironmentValue]
    logs: LogGroupResource
    policies: tuple[Policy, ...]
    statements: tuple[Statement, ...]
    # Where events and changes go that it could not handle.
    dead_letters: QueueResource | None = None
    # Of events that it is called with asynchronously.
    retries: RetryPolicy | None = None

    @property
    def role_id(self) -> str:
        """The id of its execution role."""
        return f"{self.id}Role"


@dataclass(frozen=True, slots=True)
class ScheduleResource:
    """A rule that calls a function by a schedule."""

    id: str
    name: str
    description: str
    expression: str
    function: FunctionResource
    dead_letters: QueueResource
    retries: RetryPolicy


@dataclass(frozen=True, slots=True)
class ChangeSource:
    """The stream of a table as the source of a function's events.

    Only changes that one of the ``filters`` matches, if there are any, reach the function.
    """

    id: str
    comment: str
    function: FunctionResource
    table: TableResource
    batch: int
    retries: int
    filters: tuple[str, ...]
    dead_letters: QueueResource


@dataclass(frozen=True, slots=True)
class MessageSource:
    """A queue as the source of a function's events."""

    id: str
    function: FunctionResource
    queue: QueueResource
    batch: int
    # How long messages are gathered, which larger batches need.
    window_seconds: int | None


@dataclass(frozen=True, slots=True)
class Authorizer:
    """The issuer and the audience of the tokens that API Gateway verifies."""

    id: str
    name: str
    issuer: str | SettingResource
    audience: str | SettingResource


@dataclass(frozen=True, slots=True)
class RouteResource:
    """Requests of an API that a function answers; with a token, or without."""

    id: str
    method: str
    path: str
    function: FunctionResource
    needs_token: bool

    @property
    def key(self) -> str:
        """The method and the path."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class HttpApiResource:
    """An HTTP API of API Gateway; ``note`` says who verifies tokens if the API does not."""

    id: str
    name: str
    description: str
    origins: tuple[str, ...]
    authorizer: Authorizer | None
    routes: tuple[RouteResource, ...]
    logs: LogGroupResource
    note: str = ""

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of its routes."""
        return tuple(dict.fromkeys(route.method for route in self.routes))

    @property
    def functions(self) -> tuple[FunctionResource, ...]:
        """The functions that answer its requests."""
        return tuple({route.function.id: route.function for route in self.routes}.values())


@dataclass(frozen=True, slots=True)
class Programs:
    """Everything of a stack that runs, with what it uses beside the tables."""

    settings: tuple[SettingResource, ...] = ()
    functions: tuple[FunctionResource, ...] = ()
    apis: tuple[HttpApiResource, ...] = ()
    schedules: tuple[ScheduleResource, ...] = ()
    changes: tuple[ChangeSource, ...] = ()
    messages: tuple[MessageSource, ...] = ()
    # Each after the queue of its dead letters.
    queues: tuple[QueueResource, ...] = ()
    buckets: tuple[BucketResource, ...] = ()
