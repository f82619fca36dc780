"""The end of an account: everything goes but the audit events, and it can be run again."""

from itertools import islice

from sortkey import DB
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.connecting import disconnect
from sortkey_systems.commitcollect.design import (
    EventType,
    Result,
    earned,
    sessions,
    workout_keys,
)
from sortkey_systems.commitcollect.design.writes import (
    delete_earned,
    delete_profile,
    delete_workouts,
    end_sessions,
)
from sortkey_systems.commitcollect.errors import refusing_bad_input

# As many as are held in memory; DynamoDB takes them by 25.
BATCH = 500


def delete_account(db: DB, user_id: str, trace: Trace) -> None:
    """Remove an account; what a crash left over is removed by the next call."""
    with refusing_bad_input():
        removal = delete_profile(user_id)
    audit(db, trace, user_id, EventType.ACCOUNT_DELETE, Result.ATTEMPT)
    result = Result.FAILED
    try:
        disconnect(db, user_id, trace)
        db(removal)
        result = Result.PARTIAL
        # From here on every write for this user is refused; before, a connection may slip in.
        disconnect(db, user_id, trace)
        _remove_records(db, user_id)
        result = Result.SUCCESS
    finally:
        audit(db, trace, user_id, EventType.ACCOUNT_DELETE, result)


def _remove_records(db: DB, user_id: str) -> None:
    keys = db.each(workout_keys(user_id))
    while batch := list(islice(keys, BATCH)):
        db(delete_workouts(batch))
    both = db(earned(user_id))
    db(delete_earned(both.awards, both.milestones))
    db(end_sessions(db(sessions(user_id))))
