"""Find the sessions of a user that the index by user may not have.

Sessions that another program stored are in the index only after the back-fill. Nothing but a search
of the table shows whether there are any. The first search that finds none records that, and once
the index has settled, no deletion searches any more.
"""

from datetime import timedelta

from sortkey import DB, utc_now
from sortkey_systems.commitcollect.design.adopting import (
    SessionIndex,
    mark_session_index,
    session_index,
    stored_sessions,
)
from sortkey_systems.commitcollect.design.deleting import SessionKey

# By then the index has what was written before.
SETTLED_AFTER = timedelta(minutes=5)
_PREFIX = "SESSION#"


def unlisted_sessions(db: DB, user_id: str) -> list[SessionKey]:
    """Return the keys of a user's sessions, or none once the index is known to have them all."""
    index = db(session_index())
    if index is not None and index.checked_at_utc + SETTLED_AFTER <= utc_now():
        return []
    found = list(db(stored_sessions(user_id)))
    if index is None and all("GSI1PK" in item and "_type" in item for item in found):
        db(mark_session_index(SessionIndex(checked_at_utc=utc_now())))
    return [
        SessionKey(session_id=item["PK"].removeprefix(_PREFIX))
        for item in found
        if item.get("userId") == user_id
    ]
