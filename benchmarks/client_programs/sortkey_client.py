"""sortkey: its own models and keys, over HTTP or on the embedded engine, blocking or awaited."""

import sys
from datetime import datetime
from typing import Any

import uvloop

from benchmarks.client_programs.conversation import converse, converse_async
from sortkey import DB, AsyncDB, Entity, Table

WHERE, TABLE, MANNER = sys.argv[1:4]


class Shop(Table, name=TABLE):
    """The table."""


class Order(Entity, table=Shop):
    """The record, as a sortkey entity."""

    shop_id: str
    order_id: str
    status: str
    placed: datetime
    total_cents: int
    quantity: int
    gift: bool
    email: str
    tags: list[str]
    note: str

    primary = Shop.primary.key("SHOP#{shop_id}", "ORDER#{order_id}")


def _open(kind: type[Any]) -> Any:
    if WHERE == "memory":
        return kind.memory(Shop)
    if WHERE.startswith("http:"):
        return kind.endpoint(WHERE, Shop)
    return kind.open(WHERE, Shop)


class Blocking:
    """The four operations, blocking."""

    def __init__(self) -> None:
        self.db: DB = _open(DB)

    def get(self, shop: str, order: str) -> Order | None:
        """Return one order."""
        return self.db(Order.get(shop_id=shop, order_id=order))

    def put(self, fields: dict[str, Any]) -> Order:
        """Write an order and return it."""
        return self.db(Order(**fields).put())

    def update(self, shop: str, order: str, status: str, note: str) -> Order:
        """Change two fields if the order has a total."""
        return self.db(
            Order.update(shop_id=shop, order_id=order)
            .set(lambda o: o.status)
            .to(status)
            .set(lambda o: o.note)
            .to(note)
            .where(lambda o: o.total_cents > 0)
        )

    def query(self, shop: str) -> list[Order]:
        """Return every order of a shop."""
        return self.db(Order.query(shop_id=shop))


class Awaited:
    """The four operations, awaited."""

    def __init__(self) -> None:
        self.db: AsyncDB = _open(AsyncDB)

    async def get(self, shop: str, order: str) -> Order | None:
        """Return one order."""
        return await self.db(Order.get(shop_id=shop, order_id=order))

    async def put(self, fields: dict[str, Any]) -> Order:
        """Write an order and return it."""
        return await self.db(Order(**fields).put())

    async def update(self, shop: str, order: str, status: str, note: str) -> Order:
        """Change two fields if the order has a total."""
        return await self.db(
            Order.update(shop_id=shop, order_id=order)
            .set(lambda o: o.status)
            .to(status)
            .set(lambda o: o.note)
            .to(note)
            .where(lambda o: o.total_cents > 0)
        )

    async def query(self, shop: str) -> list[Order]:
        """Return every order of a shop."""
        return await self.db(Order.query(shop_id=shop))

    async def close(self) -> None:
        """Close the connections."""
        await self.db.close()


async def _awaited() -> Awaited:
    return Awaited()


if MANNER == "blocking":
    converse(Blocking())
else:
    converse_async(_awaited, uvloop.new_event_loop if MANNER == "uvloop" else None)
