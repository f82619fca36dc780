"""SK510 misplaced-member: a request has a member too many, or lacks one."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK510", "misplaced-member", ERROR)
def misplaced_member(model: Model) -> Iterator[Finding]:
    """A request has a member too many, or lacks one.

    DynamoDB refuses it: a GetItem has no filter, a write no index, a Query no key.

    Flagged:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", name="ByDay")

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="GetItem",
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            index="ByDay",
            arguments={"user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="GetItem",
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            arguments={"user_id": str},
        )
    """
    return model.collected("SK510")
