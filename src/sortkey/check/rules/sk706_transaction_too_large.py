"""SK706 transaction-too-large: a transaction has more than DynamoDB takes."""

from collections.abc import Iterator

from sortkey.check.model import Model, Request
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.wire.limits import MB, TRANSACTION_ACTIONS, TRANSACTION_BYTES


@rule("SK706", "transaction-too-large", ERROR)
def transaction_too_large(model: Model) -> Iterator[Fault]:
    """A transaction has more than DynamoDB takes.

    100 actions and 4 MB in all. It is refused as a whole, with the first user whose data is as
    large as expected.

    Flagged:
        class Part(Entity, table=App, expected=Expected(size_bytes=300_000)):
            part_id: str
            primary = App.primary.key("PART#{part_id}", "PART")

        @pattern("Publish a model", rate="1/day")
        def publish(first: Part) -> Op[None]:
            return transact(*(Part(part_id=f"{n}").create() for n in range(20)))

    Instead:
        class Part(Entity, table=App, expected=Expected(size_bytes=300_000)):
            part_id: str
            primary = App.primary.key("PART#{part_id}", "PART")

        @pattern("Publish a part", rate="20/day")
        def publish(part: Part) -> Op[Part]:
            return part.create()
    """
    for asked in model.asked:
        if not asked.transactions:
            continue
        count = max(len(path.requests) for path in asked.transactions)
        if count > TRANSACTION_ACTIONS:
            yield Fault(
                asked.pattern,
                f"its transaction has {count} actions, and DynamoDB takes {TRANSACTION_ACTIONS}",
                "Split it where readers may see half of it",
            )
        size = max(sum(map(_size, path.requests)) for path in asked.transactions)
        if size > TRANSACTION_BYTES:
            yield Fault(
                asked.pattern,
                f"its transaction has about {size / MB:.1f} MB, and DynamoDB takes "
                f"{TRANSACTION_BYTES // MB}",
                "Split it, or store large values elsewhere",
            )


def _size(request: Request) -> int:
    sizes = [kind.expected.size_bytes or 0 for kind in request.kinds if kind.expected]
    return max(sizes, default=0)
