"""boto3's resource, which returns Python values; Pydantic turns them into a model."""
# pyright: basic, reportMissingImports=false
# The clients have their own environment, which the type checker does not see.

import sys
from typing import Any

import boto3
from boto3.dynamodb.conditions import Attr, Key

from benchmarks.client_programs.conversation import converse
from benchmarks.client_programs.order import Order

WHERE, TABLE = sys.argv[1:3]


def _key(shop: str, order: str) -> dict[str, str]:
    return {"PK": f"SHOP#{shop}", "SK": f"ORDER#{order}"}


class Boto3Resource:
    """The four operations."""

    def __init__(self) -> None:
        self.table = boto3.resource("dynamodb", endpoint_url=WHERE).Table(TABLE)

    def get(self, shop: str, order: str) -> Order | None:
        """Return one order."""
        answer = self.table.get_item(Key=_key(shop, order))
        return Order.model_validate(answer["Item"]) if "Item" in answer else None

    def put(self, fields: dict[str, Any]) -> Order:
        """Write an order and return it."""
        order = Order(**fields)
        item = order.model_dump(mode="json") | _key(order.shop_id, order.order_id)
        self.table.put_item(Item=item)
        return order

    def update(self, shop: str, order: str, status: str, note: str) -> Order:
        """Change two fields if the order has a total."""
        answer = self.table.update_item(
            Key=_key(shop, order),
            UpdateExpression="SET #status = :status, #note = :note",
            ConditionExpression=Attr("total_cents").gt(0),
            ExpressionAttributeNames={"#status": "status", "#note": "note"},
            ExpressionAttributeValues={":status": status, ":note": note},
            ReturnValues="ALL_NEW",
        )
        return Order.model_validate(answer["Attributes"])

    def query(self, shop: str) -> list[Order]:
        """Return every order of a shop."""
        condition = Key("PK").eq(f"SHOP#{shop}") & Key("SK").begins_with("ORDER#")
        answer = self.table.query(KeyConditionExpression=condition)
        return [Order.model_validate(item) for item in answer["Items"]]


converse(Boto3Resource())
