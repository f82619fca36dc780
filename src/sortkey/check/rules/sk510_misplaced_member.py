"""SK510 misplaced-member: a request has a member that is not allowed, or lacks one."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK510", "misplaced-member", ERROR)
def misplaced_member(model: Model) -> Iterator[Finding]:
    """A request has a member that its operation does not allow, or lacks a required one.

    DynamoDB rejects it: a GetItem has no filter, a write has no index, a Query has no key.

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
