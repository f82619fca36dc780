"""A small design with one entity for each feature that operations must handle."""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from sortkey import (
    TTL,
    CreatedAt,
    Entity,
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


class Shop(Table, name="{environment}-shop", ttl="expires"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    keys = gsi("KEYSPK", "KEYSSK", project="KEYS_ONLY")


class Address(BaseModel):
    street: str
    city: str | None = None


class Note(Entity, table=Shop):
    """Only fields."""

    note_id: str
    text: str
    stars: int = 3
    likes: int = 0
    tags: set[str] = Field(default_factory=set[str])
    lines: list[str] = Field(default_factory=list[str])
    address: Address | None = None
    home: Address = Address(street="")
    primary = Shop.primary.key("NOTE#{note_id}", "NOTE")


class Letter(Entity, table=Shop):
    """A field that never changes."""

    letter_id: str
    text: str = ""
    origin: Annotated[str, immutable] = "here"
    primary = Shop.primary.key("LETTER#{letter_id}", "LETTER")


class Task(Entity, table=Shop):
    """A version, automatic times, and index keys of several fields."""

    project: str
    task_id: int
    title: str
    state: str = "open"
    owner: str | None = None
    points: int = 0
    rev: Version = 0
    created: CreatedAt = auto()
    updated: UpdatedAt = auto()
    primary = Shop.primary.key("PROJECT#{project}", "TASK#{task_id:06d}")
    by_state = Shop.gsi1.key("STATE#{state}", "{project}#{task_id:06d}")
    by_owner = Shop.keys.key("OWNER#{owner}", "{state}")


class User(Entity, table=Shop):
    """A unique field, a version, and an expiry."""

    user_id: str
    email: Annotated[str | None, unique] = None
    seen: int = 0
    rev: Version = 0
    expires: TTL | None = None
    primary = Shop.primary.key("USER#{user_id}", "USER")


class Badge(Entity, table=Shop):
    """A unique field without a version."""

    badge_id: str
    code: Annotated[int, unique]
    label: str = ""
    primary = Shop.primary.key("BADGE#{badge_id}", "BADGE")


class Visit(Entity, table=Shop):
    """Only an expiry."""

    visit_id: str
    at: datetime | None = None
    hits: int = 0
    expires: TTL | None = None
    primary = Shop.primary.key("VISIT#{visit_id}", "VISIT")


class Event(Entity, table=Shop, immutable=True):
    """Written once."""

    event_id: str
    primary = Shop.primary.key("EVENT#{event_id}", "EVENT")


class Readings(Table, partition="sensor", sort=number("at"), type_attribute=None):
    by_level = lsi(number("level"))


class Reading(Entity, table=Readings):
    """Natural keys, one of them a number."""

    sensor: str
    at: int
    level: int = 0
    by_level = Readings.by_level.key()
