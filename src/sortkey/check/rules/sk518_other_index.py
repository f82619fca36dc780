"""SK518 other-index: a key condition names the keys of an index that is not read."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK518", "other-index", ERROR)
def other_index(model: Model) -> Iterator[Finding]:
    """A key condition names the keys of an index that the request does not read.

    A Query without an index reads the table by its own key, and each index has keys of its own.
    DynamoDB rejects a condition on other attributes.

    Flagged:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", name="ByDay")

        asked = raw_pattern(
            "What happened on a day",
            table=Old,
            operation="Query",
            key_condition="#day = :day",
            names={"#day": "day"},
            values={":day": "{day}"},
            arguments={"day": str},
        )

    Instead:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", name="ByDay")

        asked = raw_pattern(
            "What happened on a day",
            table=Old,
            operation="Query",
            index="ByDay",
            key_condition="#day = :day",
            names={"#day": "day"},
            values={":day": "{day}"},
            arguments={"day": str},
        )
    """
    return model.collected("SK518")
