"""SK119 collection-member: a collection has a member that a single Query cannot return."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK119", "collection-member", ERROR)
def collection_member(model: Model) -> Iterator[Finding]:
    """A collection has a member that a single Query cannot return.

    A collection is the result of one Query on one index, so its entities must share a partition of
    that index, and each entity must have one field.

    Flagged:
        class Customer(Entity, table=App):
            customer_id: str
            primary = App.primary.key("CUSTOMER#{customer_id}", "CUSTOMER")

        class Order(Entity, table=App):
            order_id: str
            primary = App.primary.key("ORDER#{order_id}", "ORDER")

        class Account(Collection):
            customer: Customer | None
            orders: list[Order]

    Instead:
        class Customer(Entity, table=App):
            customer_id: str
            primary = App.primary.key("CUSTOMER#{customer_id}", "CUSTOMER")

        class Order(Entity, table=App):
            customer_id: str
            order_id: str
            primary = App.primary.key("CUSTOMER#{customer_id}", "ORDER#{order_id}")

        class Account(Collection):
            customer: Customer | None
            orders: list[Order]
    """
    return model.collected("SK119")
