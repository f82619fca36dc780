"""Adopt existing sessions: before the back-fill, the index by user may not have them."""

from pydantic.alias_generators import to_camel

from sortkey import Entity, EpochSeconds, Expected, Op, pattern, raw_pattern
from sortkey_systems.commitcollect.design.sessions import Session
from sortkey_systems.commitcollect.design.tables import CommitCollectSessions

# Items on a page of the search.
SEARCHED = 1_000
SESSION_PREFIX = "SESSION#"


class SessionIndex(
    Entity,
    table=CommitCollectSessions,
    stored=to_camel,
    expected=Expected(count=1),
):
    """Added: a mark that every stored session has the keys of the index by user."""

    checked_at_utc: EpochSeconds

    primary = CommitCollectSessions.primary.key("SESSION_INDEX", "META")


# Items of another program have no type. They may have index keys of another form.
unlisted_sessions = raw_pattern(
    "Sessions that are not back-filled",
    name="unlisted_sessions",
    doc="Return the key and the user of such sessions among the next thousand items.",
    operation="Scan",
    table=CommitCollectSessions,
    filter="begins_with(PK, :session)"
    " AND (attribute_not_exists(#type) OR attribute_not_exists(GSI1PK))",
    names={"#type": "_type"},
    values={":session": SESSION_PREFIX},
    projection="PK, userId",
    consistent=True,
    limit=SEARCHED,
    page=SEARCHED,
    entities=[Session],
    fresh=True,
    rate="1/day",
    # This system writes no such item.
    where=lambda _: False,
    ignore={
        "SK413": "only until SessionIndex records that every session is in the index",
        "SK305": "an expired session that is still stored must be found too",
        "SK412": "a page without items is the normal case",
    },
)


@pattern("Whether every session is in the index", rate="1/min", fresh=True)
def session_index() -> Op[SessionIndex | None]:
    """Return the mark, or None if a session may not be in the index."""
    return SessionIndex.get().consistently()


@pattern(
    "Mark that every session is in the index",
    rate="1/day",
    ignore={"SK703": "all marks are equivalent"},
)
def mark_session_index(mark: SessionIndex) -> Op[SessionIndex]:
    """Store the mark, after a search has found no session without index keys."""
    return mark.put()
