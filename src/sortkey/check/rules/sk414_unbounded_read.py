"""SK414 unbounded-read: a query returns everything that a partition holds."""

from collections.abc import Iterator

from sortkey.check.model import AnyKind, Model, Request
from sortkey.check.rule import INFORMATION, WARNING, Fault, rule
from sortkey.design.sources import Text
from sortkey.wire.limits import KB, PAGE_BYTES

_MANY = 1000


@rule("SK414", "unbounded-read", WARNING)
def unbounded_read(model: Model) -> Iterator[Fault]:
    """A query returns everything that a partition holds, however much that becomes.

    It has no range, no limit and no pages. What is a handful today takes seconds and megabytes in a
    year. `expected=Expected(per_partition=...)` says that it stays small. Where nothing is said of
    a partition that an argument chooses, it is for information.

    Flagged:
        class Order(Entity, table=App, expected=Expected(per_partition=50_000)):
            shop_id: str
            number: int
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

        @pattern("A shop's orders", rate="5/s")
        def orders(shop_id: str) -> Op[list[Order]]:
            return Order.query(shop_id=shop_id)

    Instead:
        class Order(Entity, table=App, expected=Expected(per_partition=50_000)):
            shop_id: str
            number: int
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

        @pattern("A shop's orders", rate="5/s", page=50)
        def orders(shop_id: str, after: str | None = None) -> Op[Page[Order]]:
            return Order.query(shop_id=shop_id).page(50, after)
    """
    for request in model.queries:
        if request.step.limit is not None or _is_bounded(request):
            continue
        chosen = bool(request.key_arguments)
        counts = [_count(request, kind, chosen=chosen) for kind in request.kinds]
        known = [count for count in counts if count is not None]
        if request.kinds and len(known) == len(counts):
            if _is_small(request, known):
                continue
            held = f"about {sum(known):,} records"
        else:
            held = "nobody says how many records"
        yield Fault(
            request.pattern,
            f"it reads all that a partition of {request.index} holds: {held}",
            "Read pages or a range, or say expected=Expected(per_partition=...) of the entity",
            severity=INFORMATION if chosen and len(known) < max(len(counts), 1) else WARNING,
        )


def _is_bounded(request: Request) -> bool:
    return any(
        compared.op != "begins_with"
        or (isinstance(compared.source, Text) and compared.source.range is not None)
        for compared in request.sort_key
    )


def _count(request: Request, kind: AnyKind, *, chosen: bool) -> int | None:
    """How many of an entity's records a partition holds; one where its sort key is a constant."""
    keys = [key for key in kind.keys.values() if key.definition is request.index]
    if chosen and any(not part.fields for key in keys for part in key.sort):
        return 1
    if kind.expected is None:
        return None
    count = kind.expected.count
    if not chosen:
        return count
    # All that there are is more than a partition holds, and tells only that they are few.
    is_few = count is not None and count <= _MANY
    return kind.expected.per_partition or (count if is_few else None)


def _is_small(request: Request, counts: list[int]) -> bool:
    sizes = [(kind.expected and kind.expected.size_bytes) or KB for kind in request.kinds]
    size = sum(count * size for count, size in zip(counts, sizes, strict=True))
    return sum(counts) <= _MANY and size <= PAGE_BYTES
