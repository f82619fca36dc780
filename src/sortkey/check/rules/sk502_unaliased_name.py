"""SK502 unaliased-name: an expression uses a name that needs an alias."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK502", "unaliased-name", ERROR)
def unaliased_name(model: Model) -> Iterator[Finding]:
    """An expression uses a name that needs an alias.

    DynamoDB reserves some 570 words, among them name, status, date and token, and rejects an
    expression with one of them. It also rejects a name that does not begin with a letter, or that
    has other characters than letters, digits and underscores: `GSI1-PK` is read as a difference. An
    alias in `names` stands for such a name. There is one finding for a request, with all the names
    that its expressions need.

    Flagged:
        class Old(Table, raw=True):
            pass

        asked = raw_pattern(
            "What is asked",
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

        asked = raw_pattern(
            "What is asked",
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
