"""Sessions, and the progress of their move from the former store."""

from datetime import datetime
from typing import Annotated

from pydantic import StringConstraints
from pydantic.alias_generators import to_camel

from sortkey import (
    TTL,
    Entity,
    Expected,
    Op,
    Stored,
    accepts_plaintext,
    missing,
    pattern,
    refers,
    secret,
    transact,
)
from sortkey_systems.shuttle.design.shops import Shop, is_installed
from sortkey_systems.shuttle.design.table import Domain, Shuttle

# Without #, which separates the parts of a key, and within the 1,024 bytes of a sort key.
SessionId = Annotated[str, StringConstraints(pattern=r"^[^#]+$", max_length=250)]


class Session(
    Entity,
    table=Shuttle,
    stored=to_camel,
    expected=Expected(per_partition=20),
    relations=(refers("shop", Shop),),
    ignore={"SK610": "the documented index has all attributes, and the token is encrypted there"},
):
    """A session of a signed-in user, or the application's own access to a shop."""

    session_id: SessionId
    shop: Domain
    state: str = ""
    is_online: bool = False
    scope: str | None = None
    expires: datetime | None = None
    access_token: Annotated[str, secret, accepts_plaintext]
    user_id: int | None = None
    # Added: what the former store has of the user, and a token that renews the access token.
    first_name: Annotated[str | None, secret, accepts_plaintext] = None
    last_name: Annotated[str | None, secret, accepts_plaintext] = None
    email: Annotated[str | None, secret, accepts_plaintext] = None
    account_owner: bool = False
    locale: str | None = None
    collaborator: bool | None = None
    email_verified: bool | None = None
    refresh_token: Annotated[str | None, secret, accepts_plaintext] = None
    refresh_token_expires: datetime | None = None
    expires_at: Annotated[TTL, Stored("ExpiresAt")]
    # Added: the installation of the shop that the session belongs to. It is not valid in the next
    # one. A session from the former store has none, and belongs to the first.
    shop_installed_at: datetime | None = None
    # Added: whether the record is an unchanged copy of a row of the former store. Only such a
    # record must equal its row.
    is_copied: bool = False

    primary = Shuttle.primary.key("SESSION#{session_id}", "METADATA")
    by_shop = Shuttle.gsi3.key("SHOP#{shop}", "SESSION#{session_id}")


class SignedOut(
    Entity,
    table=Shuttle,
    stored=to_camel,
):
    """Added: a mark that a session ended while the former store was in use.

    It prevents a move in progress from copying the session's row again. It expires after a day.
    """

    session_id: SessionId
    expires_at: Annotated[TTL, Stored("ExpiresAt")]

    primary = Shuttle.primary.key("SESSION#{session_id}", "SIGNED_OUT")


class SessionMove(
    Entity,
    table=Shuttle,
    stored=to_camel,
    ignore={"SK419": "only the move from the former store reads it"},
):
    """Added: the progress of the move from the former store."""

    source: str
    # Sessions are copied in the order of their ids; this is the last one done.
    after: str | None = None
    passes: int = 1
    copied: int = 0
    updated: int = 0
    already_there: int = 0
    expired: int = 0
    signed_out: int = 0
    rejected: int = 0
    started_at: datetime
    finished_at: datetime | None = None

    primary = Shuttle.primary.key("SESSION_MOVE#{source}", "METADATA")


@pattern("A session by its id", rate="200/s")
def session_by_id(session_id: str) -> Op[Session | None]:
    """Return the session, or None if it does not exist or has expired."""
    return Session.get(session_id=session_id)


@pattern("A session by its id, consistent", rate="1/s", fresh=True)
def fresh_session(session_id: str) -> Op[Session | None]:
    """Read the session consistently, before a lookup in the former store."""
    return Session.get(session_id=session_id).consistently()


@pattern(
    "Sessions of a shop",
    rate="1/s",
    where=lambda session, shop: session.shop == shop,
    order=lambda session: session.session_id,
)
def sessions_of_shop(shop: str) -> Op[list[Session]]:
    """Leave out expired sessions."""
    return Session.query(Session.by_shop, shop=shop)


@pattern("Store a session", rate="5/s")
def put_session(session: Session) -> Op[None]:
    """Store the session if the shop is installed and no other shop's session has this id."""
    shop = session.shop
    stored = session.put().where(lambda s: missing(s.shop) | (s.shop == shop))
    installed = session.shop_installed_at
    return transact(is_installed(shop).where(lambda s: s.installed_at == installed), stored)


@pattern("Extend a session", rate="1/min")
def extend_session(session_id: str, shop: str, until: datetime) -> Op[None]:
    """Extend the session if it has not ended and still belongs to the shop, which is installed."""
    extended = Session.update(session_id=session_id).set(expires_at=until)
    return transact(is_installed(shop), extended.where(lambda s: s.shop == shop))


@pattern("End a session", rate="1/s")
def end_session(session_id: str) -> Op[Session | None]:
    """Delete the session; return it if it existed."""
    return Session.delete(session_id=session_id)


@pattern("End a session of a shop", rate="1/s")
def end_session_of_shop(session_id: str, shop: str) -> Op[Session | None]:
    """Delete the session if it exists and belongs to this shop."""
    return Session.delete(session_id=session_id).where(lambda s: s.shop == shop)


@pattern("End a session of an installation", rate="1/min")
def end_session_of_installation(
    session_id: str, shop: str, installed_at: datetime
) -> Op[Session | None]:
    """Delete the session if it belongs to this installation of the shop."""
    own = Session.delete(session_id=session_id).where(lambda s: s.shop == shop)
    return own.where(lambda s: missing(s.shop_installed_at) | (s.shop_installed_at == installed_at))


@pattern(
    "End a session while the former store is in use",
    rate="1/s",
    ignore={"SK703": "all marks of a session are equivalent"},
)
def end_moving_session(mark: SignedOut) -> Op[None]:
    """Delete the session and store a mark, so that a move in progress does not copy it."""
    return transact(Session.delete(session_id=mark.session_id), mark.put())
