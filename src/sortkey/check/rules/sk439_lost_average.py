"""SK439 lost-average: an average is set from outside while its count is raised in place."""

from collections.abc import Iterator

from sortkey.check.averages import lost_averages
from sortkey.check.model import Model
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule


@rule("SK439", "lost-average", WARNING)
def lost_average(model: Model) -> Iterator[Fault]:
    """An average is set from outside while its count is raised in place.

    Two callers read the same average, and each computes a new one. Both raise the count, and the
    second average replaces the first: a rating is counted that is in no average. Add to a sum and
    to the count in the same update, and divide when you read; or give the update a condition on the
    count that was read, and try again where it fails. A sum is judged alike. It is for information
    where it is named after something else than the count, as `order_total` beside `edit_count`.

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
        yield Fault(
            request.pattern,
            f"it sets {name} to what a caller computed and raises {count} beside it: of two "
            f"callers at a time, one is lost in {name} and counted all the same",
            f"Add to a sum instead of setting {name}, or give it a condition on the value of "
            f"{count} that was read",
            at=request.place("update") if request.is_raw else "",
            severity=WARNING if found.is_shown else INFORMATION,
        )
