"""The former store: a table created by Prisma. Requires ``sortkey-systems[shuttle]``."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cached_property
from types import TracebackType
from typing import Any, Self

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Dialect,
    MetaData,
    RowMapping,
    Select,
    Table,
    Text,
    create_engine,
    delete,
    func,
    inspect,
    select,
)
from sqlalchemy.types import NullType, TypeDecorator, TypeEngine

from sortkey_systems.shuttle.former_sessions import FormerSession


class PrismaTime(TypeDecorator[datetime]):
    """A time in UTC without a zone; in SQLite, Prisma stores milliseconds since 1970."""

    impl = DateTime
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the stored value in SQLite, where SQLAlchemy can read times only from text."""
        return NullType() if dialect.name == "sqlite" else DateTime()

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ARG002
        """Return the time in UTC, or the stored text if it is not a time."""
        try:
            return _moment(value)
        except (ValueError, OverflowError, OSError):
            return str(value)


def _moment(value: Any) -> datetime | None:
    match value:
        case None:
            return None
        case int():
            return datetime.fromtimestamp(value // 1000, UTC).replace(
                microsecond=value % 1000 * 1000
            )
        case str():
            value = datetime.fromisoformat(value)
        case _:
            pass
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


SESSIONS = Table(
    "Session",
    MetaData(),
    Column("id", Text),
    Column("shop", Text),
    Column("state", Text),
    Column("isOnline", Boolean),
    Column("scope", Text),
    Column("expires", PrismaTime),
    Column("accessToken", Text),
    Column("userId", BigInteger),
    Column("firstName", Text),
    Column("lastName", Text),
    Column("email", Text),
    Column("accountOwner", Boolean),
    Column("locale", Text),
    Column("collaborator", Boolean),
    Column("emailVerified", Boolean),
    Column("refreshToken", Text),
    Column("refreshTokenExpires", PrismaTime),
)


class RelationalSessions:
    """The former store in PostgreSQL, SQLite or another database that SQLAlchemy supports."""

    def __init__(self, url: str) -> None:
        self.engine = create_engine(url)

    def get(self, session_id: str) -> FormerSession | None:
        """Return the session with this id, expired or not."""
        return next(iter(self._rows(self._select().where(SESSIONS.c.id == session_id))), None)

    def after(self, session_id: str | None, limit: int) -> Sequence[FormerSession]:
        """Return at most ``limit`` sessions after this id, in the database's order of ids."""
        query = self._select().order_by(SESSIONS.c.id).limit(limit)
        if session_id is not None:
            query = query.where(SESSIONS.c.id > session_id)
        return self._rows(query)

    def ids_of_shop(self, shop: str) -> Sequence[str]:
        """Return the ids of a shop's sessions."""
        with self.engine.connect() as connection:
            found = connection.execute(select(SESSIONS.c.id).where(SESSIONS.c.shop == shop))
            return [row[0] for row in found]

    def delete(self, session_id: str) -> None:
        """Delete a session, if it exists."""
        with self.engine.begin() as connection:
            connection.execute(delete(SESSIONS).where(SESSIONS.c.id == session_id))

    def count(self) -> int:
        """Return the number of sessions."""
        with self.engine.connect() as connection:
            return connection.execute(select(func.count()).select_from(SESSIONS)).scalar_one()

    def close(self) -> None:
        """Close the connections."""
        self.engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _select(self) -> Select[Any]:
        return select(*(column for column in SESSIONS.c if column.name in self._columns))

    @cached_property
    def _columns(self) -> set[str]:
        """The names of the columns that the table has; older versions of Prisma's have fewer."""
        return {column["name"] for column in inspect(self.engine).get_columns(SESSIONS.name)}

    def _rows(self, query: Select[Any]) -> list[FormerSession]:
        with self.engine.connect() as connection:
            return [_session(row) for row in connection.execute(query).mappings()]


def _session(values: RowMapping) -> FormerSession:
    return FormerSession(
        id=values["id"],
        shop=values["shop"],
        state=values["state"],
        is_online=values["isOnline"],
        scope=values["scope"],
        expires=values["expires"],
        access_token=values["accessToken"],
        user_id=values["userId"],
        first_name=values.get("firstName"),
        last_name=values.get("lastName"),
        email=values.get("email"),
        account_owner=bool(values.get("accountOwner")),
        locale=values.get("locale"),
        collaborator=values.get("collaborator"),
        email_verified=values.get("emailVerified"),
        refresh_token=values.get("refreshToken"),
        refresh_token_expires=values.get("refreshTokenExpires"),
    )
