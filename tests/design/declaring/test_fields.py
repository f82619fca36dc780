"""The fields of an entity by their role."""

from datetime import datetime
from typing import Annotated

from sortkey import (
    TTL,
    CreatedAt,
    Entity,
    EntityFields,
    Table,
    Version,
    auto,
    fields_of,
    immutable,
    secret,
    unique,
)


class App(Table, ttl="until"):
    """One table."""


class User(Entity, table=App):
    org_id: str
    user_id: str
    email: Annotated[str, unique]
    origin: Annotated[str, immutable] = ""
    token: Annotated[str | None, secret] = None
    rev: Version = 0
    made: CreatedAt = auto()
    until: TTL | None = None

    primary = App.primary.key("ORG#{org_id}", "USER#{user_id}")


class Event(Entity, table=App, immutable=True):
    at: datetime
    text: str

    primary = App.primary.key("EVENT", "{at}")


def test_each_field_is_listed_under_its_roles() -> None:
    assert fields_of(User) == EntityFields(
        key=("org_id", "user_id"),
        kept=frozenset({"rev", "made"}),
        changeable=frozenset({"email", "token", "until"}),
        immutable=frozenset({"origin"}),
        unique=frozenset({"email"}),
        secret=frozenset({"token"}),
        expires="until",
    )


def test_nothing_of_an_immutable_entity_is_changeable() -> None:
    assert fields_of(Event).immutable == {"at", "text"}
    assert fields_of(Event).changeable == frozenset()
