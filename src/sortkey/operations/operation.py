"""An operation is a value that holds a conversation; whoever carries the requests runs it."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar

from sortkey.operations.cursor import PLAIN, Sealing
from sortkey.operations.plan import Plan
from sortkey.wire.messages import Request

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

Answer: TypeAlias = dict[str, Any]


class Pause(NamedTuple):
    """A step that waits instead of asking; its answer is empty."""

    seconds: float


Conversation: TypeAlias = Generator[Request | Pause, Answer, T]


@dataclass(frozen=True, slots=True)
class Context:
    """What the place where an operation runs adds to it."""

    environment: str = "dev"
    now: Callable[[], float] = time.time
    cursors: Sealing = field(default=PLAIN)


ANYWHERE = Context()


@dataclass(frozen=True, slots=True)
class Operation(ABC, Generic[T_co]):
    """Something to ask of DynamoDB, whose result is a ``T``; perhaps made by a pattern."""

    pattern: str = field(default="", kw_only=True)

    @abstractmethod
    def steps(self, context: Context = ANYWHERE) -> Conversation[T_co]:
        """The conversation: requests are yielded, answers sent in, errors thrown in."""

    @abstractmethod
    def plan(self) -> Plan:
        """Every request that is known before the first answer, as a value."""

    def of_pattern(self, name: str) -> Self:
        """The same, made by a pattern, which alone continues its cursors."""
        return replace(self, pattern=name)

    def params(self, context: Context = ANYWHERE) -> dict[str, Any]:
        """The exact first request, without sending it."""
        for step in self.steps(context):
            if isinstance(step, Request):
                return step.body
        return {}


# The name that signatures in a design use.
Op = Operation
