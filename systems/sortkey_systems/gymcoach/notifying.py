"""Devices, and what was sent to them."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from uuid import uuid4

from sortkey import DB
from sortkey_systems.gymcoach.design.notifying import (
    DeviceToken,
    NotificationRecord,
    device_tokens,
    notification_records,
)
from sortkey_systems.gymcoach.design.table import now_to_the_second
from sortkey_systems.gymcoach.errors import AlreadyThere, refusing_bad_input
from sortkey_systems.gymcoach.keeping import add, change, find


def register_device(
    db: DB, user_id: str, device_id: str, *, device_token: str, platform: Any, **details: Any
) -> DeviceToken:
    """The device, active and with this token, whether or not it was known."""
    now = now_to_the_second()
    told = details | {"device_token": device_token, "platform": platform, "is_active": True}
    with refusing_bad_input():
        new = DeviceToken.model_validate(
            told | {"user_id": user_id, "device_id": device_id, "last_used_at": now}
        )
    known = db(device_tokens.get(user_id, device_id))
    if known is None:
        with suppress(AlreadyThere):  # it registered twice at once
            return add(db, device_tokens, new)
        known = find(db, device_tokens, user_id, device_id)
    return change(db, device_tokens, known, **told, last_used_at=now)


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
    """A notification that is sent now, kept for seven days; one id is used once for each user."""
    with refusing_bad_input():
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


def note_delivery(
    db: DB, user_id: str, notification_id: str, delivery_status: str
) -> NotificationRecord:
    """The notification with what became of it."""
    sent = find(db, notification_records, user_id, notification_id)
    return change(db, notification_records, sent, delivery_status=delivery_status)
