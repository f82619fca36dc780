"""Sign in and out.

Pass ``former`` until all sessions are moved out of the former store. New sessions are stored only
in the table; sessions are read from the table first, and ended in both stores.
"""

from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta

from sortkey import DB, ConditionFailed, NotFound, Op, RecordError, TransactionFailed, utc_now
from sortkey_systems.shuttle.design.erasing import stored_session_ids
from sortkey_systems.shuttle.design.sessions import (
    Session,
    SignedOut,
    end_moving_session,
    end_session,
    end_session_of_installation,
    end_session_of_shop,
    extend_session,
    fresh_session,
    put_session,
    session_by_id,
    sessions_of_shop,
)
from sortkey_systems.shuttle.design.shops import Shop, shop_by_domain
from sortkey_systems.shuttle.errors import (
    BadInput,
    SessionOfAnotherShop,
    raising_bad_input,
)
from sortkey_systems.shuttle.finding import find_installed_shop
from sortkey_systems.shuttle.former_sessions import FormerSession, FormerSessions

ONLINE_LIFETIME = timedelta(hours=24)
OFFLINE_LIFETIME = timedelta(days=365)
# An offline session is extended at most this often, however often it is used.
EXTENDED_AFTER = timedelta(days=1)
SIGNED_OUT_KEPT_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class SignIn:
    """A session as the shop's platform describes it."""

    session_id: str
    shop: str
    state: str
    access_token: str
    is_online: bool = False
    scope: str | None = None
    expires: datetime | None = None
    user_id: int | None = None
    first_name: str | None = None
    last_name: str | None = None
    email: str | None = None
    account_owner: bool = False
    locale: str | None = None
    collaborator: bool | None = None
    email_verified: bool | None = None
    refresh_token: str | None = field(default=None, repr=False)
    refresh_token_expires: datetime | None = None


def store_session(db: DB, sign_in: SignIn) -> Session:
    """Store a session for a day, or for a year if it is offline, and return it.

    Raise `ShopNotActive` if the shop is uninstalled.
    """
    with raising_bad_input():
        lifetime = ONLINE_LIFETIME if sign_in.is_online else OFFLINE_LIFETIME
        session = Session(**asdict(sign_in), expires_at=utc_now() + lifetime)
        put_session(session)

    def decide() -> Op[Session]:
        session.shop_installed_at = find_installed_shop(db, sign_in.shop).installed_at
        return put_session(session).returning(session)

    def explain(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(None, ConditionFailed(), *_)):
                raise SessionOfAnotherShop(sign_in.session_id) from None
            case _:
                pass  # the shop has changed

    with raising_bad_input():
        return db.decide(decide, on_conflict=explain)


def load_session(
    db: DB, session_id: str, *, shop: str | None = None, former: FormerSessions | None = None
) -> Session | None:
    """Return the session, or None if it does not exist, has expired or belongs to another shop.

    A session is not valid once its shop is uninstalled, even if the shop is installed again. Each
    use extends an offline session to a year.
    """
    with raising_bad_input():
        query = session_by_id(session_id)
    session = db(query)
    if session is None and former is not None:
        # It may have been stored just now, and then the former store has an older one.
        session = db(fresh_session(session_id))
        if session is None:
            session = _session_of(former, session_id)
            return session if _is_valid(session, shop, _shop_of(db, session)) else None
    owner = _shop_of(db, session)
    if session is None or not _is_valid(session, shop, owner):
        return None
    # Until the shop is installed here, a session that was moved is not extended.
    return session if owner is None else _used(db, session)


def list_sessions(db: DB, domain: str) -> list[Session]:
    """Return the valid sessions of a shop, sorted by id."""
    with raising_bad_input():
        query = sessions_of_shop(domain)
    owner = db(shop_by_domain(domain))
    return [session for session in db(query) if _is_valid(session, domain, owner)]


