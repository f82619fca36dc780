"""An operation is a value that holds a conversation; whoever carries the requests runs it."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar, cast

from sortkey.operations.conversation import Answer, Conversation, Errand, Pause
from sortkey.operations.cursor import PLAIN, Sealing
from sortkey.operations.plan import Plan
from sortkey.operations.secrets import REDACTED, Vault
from sortkey.wire.messages import Request

T_co = TypeVar("T_co", covariant=True)

# What an operation is written with, from one place.
__all__ = ["ANYWHERE", "Answer", "Context", "Conversation", "Op", "Operation", "Pause"]


@dataclass(frozen=True, slots=True)
class Context:
    """What the place where an operation runs adds to it."""

    environment: str = "dev"
    now: Callable[[], float] = time.time
    cursors: Sealing = field(default=PLAIN)
    secrets: Vault = field(default=REDACTED)


ANYWHERE = Context()


@dataclass(frozen=True, slots=True)
class Operation(ABC, Generic[T_co]):
    """Something to ask of DynamoDB, whose result is a ``T``; perhaps made by a pattern."""

    pattern: str = field(default="", kw_only=True)

    def __init_subclass__(cls) -> None:
        """Keep the short text below, which each dataclass would replace with all of its fields."""
        super(Operation, cls).__init_subclass__()
        if "__repr__" not in vars(cls):
            cls.__repr__ = cast("Any", Operation).__repr__

    def __repr__(self) -> str:
        """The operation with the first record or partition that it asks for."""
        try:
            steps = self.plan().steps
        except Exception:  # noqa: BLE001 - a text for people never fails
            steps = ()
        first = f" {steps[0]}" if steps else ""
        more = f" and {len(steps) - 1} more" if len(steps) > 1 else ""
        return f"<{type(self).__name__}{first}{more}>"

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
        """The exact first request, without sending it; secrets are shown only encrypted."""
        for step in self.steps(context):
            if isinstance(step, Request):
                return step.body
            if isinstance(step, Errand):
                step.run()
        return {}


# The name that signatures in a design use.
Op = Operation
