"""SK513 bad-value: a request has a value that cannot be written."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK513", "bad-value", ERROR)
def bad_value(model: Model) -> Iterator[Finding]:
    """A request has a value that cannot be written.

    DynamoDB has no form for it, or the member knows only some words.

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
