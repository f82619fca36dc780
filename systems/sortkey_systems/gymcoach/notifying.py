"""Devices and notifications."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import uuid4

from sortkey import DB
from sortkey_systems.gymcoach.accounts import account
from sortkey_systems.gymcoach.crud import add, change, find
from sortkey_systems.gymcoach.design.notifying import (
    DeviceToken,
    NotificationPreferences,
    NotificationRecord,
    device_tokens,
    notification_preferences,
    notification_records,
)
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.errors import NotificationDeclined, RecordExists, raising_bad_input

# The settings that allow the notifications of a type, such as `achievement`.
_CHOICES = frozenset(
    {
        *("workout_reminders", "nutrition_reminders", "water_reminders"),
        *("progress_photos", "achievements", "ai_suggestions"),
    }
)


def register_device(
    db: DB, user_id: str, device_id: str, *, device_token: str, platform: Any, **details: Any
) -> DeviceToken:
    """Register a device or update it, and mark it as active."""
    now = now_to_the_second()
    fields = details | {"device_token": device_token, "platform": platform, "is_active": True}
    with raising_bad_input():
        new = DeviceToken.model_validate(
            fields | {"user_id": user_id, "device_id": device_id, "last_used_at": now}
        )
    known = db(device_tokens.get(user_id, device_id))
    if known is None:
        with suppress(RecordExists):  # registered at the same time by another call
            return add(db, device_tokens, new)
        # An eventually consistent read may miss the other call's record.
        known = db(device_tokens.reread(new)) or find(db, device_tokens, user_id, device_id)
    return change(db, device_tokens, known, **fields, last_used_at=now)


def notify(
    db: DB,
    user_id: str,
    *,
    notification_type: str,
    title: str,
    body: str,
    data: Mapping[str, str] | None = None,
    notification_id: str | None = None,
) -> NotificationRecord:
    """Store a notification for seven days; its id must be unique for the user.

    Raises:
        NotificationDeclined: the preferences of the user exclude notifications of this type.
    """
    if not _is_wanted(db, user_id, notification_type):
        raise NotificationDeclined(user_id, notification_type)
    with raising_bad_input():
        record = NotificationRecord(
            notification_id=notification_id or uuid4().hex,
            user_id=user_id,
            notification_type=notification_type,
            title=title,
            body=body,
            data={**(data or {})},
            sent_at=now_to_the_second(),
        )
    return add(db, notification_records, record)


def _is_wanted(db: DB, user_id: str, notification_type: str) -> bool:
    """Return whether the account and the preferences allow a type of notification."""
    channels = account(db, user_id).preferences.notifications
    preferences = db(notification_preferences(user_id)) or NotificationPreferences(user_id=user_id)
    is_choice = notification_type in _CHOICES  # or a type of one, without the plural
    choice = notification_type if is_choice else f"{notification_type}s"
    is_declined = choice in _CHOICES and not (
        getattr(preferences, choice, True) and getattr(channels, choice, True)
    )
    return channels.push and not is_declined


def set_delivery_status(
    db: DB, user_id: str, notification_id: str, delivery_status: str
) -> NotificationRecord:
    """Set the delivery status of a notification, and return it."""
    sent = find(db, notification_records, user_id, notification_id)
    return change(db, notification_records, sent, delivery_status=delivery_status)
