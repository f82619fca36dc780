"""SK502 reserved-word: an expression uses a reserved word as an attribute's name."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK502", "reserved-word", ERROR)
def reserved_word(model: Model) -> Iterator[Finding]:
    """An expression uses a reserved word as an attribute's name.

    DynamoDB reserves some 570 words, among them name, status, date and token, and refuses an
    expression with one of them. An alias in `names` stands for it.

    Flagged:
        class Old(Table, raw=True):
            by_day = gsi("day", "at", project=["title"], name="ByDay")

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
            by_day = gsi("day", "at", project=["title"], name="ByDay")

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
