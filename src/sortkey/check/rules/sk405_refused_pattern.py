"""SK405 refused-pattern: DynamoDB or the design does not allow a pattern's request."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.errors import Refused, ValueRefused


@rule("SK405", "refused-pattern", ERROR)
def refused_pattern(model: Model) -> Iterator[Finding]:
    """DynamoDB or the design does not allow a pattern's request.

    It does not specify the whole partition key, skips a part of the sort key, filters by the key
    that it queries, reads a field that the index does not contain, or changes a field that cannot
    change. It fails with any arguments, at the first call.

    Flagged:
        class Order(Entity, table=App):
            shop_id: str
            number: int
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

        @pattern("An order by its number", rate="5/s")
        def order(number: int) -> Op[Order | None]:
            return Order.get(number=number)

    Instead:
        class Order(Entity, table=App):
            shop_id: str
            number: int
            primary = App.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")

        @pattern("An order by its number", rate="5/s")
        def order(shop_id: str, number: int) -> Op[Order | None]:
            return Order.get(shop_id=shop_id, number=number)
    """
    for planned in model.patterns:
        error = planned.plan.error
        # A rejected value may be the fault of the generated argument.
        if isinstance(error, Refused) and not isinstance(error, ValueRefused):
            yield Finding(
                planned.pattern,
                f"it is rejected: {error}",
                "Change the request, or query by another key",
            )
