"""Signing in and out: sessions, and the former store while they are being moved from it.

Whoever gives ``former`` says that the move is not over. Sessions are then stored in the table only,
read from the table first, and ended in both.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sortkey import DB, ConditionFailed, NotFound, TransactionFailed, utc_now
from sortkey_systems.shuttle.design import Session, SignedOut, session_by_id, session_now
from sortkey_systems.shuttle.design.writes import (
    end_moving_session,
    end_session,
    end_session_of_shop,
    extend_session,
    put_session,
)
from sortkey_systems.shuttle.errors import SessionOfAnotherShop, checked
from sortkey_systems.shuttle.former_sessions import FormerSession, FormerSessions
from sortkey_systems.shuttle.metering import write_for_shop

ONLINE = timedelta(hours=24)
OFFLINE = timedelta(days=365)
# An offline session is written again at most this often, however often it is used.
EXTENDED_AFTER = timedelta(days=1)
SIGNED_OUT_KEPT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class SignIn:
    """What the shop's platform says about a session."""

    session_id: str
    shop: str
    state: str
    access_token: str
    is_online: bool = False
    scope: str | None = None
    expires: datetime | None = None
    user_id: int | None = None


def store_session(db: DB, given: SignIn) -> Session:
    """The session, stored for a day, or for a year where it is the application's own."""
    with checked():
        session = Session(
            session_id=given.session_id,
            shop=given.shop,
            state=given.state,
            is_online=given.is_online,
            scope=given.scope,
            expires=given.expires,
            access_token=given.access_token,
            user_id=given.user_id,
            expires_at=utc_now() + (ONLINE if given.is_online else OFFLINE),
        )
        stored = put_session(session)
    try:
        write_for_shop(db, given.shop, stored)
    except TransactionFailed as failed:
        if isinstance(failed.failures[1], ConditionFailed):
            raise SessionOfAnotherShop(given.session_id) from None
        raise
    return session


def load_session(
    db: DB, session_id: str, *, shop: str | None = None, former: FormerSessions | None = None
) -> Session | None:
    """The session, or None where there is none, or it is not the shop's, or its time is over.

    An offline session lives on for a year from each use.
    """
    with checked():
        asked = session_by_id(session_id)
    session = db(asked)
    if session is None and former is not None:
        # It may have been stored a moment ago, and then the former store has an older one.
        session = db(session_now(session_id))
        if session is None:
            return _of_shop(shop, _session_of(former, session_id))
    mine = _of_shop(shop, session)
    return None if mine is None else _used(db, mine)


def _of_shop(shop: str | None, session: Session | None) -> Session | None:
    return session if session is not None and shop in (None, session.shop) else None


def sign_out(db: DB, session_id: str, *, former: FormerSessions | None = None) -> None:
    """End a session, wherever it is; one that is ended already stays so."""
    with checked():
        ended = end_session(session_id)
        mark = SignedOut(session_id=session_id, expires_at=utc_now() + SIGNED_OUT_KEPT)
    if former is None:
        db(ended)
        return
    # There first: what is gone there is copied no more, but by who has read it already, and that
    # one meets the mark.
    former.delete(session_id)
    db(end_moving_session(mark))


def sign_out_of_shop(db: DB, shop: str, session_id: str) -> None:
    """End a session if it is this shop's; one that is ended already stays so."""
    with checked():
        ended = end_session_of_shop(session_id, shop)
    try:
        db(ended)
    except NotFound:
        return
    except ConditionFailed:
        raise SessionOfAnotherShop(session_id) from None


def session_from(row: FormerSession) -> Session | None:
    """A row of the former store as a session; None where its time is over."""
    lifetime = ONLINE if row.is_online else OFFLINE
    now = utc_now()
    ends = row.expires if row.is_online and row.expires is not None else now + lifetime
    # An expiry is stored to the second, and what ends within this one is over.
    if min(ends, row.expires or ends).replace(microsecond=0) <= now:
        return None
    with checked():
        return Session(
            session_id=row.id,
            shop=row.shop,
            state=row.state,
            is_online=row.is_online,
            scope=row.scope,
            expires=row.expires,
            access_token=row.access_token,
            user_id=row.user_id,
            expires_at=ends,
            is_copied=True,
        )


def _session_of(former: FormerSessions, session_id: str) -> Session | None:
    row = former.get(session_id)
    return None if row is None else session_from(row)


def _used(db: DB, session: Session) -> Session | None:
    until = utc_now() + OFFLINE
    if session.is_online or until - session.expires_at < EXTENDED_AFTER:
        return session
    try:
        return db(extend_session(session.session_id, session.shop, until))
    except (ConditionFailed, NotFound):
        return None  # ended while it was being read, and perhaps begun by another shop
