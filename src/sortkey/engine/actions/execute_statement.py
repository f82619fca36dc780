"""ExecuteStatement: one PartiQL statement, which reads a page or writes an item."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.parameters import (
    ConsumedCapacity,
    OnConditionFailure,
    Parameters,
    StatementText,
)
from sortkey.engine.shapes import Length, NumberRange
from sortkey.wire.limits import NEXT_TOKEN_CHARACTERS


class ExecuteStatement(TypedDict):
    """The request; its members are in the order in which DynamoDB validates them."""

    Statement: StatementText
    Parameters: NotRequired[Parameters]
    ConsistentRead: NotRequired[bool]
    NextToken: NotRequired[Annotated[str, Length(1, NEXT_TOKEN_CHARACTERS)]]
    ReturnConsumedCapacity: NotRequired[ConsumedCapacity]
    Limit: NotRequired[Annotated[int, NumberRange(1)]]
    ReturnValuesOnConditionCheckFailure: NotRequired[OnConditionFailure]


def execute_statement(db: Database, request: ExecuteStatement) -> dict[str, Any]:
    """Carry out the statement, and return the items that it selects or returns."""
    from sortkey.engine.statements.executing import execute  # noqa: PLC0415 - for PartiQL only

    return execute(db, request)
