"""PynamoDB: its own models; the caller builds the keys."""
# pyright: basic, reportMissingImports=false
# The clients have their own environment, which the type checker does not see.

import sys
from typing import Any

from pynamodb.attributes import (
    BooleanAttribute,
    ListAttribute,
    NumberAttribute,
    UnicodeAttribute,
    UTCDateTimeAttribute,
)
from pynamodb.models import Model

from benchmarks.client_programs.conversation import converse

WHERE, TABLE = sys.argv[1:3]


class Order(Model):
    """The record, as a PynamoDB model."""

    class Meta:
        """The table and its endpoint."""

        table_name = TABLE
        host = WHERE
        region = "us-east-1"

    PK = UnicodeAttribute(hash_key=True)
    SK = UnicodeAttribute(range_key=True)
    shop_id = UnicodeAttribute()
    order_id = UnicodeAttribute()
    status = UnicodeAttribute()
    placed = UTCDateTimeAttribute()
    total_cents = NumberAttribute()
    quantity = NumberAttribute()
    gift = BooleanAttribute()
    email = UnicodeAttribute()
    tags = ListAttribute(of=UnicodeAttribute)
    note = UnicodeAttribute()


class Pynamo:
    """The four operations."""

    def get(self, shop: str, order: str) -> Order:
        """Return one order."""
        return Order.get(f"SHOP#{shop}", f"ORDER#{order}")

    def put(self, fields: dict[str, Any]) -> Order:
        """Write an order and return it."""
        order = Order(f"SHOP#{fields['shop_id']}", f"ORDER#{fields['order_id']}", **fields)
        order.save()
        return order

    def update(self, shop: str, order: str, status: str, note: str) -> Order:
        """Change two fields if the order has a total."""
        changed = Order(f"SHOP#{shop}", f"ORDER#{order}")
        changed.update(
            actions=[Order.status.set(status), Order.note.set(note)],
            condition=Order.total_cents > 0,
        )
        return changed

    def query(self, shop: str) -> list[Order]:
        """Return every order of a shop."""
        return list(Order.query(f"SHOP#{shop}", Order.SK.startswith("ORDER#")))


converse(Pynamo())
