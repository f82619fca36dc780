"""ExecuteTransaction: up to a hundred PartiQL statements together, or none of them."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.parameters import (
    ConsumedCapacity,
    OnConditionFailure,
    Parameters,
    StatementText,
)
from sortkey.engine.shapes import Length
from sortkey.wire.limits import TRANSACTION_ACTIONS


class ParameterizedStatement(TypedDict):
    """One statement."""

    Statement: StatementText
    Parameters: NotRequired[Parameters]
    ReturnValuesOnConditionCheckFailure: NotRequired[OnConditionFailure]


class ExecuteTransaction(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    TransactStatements: Annotated[list[ParameterizedStatement], Length(1, TRANSACTION_ACTIONS)]
    ClientRequestToken: NotRequired[Annotated[str, Length(1, 36)]]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]


def execute_transaction(db: Database, request: ExecuteTransaction) -> dict[str, Any]:
    """Carry out all statements or none, and return the selected items, in order."""
    from sortkey.engine.statements.executing import execute_together  # noqa: PLC0415 - PartiQL only

    return execute_together(db, request)
