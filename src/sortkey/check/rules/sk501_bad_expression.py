"""SK501 bad-expression: an expression cannot be read."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK501", "bad-expression", ERROR)
def bad_expression(model: Model) -> Iterator[Finding]:
    """An expression cannot be read.

    DynamoDB refuses the request with a ValidationException, each time.

    Flagged:
        class Old(Table, raw=True):
            pass

        asked = raw_pattern(
            "What is asked",
            table=Old,
            operation="Query",
            key_condition="PK == :pk",
            values={":pk": "USER#{user_id}"},
            arguments={"user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        asked = raw_pattern(
            "What is asked",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
            values={":pk": "USER#{user_id}"},
            arguments={"user_id": str},
        )
    """
    return model.collected("SK501")
