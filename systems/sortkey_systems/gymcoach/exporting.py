"""Export all records of a user."""

from collections.abc import Callable, Iterator
from typing import Any

from sortkey import DB, Entity, Op, Page
from sortkey_systems.gymcoach.accounts import account
from sortkey_systems.gymcoach.design.coaching import (
    adaptive_plans_of_user,
    advice_given_to,
    recovery_plans_of_user,
    workout_recommendations_of_user,
)
from sortkey_systems.gymcoach.design.notifying import (
    devices_of_user,
    notification_records_of_user,
    notification_setup,
)
from sortkey_systems.gymcoach.design.people import fitness_profile
from sortkey_systems.gymcoach.design.progress import (
    measurements_between,
    metrics_of_user,
    milestones_of_user,
    progress_charts_of_user,
    progress_photos_of_user,
    strength_between,
    trends_between,
)
from sortkey_systems.gymcoach.design.training import (
    exercise_substitutions_of_user,
    workout_plans_of_user,
    workout_sessions_of_user,
)

_LISTS: tuple[Callable[..., Op[Page[Any]]], ...] = (
    workout_plans_of_user,
    workout_sessions_of_user,
    exercise_substitutions_of_user,
    workout_recommendations_of_user,
    adaptive_plans_of_user,
    recovery_plans_of_user,
    progress_photos_of_user,
    metrics_of_user,
    strength_between,
    measurements_between,
    progress_charts_of_user,
    milestones_of_user,
    trends_between,
    notification_records_of_user,
)


def export(db: DB, user_id: str) -> Iterator[Entity]:
    """Yield every record of a user with decrypted secrets, page by page."""
    yield account(db, user_id)
    fitness = db(fitness_profile(user_id))
    if fitness is not None:
        yield fitness
    yield from db(devices_of_user(user_id))
    yield from db(advice_given_to(user_id))
    setup = db(notification_setup(user_id))
    if setup.preferences is not None:
        yield setup.preferences
    yield from setup.reminders
    for listing in _LISTS:
        yield from pages(db, listing, user_id)


def pages(db: DB, listing: Callable[..., Op[Page[Any]]], *arguments: Any) -> Iterator[Any]:
    """Yield the records of all pages of a pattern."""
    cursor: str | None = None
    while True:
        page = db(listing(*arguments, after=cursor))
        yield from page
        cursor = page.cursor
        if cursor is None:
            return
