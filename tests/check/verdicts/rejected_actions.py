"""Transactions of which DynamoDB rejects one action: the others are judged, and that one is not."""

from sortkey import Entity, RawRequest, Table, gsi, raw_pattern


class Shop(Table, raw=True):
    by_state = gsi("GSI1PK", "GSI1SK", name="GSI1")


class Article(Entity, table=Shop):
    article_id: str
    state: str
    left: int
    primary = Shop.primary.key("ARTICLE#{article_id}", "ARTICLE")
    by_state = Shop.by_state.key("STATE#{state}", "ARTICLE#{article_id}")


class Order(Entity, table=Shop):
    order_id: str
    article_id: str
    primary = Shop.primary.key("ORDER#{order_id}", "ORDER")


ARTICLE = {"PK": "ARTICLE#{article_id}", "SK": "ARTICLE"}
ORDER = {"PK": "ORDER#{order_id}", "SK": "ORDER", "order_id": "{order_id}"}
ARGUMENTS = {"article_id": str, "order_id": str, "state": str}
ABSENT = "attribute_not_exists(PK)"
SELL = RawRequest(
    "Update",
    Shop,
    entity=Article,
    key=ARTICLE,
    update="SET #state = :state",
    names={"#state": "state"},
    values={":state": "{state}"},
)

misspelt_key = raw_pattern(
    "Sell, with a misspelt key",
    name="misspelt_key",
    operation="TransactWriteItems",
    actions=[
        RawRequest("Delete", Shop, entity=Article, key={"Pk": "{order_id}", "SK": "ARTICLE"}),
        RawRequest("Put", Shop, entity=Order, item=ORDER, condition=ABSENT),
    ],
    arguments=ARGUMENTS,
)
unknown_key = raw_pattern(
    "Sell, with a key that no entity has",
    name="unknown_key",
    operation="TransactWriteItems",
    actions=[
        RawRequest(
            "Update",
            Shop,
            entity=Article,
            key=ARTICLE | {"SK": "ARTICLES"},
            update="SET gone = :gone",
            values={":gone": True},
        ),
        RawRequest("Put", Shop, entity=Order, item=ORDER, condition=ABSENT),
    ],
    arguments=ARGUMENTS,
)
unknown_verb = raw_pattern(
    "Sell, with an action that DynamoDB does not have",
    name="unknown_verb",
    operation="TransactWriteItems",
    actions=[
        RawRequest("Upsert", Shop, entity=Article, key=ARTICLE),
        RawRequest("Put", Shop, entity=Order, item=ORDER, condition=ABSENT),
    ],
    arguments=ARGUMENTS,
)
checked_twice = raw_pattern(
    "Sell what is there, with the check as an action of its own",
    name="checked_twice",
    operation="TransactWriteItems",
    actions=[
        RawRequest(
            "ConditionCheck",
            Shop,
            entity=Article,
            key=ARTICLE,
            condition="attribute_exists(PK)",
        ),
        SELL,
        RawRequest("Put", Shop, entity=Order, item=ORDER, condition=ABSENT),
    ],
    arguments=ARGUMENTS,
)
changed_twice = raw_pattern(
    "Sell, with two updates of one article",
    name="changed_twice",
    operation="TransactWriteItems",
    actions=[
        SELL,
        RawRequest(
            "Update",
            Shop,
            entity=Article,
            key=ARTICLE,
            update="SET GSI1PK = :key",
            values={":key": "STATE#{state}"},
        ),
    ],
    arguments=ARGUMENTS,
)
