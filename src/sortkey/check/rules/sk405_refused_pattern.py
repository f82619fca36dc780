"""SK405 refused-pattern: a pattern's request is not allowed by DynamoDB or by the design."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.errors import Refused, ValueRefused


@rule("SK405", "refused-pattern", ERROR)
def refused_pattern(model: Model) -> Iterator[Fault]:
    """A pattern's request is not allowed by DynamoDB or by the design.

    It leaves a part of the partition key open, binds a sort key in the middle, filters by the key
    that is queried, reads what an index does not hold, or changes what cannot change. It fails
    whatever its arguments are, and does so when it is first called.

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
    for asked in model.asked:
        error = asked.plan.error
        # A value that is refused may be the fault of what was drawn.
        if isinstance(error, Refused) and not isinstance(error, ValueRefused):
            yield Fault(
                asked.pattern,
                f"it is rejected: {error}",
                "Change the request, or query by another key",
            )
