"""SK101 shared-key: two entities of a table can have the same primary key."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule


@rule("SK101", "shared-key", ERROR)
def shared_key(model: Model) -> Iterator[Finding]:
    """Two entities of a table can have the same primary key.

    DynamoDB identifies an item by its key. A record of one entity silently replaces a record of the
    other, or is rejected because the other exists.

    Flagged:
        class Order(Entity, table=App):
            customer_id: str
            number: int
            primary = App.primary.key("CUSTOMER#{customer_id}", "{number:06d}")

        class Invoice(Entity, table=App):
            customer_id: str
            number: int
            primary = App.primary.key("CUSTOMER#{customer_id}", "{number:06d}")

    Instead:
        class Order(Entity, table=App):
            customer_id: str
            number: int
            primary = App.primary.key("CUSTOMER#{customer_id}", "ORDER#{number:06d}")

        class Invoice(Entity, table=App):
            customer_id: str
            number: int
            primary = App.primary.key("CUSTOMER#{customer_id}", "INVOICE#{number:06d}")
    """
    return model.collected("SK101")
