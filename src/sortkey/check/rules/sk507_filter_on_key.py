"""SK507 filter-on-key: a filter looks at a key of the index that is queried."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK507", "filter-on-key", ERROR)
def filter_on_key(model: Model) -> Iterator[Finding]:
    """A filter looks at a key of the index that is queried.

    DynamoDB refuses it: the key belongs into the key condition, which chooses what is read. A Scan
    may filter by keys, and a Query by the keys of another index.

    Flagged:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
            filter="begins_with(SK, :device)",
            values={":pk": "USER#{user_id}", ":device": "DEVICE#"},
            arguments={"user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            key_condition="PK = :pk AND begins_with(SK, :device)",
            values={":pk": "USER#{user_id}", ":device": "DEVICE#"},
            arguments={"user_id": str},
        )
    """
    return model.collected("SK507")
