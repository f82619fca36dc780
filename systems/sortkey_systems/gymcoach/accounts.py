"""Accounts: who trains here."""

from typing import Any

from sortkey import DB, AlreadyExists, TransactionFailed
from sortkey_systems.gymcoach.design.people import (
    UserFitnessProfile,
    UserProfile,
    register_user,
    user,
    users,
)
from sortkey_systems.gymcoach.design.table import Level
from sortkey_systems.gymcoach.errors import (
    AccountExists,
    AccountGone,
    AlreadyThere,
    refusing_bad_input,
)
from sortkey_systems.gymcoach.keeping import change


def register(
    db: DB,
    user_id: str,
    *,
    email: str,
    name: str,
    experience_level: Level = Level.BEGINNER,
    **details: Any,
) -> UserProfile:
    """A new account, with a fitness profile that has nothing in it yet.

    ``details`` are further fields of the profile. An id whose records are being deleted is not
    free before they are gone.
    """
    with refusing_bad_input():
        profile = UserProfile.model_validate(
            {
                **details,
                "id": user_id,
                "user_id": user_id,
                "email": email,
                "name": name,
                "experience_level": experience_level,
                "deleting_since": None,
            }
        )
        fitness = UserFitnessProfile(user_id=user_id, experience_level=experience_level)
        registration = register_user(profile, fitness)
    try:
        with refusing_bad_input():
            db(registration)
    except TransactionFailed as failed:
        known, fit = failed.failures
        if isinstance(known, AlreadyExists):
            raise _taken(known, user_id) from None
        if isinstance(fit, AlreadyExists):
            raise AlreadyThere("UserFitnessProfile", user_id) from None
        raise
    return account(db, user_id)


def _taken(known: AlreadyExists, user_id: str) -> Exception:
    assert known.stored is not None  # noqa: S101 - there is one
    is_going = "deletingSince" in known.stored
    return AccountGone(user_id) if is_going else AccountExists(user_id)


def account(db: DB, user_id: str) -> UserProfile:
    """The account, unless it is being deleted."""
    with refusing_bad_input():
        asked = user(user_id)
    found = db(asked)
    if found is None or found.deleting_since is not None:
        raise AccountGone(user_id)
    return found


def change_account(db: DB, user_id: str, **changes: Any) -> UserProfile:
    """The account with some of its fields changed."""
    return change(db, users, account(db, user_id), **changes)
