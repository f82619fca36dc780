"""boto3's client: DynamoDB JSON, converted with boto3's serializer and Pydantic."""
# pyright: basic, reportMissingImports=false
# The clients have their own environment, which the type checker does not see.

import sys
from typing import Any

import boto3
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer

from benchmarks.client_programs.conversation import converse
from benchmarks.client_programs.order import Order

WHERE, TABLE = sys.argv[1:3]
to_wire = TypeSerializer().serialize
from_wire = TypeDeserializer().deserialize


def _key(shop: str, order: str) -> dict[str, Any]:
    return {"PK": {"S": f"SHOP#{shop}"}, "SK": {"S": f"ORDER#{order}"}}


def _order(item: dict[str, Any]) -> Order:
    return Order.model_validate({name: from_wire(value) for name, value in item.items()})


class Boto3Client:
    """The four operations."""

    def __init__(self) -> None:
        self.client = boto3.client("dynamodb", endpoint_url=WHERE)

    def get(self, shop: str, order: str) -> Order | None:
        """Return one order."""
        answer = self.client.get_item(TableName=TABLE, Key=_key(shop, order))
        return _order(answer["Item"]) if "Item" in answer else None

    def put(self, fields: dict[str, Any]) -> Order:
        """Write an order and return it."""
        order = Order(**fields)
        item = {name: to_wire(value) for name, value in order.model_dump(mode="json").items()}
        item |= _key(order.shop_id, order.order_id)
        self.client.put_item(TableName=TABLE, Item=item)
        return order

    def update(self, shop: str, order: str, status: str, note: str) -> Order:
        """Change two fields if the order has a total."""
        answer = self.client.update_item(
            TableName=TABLE,
            Key=_key(shop, order),
            UpdateExpression="SET #status = :status, #note = :note",
            ConditionExpression="#total > :zero",
            ExpressionAttributeNames={
                "#status": "status",
                "#note": "note",
                "#total": "total_cents",
            },
            ExpressionAttributeValues={
                ":status": to_wire(status),
                ":note": to_wire(note),
                ":zero": to_wire(0),
            },
            ReturnValues="ALL_NEW",
        )
        return _order(answer["Attributes"])

    def query(self, shop: str) -> list[Order]:
        """Return every order of a shop."""
        answer = self.client.query(
            TableName=TABLE,
            KeyConditionExpression="PK = :shop AND begins_with(SK, :order)",
            ExpressionAttributeValues={
                ":shop": {"S": f"SHOP#{shop}"},
                ":order": {"S": "ORDER#"},
            },
        )
        return [_order(item) for item in answer["Items"]]


converse(Boto3Client())
