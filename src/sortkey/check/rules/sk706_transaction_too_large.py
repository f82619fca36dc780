"""SK706 transaction-too-large: a transaction is larger than DynamoDB allows."""

from collections.abc import Iterator

from sortkey.check.model import Model, PlannedPattern, PlannedRequest
from sortkey.check.rule import ERROR, INFORMATION, Finding, rule
from sortkey.design.plans.tracing import overlong
from sortkey.wire.limits import MB, TRANSACTION_ACTIONS, TRANSACTION_BYTES


@rule("SK706", "transaction-too-large", ERROR)
def transaction_too_large(model: Model) -> Iterator[Finding]:
    """A transaction is larger than DynamoDB allows.

    The limits are 100 actions and 4 MB in total. DynamoDB rejects the whole transaction for the
    first user whose data is as large as expected. A list argument of a pattern is tried with as
    many members as its type allows: 100 of them and one more action are too many. If its type has
    no bound, it is information.

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
    for planned in model.patterns:
        if not planned.transactions:
            continue
        count = max(len(path.requests) for path in planned.transactions)
        if count > TRANSACTION_ACTIONS:
            yield Finding(
                planned.pattern,
                f"its transaction has {count} actions, but DynamoDB allows {TRANSACTION_ACTIONS}",
                "Split it at a point where readers may see only the first part",
            )
        else:
            yield from _growing(model, planned)
        size = max(sum(map(_size, path.requests)) for path in planned.transactions)
        if size > TRANSACTION_BYTES:
            yield Finding(
                planned.pattern,
                f"its transaction has about {size / MB:.1f} MB, but DynamoDB allows "
                f"{TRANSACTION_BYTES // MB}",
                "Split it, or store large values elsewhere",
            )


def _growing(model: Model, planned: PlannedPattern) -> Iterator[Finding]:
    """Yield a finding for each list argument that can make a transaction too long."""
    if planned.pattern.is_raw:
        return
    most = TRANSACTION_ACTIONS
    for name, longest in overlong(planned.pattern, model.design):
        if longest is None:
            yield Finding(
                planned.pattern,
                f'its transaction grows with "{name}", which may have any length, but DynamoDB '
                f"allows {most} actions",
                f"Give {name} a type with Field(max_length=...), and split longer lists",
                severity=INFORMATION,
            )
        else:
            yield Finding(
                planned.pattern,
                f'its transaction has more than {most} actions if "{name}" has {longest} '
                f"members, but DynamoDB allows {most}",
                f"Lower the max_length of {name}, so that there are at most {most} actions",
            )


def _size(request: PlannedRequest) -> int:
    sizes = [kind.expected.size_bytes or 0 for kind in request.kinds if kind.expected]
    return max(sizes, default=0)
