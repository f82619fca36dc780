"""SK517 bad-actions: a batch or a transaction has actions that cannot be sent together."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK517", "bad-actions", ERROR)
def bad_actions(model: Model) -> Iterator[Finding]:
    """A batch or a transaction has actions that cannot be sent together.

    DynamoDB accepts at most 100 actions, each of a kind that the operation allows, and no two on
    the same item.

    Flagged:
        class Old(Table, raw=True):
            pass

        absent = "attribute_not_exists(PK)"
        moved = raw_pattern(
            "Move a note",
            operation="TransactWriteItems",
            actions=[
                RawRequest("Put", Old, item={"PK": "{to}", "SK": "NOTE"}, condition=absent),
                RawRequest("Delete", Old, key={"PK": "{to}", "SK": "NOTE"}),
            ],
            arguments={"to": str, "origin": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        absent = "attribute_not_exists(PK)"
        moved = raw_pattern(
            "Move a note",
            operation="TransactWriteItems",
            actions=[
                RawRequest("Put", Old, item={"PK": "{to}", "SK": "NOTE"}, condition=absent),
                RawRequest("Delete", Old, key={"PK": "{origin}", "SK": "NOTE"}),
            ],
            arguments={"to": str, "origin": str},
        )
    """
    return model.collected("SK517")
