"""A partition with two entities, of which a filter on the type leaves one out."""

from typing import Literal

from sortkey import Entity, Table, raw_pattern


class Shop(Table, raw=True, type_attribute=None):
    pass


class Order(Entity, table=Shop):
    shop_id: str
    order_id: str
    entity_type: Literal["order"] = "order"
    primary = Shop.primary.key("SHOP#{shop_id}", "{order_id}")


class Refund(Entity, table=Shop):
    shop_id: str
    refund_id: str
    entity_type: Literal["refund"] = "refund"
    primary = Shop.primary.key("SHOP#{shop_id}", "REFUND#{refund_id}")


orders = raw_pattern(
    "Orders of a shop",
    table=Shop,
    operation="Query",
    entity=Order,
    key_condition="PK = :pk",
    filter="entity_type = :type",
    values={":pk": "SHOP#{shop_id}", ":type": "order"},
    arguments={"shop_id": str},
    rate="1/s",
)
