"""BatchExecuteStatement: up to 25 PartiQL statements, each on its own."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.parameters import (
    ConsumedCapacity,
    OnConditionFailure,
    Parameters,
    StatementText,
)
from sortkey.engine.shapes import Length
from sortkey.wire.limits import BATCH_STATEMENTS


class BatchStatementRequest(TypedDict):
    """One statement."""

    Statement: StatementText
    Parameters: NotRequired[Parameters]
    ConsistentRead: NotRequired[bool]
    ReturnValuesOnConditionCheckFailure: NotRequired[OnConditionFailure]


class BatchExecuteStatement(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    Statements: Annotated[list[BatchStatementRequest], Length(1, BATCH_STATEMENTS)]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]


def batch_execute_statement(db: Database, request: BatchExecuteStatement) -> dict[str, Any]:
    """Carry out each statement, and return an item or an error for each, in order."""
    from sortkey.engine.statements.executing import execute_batch  # noqa: PLC0415 - PartiQL only

    return execute_batch(db, request)
