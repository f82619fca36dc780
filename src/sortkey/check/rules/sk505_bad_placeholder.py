"""SK505 bad-placeholder: a placeholder is malformed."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK505", "bad-placeholder", ERROR)
def bad_placeholder(model: Model) -> Iterator[Finding]:
    """A placeholder is malformed.

    The placeholder of a name begins with # and that of a value with :, followed by letters, digits
    or underscores.

    Flagged:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
            values={"pk": "USER#{user_id}"},
            arguments={"user_id": str},
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
    return model.collected("SK505")
