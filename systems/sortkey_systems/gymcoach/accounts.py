"""Accounts of users."""

from collections.abc import Mapping
from typing import Any

from sortkey import DB, AlreadyExists, TransactionFailed
from sortkey_systems.gymcoach.crud import change, written
from sortkey_systems.gymcoach.design.people import (
    AppPreferences,
    UserFitnessProfile,
    UserProfile,
    register_user,
    user,
    users,
)
from sortkey_systems.gymcoach.design.table import Level
from sortkey_systems.gymcoach.errors import (
    AccountExists,
    AccountNotFound,
    DeletionUnderWay,
    RecordChanged,
    RecordExists,
    RecordNotFound,
    raising_bad_input,
)
from sortkey_systems.gymcoach.zones import zone_of


def register(
    db: DB,
    user_id: str,
    *,
    email: str,
    name: str,
    experience_level: Level = Level.BEGINNER,
    **details: Any,
) -> UserProfile:
    """Create an account with an empty fitness profile.

    ``details`` are further fields of the profile.

    Raises:
        DeletionUnderWay: an account with this id is being deleted.
    """
    _check_zone(details)
    with raising_bad_input():
        profile = UserProfile.model_validate(
            {
                **details,
                "id": user_id,
                "user_id": user_id,
                "email": email,
                "name": name,
                "experience_level": experience_level,
                "deleting_since": None,
                "deletion_id": None,
            }
        )
        fitness = UserFitnessProfile(user_id=user_id, experience_level=experience_level)
        registration = register_user(profile, fitness)
    try:
        with raising_bad_input():
            db(registration)
    except TransactionFailed as failed:
        account_failure, fitness_failure = failed.failures
        if isinstance(account_failure, AlreadyExists):
            raise _id_is_taken(account_failure, user_id) from None
        if isinstance(fitness_failure, AlreadyExists):
            raise RecordExists("UserFitnessProfile", user_id) from None
        raise
    return written(registration)


def _check_zone(fields: Mapping[str, Any]) -> None:
    """Require that the preferences name a time zone, if there are some."""
    if "preferences" not in fields:
        return
    with raising_bad_input():
        preferences = AppPreferences.model_validate(fields["preferences"])
    zone_of(preferences.timezone)


def _id_is_taken(failure: AlreadyExists, user_id: str) -> Exception:
    assert failure.stored is not None  # noqa: S101 - DynamoDB returns the existing record
    is_being_deleted = "deletingSince" in failure.stored
    return DeletionUnderWay(user_id) if is_being_deleted else AccountExists(user_id)


def account(db: DB, user_id: str) -> UserProfile:
    """Return an account that is not being deleted."""
    with raising_bad_input():
        query = user(user_id)
    found = db(query)
    if found is None or found.deleting_since is not None:
        raise AccountNotFound(user_id)
    return found


def change_account(db: DB, user_id: str, **changes: Any) -> UserProfile:
    """Update some fields of an account, and return it."""
    _check_zone(changes)
    loaded = account(db, user_id)
    try:
        return change(db, users, loaded, **changes)
    except (RecordChanged, RecordNotFound):
        raise AccountNotFound(user_id) from None  # a deletion has begun or ended
