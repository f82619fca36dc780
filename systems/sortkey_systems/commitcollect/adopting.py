"""Find the sessions that the index by user does not have.

Sessions that another program stored are in the index only after the back-fill, and a deletion finds
sessions there. Nothing but a search of the table shows whether it has such sessions. The first
search that finds none is recorded, and no later deletion searches.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sortkey import DB, Page, utc_now
from sortkey_systems.commitcollect.design.adopting import (
    SESSION_PREFIX,
    SessionIndex,
    mark_session_index,
    session_index,
    unlisted_sessions,
)
from sortkey_systems.commitcollect.design.deleting import SessionKey


@dataclass(frozen=True, slots=True)
class SessionSearch:
    """Since when every session is in the index, or None; and those of the user that are not."""

    listed_since: datetime | None
    unlisted: tuple[SessionKey, ...] = ()


def search_sessions(db: DB, user_id: str) -> SessionSearch:
    """Search for sessions that are not in the index, unless it is known that there are none."""
    index = db(session_index())
    if index is not None:
        return SessionSearch(index.checked_at_utc)
    found = list(_unlisted(db))
    if not found:
        marked = db(mark_session_index(SessionIndex(checked_at_utc=utc_now())))
        return SessionSearch(marked.checked_at_utc)
    own = (
        item["PK"].removeprefix(SESSION_PREFIX) for item in found if item.get("userId") == user_id
    )
    return SessionSearch(None, tuple(SessionKey(session_id=name) for name in own))


def _unlisted(db: DB) -> Iterator[dict[str, Any]]:
    first: Any = unlisted_sessions()
    page: Page[dict[str, Any]] = db(first)
    yield from page.items
    while page.cursor is not None:
        page = db(first.after(page.cursor))
        yield from page.items
