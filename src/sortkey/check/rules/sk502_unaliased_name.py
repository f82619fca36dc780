"""SK502 unaliased-name: an expression uses a name that needs an alias."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK502", "unaliased-name", ERROR)
def unaliased_name(model: Model) -> Iterator[Finding]:
    """An expression uses a name that needs an alias.

    DynamoDB reserves about 570 words, such as name, status, date and token, and rejects an
    expression that contains one of them. It also rejects a name that does not begin with a letter,
    or that has characters other than letters, digits and underscores: `GSI1-PK` is parsed as a
    subtraction. Define an alias for such a name in `names`. Each request gets one finding, with all
    the names that its expressions need.

    Flagged:
        class Old(Table, raw=True):
            pass

        notes = raw_pattern(
            "Notes of a user",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
            filter="status = :open",
            values={":pk": "USER#{user_id}", ":open": "open"},
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
            filter="#status = :open",
            names={"#status": "status"},
            values={":pk": "USER#{user_id}", ":open": "open"},
            arguments={"user_id": str},
        )
    """
    return model.collected("SK502")
