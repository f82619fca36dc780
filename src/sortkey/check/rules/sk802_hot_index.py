"""SK802 hot-index: writes to one key of an index hold up the table."""

from collections import defaultdict
from collections.abc import Iterator

from sortkey.check.load import Load, loads, spreading, weight
from sortkey.check.model import Model
from sortkey.check.rule import ERROR, Fault, rule
from sortkey.wire.limits import KEY_WRITE_UNITS


@rule("SK802", "hot-index", ERROR)
def hot_index(model: Model) -> Iterator[Fault]:
    """Writes to one partition key of an index hold up the table.

    Every write of a record is written to each index that it is in. Where one partition key of an
    index gets more than 1,000 units a second, DynamoDB throttles the writes of the table itself,
    however well that is spread. Above half of it is a warning. The values of the partition count,
    whether a template makes them, a field or a raw request: a status that a pattern always sets to
    the same, or the current day, is one key for all its writes. Where only the name of a text field
    says that it holds a day, it is for information.

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
    groups: dict[tuple[int, str], list[Load]] = defaultdict(list)
    for load in model.once(loads):
        if load.index.kind == "global" and load.writes:
            groups[id(load.index), load.template].append(load)
    for found in groups.values():
        units = sum(load.writes for load in found)
        severity = weight(found, "write", KEY_WRITE_UNITS)
        if severity is not None:
            yield Fault(
                found[0].index,
                f'one "{found[0].template}" is written with about {units:,.0f} units a second, and '
                f"DynamoDB takes {KEY_WRITE_UNITS:,} of one key: it then throttles the table's "
                "writes",
                f"{spreading(found[0].key)}, or put more into its partition key",
                severity=severity,
            )
