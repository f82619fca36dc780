"""SK512 unknown-argument: a value uses an argument that the pattern does not declare."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK512", "unknown-argument", ERROR)
def unknown_argument(model: Model) -> Iterator[Finding]:
    """A value uses an argument that the pattern does not declare.

    Callers cannot pass it, so the request cannot be built: declare the argument, or use another
    key.

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
