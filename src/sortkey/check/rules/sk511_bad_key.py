"""SK511 bad-key: a key lacks a part, or has one that no key can have."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK511", "bad-key", ERROR)
def bad_key(model: Model) -> Iterator[Finding]:
    """A key lacks a part, or has one that no key can have.

    A key has all attributes of the table's own, each of its declared type, not empty, and no longer
    than 2,048 bytes in the partition and 1,024 in the sort key.

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
