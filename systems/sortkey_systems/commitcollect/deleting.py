"""Delete an account with all its records except audit events; it is safe to run again."""

from itertools import islice

from sortkey import DB
from sortkey_systems.commitcollect.auditing import Trace, audit
from sortkey_systems.commitcollect.connecting import disconnect
from sortkey_systems.commitcollect.design.accounts import delete_profile
from sortkey_systems.commitcollect.design.audit import EventType, Result
from sortkey_systems.commitcollect.design.milestones import delete_milestones, milestones_and_awards
from sortkey_systems.commitcollect.design.sessions import end_sessions, sessions
from sortkey_systems.commitcollect.design.workouts import delete_workouts, workout_keys
from sortkey_systems.commitcollect.errors import raising_bad_input

# The number of keys in memory; DynamoDB deletes 25 at a time.
BATCH = 500


def delete_account(db: DB, user_id: str, trace: Trace) -> None:
    """Delete an account; after a crash, the next call deletes the rest."""
    with raising_bad_input():
        deletion = delete_profile(user_id)
    audit(db, trace, user_id, EventType.ACCOUNT_DELETE, Result.ATTEMPT)
    result = Result.FAILED
    try:
        disconnect(db, user_id, trace)
        db(deletion)
        result = Result.PARTIAL
        # Every later write for this user fails; until now, a new connection was possible.
        disconnect(db, user_id, trace)
        _delete_records(db, user_id)
        result = Result.SUCCESS
    finally:
        audit(db, trace, user_id, EventType.ACCOUNT_DELETE, result)


def _delete_records(db: DB, user_id: str) -> None:
    keys = db.each(workout_keys(user_id))
    while batch := list(islice(keys, BATCH)):
        db(delete_workouts(batch))
    found = db(milestones_and_awards(user_id))
    db(delete_milestones(found.awards, found.milestones))
    db(end_sessions(db(sessions(user_id))))
