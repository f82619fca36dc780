"""SK507 filter-on-key: a filter uses a key attribute of the index that is queried."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK507", "filter-on-key", ERROR)
def filter_on_key(model: Model) -> Iterator[Finding]:
    """A filter uses a key attribute of the index that is queried.

    DynamoDB rejects it: the key belongs in the key condition, which selects the records to read. A
    Scan may filter by keys, and a Query by the keys of another index.

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
