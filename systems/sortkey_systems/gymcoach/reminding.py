"""Preferences with their reminders, and what is due in a time zone."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from hashlib import blake2b
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from sortkey import DB, TransactionFailed, WriteFailed
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
    AccountGone,
    AlreadyThere,
    BadInput,
    Contended,
    NotThere,
    refusing_bad_input,
)
from sortkey_systems.gymcoach.notifying import notify

ATTEMPTS = 5
_MINUTE = timedelta(minutes=1)
_TEXTS = {
    ReminderKind.WORKOUT: ("Time for your workout", "Your workout is ready."),
    ReminderKind.NUTRITION: ("Time to eat well", "Your next meal is due."),
}


def preferences(db: DB, user_id: str) -> NotificationPreferences:
    """What somebody wants to be told."""
    found = _setup(db, user_id).preferences
    if found is None:
        raise NotThere("NotificationPreferences", user_id)
    return found


def set_preferences(db: DB, user_id: str, **chosen: Any) -> NotificationPreferences:
    """The preferences with these fields, and with a reminder for each time of day in them.

    Fields that are not named stay as they are, or have their defaults where there were none.
    """
    for name in chosen.keys() & {"version", "updated_at"}:
        raise BadInput(name, "it cannot be chosen")
    _refuse_unknown_zone(chosen.get("timezone"))
    for _ in range(ATTEMPTS):
        setup = _setup(db, user_id)
        before = setup.preferences
        with refusing_bad_input():
            kept = {"user_id": user_id} if before is None else before.model_dump()
            wanted = NotificationPreferences.model_validate(kept | chosen)
        try:
            _write(db, setup, wanted)
        except TransactionFailed as failed:
            if isinstance(failed.failures[1], WriteFailed):
                raise AccountGone(user_id) from None
            continue  # others have changed them since they were read
        return preferences(db, user_id)
    raise Contended(f"the preferences of {user_id} are being changed")


def remove_preferences(db: DB, user_id: str) -> None:
    """No preferences, and no reminders; the same where there were none."""
    for _ in range(ATTEMPTS):
        setup = _setup(db, user_id)
        if setup.preferences is None:
            return
        try:
            db(delete_notification_preferences(setup.preferences, setup.reminders))
        except TransactionFailed:
            continue
        return
    raise Contended(f"the preferences of {user_id} are being changed")


def reminders_of(chosen: NotificationPreferences) -> list[Reminder]:
    """A reminder for each time of day that somebody wants one at."""
    times: list[tuple[ReminderKind, str]] = []
    if chosen.workout_reminders and chosen.workout_reminder_time is not None:
        times.append((ReminderKind.WORKOUT, chosen.workout_reminder_time))
    if chosen.nutrition_reminders:
        times += [(ReminderKind.NUTRITION, at) for at in sorted({*chosen.nutrition_reminder_times})]
    return [
        Reminder(user_id=chosen.user_id, kind=kind, at=at, timezone=chosen.timezone)
        for kind, at in times
    ]


def due(db: DB, timezone: str, moment: datetime) -> Iterator[Reminder]:
    """The reminders of the minute that it is in a time zone.

    Where clocks go forward, those of the hour that is left out are due too.
    """
    for at in minutes_of(timezone, moment):
        yield from db(reminders_due(timezone, at))


def remind(db: DB, timezone: str, moment: datetime) -> list[NotificationRecord]:
    """Notify everybody who is due, once for each time and local day, however often it is called."""
    day = moment.astimezone(_zone(timezone)).date()
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
        except (AlreadyThere, AccountGone):
            continue
        sent.append(record)
    return sent


def minutes_of(timezone: str, moment: datetime) -> list[str]:
    """The local minute of a moment, with those that the clock went over since the one before."""
    zone = _zone(timezone)
    now = moment.astimezone(zone).replace(tzinfo=None)
    before = (moment - _MINUTE).astimezone(zone).replace(tzinfo=None)
    # Where clocks go back, a minute comes twice; whoever was told is not told again.
    skipped = max(1, (now - before) // _MINUTE)
    return [f"{now - ago * _MINUTE:%H:%M}" for ago in reversed(range(skipped))]


def _notification_id(reminder: Reminder, day: date) -> str:
    # No id has a #, so that no two of these texts are alike.
    text = f"{reminder.user_id}#{reminder.kind}#{reminder.at}#{day}"
    return f"reminder-{blake2b(text.encode(), digest_size=16).hexdigest()}"


def _setup(db: DB, user_id: str) -> NotificationSetup:
    with refusing_bad_input():
        asked = notification_setup(user_id)
    return db(asked)


def _write(db: DB, setup: NotificationSetup, wanted: NotificationPreferences) -> None:
    reminders = reminders_of(wanted)
    places = {(reminder.kind, reminder.at) for reminder in reminders}
    stale = [one for one in setup.reminders if (one.kind, one.at) not in places]
    fresh = [one for one in reminders if one not in setup.reminders]
    if setup.preferences is None:
        db(create_notification_preferences(wanted, stale, fresh))
    else:
        db(update_notification_preferences(wanted, stale, fresh))


def _refuse_unknown_zone(timezone: object) -> None:
    if timezone is not None:
        _zone(str(timezone))


def _zone(timezone: str) -> ZoneInfo:
    try:
        return ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise BadInput("timezone", f"{timezone!r} is no time zone") from None
