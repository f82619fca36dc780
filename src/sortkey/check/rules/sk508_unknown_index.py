"""SK508 unknown-index: a request names an index that the table does not have."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK508", "unknown-index", ERROR)
def unknown_index(model: Model) -> Iterator[Finding]:
    """A request names an index that the table does not have.

    DynamoDB rejects the request. The name of an index is the one in `name=`.

    Flagged:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", project=["title"], name="ByDay")

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            index="ByMonth",
            key_condition="month = :month",
            values={":month": "{month}"},
            arguments={"month": str},
        )

    Instead:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", project=["title"], name="ByDay")

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            index="ByDay",
            key_condition="#day = :day",
            names={"#day": "day"},
            values={":day": "{day}"},
            arguments={"day": str},
        )
    """
    return model.collected("SK508")
