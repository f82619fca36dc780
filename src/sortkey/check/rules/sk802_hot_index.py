"""SK802 hot-index: writes to one partition key of an index slow down the table."""

from collections import defaultdict
from collections.abc import Iterator

from sortkey.check.load import loads, spreading, weight
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Finding, rule
from sortkey.design.plans.load import KeyLoad
from sortkey.wire.limits import KEY_WRITE_UNITS


@rule("SK802", "hot-index", ERROR)
def hot_index(model: Model) -> Iterator[Finding]:
    """Writes to one partition key of an index slow down the table.

    Every write of a record is also written to each index that contains it. If one partition key of
    an index gets more than 1,000 units a second, DynamoDB throttles the writes of the table itself,
    even if they are spread evenly there. Above half of that it is a warning. The values of the
    partition key count, whether they come from a template, a field or a raw request: if a pattern
    always sets a status to the same value, or uses the current day, all its writes have one key. If
    only the name of a text field suggests that it is a day, it is information.

    Flagged:
        class Order(Entity, table=App):
            order_id: str
            status: Literal["open", "done"]
            primary = App.primary.key("ORDER#{order_id}", "ORDER")
            by_status = App.gsi1.key("STATUS#{status}", "{order_id}")

        @pattern("Place an order", rate="5000/s")
        def place(order: Order) -> Op[Order]:
            return order.create()

    Instead:
        class Order(Entity, table=App):
            order_id: str
            status: Literal["open", "done"]
            primary = App.primary.key("ORDER#{order_id}", "ORDER")
            by_status = App.gsi1.key("STATUS#{status}", "{order_id}", shards=20)

        @pattern("Place an order", rate="5000/s")
        def place(order: Order) -> Op[Order]:
            return order.create()
    """
    groups: dict[object, list[KeyLoad]] = defaultdict(list)
    for load in model.once(loads):
        if load.index.kind == "global" and load.limit == "writes":
            groups[load.place].append(load)
    for found in groups.values():
        units = sum(load.per_second for load in found)
        severity = weight(found)
        if severity is not None:
            yield Finding(
                found[0].index,
                f'one "{found[0].template}" needs about {units:,.0f} write units a second; beyond '
                f"{KEY_WRITE_UNITS:,} per key, DynamoDB throttles the writes of the table",
                f"{spreading(found[0].key)}, or add a field to its partition key",
                severity=severity,
            )
