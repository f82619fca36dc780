"""SK509 unknown-operation: DynamoDB does not have such an operation."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK509", "unknown-operation", ERROR)
def unknown_operation(model: Model) -> Iterator[Finding]:
    """DynamoDB does not have such an operation.

    The operations on records are GetItem, Query, Scan, PutItem, UpdateItem, DeleteItem and their
    batches and transactions.

    Flagged:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Find",
            key_condition="PK = :pk",
            values={":pk": "USER#{user_id}"},
            arguments={"user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
            values={":pk": "USER#{user_id}"},
            arguments={"user_id": str},
        )
    """
    return model.collected("SK509")
