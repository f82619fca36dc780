"""Devices and notifications."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import uuid4

from sortkey import DB
from sortkey_systems.gymcoach.crud import add, change, find
from sortkey_systems.gymcoach.design.notifying import (
    DeviceToken,
    NotificationRecord,
    device_tokens,
    notification_records,
)
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.errors import RecordExists, raising_bad_input


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
        known = find(db, device_tokens, user_id, device_id)
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
    """Store a notification for seven days; its id must be unique for the user."""
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


def set_delivery_status(
    db: DB, user_id: str, notification_id: str, delivery_status: str
) -> NotificationRecord:
    """Set the delivery status of a notification, and return it."""
    sent = find(db, notification_records, user_id, notification_id)
    return change(db, notification_records, sent, delivery_status=delivery_status)
