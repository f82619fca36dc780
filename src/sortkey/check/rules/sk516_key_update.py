"""SK516 key-update: an update changes the primary key."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK516", "key-update", ERROR)
def key_update(model: Model) -> Iterator[Finding]:
    """An update changes the primary key.

    A key cannot change. Write the record under its new key and delete the old one, in one
    transaction.

    Flagged:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", project=["title"], name="ByDay")

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="UpdateItem",
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            update="SET SK = :sk",
            condition="attribute_exists(PK)",
            values={":sk": "FORMER"},
            arguments={"user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", project=["title"], name="ByDay")

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="UpdateItem",
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            update="SET former = :yes",
            condition="attribute_exists(PK)",
            values={":yes": True},
            arguments={"user_id": str},
        )
    """
    return model.collected("SK516")
