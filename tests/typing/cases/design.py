"""The design that the cases use: every kind of field and mark that an annotation can say."""

from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated

from pydantic import BaseModel, Field

from sortkey import TTL, CreatedAt, Entity, Table, UpdatedAt, Version, auto, gsi, immutable, unique


class App(Table, ttl="expires"):
    gsi1 = gsi("GSI1PK", "GSI1SK")


class Address(BaseModel):
    city: str
    street: str | None = None


class Plan(Enum):
    FREE = "free"
    PRO = "pro"


class User(Entity, table=App):
    org_id: str
    user_id: str
    email: Annotated[str | None, unique] = None
    logins: int = 0
    active: bool = True
    credit: Decimal = Decimal(0)
    plan: Plan = Plan.FREE
    strikes: int | None = None
    tags: set[str] = Field(default_factory=set)
    badges: frozenset[str] | None = None
    log: list[str] = Field(default_factory=list)
    notes: list[str] | None = None
    address: Address | None = None
    home: Address = Address(city="Ghent")
    invited_by: Annotated[str, immutable] = ""
    rev: Version = 0
    expires: TTL | None = None
    created: CreatedAt = auto()
    updated: UpdatedAt = auto()

    primary = App.primary.key("ORG#{org_id}", "USER#{user_id}")
    by_email = App.gsi1.key("EMAIL#{email}", "USER")


class Order(Entity, table=App):
    org_id: str
    order_id: int
    status: str
    placed: datetime
    total: Decimal

    primary = App.primary.key("ORG#{org_id}", "ORDER#{order_id:012d}")
    by_status = App.gsi1.key("ST#{status}", "{placed}#{order_id:012d}")


class Summary(BaseModel):
    order_id: int
    total: Decimal
