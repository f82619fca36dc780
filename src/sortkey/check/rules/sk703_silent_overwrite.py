"""SK703 silent-overwrite: a put writes over whatever is there."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule


@rule("SK703", "silent-overwrite", WARNING)
def silent_overwrite(model: Model) -> Iterator[Fault]:
    """A put writes over whatever is there.

    A PutItem without a condition creates a record, or replaces another and all that was in it, and
    nobody is told which. `create()` refuses where there is one, `replace()` where there is none.
    Where the last writer is meant to win, `put()` says so, and it is for information.

    Flagged:
        class Old(Table, raw=True):
            pass

        add = raw_pattern(
            "Add a profile",
            table=Old,
            operation="PutItem",
            item={"PK": "USER#{user_id}", "SK": "PROFILE"},
            arguments={"user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        add = raw_pattern(
            "Add a profile",
            table=Old,
            operation="PutItem",
            item={"PK": "USER#{user_id}", "SK": "PROFILE"},
            condition="attribute_not_exists(PK)",
            arguments={"user_id": str},
        )
    """
    for request in model.requests:
        guarded = any(kind.immutable or kind.version for kind in request.kinds)
        if request.verb == "PutItem" and request.step.condition is None and not guarded:
            what = " or ".join(kind.name for kind in request.kinds) or "record"
            yield Fault(
                request.pattern,
                f"its put replaces the {what} that is there, and nobody is told",
                "Use create() or replace()"
                if not request.is_raw
                else f"Add the condition attribute_not_exists({request.table.key_names[0]})",
                severity=WARNING if request.is_raw else INFORMATION,
            )
