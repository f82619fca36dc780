"""Patterns that send something else by an argument."""

from datetime import datetime

from sortkey import Entity, Op, Page, Table, gsi, pattern, transact


class Shop(Table):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Order(Entity, table=Shop):
    customer_id: str
    number: int
    placed: datetime
    status: str
    primary = Shop.primary.key("CUSTOMER#{customer_id}", "ORDER#{number:06d}")
    by_time = Shop.gsi1.key("CUSTOMER#{customer_id}", "{placed}#{number:06d}")


class Total(Entity, table=Shop):
    customer_id: str
    orders: int = 0
    primary = Shop.primary.key("CUSTOMER#{customer_id}", "TOTAL")


class Score(Entity, table=Shop):
    score: int
    primary = Shop.primary.key("BOARD", "{score:06d}")


@pattern("The best or the worst score", rate="4000/s")
def end_of_board(best: bool = True) -> Op[Score | None]:
    query = Score.query()
    return query.reverse().first() if best else query.first()


@pattern("All orders, or those of a customer", rate="5/s")
def scan_behind_flag(customer_id: str, everybody: bool = False) -> Op[list[Order]]:
    if everybody:
        return Order.scan().limit(100)
    return Order.query(customer_id=customer_id).limit(20)


@pattern("Orders of a customer, those of a status or all", rate="5/s")
def scan_behind_none(customer_id: str | None = None) -> Op[list[Order]]:
    if customer_id is None:
        return Order.scan().limit(100)
    return Order.query(customer_id=customer_id).limit(20)


@pattern("Orders in any of these forms", rate="5/s")
def scan_behind_two(customer_id: str, brief: bool, quick: bool) -> Op[list[Order]]:
    if not brief and not quick:
        return Order.scan().limit(100)
    return Order.query(customer_id=customer_id).limit(20)


@pattern("Orders of a customer, of a day or all", rate="5/s")
def unbounded_behind_none(
    customer_id: str, start: datetime | None = None, end: datetime | None = None
) -> Op[list[Order]]:
    query = Order.query(Order.by_time, customer_id=customer_id)
    return query.between(placed=(start, end)) if start is not None and end is not None else query


@pattern("Orders of a customer in pages", rate="5/s", page=20)
def paged(customer_id: str, recent: bool = True, after: str | None = None) -> Op[Page[Order]]:
    query = Order.query(customer_id=customer_id)
    return (query.reverse() if recent else query).page(20, after)


@pattern("Place an order, and count it unless it is a draft", rate="5/s")
def place(order: Order, draft: bool = False) -> Op[None]:
    if draft:
        return transact(order.create())
    count = Total.upsert(customer_id=order.customer_id).add(lambda t: t.orders).by(1)
    return transact(order.create(), count)


@pattern("Place an order with others", rate="5/s")
def place_all(orders: list[Order]) -> Op[None]:
    return transact(*(order.create() for order in orders))
