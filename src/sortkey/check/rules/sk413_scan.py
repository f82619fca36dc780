"""SK413 scan: a pattern reads a whole table."""

from collections.abc import Iterator

from sortkey.check.model import Model
from sortkey.check.rule import ERROR, WARNING, Fault, rule


@rule("SK413", "scan", WARNING)
def scan(model: Model) -> Iterator[Fault]:
    """A pattern reads a whole table.

    A Scan reads and pays for every record of every kind, and takes longer each day. For a job
    that runs now and then it may be right: acknowledge it with `ignore=`. At a declared rate it is
    an error.

    Flagged:
        class Order(Entity, table=App):
            order_id: str
            status: str
            primary = App.primary.key("ORDER#{order_id}", "ORDER")

        @pattern("Open orders", rate="1/s")
        def open_orders() -> Op[list[Order]]:
            return Order.scan().where(lambda o: o.status == "open")

    Instead:
        class Order(Entity, table=App):
            order_id: str
            status: str
            primary = App.primary.key("ORDER#{order_id}", "ORDER")
            by_status = App.gsi1.key("STATUS#{status}", "{order_id}")

        @pattern("Open orders", rate="1/s", page=50)
        def open_orders(after: str | None = None) -> Op[Page[Order]]:
            return Order.query(Order.by_status, status="open").page(50, after)
    """
    for request in model.requests:
        if request.verb == "Scan":
            rate = request.pattern.rate
            often = "" if rate is None else f", {rate}"
            yield Fault(
                request.pattern,
                f"it reads all of {request.step.index or request.table}{often}",
                "Give an index a key for these records, and query it",
                severity=WARNING if rate is None else ERROR,
            )
