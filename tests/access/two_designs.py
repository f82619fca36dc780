"""Two designs of one table, the second with more indexes, and places to open both."""

from datetime import UTC, datetime
from typing import Annotated, Any

from tests.access.executors import OnALoop

from sortkey import (
    DB,
    TTL,
    AsyncDB,
    Entity,
    Keyring,
    LocalKey,
    Table,
    Version,
    gsi,
    secret,
    unique,
)
from sortkey.access.targets import EMBEDDED, Target
from sortkey.access.transports.embedded import AsyncEmbeddedTransport, EmbeddedTransport
from sortkey.engine import Engine

KEYS = Keyring(LocalKey("k", b"1" * 32))
LATER = datetime(2126, 1, 1, tzinfo=UTC)


class Earlier:
    """Both designs name their table App, because a secret is encrypted for a table by name."""

    class App(Table, name="{environment}-App", ttl="expires"):
        gsi1 = gsi("GSI1PK", "GSI1SK")


Before = Earlier.App


class App(Table, name="{environment}-App", ttl="expires"):
    """The next design of the table: two more indexes, one of them over a field."""

    gsi1 = gsi("GSI1PK", "GSI1SK")
    gsi2 = gsi("GSI2PK", "GSI2SK")
    teams = gsi("team")


class OldUser(Entity, table=Before, name="User"):
    user_id: int
    city: str
    email: Annotated[str | None, unique] = None
    token: Annotated[str | None, secret] = None
    expires: TTL | None = None
    rev: Version = 0

    primary = Before.primary.key("USER#{user_id:04d}", "USER")
    by_email = Before.gsi1.key("EMAIL#{email}", "USER")


class OldNote(Entity, table=Before, name="Note"):
    note_id: int
    text: str

    primary = Before.primary.key("NOTE#{note_id:04d}", "NOTE")
    by_text = Before.gsi1.key("TEXT#{text}", "{note_id:04d}")


class User(Entity, table=App):
    user_id: int
    city: str
    team: str = "none"
    email: Annotated[str | None, unique] = None
    token: Annotated[str | None, secret] = None
    expires: TTL | None = None
    rev: Version = 0

    primary = App.primary.key("USER#{user_id:04d}", "USER")
    by_email = App.gsi1.key("EMAIL#{email}", "USER")
    by_city = App.gsi2.key("CITY#{city}", "{user_id:04d}")
    by_team = App.teams.key()


class Note(Entity, table=App):
    """It is not in the new indexes."""

    note_id: int
    text: str

    primary = App.primary.key("NOTE#{note_id:04d}", "NOTE")
    by_text = App.gsi1.key("TEXT#{text}", "{note_id:04d}")


class Few(Table, name="Few"):
    pass


class OldItem(Entity, table=Few, name="Item"):
    item_id: str
    primary = Few.primary.key("ITEM#{item_id}", "ITEM")


class More(Table, name="Few"):
    gsi1 = gsi("GSI1PK")


class Item(Entity, table=More):
    item_id: str
    primary = More.primary.key("ITEM#{item_id}", "ITEM")
    all_items = More.gsi1.key("ITEMS")


class Shared(EmbeddedTransport):
    """An engine in memory that outlives its databases."""

    def close(self) -> None:
        """Keep it open for the next one."""


class Ground:
    """A place with data, which is opened with one design after the other."""

    def __init__(self, target: Target, environment: str, *, awaited: bool = False) -> None:
        self.target = target
        self.environment = environment
        self._awaited = awaited

    def open(self, *tables: type[Table], **settings: Any) -> DB:
        kept: dict[str, Any] = {"environment": self.environment, "secrets": KEYS} | settings
        db = (
            OnALoop(AsyncDB(self.target, *tables, **kept))
            if self._awaited
            else DB(self.target, *tables, **kept)
        )
        try:
            db.create_tables()
        except BaseException:
            db.close()
            raise
        return db


def memory_ground(*, awaited: bool = False, engine: Engine | None = None) -> Ground:
    shared = engine or Engine.memory()

    def opened() -> Shared:
        return Shared(lambda: shared, path=None)

    target = Target("memory", EMBEDDED, opened, lambda: AsyncEmbeddedTransport(opened()))
    return Ground(target, "dev", awaited=awaited)


def fill(ground: Ground, users: int = 7) -> None:
    """Store records of the earlier design: users in two cities, and a note."""
    with ground.open(Before) as db:
        for number in range(users):
            city = "Oslo" if number % 2 else "Rome"
            db(OldUser(user_id=number, city=city, email=f"{number}@x", token="hush").create())
        db(OldNote(note_id=1, text="a note").create())


def found(db: DB, city: str) -> list[int]:
    return [user.user_id for user in db(User.query(User.by_city, city=city))]


def is_complete(ground: Ground, users: int = 7) -> bool:
    """Return whether each index finds every user, in a program that adds no index."""
    with ground.open(App) as db:
        cities = sorted(found(db, "Oslo") + found(db, "Rome"))
        team = sorted(user.user_id for user in db(User.query(User.by_team, team="none")))
    return cities == team == [*range(users)]
