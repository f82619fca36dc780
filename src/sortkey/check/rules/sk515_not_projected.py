"""SK515 not-projected: a request reads what its index does not hold."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK515", "not-projected", ERROR)
def not_projected(model: Model) -> Iterator[Finding]:
    """A request reads what its index does not hold.

    A global index has the keys and what it projects. The rest is absent there, and DynamoDB refuses
    to read it.

    Flagged:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", project=["title"], name="ByDay")

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            index="ByDay",
            key_condition="#day = :day",
            projection="body",
            names={"#day": "day"},
            values={":day": "{day}"},
            arguments={"day": str},
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
            projection="title",
            names={"#day": "day"},
            values={":day": "{day}"},
            arguments={"day": str},
        )
    """
    return model.collected("SK515")
