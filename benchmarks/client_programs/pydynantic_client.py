"""pydynantic: its own Pydantic models and key templates, on boto3's client."""
# pyright: basic, reportMissingImports=false, reportGeneralTypeIssues=false, reportCallIssue=false
# The clients have their own environment, which the type checker does not see.

import sys
from datetime import datetime
from typing import Any

import boto3
from pydynantic import Entity, F, Table, key

from benchmarks.client_programs.conversation import converse

WHERE, TABLE = sys.argv[1:3]
table = Table(name=TABLE, client=boto3.client("dynamodb", endpoint_url=WHERE))


class Order(Entity, table=table, name="order"):
    """The record, as a pydynantic entity."""

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

    class Meta:
        """The keys."""

        primary = key(pk="SHOP#{shop_id}", sk="ORDER#{order_id}")


class Pydynantic:
    """The four operations."""

    def get(self, shop: str, order: str) -> Order | None:
        """Return one order."""
        return Order.get(shop_id=shop, order_id=order)

    def put(self, fields: dict[str, Any]) -> Order:
        """Write an order and return it."""
        return Order.put(Order(**fields))

    def update(self, shop: str, order: str, status: str, note: str) -> Order | None:
        """Change two fields if the order has a total."""
        return Order.update(
            shop_id=shop,
            order_id=order,
            set={"status": status, "note": note},
            condition=F("total_cents") > 0,
        )

    def query(self, shop: str) -> list[Order]:
        """Return every order of a shop."""
        return Order.query.primary(shop_id=shop).begins_with("ORDER#").all()


converse(Pydynantic())
