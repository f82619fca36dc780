"""SK706 transaction-too-large: a transaction has more than DynamoDB takes."""

from collections.abc import Iterator

from sortkey.check.model import Asked, Model, Request
from sortkey.check.rule import ERROR, INFORMATION, Fault, rule
from sortkey.design.tracing import overlong
from sortkey.wire.limits import MB, TRANSACTION_ACTIONS, TRANSACTION_BYTES


@rule("SK706", "transaction-too-large", ERROR)
def transaction_too_large(model: Model) -> Iterator[Fault]:
    """A transaction has more than DynamoDB takes.

    100 actions and 4 MB in all. It is refused as a whole, with the first user whose data is as
    large as expected. A list argument of a pattern is tried with as many members as its type
    allows: 100 of them and one action more are too many. Where its type has no bound, it is
    for information.

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
        else:
            yield from _growing(model, asked)
        size = max(sum(map(_size, path.requests)) for path in asked.transactions)
        if size > TRANSACTION_BYTES:
            yield Fault(
                asked.pattern,
                f"its transaction has about {size / MB:.1f} MB, and DynamoDB takes "
                f"{TRANSACTION_BYTES // MB}",
                "Split it, or store large values elsewhere",
            )


def _growing(model: Model, asked: Asked) -> Iterator[Fault]:
    """The lists among the arguments that make a transaction too long."""
    if asked.pattern.is_raw:
        return
    most = TRANSACTION_ACTIONS
    for name, longest in overlong(asked.pattern, model.design):
        if longest is None:
            yield Fault(
                asked.pattern,
                f'its transaction grows with "{name}", which may have any length, and DynamoDB '
                f"takes {most} actions",
                f"Give {name} a type with Field(max_length=...), and split what is longer",
                severity=INFORMATION,
            )
        else:
            yield Fault(
                asked.pattern,
                f'its transaction has more than {most} actions where "{name}" has {longest} '
                f"members, and DynamoDB takes {most}",
                f"Lower the max_length of {name}, so that all actions together are {most} at most",
            )


def _size(request: Request) -> int:
    sizes = [kind.expected.size_bytes or 0 for kind in request.kinds if kind.expected]
    return max(sizes, default=0)
