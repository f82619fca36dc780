"""The calls of a user."""

from datetime import UTC, date, datetime, time

from sortkey import DB, BadCursor, Page
from sortkey_systems.oneonone.design import HISTORY_PAGE, Session, session_history
from sortkey_systems.oneonone.errors import BadInput
from sortkey_systems.oneonone.inputs import check_days, check_id, check_size


def list_sessions(
    db: DB,
    user_id: str,
    *,
    first: date = date.min,
    last: date = date.max,
    after: str | None = None,
    size: int = HISTORY_PAGE,
) -> Page[Session]:
    """Return a page of the user's calls in a range of UTC days, newest first.

    Both days are included. A cursor is valid only for the same user and days.
    """
    check_id(user_id, "user_id")
    check_days(first, last)
    check_size(size)
    since = datetime.combine(first, time.min, UTC)
    until = datetime.combine(last, time.max, UTC)
    try:
        return db(session_history(user_id, since, until, after, size))
    except BadCursor as bad:
        raise BadInput("cursor", "is not a cursor of this list") from bad
