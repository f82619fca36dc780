"""Work that no request waits for, a bounded piece at a time: expiry, back-fill, old tokens."""

from sortkey.engine.backfill import fill_some
from sortkey.engine.database import Database
from sortkey.engine.expiry import expire_some
from sortkey.engine.storage import sql


def tend(db: Database) -> bool:
    """Do one piece of each kind of work; whether any has more to do."""
    db.refresh()
    filled = fill_some(db)
    expired = expire_some(db)
    with db.transaction():
        db.storage.execute(sql.EXPIRE_TOKENS, (db.clock(),))
    return expired or filled
