"""An operation is a value that yields requests; a database sends them and runs it."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, Self, TypeVar, cast

from sortkey.operations.conversation import Answer, Conversation, ExternalCall, Pause
from sortkey.operations.cursor import PLAIN, CursorCipher
from sortkey.operations.plan import Plan
from sortkey.operations.revising import revised
from sortkey.operations.secrets import REDACTED, Vault
from sortkey.wire.messages import Request

T_co = TypeVar("T_co", covariant=True)
V = TypeVar("V")

# Everything that a module of an operation needs.
__all__ = [
    "ANYWHERE",
    "Answer",
    "Context",
    "Conversation",
    "Done",
    "Op",
    "Operation",
    "Pause",
    "Returning",
]


@dataclass(frozen=True, slots=True)
class Context:
    """The settings of the database that runs an operation."""

    environment: str = "dev"
    now: Callable[[], float] = time.time
    cursors: CursorCipher = field(default=PLAIN)
    secrets: Vault = field(default=REDACTED)


ANYWHERE = Context()


@dataclass(frozen=True, slots=True)
class Operation(ABC, Generic[T_co]):
    """A value that describes one or more requests to DynamoDB, and results in a ``T``."""

    _pattern: str = field(default="", kw_only=True)

    def __init_subclass__(cls) -> None:
        """Keep the short ``__repr__`` below, which each dataclass would otherwise replace."""
        super(Operation, cls).__init_subclass__()
        if "__repr__" not in vars(cls):
            cls.__repr__ = cast("Any", Operation).__repr__

    def __repr__(self) -> str:
        """Return the operation with the first record or partition that it reads or writes."""
        try:
            steps = self._plan().steps
        except Exception:  # noqa: BLE001 - a repr never fails
            steps = ()
        first = f" {steps[0]}" if steps else ""
        more = f" and {len(steps) - 1} more" if len(steps) > 1 else ""
        return f"<{self._title}{first}{more}>"

    @property
    def _title(self) -> str:
        """The kind of operation, for logs and observers."""
        return type(self).__name__

    @abstractmethod
    def _steps(self, context: Context = ANYWHERE) -> Conversation[T_co]:
        """Yield requests; responses are sent in and errors thrown in."""

    @abstractmethod
    def _plan(self) -> Plan:
        """Return every request that is known before the first response."""

    def _of_pattern(self, name: str) -> Self:
        """Note the pattern that made this operation: only that pattern accepts its cursors."""
        return revised(self, _pattern=name)

    def returning(self, value: V) -> "Returning[V]":
        """Return the operation with ``value`` as its result.

        This gives a transaction a result: ``transact(order.create(), paid).returning(order)``.
        """
        return Returning(self, value, _pattern=self._pattern)

    def params(self, *, environment: str = "dev") -> dict[str, Any]:
        """Return the exact first request without sending it; secrets are not shown."""
        return self._first_body(Context(environment))

    def _first_body(self, context: Context) -> dict[str, Any]:
        for step in self._steps(context):
            if isinstance(step, Request):
                return step.body
            if isinstance(step, ExternalCall):
                step.run()
        return {}


@dataclass(frozen=True, slots=True)
class Returning(Operation[T_co], Generic[T_co]):
    """An operation with another result."""

    _operation: Operation[Any]
    _value: T_co

    @property
    def _title(self) -> str:
        return self._operation._title

    def _plan(self) -> Plan:
        """Return the plan of the operation."""
        return self._operation._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[T_co]:
        """Run the operation and drop its own result."""
        yield from self._operation._steps(context)
        return self._value


@dataclass(frozen=True, slots=True)
class Done(Operation[T_co], Generic[T_co]):
    """An operation that sends nothing and results in its value: ``Done(order)``.

    A decision returns it if nothing is left to write.
    """

    _value: T_co

    def _plan(self) -> Plan:
        """Return no requests."""
        return Plan("single", ())

    def _steps(self, context: Context = ANYWHERE) -> Conversation[T_co]:  # noqa: ARG002 - sends nothing
        """Send no requests."""
        yield from ()
        return self._value


# The name that signatures in a design use.
Op = Operation
