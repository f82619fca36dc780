"""SK433 query-of-one: a query specifies the whole primary key of one record."""

from collections.abc import Iterator

from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import INFORMATION, Finding, rule


@rule("SK433", "query-of-one", INFORMATION)
def query_of_one(model: Model) -> Iterator[Finding]:
    """A query specifies the whole primary key of one record.

    GetItem finds it too, returns the record instead of a list with one record, can be part of a
    batch or a transaction, and needs a narrower permission.

    Flagged:
        class Old(Table, raw=True):
            pass

        profile = raw_pattern(
            "A profile",
            table=Old,
            operation="Query",
            key_condition="PK = :pk AND SK = :sk",
            values={":pk": "USER#{user_id}", ":sk": "PROFILE"},
            arguments={"user_id": str},
        )

    Instead:
        class Old(Table, raw=True):
            pass

        profile = raw_pattern(
            "A profile",
            table=Old,
            operation="GetItem",
            key={"PK": "USER#{user_id}", "SK": "PROFILE"},
            arguments={"user_id": str},
        )
    """
    for request in model.raw_requests:
        # GetItem has no filter.
        if request.verb == "Query" and request.step.filter is None and _has_whole_key(request):
            yield Finding(
                request.pattern,
                f"it specifies the whole primary key of {request.table}, so it finds one record",
                "Use GetItem",
                at="operation",
            )


def _has_whole_key(request: PlannedRequest) -> bool:
    key = request.step.key
    names = request.table.key_names
    is_primary = request.index is request.table.primary
    return is_primary and all(name in key and key[name].op == "=" for name in names)
