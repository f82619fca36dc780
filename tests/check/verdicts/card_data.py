"""Card data of a nested model in an index, keys that every index has, numbers as texts."""

from datetime import date
from typing import Annotated

from pydantic import BaseModel, Field

from sortkey import Entity, Table, gsi, secret


class Card(BaseModel):
    card_number: str
    default_card: str
    total: str


class Billing(Table, raw=True):
    by_day = gsi("day", "account", project=["PK", "SK", "day", "details"])
    by_iban = gsi("iban")


class Subscription(Entity, table=Billing):
    account: str
    day: str
    iban: str
    birth_date: date
    details: Card
    card_number: str
    access_token: Annotated[str, secret]
    amount: str
    price_cents: str
    num_items: str
    # Neither is reported: a text that is held to a form, and a number.
    fee: Annotated[str, Field(pattern=r"^\d+\.\d\d$")]
    item_count: int
    primary = Billing.primary.key("ACCOUNT#{account}", "SUBSCRIPTION")
    on_day = Billing.by_day.key()
    of_iban = Billing.by_iban.key()
