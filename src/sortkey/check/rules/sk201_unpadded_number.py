"""SK201 unpadded-number: a number enters a sort key at its natural width."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, rule
from sortkey.design.findings import Finding


@rule("SK201", "unpadded-number", ERROR)
def unpadded_number(model: Model) -> Iterator[Finding]:
    """A number enters a sort key at its natural width.

    DynamoDB orders a string sort key byte by byte, so "10" comes before "9". Range queries and
    newest-first then return the wrong records, and only once the numbers grow past one digit.
    `{number:unordered}` says that no query needs the order.

    Flagged:
        class Order(Entity, table=App):
            customer_id: str
            number: int
            primary = App.primary.key("CUSTOMER#{customer_id}", "ORDER#{number}")

    Instead:
        class Order(Entity, table=App):
            customer_id: str
            number: int
            primary = App.primary.key("CUSTOMER#{customer_id}", "ORDER#{number:012d}")
    """
    return model.collected("SK201")
