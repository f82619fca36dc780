"""Once: a write that is carried out once, however often its request is sent.

DynamoDB remembers the token of a transaction for ten minutes, so it recognises a request that is
repeated because its response was lost. A plain write with a condition would fail because of its
own effect. A transaction of one write costs twice its write units.
"""

from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, cast

from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation, Returning
from sortkey.operations.plan import Plan
from sortkey.operations.write import Write, new_token

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Once(Operation[T], Generic[T]):
    """A write with its own token."""

    _write: Write[T]
    _token: str = field(default_factory=new_token)

    @property
    def _title(self) -> str:
        return self._write._title

    def _plan(self) -> Plan:
        """Return the write's requests as a transaction, and the read that its result may need."""
        return self._write._plan_once()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[T]:
        """Send one transaction, and the read that its result may need."""
        return (yield from self._write._once(self._token, context))


def once(operation: Operation[T]) -> Operation[T]:
    """Return the operation, with a token if it is a write that has none."""
    if isinstance(operation, Returning):
        return replace(operation, _operation=once(operation._operation))
    if isinstance(operation, Write):
        write = cast("Write[Any]", operation)
        return Once(write, _pattern=write._pattern)
    return operation
