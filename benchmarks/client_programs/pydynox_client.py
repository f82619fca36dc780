"""pydynox: its own models on a core written in Rust; its updates return nothing."""
# pyright: basic, reportMissingImports=false
# The clients have their own environment, which the type checker does not see.

import sys
from typing import Any

import uvloop
from pydynox import DynamoDBClient, Model, ModelConfig
from pydynox.attributes import (
    BooleanAttribute,
    DatetimeAttribute,
    ListAttribute,
    NumberAttribute,
    StringAttribute,
)

from benchmarks.client_programs.conversation import converse, converse_async

WHERE, TABLE, MANNER = sys.argv[1:4]


class Order(Model):
    """The record, as a pydynox model."""

    model_config = ModelConfig(
        table=TABLE, client=DynamoDBClient(region="us-east-1", endpoint_url=WHERE)
    )

    PK = StringAttribute(partition_key=True)
    SK = StringAttribute(sort_key=True)
    shop_id = StringAttribute()
    order_id = StringAttribute()
    status = StringAttribute()
    placed = DatetimeAttribute()
    total_cents = NumberAttribute()
    quantity = NumberAttribute()
    gift = BooleanAttribute()
    email = StringAttribute()
    tags = ListAttribute()
    note = StringAttribute()


def _key(shop: str, order: str) -> dict[str, str]:
    return {"PK": f"SHOP#{shop}", "SK": f"ORDER#{order}"}


class Blocking:
    """The four operations, blocking."""

    def get(self, shop: str, order: str) -> Order:
        """Return one order."""
        return Order.sync_get(**_key(shop, order))

    def put(self, fields: dict[str, Any]) -> Order:
        """Write an order and return it."""
        order = Order(**_key(fields["shop_id"], fields["order_id"]), **fields)
        order.sync_save()
        return order

    def update(self, shop: str, order: str, status: str, note: str) -> None:
        """Change two fields if the order has a total."""
        Order.sync_update_by_key(
            condition=Order.total_cents > 0, **_key(shop, order), status=status, note=note
        )

    def query(self, shop: str) -> list[Order]:
        """Return every order of a shop."""
        orders = Order.SK.begins_with("ORDER#")
        return list(Order.sync_query(partition_key=f"SHOP#{shop}", sort_key_condition=orders))


class Awaited:
    """The four operations, awaited."""

    async def get(self, shop: str, order: str) -> Order:
        """Return one order."""
        return await Order.get(**_key(shop, order))

    async def put(self, fields: dict[str, Any]) -> Order:
        """Write an order and return it."""
        order = Order(**_key(fields["shop_id"], fields["order_id"]), **fields)
        await order.save()
        return order

    async def update(self, shop: str, order: str, status: str, note: str) -> None:
        """Change two fields if the order has a total."""
        await Order.update_by_key(
            condition=Order.total_cents > 0, **_key(shop, order), status=status, note=note
        )

    async def query(self, shop: str) -> list[Order]:
        """Return every order of a shop."""
        orders = Order.SK.begins_with("ORDER#")
        found = Order.query(partition_key=f"SHOP#{shop}", sort_key_condition=orders)
        return [order async for order in found]


async def _awaited() -> Awaited:
    return Awaited()


if MANNER == "blocking":
    converse(Blocking())
else:
    converse_async(_awaited, uvloop.new_event_loop if MANNER == "uvloop" else None)
