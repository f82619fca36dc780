"""The record that every client reads and writes: ten fields, about 400 bytes in DynamoDB."""

from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import BaseModel

SHOPS = 10
ORDERS = 100
STATUS = "paid"
NOTE = "paid by card; leave the parcel with the neighbours on the second floor if nobody is in"
_FIRST = datetime(2026, 1, 1, 8, 30, tzinfo=UTC)


class Order(BaseModel):
    """The model for clients that have no models."""

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


def shop_name(shop: int) -> str:
    """Return the id of a shop."""
    return f"shop-{shop:04d}"


def order_name(number: int) -> str:
    """Return the id of an order; ids sort by number."""
    return f"o-{number:08d}"


def fields(shop: int, number: int) -> dict[str, Any]:
    """Return the values of one order."""
    return {
        "shop_id": shop_name(shop),
        "order_id": order_name(number),
        "status": "open",
        "placed": _FIRST + timedelta(minutes=shop * ORDERS + number, microseconds=number),
        "total_cents": 1_999 + 100 * number,
        "quantity": 1 + number % 7,
        "gift": number % 3 == 0,
        "email": f"customer.{number:04d}@example.com",
        "tags": ["web", "first-order", "newsletter"],
        "note": f"order {number} of the season; leave the parcel with the neighbours on the second "
        "floor, and please ring twice, since the bell is quiet; "
        "a card with a few kind words is to go in",
    }
