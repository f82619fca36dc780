"""Taking a transaction apart, to see that something fails without it."""

from dataclasses import dataclass
from typing import Any

from sortkey import Op
from sortkey.operations.operation import ANYWHERE, Context, Conversation, Operation
from sortkey.operations.plan import Plan
from sortkey.operations.transact import Transaction


@dataclass(frozen=True)
class InTurn(Operation[None]):
    """The writes of a transaction one after the other, as if there were none."""

    transaction: Transaction

    def plan(self) -> Plan:
        return self.transaction.plan()

    def steps(self, context: Context = ANYWHERE) -> Conversation[None]:
        for write in self.transaction.writes:
            yield from write.steps(context)


def in_turn(pattern: Any) -> Any:
    """A pattern whose transaction is taken apart."""

    def apart(*arguments: Any) -> Op[None]:
        transaction = pattern.function(*arguments)
        assert isinstance(transaction, Transaction)
        return InTurn(transaction)

    return apart
