"""SK501 bad-expression: an expression is invalid."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK501", "bad-expression", ERROR)
def bad_expression(model: Model) -> Iterator[Finding]:
    """An expression is invalid.

    DynamoDB rejects every such request with a ValidationException.

    Flagged:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            key_condition="PK == :pk",
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
    return model.collected("SK501")
