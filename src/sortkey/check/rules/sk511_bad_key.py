"""SK511 bad-key: a key lacks an attribute, or has a value that is not allowed in a key."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK511", "bad-key", ERROR)
def bad_key(model: Model) -> Iterator[Finding]:
    """A key lacks an attribute, or has a value that is not allowed in a key.

    A key has all key attributes of the table, each with its declared type and not empty, with at
    most 2,048 bytes in the partition key and 1,024 in the sort key.

    Flagged:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="GetItem",
            key={"PK": "USER#{user_id}"},
            arguments={"user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="GetItem",
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            arguments={"user_id": str},
        )
    """
    return model.collected("SK511")
