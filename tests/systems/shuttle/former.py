"""A former store with rows."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import insert, text
from tests.systems.shuttle.conftest import CAFE

from sortkey_systems.shuttle.relational_sessions import SESSIONS, RelationalSessions

# As in Prisma's first migration, for SQLite.
FIRST_COLUMNS = """CREATE TABLE "Session" (
    "id" TEXT NOT NULL PRIMARY KEY,
    "shop" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "isOnline" BOOLEAN NOT NULL DEFAULT false,
    "scope" TEXT,
    "expires" DATETIME,
    "accessToken" TEXT NOT NULL,
    "userId" BIGINT
)"""
# Columns of later migrations.
LATER = """
        "firstName" TEXT,
        "lastName" TEXT,
        "email" TEXT,
        "accountOwner" BOOLEAN NOT NULL DEFAULT false,
        "locale" TEXT,
        "collaborator" BOOLEAN DEFAULT false,
        "emailVerified" BOOLEAN DEFAULT false,
        "refreshToken" TEXT,"""
# With all columns, for SQLite and for PostgreSQL.
CREATED = {
    "sqlite": f"""{FIRST_COLUMNS[:-2]},{LATER}
        "refreshTokenExpires" DATETIME
    )""",
    "postgresql": f"""CREATE TABLE "Session" (
        "id" TEXT NOT NULL,
        "shop" TEXT NOT NULL,
        "state" TEXT NOT NULL,
        "isOnline" BOOLEAN NOT NULL DEFAULT false,
        "scope" TEXT,
        "expires" TIMESTAMP(3),
        "accessToken" TEXT NOT NULL,
        "userId" BIGINT,{LATER}
        "refreshTokenExpires" TIMESTAMP(3),
        CONSTRAINT "Session_pkey" PRIMARY KEY ("id")
    )""",
}


def row(session_id: str, **values: Any) -> dict[str, Any]:
    """Return a row of the former table."""
    return {
        "id": session_id,
        "shop": CAFE,
        "state": "xyz",
        "isOnline": False,
        "scope": "read_products",
        "expires": None,
        "accessToken": f"shpat_{session_id}",
        "userId": None,
        "firstName": None,
        "lastName": None,
        "email": None,
        "accountOwner": False,
        "locale": None,
        "collaborator": None,
        "emailVerified": None,
        "refreshToken": None,
        "refreshTokenExpires": None,
    } | values


def filled(url: str, rows: Iterable[dict[str, Any]]) -> RelationalSessions:
    """Return a former store with only these rows."""
    former = RelationalSessions(url)
    with former.engine.begin() as connection:
        connection.execute(text('DROP TABLE IF EXISTS "Session"'))
        connection.execute(text(CREATED[former.engine.dialect.name]))
    add(former, *rows)
    return former


def add(former: RelationalSessions, *rows: dict[str, Any]) -> None:
    """Add rows."""
    if rows:
        dialect = former.engine.dialect.name
        times = ("expires", "refreshTokenExpires")
        written = [
            given | {name: _written(given[name], dialect) for name in times} for given in rows
        ]
        with former.engine.begin() as connection:
            connection.execute(insert(SESSIONS), written)


def _written(moment: datetime | None, dialect: str) -> datetime | int | None:
    """Return the time as Prisma writes it."""
    if moment is None:
        return None
    if dialect == "sqlite":
        return round(moment.timestamp() * 1000)
    return moment.astimezone(UTC).replace(tzinfo=None)
