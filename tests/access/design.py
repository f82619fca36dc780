"""The entities that the tests of the data access share."""

from datetime import datetime
from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, Field

from sortkey import (
    TTL,
    CreatedAt,
    Entity,
    Stored,
    Table,
    UpdatedAt,
    Version,
    auto,
    gsi,
    immutable,
    lsi,
    number,
    unique,
)


class App(Table, name="{environment}-App", ttl="expires"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    gsi2 = gsi("GSI2PK", "GSI2SK")
    ranking = gsi("GSI3PK", number("score"))
    lsi1 = lsi("LSI1SK")


class Address(BaseModel):
    city: str
    zip: str | None = None


class Member(Entity, table=App):
    """All features: a version, two unique fields, expiry and automatic times."""

    org_id: str
    member_id: str
    email: Annotated[str | None, unique] = None
    badge: Annotated[int | None, unique] = None
    name: str = ""
    logins: int = 0
    tags: set[str] = Field(default_factory=set[str])
    log: list[str] = Field(default_factory=list[str])
    address: Address | None = None
    rev: Version = 0
    created: CreatedAt = auto()
    updated: UpdatedAt = auto()
    expires: TTL | None = None

    primary = App.primary.key("ORG#{org_id}", "MEMBER#{member_id}")
    by_email = App.gsi1.key("EMAIL#{email}", "MEMBER")


class Order(Entity, table=App):
    """No version; an index key of two fields that are not part of the primary key."""

    org_id: str
    order_id: int
    status: str = "open"
    placed: datetime
    total: Decimal = Decimal(0)
    courier: str | None = None
    note: str | None = None

    primary = App.primary.key("ORG#{org_id}", "ORDER#{order_id:06d}")
    by_status = App.gsi1.key("STATUS#{status}", "{placed}#{order_id:06d}")
    by_courier = App.gsi2.key("COURIER#{courier}", "{status}#{placed}")
    by_note = App.lsi1.key(sort="NOTE#{note}")


class Ticket(Entity, table=App):
    """A version, and an index key that the updates change."""

    org_id: str
    ticket_id: str
    queue: str | None = None
    rank: int = 1
    votes: int = 0
    log: list[str] = Field(default_factory=list[str])
    rev: Version = 0

    primary = App.primary.key("ORG#{org_id}", "TICKET#{ticket_id}")
    by_queue = App.gsi1.key("QUEUE#{queue}", "{rank:04d}#{ticket_id}")


class Player(Entity, table=App):
    """An index whose sort key is a number field."""

    player_id: str
    game: str
    score: int = 0

    primary = App.primary.key("PLAYER#{player_id}", "PLAYER")
    by_score = App.ranking.key("GAME#{game}", "{score}")


class Visit(Entity, table=App):
    """Only an expiry."""

    user_id: str
    visit_id: str
    pages: int = 0
    device: str = "phone"
    memo: str = ""
    expires: TTL | None = None

    primary = App.primary.key("VISITOR#{user_id}", "VISIT#{visit_id}")
    by_device = App.gsi2.key("DEVICE#{device}", "{visit_id}")


class Coupon(Entity, table=App):
    """A unique field and expiry, without a version."""

    shop_id: str
    coupon_id: str
    code: Annotated[str | None, unique] = None
    uses: int = 0
    expires: TTL | None = None

    primary = App.primary.key("SHOP#{shop_id}", "COUPON#{coupon_id}")


class Event(Entity, table=App, immutable=True):
    stream_id: str
    number: int
    what: str

    primary = App.primary.key("STREAM#{stream_id}", "EVENT#{number:08d}")


class Milestone(Entity, table=App):
    goal_id: str
    name: str

    primary = App.primary.key("GOAL#{goal_id}", "MILESTONE#{name}")


class Award(Entity, table=App):
    goal_id: str
    name: str
    rank: int

    primary = App.primary.key("GOAL#{goal_id}", "MILESTONE#{name}#AWARD#{rank:02d}")


class Users(Table, name="{environment}-Users", partition="userId"):
    by_team = gsi("team", number("level"))


class Account(Entity, table=Users):
    """Natural keys, and an immutable field."""

    user_id: Annotated[str, Stored("userId")]
    team: str | None = None
    level: int = 1
    owner: str = ""
    birthplace: Annotated[str, immutable] = "earth"
    rev: Version = 0

    teams = Users.by_team.key()
