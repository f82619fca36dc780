"""Adopt existing sessions: before the back-fill, the index by user may not have them."""

from pydantic.alias_generators import to_camel

from sortkey import Entity, EpochSeconds, Expected, Op, pattern, raw_pattern
from sortkey_systems.commitcollect.design.sessions import Session
from sortkey_systems.commitcollect.design.tables import CommitCollectSessions


class SessionIndex(
    Entity,
    table=CommitCollectSessions,
    stored=to_camel,
    expected=Expected(count=1),
):
    """Added: a mark that every stored session has the keys of the index by user."""

    checked_at_utc: EpochSeconds

    primary = CommitCollectSessions.primary.key("SESSION_INDEX", "META")


# An item without a type or without the index key was stored by another program.
stored_sessions = raw_pattern(
    "Sessions of a user, and those that are not back-filled",
    name="stored_sessions",
    doc="Return the keys of all sessions of a user, and of those of others without index keys.",
    operation="Scan",
    table=CommitCollectSessions,
    filter="begins_with(PK, :session)"
    " AND (userId = :user OR attribute_not_exists(#type) OR attribute_not_exists(GSI1PK))",
    names={"#type": "_type"},
    values={":session": "SESSION#", ":user": "{user_id}"},
    arguments={"user_id": str},
    projection="PK, userId, GSI1PK, #type",
    consistent=True,
    entities=[Session],
    fresh=True,
    rate="1/day",
    where=lambda session, user_id: session.user_id == user_id,
    ignore={
        "SK409": "the index by user is what may not have them",
        "SK413": "only until SessionIndex records that every session has index keys",
        "SK305": "an expired session that is still stored must be found too",
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
