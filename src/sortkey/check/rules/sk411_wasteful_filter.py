"""SK411 wasteful-filter: a filter drops most of the records that are read."""

from collections.abc import Iterator

from sortkey.check.fields import type_of
from sortkey.check.model import Model, PlannedRequest
from sortkey.check.rule import WARNING, Finding, rule
from sortkey.design.plans.demand import choices_of
from sortkey.design.plans.notation import shown
from sortkey.design.plans.sources import Text, arguments_in, source_of
from sortkey.design.records.marks import plain_type
from sortkey.expressions.conjuncts import equalities

_MANY = 100
_MOST_OF_IT = 0.1


@rule("SK411", "wasteful-filter", WARNING)
def wasteful_filter(model: Model) -> Iterator[Finding]:
    """A filter drops most of the records that are read.

    Records that a filter drops have been read and paid for. If a partition is expected to contain
    many records and the filter keeps only a few, an index with that field in its key reads only
    those.

    Flagged:
        class Order(Entity, table=App, expected=Expected(per_partition=5000)):
            shop_id: str
            number: int
            coupon: str
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

        @pattern("Orders with a coupon", rate="5/s", page=20)
        def orders(shop_id: str, coupon: str, after: str | None = None) -> Op[Page[Order]]:
            return Order.query(shop_id=shop_id).where(lambda o: o.coupon == coupon).page(20, after)

    Instead:
        class Order(Entity, table=App, expected=Expected(per_partition=5000)):
            shop_id: str
            number: int
            coupon: str
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")
            by_coupon = App.gsi1.key("SHOP#{shop_id}", "COUPON#{coupon}#{number:06d}")

        @pattern("Orders with a coupon", rate="5/s", page=20)
        def orders(shop_id: str, coupon: str, after: str | None = None) -> Op[Page[Order]]:
            return Order.query(Order.by_coupon, shop_id=shop_id, coupon=coupon).page(20, after)
    """
    for request in model.queries:
        counts = [request.expected_of(kind).per_partition or 0 for kind in request.kinds]
        read = max(counts, default=0)
        if read < _MANY or not request.partition_arguments or _is_range(request):
            continue
        for attribute, value in equalities(request.step.filter):
            names = arguments_in(source_of(value)) - request.key_arguments
            if names and _share(request, attribute, names, read) < _MOST_OF_IT:
                yield Finding(
                    request.pattern,
                    f"it reads about {read:,} records, and the filter keeps only those whose "
                    f"{attribute} is {shown(source_of(value))}",
                    f"Give an index a key with `{attribute}`, and query by it",
                    at="filter",
                )


def _is_range(request: PlannedRequest) -> bool:
    return any(
        isinstance(source, Text) and source.range is not None
        for compared in request.step.key.values()
        for source in compared.sources
    )


def _share(request: PlannedRequest, attribute: str, names: frozenset[str], read: int) -> float:
    """Return the share of records that an equality keeps, as far as the types limit it."""
    held = [p.type for p in request.pattern.parameters if p.name in names]
    for kind in request.kinds:
        by_stored = {stored: name for name, stored in kind.stored_names.items()}
        if attribute in by_stored:
            held.append(type_of(kind, by_stored[attribute]))
    few = [choices_of(plain_type(each)[0]) for each in held]
    return 1 / min((count for count in few if count), default=read)