def _shop_of(db: DB, session: Session | None) -> Shop | None:
    return None if session is None else db(shop_by_domain(session.shop))


def _is_valid(session: Session | None, shop: str | None, owner: Shop | None) -> bool:
    """Return whether a session is of this shop, has not expired, and its shop is installed.

    A session may be moved before its shop is installed.
    """
    if session is None or shop not in (None, session.shop):
        return False
    if session.expires is not None and session.expires <= utc_now():
        return False
    if owner is None:
        return session.shop_installed_at is None
    if owner.uninstalled_at is not None or owner.erasing_since is not None:
        return False
    if session.shop_installed_at is None:
        return not owner.is_reinstalled
    return session.shop_installed_at == owner.installed_at


def sign_out(db: DB, session_id: str, *, former: FormerSessions | None = None) -> None:
    """End a session, also in the former store if it is passed; an ended session stays ended."""
    with raising_bad_input():
        ended = end_session(session_id)
        mark = SignedOut(session_id=session_id, expires_at=utc_now() + SIGNED_OUT_KEPT_FOR)
    if former is None:
        db(ended)
        return
    # First in the former store, so that its row is not copied later. A move that has already read
    # the row finds the mark.
    former.delete(session_id)
    db(end_moving_session(mark))


def sign_out_of_shop(
    db: DB, shop: str, session_id: str, *, former: FormerSessions | None = None
) -> None:
    """End a session of this shop, also in the former store if it is passed."""
    with raising_bad_input():
        ended = end_session_of_shop(session_id, shop)
    if former is not None:
        found = db(fresh_session(session_id)) or former.get(session_id)
        if found is not None and found.shop != shop:
            raise SessionOfAnotherShop(session_id)
        sign_out(db, session_id, former=former)
        return
    try:
        db(ended)
    except NotFound:
        return
    except ConditionFailed:
        raise SessionOfAnotherShop(session_id) from None


def end_sessions(db: DB, shop: Shop, *, former: FormerSessions | None = None) -> None:
    """End the sessions of an installation of a shop, also in the former store if it is passed."""
    if former is not None:
        for session_id in former.ids_of_shop(shop.domain):
            sign_out(db, session_id, former=former)
    for found in db(stored_session_ids(shop.domain)):
        ended = end_session_of_installation(found.session_id, shop.domain, shop.installed_at)
        # It has ended or expired, or is a session of the next installation.
        with suppress(ConditionFailed, NotFound):
            db(ended)


def session_from(row: FormerSession) -> Session | None:
    """Return the session for a row of the former store, or None if it has expired."""
    if isinstance(row.expires, str):
        raise BadInput("expires", "is not a time")
    if isinstance(row.refresh_token_expires, str):
        raise BadInput("refresh_token_expires", "is not a time")
    lifetime = ONLINE_LIFETIME if row.is_online else OFFLINE_LIFETIME
    now = utc_now()
    ends = row.expires if row.is_online and row.expires is not None else now + lifetime
    # An expiry is stored in whole seconds, so a session that ends in this second has expired.
    if min(ends, row.expires or ends).replace(microsecond=0) <= now:
        return None
    with raising_bad_input():
        values = asdict(row)
        return Session(session_id=values.pop("id"), **values, expires_at=ends, is_copied=True)


def _session_of(former: FormerSessions, session_id: str) -> Session | None:
    row = former.get(session_id)
    return None if row is None else session_from(row)


def _used(db: DB, session: Session) -> Session | None:
    until = utc_now() + OFFLINE_LIFETIME
    if session.is_online or until - session.expires_at < EXTENDED_AFTER:
        return session
    try:
        db(extend_session(session.session_id, session.shop, until))
    except TransactionFailed as failed:
        if not any(isinstance(failure, RecordError) for failure in failed.failures):
            raise
        return None  # it was ended after the read, and another shop may have its id now
    return session.model_copy(update={"expires_at": until})
