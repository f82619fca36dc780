"""SK412 short-pages: a limit counts records before the filter drops some."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.plans.notation import shown


@rule("SK412", "short-pages", WARNING)
def short_pages(model: Model) -> Iterator[Finding]:
    """A limit counts records before the filter drops some.

    DynamoDB reads as many records as the limit allows and then filters them: a page of 20 may have
    three, or none, although more follow. A caller that treats an empty page as the end misses the
    rest. sortkey's own pages read on until they are full.

    Flagged:
        class Old(Table, raw=True):
            pass

        devices = raw_pattern(
            "Active devices",
            table=Old,
            operation="Query",
            key_condition="PK = :pk",
            filter="isActive = :yes",
            values={":pk": "USER#{user_id}", ":yes": True},
            arguments={"user_id": str},
            limit=20,
        )

    Instead:
        class Old(Table, raw=True):
            pass

        devices = raw_pattern(
            "Active devices",
            table=Old,
            operation="Query",
            key_condition="PK = :pk AND begins_with(SK, :active)",
            values={":pk": "USER#{user_id}", ":active": "DEVICE#ACTIVE#"},
            arguments={"user_id": str},
            limit=20,
        )
    """
    for request in model.raw_requests:
        if request.step.limit is not None and request.step.filter is not None:
            limit = shown(request.step.limit)
            read = "1 record is" if limit == "1" else f"{limit} records are"
            yield Finding(
                request.pattern,
                f"{read} read and then filtered, so a page may be short or empty although more "
                "follow",
                "Read on until the page is full, or move the filter into the key",
                at="limit",
            )
