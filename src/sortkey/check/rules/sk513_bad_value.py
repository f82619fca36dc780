"""SK513 bad-value: a request has a value that is not allowed."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK513", "bad-value", ERROR)
def bad_value(model: Model) -> Iterator[Finding]:
    """A request has a value that is not allowed.

    DynamoDB cannot store it, or the member allows only certain values.

    Flagged:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
            values={":pk": "USER#{user_id}"},
            arguments={"user_id": str},
            limit=0,
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
            limit=20,
        )
    """
    return model.collected("SK513")
