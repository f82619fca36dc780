"""PynamoDB: its own models; keys are put together by the caller."""
# pyright: basic, reportMissingImports=false
# The clients live in an environment of their own, where the type checker does not look.

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
        """Where it is stored."""

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
        """One order."""
        return Order.get(f"SHOP#{shop}", f"ORDER#{order}")

    def put(self, fields: dict[str, Any]) -> Order:
        """A new order, written."""
        order = Order(f"SHOP#{fields['shop_id']}", f"ORDER#{fields['order_id']}", **fields)
        order.save()
        return order

    def update(self, shop: str, order: str, status: str, note: str) -> Order:
        """Two fields changed, if the order has a total."""
        changed = Order(f"SHOP#{shop}", f"ORDER#{order}")
        changed.update(
            actions=[Order.status.set(status), Order.note.set(note)],
            condition=Order.total_cents > 0,
        )
        return changed

    def query(self, shop: str) -> list[Order]:
        """Every order of a shop."""
        return list(Order.query(f"SHOP#{shop}", Order.SK.startswith("ORDER#")))


converse(Pynamo())
