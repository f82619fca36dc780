"""SK506 bad-key-condition: a key condition does not choose a part of the index."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK506", "bad-key-condition", ERROR)
def bad_key_condition(model: Model) -> Iterator[Finding]:
    """A key condition does not choose a part of the index.

    A Query names one partition by equality of all its attributes, then at most a range over the
    sort key, from the left. DynamoDB rejects everything else: also the keys of an index that
    `index=` does not name, and a key attribute in another case.

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
