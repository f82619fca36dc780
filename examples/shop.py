"""A shop: customers, orders and baskets in one table."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated

from sortkey import TTL, Collection, Entity, Op, Page, Table, Version, gsi, pattern, unique


class Shop(Table, ttl="expires"):
    """Everything the shop stores."""

    gsi1 = gsi("GSI1PK", "GSI1SK")


class Customer(Entity, table=Shop):
    """Somebody who buys; no two have one e-mail."""

    customer_id: str
    email: Annotated[str, unique]
    orders: int = 0
    rev: Version = 0

    primary = Shop.primary.key("CUSTOMER#{customer_id}", "CUSTOMER")


class Order(Entity, table=Shop):
    """What somebody bought."""

    customer_id: str
    number: int
    status: str = "open"
    placed: datetime
    total: Decimal
    rev: Version = 0

    primary = Shop.primary.key("CUSTOMER#{customer_id}", "ORDER#{number:06d}")
    by_status = Shop.gsi1.key("STATUS#{status}", "{placed}#{number:06d}")


class Basket(Entity, table=Shop):
    """What somebody may buy, until the evening."""

    customer_id: str
    items: int = 0
    expires: TTL

    primary = Shop.primary.key("CUSTOMER#{customer_id}", "BASKET")


class Account(Collection):
    """A customer with all orders."""

    customer: Customer | None
    orders: list[Order]


@pattern("A customer with all orders", rate="20/s")
def account(customer_id: str) -> Op[Account]:
    """One Query of the customer's partition."""
    return Account.load(customer_id=customer_id)


@pattern("Orders of a status, oldest first", rate="5/s", page=25)
def orders_by_status(status: str, after: str | None = None) -> Op[Page[Order]]:
    """One page, and a cursor for the next."""
    return Order.query(Order.by_status, status=status).page(25, after)
