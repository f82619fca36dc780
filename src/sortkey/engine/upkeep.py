"""Upkeep in bounded pieces: expiry, back-fill, the journal, old tokens."""

from sortkey.engine.backfill import fill_some
from sortkey.engine.database import Database
from sortkey.engine.expiry import expire_some
from sortkey.engine.storage import sql
from sortkey.engine.streams import split_large, tend_journal


def tend(db: Database) -> bool:
    """Do one piece of each kind of work, and return whether more is waiting."""
    db.refresh()
    filled = fill_some(db)
    expired = expire_some(db)
    split = split_large(db)
    trimmed = tend_journal(db)
    _forget_tokens(db)
    return expired or filled or split or trimmed


def _forget_tokens(db: Database) -> None:
    """Delete expired tokens, taking the write lock only if there are any."""
    storage, now = db.storage, db.clock()
    with storage.lock:
        old = storage.execute(sql.ANY_OLD_TOKEN, (now,)).fetchone()
    if old:
        with db.transaction():
            storage.wrote()
            storage.execute(sql.EXPIRE_TOKENS, (now,))
