"""SK718 torn-batch: records that belong together are written in a batch."""

from collections.abc import Iterator
from itertools import combinations

from sortkey.check.model import Model, PlannedRequest, RequestPath
from sortkey.check.rule import INFORMATION, WARNING, Finding, rule


@rule("SK718", "torn-batch", WARNING)
def torn_batch(model: Model) -> Iterator[Finding]:
    """Records that belong together are written in a batch.

    A BatchWriteItem is a set of single writes, not a transaction: DynamoDB may store some and
    return the others as unprocessed, and after a crash they stay unwritten. Two copies of the same
    fact, whose keys have the same arguments, then differ permanently. TransactWriteItems stores all
    or none. Records of several entities that share only a part of their keys are information, since
    each may be right without the others. A batch of many records of one entity is not reported.

    Flagged:
        class Orders(Table, raw=True):
            pass

        class Ledger(Table, raw=True):
            pass

        class Payment(Entity, table=Orders):
            order_id: str
            payment_id: str
            primary = Orders.primary.key("ORDER#{order_id}", "PAYMENT#{payment_id}")

        class Booked(Entity, table=Ledger):
            order_id: str
            payment_id: str
            primary = Ledger.primary.key("ORDER#{order_id}", "PAID#{payment_id}")

        pay = raw_pattern(
            "Pay an order",
            operation="BatchWriteItem",
            actions=[
                RawRequest(
                    "Put",
                    Orders,
                    item={
                        "PK": "ORDER#{order_id}",
                        "SK": "PAYMENT#{payment_id}",
                        "_type": "Payment",
                        "order_id": "{order_id}",
                        "payment_id": "{payment_id}",
                    },
                    entity=Payment,
                ),
                RawRequest(
                    "Put",
                    Ledger,
                    item={
                        "PK": "ORDER#{order_id}",
                        "SK": "PAID#{payment_id}",
                        "_type": "Booked",
                        "order_id": "{order_id}",
                        "payment_id": "{payment_id}",
                    },
                    entity=Booked,
                ),
            ],
            arguments={"order_id": str, "payment_id": str},
        )

    Instead:
        class Orders(Table, raw=True):
            pass

        class Ledger(Table, raw=True):
            pass

        class Payment(Entity, table=Orders):
            order_id: str
            payment_id: str
            primary = Orders.primary.key("ORDER#{order_id}", "PAYMENT#{payment_id}")

        class Booked(Entity, table=Ledger):
            order_id: str
            payment_id: str
            primary = Ledger.primary.key("ORDER#{order_id}", "PAID#{payment_id}")

        pay = raw_pattern(
            "Pay an order",
            operation="TransactWriteItems",
            actions=[
                RawRequest(
                    "Put",
                    Orders,
                    item={
                        "PK": "ORDER#{order_id}",
                        "SK": "PAYMENT#{payment_id}",
                        "_type": "Payment",
                        "order_id": "{order_id}",
                        "payment_id": "{payment_id}",
                    },
                    condition="attribute_not_exists(PK)",
                    entity=Payment,
                ),
                RawRequest(
                    "Put",
                    Ledger,
                    item={
                        "PK": "ORDER#{order_id}",
                        "SK": "PAID#{payment_id}",
                        "_type": "Booked",
                        "order_id": "{order_id}",
                        "payment_id": "{payment_id}",
                    },
                    condition="attribute_not_exists(PK)",
                    entity=Booked,
                ),
            ],
            arguments={"order_id": str, "payment_id": str},
        )
    """
    for planned in model.patterns:
        for path in (path for path in planned.paths if path.shape == "batch"):
            pairs = [p for p in _related(path) if not any(map(model.is_rejected, p))]
            copies = [pair for pair in pairs if _is_one_fact(*pair)]
            if pairs:
                one, other = (copies or pairs)[0]
                both = f"{_named(one)} and {_named(other)}"
                shared = ", ".join(sorted(one.key_arguments & other.key_arguments))
                yield Finding(
                    planned.pattern,
                    f"its batch writes {both} with the same {shared}, but DynamoDB may store one "
                    "without the other",
                    "Use TransactWriteItems" if one.is_raw else "Use `transact(...)`",
                    severity=WARNING if copies else INFORMATION,
                )


def _related(path: RequestPath) -> Iterator[tuple[PlannedRequest, PlannedRequest]]:
    """Yield the puts of a batch with different entities or tables and a common part of the key."""
    puts = [request for request in path.requests if request.verb == "PutItem"]
    for one, other in combinations(puts, 2):
        is_same = (one.table, one.kinds) == (other.table, other.kinds)
        if not is_same and one.key_arguments & other.key_arguments:
            yield one, other


def _is_one_fact(one: PlannedRequest, other: PlannedRequest) -> bool:
    """Whether the same arguments make both keys."""
    return one.key_arguments == other.key_arguments


def _named(request: PlannedRequest) -> str:
    return " or ".join(kind.name for kind in request.kinds) or f"a record of {request.table}"
