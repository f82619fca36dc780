"""SK512 unknown-argument: a value needs an input that the pattern does not take."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK512", "unknown-argument", ERROR)
def unknown_argument(model: Model) -> Iterator[Finding]:
    """A value needs an input that the pattern does not take.

    No caller could give it, so the request cannot be made: the pattern has to take it, or
    another key must serve it.

    Flagged:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
            values={":pk": "USER#{user_id}"},
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
    return model.collected("SK512")
