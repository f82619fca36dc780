"""Keeping records: what is done alike with every kind.

The kind is named by its `Records` in the design: ``find(db, workout_plans, "plan-1")``.
"""

from typing import Any, ParamSpec, TypeVar

from sortkey import (
    DB,
    AlreadyExists,
    ConditionFailed,
    Entity,
    NotFound,
    Op,
    TransactionFailed,
    VersionConflict,
    WriteFailed,
)
from sortkey.design.entity import kind_of
from sortkey.operations.put import Put
from sortkey.operations.transact import Transaction
from sortkey_systems.gymcoach.design.records import Records, owner_of
from sortkey_systems.gymcoach.errors import (
    AccountGone,
    AlreadyThere,
    BadInput,
    ChangedMeanwhile,
    NotThere,
    refusing_bad_input,
)

P = ParamSpec("P")
E = TypeVar("E", bound=Entity)

# What follows from other fields, or is only written together with other records.
_KEPT = frozenset(
    {
        *("user_id", "active_for", "open_for", "active_type", "ttl", "deleting_since"),
        *("weight_increase", "percentage_increase", "progress_percentage"),
    }
)


def add(db: DB, records: Records[P, E], record: E) -> E:
    """The record as it is stored, where there was none with its key."""
    with refusing_bad_input():
        creation = records.create(record)
    try:
        with refusing_bad_input():
            db(creation)
    except AlreadyExists:
        raise AlreadyThere(records.entity.__name__, key_of(record)) from None
    except TransactionFailed as failed:
        put, account = failed.failures
        if isinstance(account, WriteFailed):
            raise AccountGone(owner_of(record)) from None
        if isinstance(put, AlreadyExists):
            raise AlreadyThere(records.entity.__name__, key_of(record)) from None
        raise
    return written(creation)


def find(db: DB, records: Records[P, E], *key: P.args, **named: P.kwargs) -> E:
    """The record with this key."""
    with refusing_bad_input():
        asked = records.get(*key, **named)
    found = db(asked)
    if found is None:
        shown = "/".join(str(part) for part in (*key, *named.values()))
        raise NotThere(records.entity.__name__, shown)
    return found


def find_own(db: DB, user_id: str, records: Records[P, E], *key: P.args, **named: P.kwargs) -> E:
    """The same, where it is this user's; somebody else's is not told from none."""
    found = find(db, records, *key, **named)
    if owner_of(found) != user_id:
        raise NotThere(records.entity.__name__, key_of(found))
    return found


def change(db: DB, records: Records[P, E], record: E, **changes: Any) -> E:
    """The record with some fields changed, on top of how it was loaded.

    Fields that are not named keep what others wrote meanwhile, unless the record has a version:
    then `ChangedMeanwhile` says so.
    """
    kind = kind_of(records.entity)
    kept = kind.key_fields | _KEPT | {kind.version_field, kind.created_field, kind.updated_field}
    for name in changes.keys() & kept:
        raise BadInput(name, "it cannot be changed")
    with refusing_bad_input():
        after = records.entity.model_validate(record.model_dump() | changes)
        if after == record:
            return record
        update = records.update(record, after)
    try:
        with refusing_bad_input():
            return db(update)
    except NotFound:
        raise NotThere(records.entity.__name__, key_of(record)) from None
    except (ConditionFailed, VersionConflict):
        raise ChangedMeanwhile(f"{records.entity.__name__} {key_of(record)}") from None


def remove(db: DB, records: Records[P, E], record: E) -> None:
    """No such record any more; the same where there was none."""
    try:
        db(records.delete(record))
    except NotFound:
        return
    except VersionConflict:
        raise ChangedMeanwhile(f"{records.entity.__name__} {key_of(record)}") from None


def key_of(record: Entity) -> str:
    """A record's key, for people."""
    fields = kind_of(type(record)).primary.all_fields
    return "/".join(str(getattr(record, name)) for name in fields)


def written(creation: Op[Any]) -> Any:
    """The record with the times and the version that it was stored with."""
    write = creation.writes[0] if isinstance(creation, Transaction) else creation
    assert isinstance(write, Put)  # noqa: S101 - creating begins with it
    return write.record
