"""A key is offered instead of a filter only where querying it reads no more."""

from typing import Any

import pytest

from sortkey import Entity, Table, gsi, raw_pattern
from sortkey.design.declaring.design import design_of
from sortkey.design.plans.queryable import query_instead
from sortkey.design.plans.tracing import trace


class Shop(Table, raw=True, partition="seller", sort="sale_id"):
    by_city = gsi("city", "sale_id")
    by_day = gsi("day", "seller")


class Sale(Entity, table=Shop):
    seller: str
    sale_id: str
    city: str
    day: str
    primary = Shop.primary.key()
    in_city = Shop.by_city.key()
    on_day = Shop.by_day.key()


@pytest.mark.parametrize("kinds", [[Sale.__kind__], []])
@pytest.mark.parametrize(
    ("operation", "compared", "offered"),
    [
        ("Scan", "city", "Query Shop.by_city, whose partition key has `city`"),
        ("Query", "city", None),
        ("Query", "day", "Query Shop.by_day, whose partition key has `day`"),
    ],
)
def test_the_other_key_has_what_a_query_gives_already(
    operation: Any, compared: str, offered: str | None, kinds: list[Any]
) -> None:
    given: dict[str, Any] = {"key_condition": "seller = :s"} if operation == "Query" else {}
    asked = raw_pattern(
        "Sales",
        table=Shop,
        operation=operation,
        entity=Sale,
        filter="#f = :v",
        names={"#f": compared},
        values={":v": "{value}"} | ({":s": "{seller}"} if given else {}),
        arguments={"value": str} | ({"seller": str} if given else {}),
        **given,
    )
    [step] = trace(asked, design_of("shop", [])).steps

    assert query_instead(step, kinds) == offered
