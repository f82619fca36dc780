"""SK514 consistent-global-index: a global index is to be read consistently."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK514", "consistent-global-index", ERROR)
def consistent_global_index(model: Model) -> Iterator[Finding]:
    """A global index is to be read consistently.

    It follows the table a moment later and never promises to show the last write; DynamoDB refuses
    to pretend.

    Flagged:
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
            consistent=True,
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
    return model.collected("SK514")
