"""Register users at their first sign-in."""

from collections.abc import Callable
from typing import TypeVar

from sortkey import DB, AlreadyExists, utc_now
from sortkey_systems.oneonone.design import User, register_user
from sortkey_systems.oneonone.errors import UserNotFound
from sortkey_systems.oneonone.inputs import check_email, check_id

R = TypeVar("R")


def register(db: DB, user_id: str, email: str | None = None) -> User:
    """Create a user with the points of today, or return the existing one unchanged."""
    check_id(user_id, "user_id")
    check_email(email)
    try:
        return db(register_user(user_id, email, utc_now().date()))
    except AlreadyExists as existing:
        user = existing.found(User)
        if user is None:
            raise UserNotFound(user_id) from existing
        return user


def register_and_retry(db: DB, user_id: str, email: str | None, work: Callable[[DB, str], R]) -> R:
    """Call ``work``; if the user does not exist, register the user and call it again."""
    try:
        return work(db, user_id)
    except UserNotFound:
        register(db, user_id, email)
        return work(db, user_id)
