"""Registering: whoever signs in for the first time gets a record."""

from collections.abc import Callable
from typing import TypeVar

from sortkey import DB, AlreadyExists, utc_now
from sortkey_systems.oneonone.design import User, register_user
from sortkey_systems.oneonone.errors import UserUnknown
from sortkey_systems.oneonone.inputs import check_email, check_id

R = TypeVar("R")


def register(db: DB, user_id: str, email: str | None = None) -> User:
    """The user, with the points of today if new; one who is there already stays unchanged."""
    check_id(user_id, "user_id")
    check_email(email)
    try:
        return db(register_user(user_id, email, utc_now().date()))
    except AlreadyExists as there:
        user = there.found(User)
        if user is None:
            raise UserUnknown(user_id) from there
        return user


def registered(db: DB, user_id: str, email: str | None, work: Callable[[DB, str], R]) -> R:
    """The work, also for who has just signed in for the first time."""
    try:
        return work(db, user_id)
    except UserUnknown:
        register(db, user_id, email)
        return work(db, user_id)
