"""SK503 undefined-placeholder: an expression uses a placeholder that is not defined."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK503", "undefined-placeholder", ERROR)
def undefined_placeholder(model: Model) -> Iterator[Finding]:
    """An expression uses a placeholder that is not defined.

    DynamoDB rejects the request: each # placeholder stands for a name and each : placeholder for a
    value that the request must define.

    Flagged:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
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
    return model.collected("SK503")
