"""Create, find, update and delete records of any entity.

Pass the entity's `Records` of the design: ``find(db, workout_plans, "plan-1")``.
"""

from typing import Any, ParamSpec, TypeVar

from sortkey import (
    DB,
    AlreadyExists,
    ConditionFailed,
    Entity,
    NotFound,
    Op,
    Put,
    RecordError,
    Transaction,
    TransactionFailed,
    VersionConflict,
    fields_of,
)
from sortkey_systems.gymcoach.design.records import Records, owner_of
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    BadInput,
    RecordChanged,
    RecordExists,
    RecordNotFound,
    raising_bad_input,
)

P = ParamSpec("P")
E = TypeVar("E", bound=Entity)

# Fields that are derived from others, or written only together with other records.
_FIXED = frozenset(
    {
        *("user_id", "active_for", "open_for", "active_type", "ttl"),
        *("deleting_since", "deletion_id"),
        *("weight_increase", "percentage_increase", "progress_percentage"),
    }
)


def add(db: DB, records: Records[P, E], record: E) -> E:
    """Create a record and return it as stored."""
    with raising_bad_input():
        creation = records.create(record)
    try:
        with raising_bad_input():
            db(creation)
    except TransactionFailed as failed:
        raise _reason(failed, record) from None
    return written(creation)


def find(db: DB, records: Records[P, E], *key: P.args, **named: P.kwargs) -> E:
    """Return the record with this key."""
    with raising_bad_input():
        query = records.get(*key, **named)
    found = db(query)
    if found is None:
        shown = "/".join(str(part) for part in (*key, *named.values()))
        raise RecordNotFound(records.entity.__name__, shown)
    return found


def find_own(db: DB, user_id: str, records: Records[P, E], *key: P.args, **named: P.kwargs) -> E:
    """Return the record with this key if it belongs to the user.

    Another user's record raises the same error as a missing one.
    """
    found = find(db, records, *key, **named)
    if owner_of(found) != user_id:
        raise RecordNotFound(records.entity.__name__, key_of(found))
    return found


def change(db: DB, records: Records[P, E], record: E, **changes: Any) -> E:
    """Update some fields of a loaded record, and return it.

    Other fields keep what was written since the record was loaded. If the record has a version, a
    write since then raises `RecordChanged`.

    Raises:
        AccountNotFound: the account of the record's user does not exist, or is being deleted.
    """
    fields = fields_of(records.entity)
    for name in changes.keys() & (_FIXED | fields.kept | {*fields.key}):
        raise BadInput(name, "cannot be changed")
    with raising_bad_input():
        after = records.entity.model_validate(record.model_dump() | changes)
        if after == record:
            return record
        update = records.update(record, after)
    try:
        with raising_bad_input():
            db(update)
    except TransactionFailed as failed:
        raise _reason(failed, record) from None
    # None if it was deleted since.
    return db(records.reread(record)) or after


def remove(db: DB, records: Records[P, E], record: E) -> None:
    """Delete a record, if it exists."""
    try:
        db(records.delete(record))
    except NotFound:
        return
    except VersionConflict:
        raise RecordChanged(f"{records.entity.__name__} {key_of(record)}") from None


def _reason(failed: TransactionFailed, record: Entity) -> Exception:
    """Return the error of a create or an update."""
    kind, key = type(record).__name__, key_of(record)
    match failed.failures:
        case (_, RecordError()):
            return AccountNotFound(owner_of(record))
        case (AlreadyExists(), *_):
            return RecordExists(kind, key)
        case (NotFound(), *_):
            return RecordNotFound(kind, key)
        case (ConditionFailed() | VersionConflict(), *_):
            return RecordChanged(f"{kind} {key}")
        case _:
            return failed


def key_of(record: Entity) -> str:
    """Return the key of a record as text."""
    return "/".join(str(getattr(record, name)) for name in fields_of(type(record)).key)


def written(creation: Op[None]) -> Any:
    """Return the record of a create operation, with its stored times and version."""
    assert isinstance(creation, Transaction)  # noqa: S101 - creates are transactions
    write = creation.writes[0]
    assert isinstance(write, Put)  # noqa: S101 - the first write is the record
    return write.record
