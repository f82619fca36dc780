"""Notification preferences, and the reminders that follow from them."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import Any

from sortkey import DB, Done, Op, RecordError, TransactionFailed
from sortkey_systems.gymcoach.design.notifying import (
    NotificationPreferences,
    NotificationRecord,
    NotificationSetup,
    Reminder,
    ReminderKind,
    create_notification_preferences,
    delete_notification_preferences,
    notification_setup,
    reminders_due,
    update_notification_preferences,
)
from sortkey_systems.gymcoach.errors import (
    AccountNotFound,
    BadInput,
    NotificationDeclined,
    RecordExists,
    RecordNotFound,
    raising_bad_input,
)
from sortkey_systems.gymcoach.notifying import notify
from sortkey_systems.gymcoach.zones import same_zone, zone_of

_MINUTE = timedelta(minutes=1)
_TEXTS = {
    ReminderKind.WORKOUT: ("Time for your workout", "Your workout is ready."),
    ReminderKind.NUTRITION: ("Time to eat well", "Your next meal is due."),
}


def preferences(db: DB, user_id: str) -> NotificationPreferences:
    """Return the notification preferences of a user."""
    found = _setup(db, user_id).preferences
    if found is None:
        raise RecordNotFound("NotificationPreferences", user_id)
    return found


def set_preferences(db: DB, user_id: str, **changes: Any) -> NotificationPreferences:
    """Update some preferences, and the reminders with them; return the preferences.

    Other fields keep their values, or get their defaults if there were no preferences.
    """
    for name in changes.keys() & {"version", "updated_at"}:
        raise BadInput(name, "cannot be set")
    if "timezone" in changes:
        zone_of(changes["timezone"])

    def decide() -> Op[None]:
        setup = _setup(db, user_id)
        before = setup.preferences
        with raising_bad_input():
            current = {"user_id": user_id} if before is None else before.model_dump()
            after = NotificationPreferences.model_validate(current | changes)
        return _write(setup, after)

    def explain(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(_, RecordError(), *_)):
                raise AccountNotFound(user_id) from None
            case _:
                pass

    db.decide(decide, on_conflict=explain)
    return preferences(db, user_id)


def remove_preferences(db: DB, user_id: str) -> None:
    """Delete the preferences and the reminders, if there are any."""

    def decide() -> Op[None]:
        setup = _setup(db, user_id)
        if setup.preferences is None:
            return Done(None)
        return delete_notification_preferences(setup.preferences, setup.reminders)

    db.decide(decide)


def reminders_of(preferences: NotificationPreferences) -> list[Reminder]:
    """Return a reminder for each time of day in the preferences."""
    times: list[tuple[ReminderKind, str]] = []
    if preferences.workout_reminders and preferences.workout_reminder_time is not None:
        times.append((ReminderKind.WORKOUT, preferences.workout_reminder_time))
    if preferences.nutrition_reminders:
        nutrition = sorted({*preferences.nutrition_reminder_times})
        times += [(ReminderKind.NUTRITION, at) for at in nutrition]
    return [
        Reminder(user_id=preferences.user_id, kind=kind, at=at, timezone=preferences.timezone)
        for kind, at in times
    ]


def due(db: DB, timezone: str, moment: datetime) -> Iterator[Reminder]:
    """Yield the reminders that are due at a minute in a time zone, under all of its names.

    When clocks go forward, the reminders of the skipped hour are due too.
    """
    for at in minutes_of(timezone, moment):
        for name in same_zone(timezone):
            yield from db(reminders_due(name, at))


def remind(db: DB, timezone: str, moment: datetime) -> list[NotificationRecord]:
    """Send the due reminders, each once a day even if this is called again; return those sent."""
    day = moment.astimezone(zone_of(timezone)).date()
    sent: list[NotificationRecord] = []
    for found in due(db, timezone, moment):
        title, body = _TEXTS[found.kind]
        try:
            record = notify(
                db,
                found.user_id,
                notification_id=_notification_id(found, day),
                notification_type=f"{found.kind}_reminder",
                title=title,
                body=body,
            )
        except (RecordExists, AccountNotFound, NotificationDeclined):
            continue
        sent.append(record)
    return sent


def minutes_of(timezone: str, moment: datetime) -> list[str]:
    """Return the local minute, and the minutes that the clock skipped just before it."""
    zone = zone_of(timezone)
    now = moment.astimezone(zone).replace(tzinfo=None)
    before = (moment - _MINUTE).astimezone(zone).replace(tzinfo=None)
    # When clocks go back, a minute comes twice; its reminders are sent the first time only.
    skipped = max(1, (now - before) // _MINUTE)
    return [f"{now - ago * _MINUTE:%H:%M}" for ago in reversed(range(skipped))]


def _notification_id(reminder: Reminder, day: date) -> str:
    # Ids contain no #, so these texts are unique.
    text = f"{reminder.user_id}#{reminder.kind}#{reminder.at}#{day}"
    return f"reminder-{blake2b(text.encode(), digest_size=16).hexdigest()}"


def _setup(db: DB, user_id: str) -> NotificationSetup:
    with raising_bad_input():
        query = notification_setup(user_id)
    return db(query)


def _write(setup: NotificationSetup, after: NotificationPreferences) -> Op[None]:
    reminders = reminders_of(after)
    places = {(reminder.kind, reminder.at) for reminder in reminders}
    stale = [one for one in setup.reminders if (one.kind, one.at) not in places]
    fresh = [one for one in reminders if one not in setup.reminders]
    if setup.preferences is None:
        return create_notification_preferences(after, stale, fresh)
    return update_notification_preferences(after, stale, fresh)
