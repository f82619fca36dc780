"""SK514 consistent-global-index: a request reads a global index consistently."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK514", "consistent-global-index", ERROR)
def consistent_global_index(model: Model) -> Iterator[Finding]:
    """A request reads a global index consistently.

    A global index is updated a moment after the table, so it cannot guarantee to show the last
    write. DynamoDB rejects the request.

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
