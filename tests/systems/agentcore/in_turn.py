"""Replace a transaction with separate writes, to show that a test fails without it."""

from dataclasses import dataclass
from typing import Any

from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.operations.transact import Transaction


@dataclass(frozen=True)
class InTurn(Operation[None]):
    """Writes that are made one after the other, without a transaction and its token."""

    operation: Operation[Any]

    def _plan(self) -> Plan:
        return self.operation._plan()

    def _steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        operation = self.operation
        writes = operation.writes if isinstance(operation, Transaction) else (operation,)
        for write in writes:
            yield from write._steps(context)


def in_turn(pattern: Any) -> Any:
    """Return the pattern with its writes made one after the other."""

    def apart(*arguments: Any) -> InTurn:
        return InTurn(pattern.function(*arguments))

    return apart
