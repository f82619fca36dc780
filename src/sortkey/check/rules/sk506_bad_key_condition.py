"""SK506 bad-key-condition: a key condition does not select a range of the index."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK506", "bad-key-condition", ERROR)
def bad_key_condition(model: Model) -> Iterator[Finding]:
    """A key condition does not select a range of the index.

    A Query selects one partition by equality of all its attributes, and optionally a range of the
    sort key, from the left. DynamoDB rejects everything else, including the keys of an index that
    `index=` does not name and a key attribute with different capitalization.

    Flagged:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            key_condition="begins_with(SK, :note)",
            values={":note": "NOTE#"},
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
    return model.collected("SK506")
