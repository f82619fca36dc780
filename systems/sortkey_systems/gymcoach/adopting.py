"""Find out whether items of the former application still have to be back-filled.

A deletion finds most records of a user in GSI1. An item of the former application is there only
after the back-fill, so no deletion can be finished before. Nothing but a search of the table shows
whether it has such items: it is made once, in a new table while that is nearly empty.
"""

from datetime import datetime
from typing import Any

from sortkey import DB, BadCursor, Page
from sortkey_systems.gymcoach.design.adopting import (
    IndexSearch,
    index_search,
    record_search,
    unfilled_items,
)
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.errors import NotBackFilled


def back_filled_since(db: DB, *, pages: int = 1) -> datetime | None:
    """Return since when no item has to be back-filled, or None while the search continues.

    A call searches at most this number of pages, and the next call continues.

    Raises:
        NotBackFilled: an item has to be back-filled; the next call continues from there.
    """
    search = db(index_search()) or IndexSearch()
    if search.finished_at is not None:
        return search.finished_at
    position = search.position
    for _ in range(pages):
        page = _searched(db, position)
        if page.items:
            db(record_search(IndexSearch(position=position)))
            raise NotBackFilled("{PK} / {SK}".format_map(page.items[0]))
        position = page.cursor
        if position is None:
            finished_at = now_to_the_second()
            db(record_search(IndexSearch(finished_at=finished_at)))
            return finished_at
    db(record_search(IndexSearch(position=position)))
    return None


def _searched(db: DB, position: str | None) -> Page[dict[str, Any]]:
    """Return the items of the next page that are not back-filled."""
    first: Any = unfilled_items()
    try:
        return db(first.after(position))
    except BadCursor:  # another version or another secret wrote the position
        return db(first)
