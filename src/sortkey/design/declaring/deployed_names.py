"""The names of what is deployed for a design as a whole, and what AWS allows in each."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sortkey.design.declaring.design import Design
from sortkey.design.declaring.functions import Function, OnChange, Schedule


@dataclass(frozen=True, slots=True)
class NameLimit:
    """The names that AWS allows for one kind of resource; ``allowed`` is the rule in words."""

    kind: str
    pattern: str
    allowed: str

    def allows(self, name: str) -> bool:
        """Whether a resource of this kind can have the name."""
        return re.fullmatch(self.pattern, name, re.ASCII) is not None


_PLAIN = "letters, digits, dashes and underscores"
_STACK = NameLimit("stack", r"[A-Za-z][\w-]{0,127}", f"a letter, then up to 127 {_PLAIN}")
_TOPIC = NameLimit("SNS topic", r"[\w-]{1,256}", f"1 to 256 {_PLAIN}")
_DASHBOARD = NameLimit("dashboard", r"[\w-]{1,255}", f"1 to 255 {_PLAIN}")
_VAULT = NameLimit("backup vault", r"[\w-]{2,50}", f"2 to 50 {_PLAIN}")
_ALIAS = NameLimit("alias", r"alias/(?!aws/)[\w/-]{1,250}", f"1 to 250 {_PLAIN} after alias/")
_PLAN = NameLimit("backup plan", r"[\w.-]{1,50}", f"1 to 50 {_PLAIN}")
_FUNCTION = NameLimit("function", r"[\w-]{1,64}", f"1 to 64 {_PLAIN}")
_QUEUE = NameLimit("queue", r"[\w-]{1,80}", f"1 to 80 {_PLAIN}")
# Its account and region follow, in all at most 63 characters.
_BUCKET = NameLimit(
    "bucket",
    r"[a-z0-9][a-z0-9-]{0,34}",
    "1 to 35 lower-case letters, digits and dashes before its account and region",
)
_API = NameLimit("HTTP API", r"[\w-]{1,128}", f"1 to 128 {_PLAIN}")
POLICY_NAME = NameLimit(
    "policy", r"[\w+=,.@-]{1,128}", "up to 128 letters, digits and any of _+=,.@-"
)
# The whole ARN of a parameter may have 1,011 characters.
PARAMETER_NAME = NameLimit(
    "parameter",
    r"(?!/?(?i:aws|ssm))(?=.{1,950}$)([\w.-]+|(/[\w.-]+){1,15})",
    "up to 950 letters, digits, dots, dashes and underscores in at most 15 parts, each after a "
    "slash, of which the first does not begin with aws or ssm",
)


@dataclass(frozen=True, slots=True)
class DeployedNames:
    """The names of everything that is deployed in one environment, except tables.

    All begin with ``prefix``, which no other design has in this environment.
    """

    prefix: str

    @property
    def topic(self) -> str:
        """The topic of alarms."""
        return f"{self.prefix}-alarms"

    @property
    def user_errors(self) -> str:
        """The alarm of invalid requests."""
        return f"{self.prefix}-user-errors"

    @property
    def dashboard(self) -> str:
        """The dashboard."""
        return self.prefix

    @property
    def vault(self) -> str:
        """The vault of backups, and the role that makes them."""
        return f"{self.prefix}-backups"

    @property
    def alias(self) -> str:
        """The alias of the key of secret fields."""
        return f"alias/{self.prefix}-secrets"

    def backup_plan(self, number: int) -> str:
        """Return the name of one of the backup plans, numbered from 1."""
        return self.vault if number == 1 else f"{self.vault}-{number}"

    def policy(self, role: str, number: int = 1) -> str:
        """Return the name of one of a role's policies, numbered from 1."""
        return f"{self.prefix}-{role}{'' if number == 1 else f'.{number}'}"


def limited_names_of(function: Function, prefix: str) -> Iterator[tuple[str, str, NameLimit]]:
    """Yield the names of a function and of what it uses: its subject, its name and its limit."""
    has_letters = any(isinstance(one, Schedule | OnChange) for one in function.triggers)
    letters = "-dead-letters"
    yield "it", f"{prefix}-{function.name}", _FUNCTION
    if has_letters:
        yield "the queue of its dead letters", f"{prefix}-{function.name}{letters}", _QUEUE
    for queue in function.queues:
        yield f"the queue of dead letters of {queue}", f"{prefix}-{queue.name}{letters}", _QUEUE
    for bucket in function.buckets:
        yield f"its {bucket}", f"{prefix}-{bucket.name}", _BUCKET
    for api in function.apis:
        yield f"its {api}", f"{prefix}-{api.name}", _API


def names_in(design: Design, environment: str) -> DeployedNames:
    """Return the names of a design's resources in an environment."""
    return DeployedNames(design.prefix_in(environment))


def limited_names(design: Design, environment: str) -> Iterator[tuple[str, NameLimit]]:
    """Yield the names of a design's own resources, each with its limit."""
    names = names_in(design, environment)
    settings = [table.definition.settings for table in design.tables]
    yield names.prefix, _STACK
    if any(one.alarms is not None and one.alarms.notify is None for one in settings):
        yield names.topic, _TOPIC
    if any(one.dashboard for one in settings):
        yield names.dashboard, _DASHBOARD
    if design.about.secret_key is not None:
        yield names.alias, _ALIAS
    schedules = {*(one.backups_in(environment) for one in settings)} - {None}
    if schedules:
        yield names.vault, _VAULT
        yield names.backup_plan(len(schedules)), _PLAN
