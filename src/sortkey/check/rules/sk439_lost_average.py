"""SK439 lost-average: an average is set by the caller while its count is incremented in place."""

from collections.abc import Iterator

from sortkey.check.averages import lost_averages
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule


@rule("SK439", "lost-average", WARNING)
def lost_average(model: Model) -> Iterator[Finding]:
    """An average is set by the caller while its count is incremented in place.

    Two callers read the same average, and each computes a new one. Both increment the count, and
    the second average replaces the first: one rating is counted but missing from the average. Add
    to a sum and to the count in the same update, and divide when you read; or give the update a
    condition on the count that was read, and retry if it fails. A sum is judged the same way. It is
    information if the names do not match, such as `order_total` next to `edit_count`.

    Flagged:
        class Old(Table, raw=True):
            pass

        rate = raw_pattern(
            "Rate a book",
            table=Old,
            operation="UpdateItem",
            key={"PK": "BOOK#{isbn}", "SK": "BOOK"},
            update="SET rating_avg = :avg ADD rating_count :one",
            condition="attribute_exists(PK)",
            values={":avg": "{average}", ":one": 1},
            arguments={"isbn": str, "average": Decimal},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        rate = raw_pattern(
            "Rate a book",
            table=Old,
            operation="UpdateItem",
            key={"PK": "BOOK#{isbn}", "SK": "BOOK"},
            update="ADD rating_sum :stars, rating_count :one",
            condition="attribute_exists(PK)",
            values={":stars": "{stars}", ":one": 1},
            arguments={"isbn": str, "stars": int},
        )
    """
    for found in model.once(lost_averages):
        request, name, count = found.request, found.name, found.count
        yield Finding(
            request.pattern,
            f"it sets {name} to a value that the caller computed and increments {count}: of two "
            f"concurrent calls, one is counted but lost in {name}",
            f"Add to a sum instead of setting {name}, or give the update a condition on the value "
            f"of {count} that was read",
            at=request.place("update") if request.is_raw else "",
            severity=WARNING if found.is_shown else INFORMATION,
        )
