"""aiodynamo on aiohttp: plain Python values, which Pydantic turns into a model."""
# pyright: basic, reportMissingImports=false
# The clients have their own environment, which the type checker does not see.

import sys
from typing import Any

import aiohttp
import uvloop
from aiodynamo.client import Client
from aiodynamo.credentials import Key, StaticCredentials
from aiodynamo.expressions import F, HashKey, RangeKey
from aiodynamo.http.aiohttp import AIOHTTP
from aiodynamo.models import ReturnValues
from yarl import URL

from benchmarks.client_programs.conversation import converse_async
from benchmarks.client_programs.order import Order

WHERE, TABLE, MANNER = sys.argv[1:4]


def _key(shop: str, order: str) -> dict[str, Any]:
    return {"PK": f"SHOP#{shop}", "SK": f"ORDER#{order}"}


class Aiodynamo:
    """The four operations."""

    def __init__(self) -> None:
        self.session = aiohttp.ClientSession()
        credentials = StaticCredentials(Key("benchmark", "benchmark"))
        client = Client(AIOHTTP(self.session), credentials, "us-east-1", URL(WHERE))
        self.table = client.table(TABLE)

    async def get(self, shop: str, order: str) -> Order:
        """Return one order."""
        return Order.model_validate(await self.table.get_item(_key(shop, order)))

    async def put(self, fields: dict[str, Any]) -> Order:
        """Write an order and return it."""
        order = Order(**fields)
        item = order.model_dump(mode="json") | _key(order.shop_id, order.order_id)
        await self.table.put_item(item)
        return order

    async def update(self, shop: str, order: str, status: str, note: str) -> Order:
        """Change two fields if the order has a total."""
        changed = await self.table.update_item(
            _key(shop, order),
            F("status").set(status) & F("note").set(note),
            condition=F("total_cents").gt(0),
            return_values=ReturnValues.all_new,
        )
        return Order.model_validate(changed)

    async def query(self, shop: str) -> list[Order]:
        """Return every order of a shop."""
        condition = HashKey("PK", f"SHOP#{shop}") & RangeKey("SK").begins_with("ORDER#")
        return [Order.model_validate(item) async for item in self.table.query(condition)]

    async def close(self) -> None:
        """Close the connections."""
        await self.session.close()


async def _opened() -> Aiodynamo:
    return Aiodynamo()


converse_async(_opened, uvloop.new_event_loop if MANNER == "uvloop" else None)
