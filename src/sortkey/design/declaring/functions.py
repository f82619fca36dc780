"""The functions of a design: which code runs, when, as which role, and what it uses.

A function names its handler as text, so that a design never imports its application. What the
handler can ask of the tables is walked from its code by `sortkey check --programs` and `synth`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, TypeAlias

from sortkey.design.acknowledging import Ignored, with_reasons
from sortkey.design.declaring.entity import Entity
from sortkey.design.declaring.roles import Role
from sortkey.design.declaring.services import (
    Bucket,
    ExternalService,
    HttpApi,
    Queue,
    Setting,
    bad_program,
    check_name,
    check_reference,
)
from sortkey.design.tables.table import Table

Event: TypeAlias = Literal["INSERT", "MODIFY", "REMOVE"]

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
_ROUTE = re.compile(
    rf"(?P<method>{'|'.join(_METHODS)}) (?P<path>/|(/([\w.~-]+|\{{[a-z_]\w*\}}))+)", re.ASCII
)
_SCHEDULE = re.compile(
    r"rate\((1 (minute|hour|day)|([2-9]|[1-9][0-9]+) (minutes|hours|days))\)"
    r"|cron\(([^\s()]+ ){5}[^\s()]+\)"
)
# The limits of Lambda.
_MEMORY = (128, 10_240)
_LONGEST = timedelta(minutes=15)
# API Gateway ends a request after half a minute, in fact after 30 seconds; a function should first.
LONGEST_RESPONSE = timedelta(seconds=29)


@dataclass(frozen=True, slots=True)
class Route:
    """Requests of an HTTP API: ``Route(api, "POST /sessions/{session_id}/end")``.

    Callers need a token, unless the route is ``open`` as those of webhooks are, which verify
    signatures of their own.
    """

    api: HttpApi
    request: str
    open: bool = False

    def __post_init__(self) -> None:
        if not _ROUTE.fullmatch(self.request):
            raise bad_program(
                self,
                "it is not a method and a path",
                f'Write it as "POST /queue", with {", ".join(_METHODS)}, and slots such as '
                '"/sessions/{session_id}"',
            )

    def __str__(self) -> str:
        return f"Route {self.request}"

    @property
    def method(self) -> str:
        """The method: ``POST``."""
        return self.request.partition(" ")[0]

    @property
    def path(self) -> str:
        """The path, with its slots: ``/sessions/{session_id}/end``."""
        return self.request.partition(" ")[2]


@dataclass(frozen=True, slots=True)
class Schedule:
    """A schedule, as EventBridge writes it: ``rate(1 minute)``, or ``cron(...)`` in UTC."""

    expression: str

    def __post_init__(self) -> None:
        if not _SCHEDULE.fullmatch(self.expression):
            raise bad_program(
                self,
                "EventBridge does not know this expression",
                'Write "rate(1 minute)", "rate(5 minutes)", or "cron(0 3 * * ? *)" with minutes, '
                "hours, day of month, month, day of week and year",
            )
        fields = self.expression.partition("(")[2].rstrip(")").split()
        if self.expression.startswith("cron") and (fields[2] == "?") == (fields[4] == "?"):
            raise bad_program(
                self,
                "it has two values for the day, or none",
                'Write "?" for either the day of month or the day of week, as in '
                '"cron(0 3 * * ? *)" or "cron(0 3 ? * MON *)"',
            )

    def __str__(self) -> str:
        return f"Schedule {self.expression}"


@dataclass(frozen=True, slots=True)
class OnChange:
    """Changes in the stream of a table, of these entities and these events; of all by default.

    A batch that fails is tried again ``retries`` times, then its records are described in a
    dead-letter queue. The handler should be a `StreamHandler`, which reports the first record that
    failed.
    """

    table: type[Table]
    entities: Sequence[type[Entity]] = ()
    events: Sequence[Event] = ()
    batch: int = 100
    retries: int = 10

    def __str__(self) -> str:
        return f"OnChange {self.table.__name__}"


@dataclass(frozen=True, slots=True)
class OnMessage:
    """Messages of a queue; the handler returns those that failed as ``batchItemFailures``."""

    queue: Queue
    batch: int = 10

    def __str__(self) -> str:
        return f"OnMessage {self.queue.name}"


Trigger: TypeAlias = Route | Schedule | OnChange | OnMessage


@dataclass(frozen=True, slots=True)
class Function:
    """A program that runs when a request, a time, a change or a message comes.

    ``handler`` names the function as text, ``"package.module:name"``; it takes an event and a
    context of AWS Lambda. It runs as ``role``, with the variables of ``environment``: texts, or
    settings of the deployment. ``sends_to`` has queues, and ``reads`` and ``writes`` buckets, whose
    addresses and names it gets in variables such as QUEUE_ROOM_EVENTS and BUCKET_REPORTS. ``calls``
    has the services of others that it calls, whose settings it gets too. At most ``concurrency``
    calls run at the same time. ``ignore`` names the rules of `check` that do not apply to it, each
    with a reason.
    """

    name: str
    handler: str
    role: Role
    triggers: Sequence[Trigger] = ()
    memory: int = 512
    timeout: timedelta = timedelta(seconds=10)
    environment: Mapping[str, str | Setting] = field(default_factory=dict[str, str | Setting])
    concurrency: int | None = None
    sends_to: Sequence[Queue] = ()
    reads: Sequence[Bucket] = ()
    writes: Sequence[Bucket] = ()
    calls: Sequence[ExternalService] = ()
    ignore: Ignored = field(default_factory=dict[str, str])

    def __post_init__(self) -> None:
        with_reasons(self.ignore, str(self))
        check_name(self, self.name)
        check_reference(self, "handler", self.handler)
        smallest, largest = _MEMORY
        if not smallest <= self.memory <= largest:
            raise bad_program(
                self,
                f"its memory is {self.memory} MB",
                f"Lambda allows {smallest} to {largest:,} MB",
            )
        if not timedelta(seconds=1) <= self.timeout <= _LONGEST:
            raise bad_program(
                self, f"its timeout is {self.timeout}", "Lambda allows 1 second to 15 minutes"
            )
        if any(isinstance(one, Route) for one in self.triggers) and self.timeout > LONGEST_RESPONSE:
            raise bad_program(
                self,
                f"its timeout is {self.timeout}, but API Gateway ends a request after 30 seconds",
                "Use at most 29 seconds, or send a message to a queue and answer at once",
            )
        for queue in (one.queue for one in self.triggers if isinstance(one, OnMessage)):
            if queue.invisible < 6 * self.timeout:
                raise bad_program(
                    self,
                    f"a message of {queue} becomes visible again after {queue.invisible}, while a "
                    "slow call may still work on it",
                    f"Make it invisible for at least {6 * self.timeout}, six times the timeout",
                )

    def __str__(self) -> str:
        return f'Function "{self.name}"'

    @property
    def queues(self) -> tuple[Queue, ...]:
        """The queues that it sends to, and those whose messages it gets."""
        received = (one.queue for one in self.triggers if isinstance(one, OnMessage))
        return tuple(dict.fromkeys((*self.sends_to, *received)))

    @property
    def buckets(self) -> tuple[Bucket, ...]:
        """The buckets that it reads or writes."""
        return tuple(dict.fromkeys((*self.reads, *self.writes)))

    @property
    def apis(self) -> tuple[HttpApi, ...]:
        """The HTTP APIs whose requests it answers."""
        return tuple(dict.fromkeys(one.api for one in self.triggers if isinstance(one, Route)))

    @property
    def settings(self) -> tuple[Setting, ...]:
        """The settings of its environment, of the services that it calls, and of its APIs."""
        own = (one for one in self.environment.values() if isinstance(one, Setting))
        of_services = (one for service in self.calls for one in service.settings)
        return tuple(dict.fromkeys((*own, *of_services)))
