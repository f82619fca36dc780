"""What the functions of a design use beside its tables, in AWS and in `sortkey run`."""

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeAlias

from sortkey.design.findings import DesignError, refusal

Algorithm: TypeAlias = Literal["RS256", "ES256"]

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]{0,63}")
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_ALLOWED = "lower-case letters and digits in words joined by dashes, such as room-events"
_HANDLER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)
# The limits of SQS.
_LONGEST_INVISIBLE = timedelta(hours=12)
_RETENTION = (timedelta(minutes=1), timedelta(days=14))


@dataclass(frozen=True, slots=True)
class Setting:
    """A value that functions get from their environment: ``Setting("ISSUER", "who signs tokens")``.

    It is a parameter of the deployed stack, with ``default``. Of a secret, the parameter is the ARN
    of a secret in AWS Secrets Manager: the variable has the suffix ``_ARN``, and the function reads
    the secret when it starts. On your own machine, the variable has the secret itself.
    """

    variable: str
    description: str
    default: str | None = None
    secret: bool = False

    def __post_init__(self) -> None:
        if not _VARIABLE.fullmatch(self.variable):
            raise bad_program(
                self,
                f'"{self.variable}" cannot be its variable',
                "Use upper-case letters, digits and underscores, such as LIVEKIT_URL",
            )
        if not self.description.strip():
            raise bad_program(
                self, "it has no description", "Describe it for the person who deploys the stack"
            )
        if self.secret and self.default is not None:
            raise bad_program(self, "a secret cannot have a default", "Remove the default")

    def __str__(self) -> str:
        return f"Setting {self.variable}"

    @property
    def deployed_variable(self) -> str:
        """The variable of a deployed function; that of a secret has its ARN."""
        return f"{self.variable}_ARN" if self.secret else self.variable


@dataclass(frozen=True, slots=True)
class HttpApi:
    """An HTTP API, whose requests go to functions by their `Route`.

    Callers send tokens (JWTs) of ``issuer``, for ``audience``, signed with one of ``algorithms``.
    API Gateway verifies tokens only if all are signed with RSA, RS256; otherwise the functions
    must. Without an issuer, nobody verifies tokens. Web pages of ``origins`` may call the API.
    """

    name: str = "api"
    issuer: Setting | str | None = None
    audience: Setting | str | None = None
    algorithms: tuple[Algorithm, ...] = ("RS256",)
    origins: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_name(self, self.name)
        if (self.issuer is None) != (self.audience is None):
            raise bad_program(
                self,
                "it has an issuer or an audience, but a token is verified by both",
                "Give both, or neither",
            )

    def __str__(self) -> str:
        return f'HttpApi "{self.name}"'

    @property
    def is_verified_by_gateway(self) -> bool:
        """Whether API Gateway can verify the tokens."""
        return self.issuer is not None and all(one.startswith("RS") for one in self.algorithms)


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue of messages, with another one for those that failed ``deliveries`` times.

    A message that a function received is invisible for ``invisible`` until it is deleted; for a
    Lambda function, that must be at least six times the function's timeout.
    """

    name: str
    invisible: timedelta = timedelta(minutes=6)
    retention: timedelta = timedelta(days=4)
    deliveries: int = 5

    def __post_init__(self) -> None:
        check_name(self, self.name)
        shortest, longest = _RETENTION
        if not timedelta() <= self.invisible <= _LONGEST_INVISIBLE:
            raise bad_program(self, f"invisible is {self.invisible}", "SQS allows up to 12 hours")
        if not shortest <= self.retention <= longest:
            raise bad_program(
                self, f"retention is {self.retention}", "SQS allows 1 minute to 14 days"
            )
        if self.deliveries < 1:
            raise bad_program(
                self, f"deliveries is {self.deliveries}", "Deliver a message at least once"
            )

    def __str__(self) -> str:
        return f'Queue "{self.name}"'


@dataclass(frozen=True, slots=True)
class Bucket:
    """A private bucket for objects, which expire after ``keep_days`` if that is set."""

    name: str
    keep_days: int | None = None

    def __post_init__(self) -> None:
        check_name(self, self.name)
        if self.keep_days is not None and self.keep_days < 1:
            raise bad_program(
                self, f"keep_days is {self.keep_days}", "Keep objects for at least a day"
            )

    def __str__(self) -> str:
        return f'Bucket "{self.name}"'


@dataclass(frozen=True, slots=True)
class ExternalService:
    """A service of others that functions call; in `sortkey run`, ``fake`` stands in for it.

    ``fake`` names a function as text, ``"package.module:name"``. It takes a
    `sortkey.testing.FakeRun` and is a context manager: while it is entered, the service answers. It
    yields the values of ``settings`` by their variables, such as the address of the service.
    """

    name: str
    fake: str
    settings: tuple[Setting, ...] = ()

    def __post_init__(self) -> None:
        check_name(self, self.name)
        check_reference(self, "fake", self.fake)

    def __str__(self) -> str:
        return f'ExternalService "{self.name}"'


def check_reference(subject: object, member: str, text: str) -> None:
    """Raise an error unless a text names a function: ``package.module:name``."""
    if not _HANDLER.fullmatch(text):
        raise bad_program(
            subject,
            f'its {member} "{text}" does not name a function',
            'Write it as "package.module:name"',
        )


def check_name(subject: object, name: str) -> None:
    """Raise an error unless a name can be part of the names of resources."""
    if not _NAME.fullmatch(name):
        raise bad_program(subject, f'"{name}" cannot be its name', f"Use {_ALLOWED}")


def bad_program(subject: object, message: str, fix: str) -> DesignError:
    """Return the error of a declaration of a function, or of what it uses."""
    return refusal(str(subject), message, fix, code="SK621", name="bad-program")
