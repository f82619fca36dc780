"""GymCoach over HTTP: devices, notifications, and what somebody wants to be told."""

from typing import Annotated

from fastapi import Depends

from sortkey import BadCursor, Page
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.identity import Caller, Having, NotAllowed, SignedIn
from sortkey_systems.gymcoach import notifying as sending
from sortkey_systems.gymcoach import reminding
from sortkey_systems.gymcoach.api_models import (
    ChangedPreferences,
    GivenDelivery,
    GivenMinute,
    GivenNotification,
    NewDevice,
    PathId,
    ToldReminders,
    Within,
    list_of,
    page_of,
    told,
)
from sortkey_systems.gymcoach.design.notifying import (
    DeviceToken,
    NotificationPreferences,
    NotificationRecord,
    device_tokens,
    devices_of_user,
    notification_records,
    notification_records_of_user,
)
from sortkey_systems.gymcoach.errors import (
    AccountGone,
    AlreadyThere,
    BadInput,
    ChangedMeanwhile,
    Contended,
    NotThere,
)
from sortkey_systems.gymcoach.keeping import find, remove

notifying = Operations()

Messenger = Annotated[Caller, Depends(Having("messenger"))]


# Devices, whose tokens are taken and never told.


@notifying.get("/devices", answer=list_of(DeviceToken))
def devices(db: Database, caller: SignedIn) -> list[DeviceToken]:
    """Your devices."""
    return db(devices_of_user(caller.user_id))


@notifying.put(
    "/devices/{device_id}",
    BadInput,
    AccountGone,
    AlreadyThere,
    NotThere,
    ChangedMeanwhile,
    answer=told(DeviceToken),
)
def register_device(
    db: Database, caller: SignedIn, device_id: PathId, given: NewDevice
) -> DeviceToken:
    """Say where one of your devices can be reached, whether or not it was known."""
    return sending.register_device(db, caller.user_id, device_id, **given.model_dump())


@notifying.delete("/devices/{device_id}", BadInput, NotThere)
def forget_device(db: Database, caller: SignedIn, device_id: PathId) -> None:
    """Forget one of your devices."""
    remove(db, device_tokens, find(db, device_tokens, caller.user_id, device_id))


# Notifications.


@notifying.get("/notifications", BadInput, BadCursor, answer=page_of(NotificationRecord))
def notifications(
    db: Database, caller: SignedIn, within: Within, cursor: Cursor = None
) -> Page[NotificationRecord]:
    """What you were told in the last seven days, newest first."""
    return db(notification_records_of_user(caller.user_id, within.since, within.until, cursor))


@notifying.get(
    "/notifications/{notification_id}", BadInput, NotThere, answer=told(NotificationRecord)
)
def notification(db: Database, caller: SignedIn, notification_id: PathId) -> NotificationRecord:
    """Something that you were told."""
    return find(db, notification_records, caller.user_id, notification_id)


@notifying.delete("/notifications/{notification_id}", BadInput, NotThere)
def delete_notification(db: Database, caller: SignedIn, notification_id: PathId) -> None:
    """Delete something that you were told."""
    found = find(db, notification_records, caller.user_id, notification_id)
    remove(db, notification_records, found)


@notifying.post(
    "/users/{user_id}/notifications",
    NotAllowed,
    BadInput,
    AccountGone,
    AlreadyThere,
    status=201,
    answer=told(NotificationRecord),
)
def notify(
    db: Database, _messenger: Messenger, user_id: PathId, given: GivenNotification
) -> NotificationRecord:
    """Tell somebody something; one id is used once for each user."""
    return sending.notify(
        db,
        user_id,
        notification_type=given.notification_type,
        title=given.title,
        body=given.body,
        data=given.data,
        notification_id=given.notification_id,
    )


@notifying.put(
    "/users/{user_id}/notifications/{notification_id}/delivery",
    NotAllowed,
    BadInput,
    NotThere,
    ChangedMeanwhile,
    answer=told(NotificationRecord),
)
def note_delivery(
    *,
    db: Database,
    _messenger: Messenger,
    user_id: PathId,
    notification_id: PathId,
    given: GivenDelivery,
) -> NotificationRecord:
    """Say what became of a notification."""
    return sending.note_delivery(db, user_id, notification_id, given.delivery_status)


# What somebody wants to be told, and when.


@notifying.get("/preferences", BadInput, NotThere, answer=told(NotificationPreferences))
def preferences(db: Database, caller: SignedIn) -> NotificationPreferences:
    """What you want to be told, and when."""
    return reminding.preferences(db, caller.user_id)


@notifying.patch(
    "/preferences",
    BadInput,
    AccountGone,
    NotThere,
    Contended,
    answer=told(NotificationPreferences),
)
def set_preferences(
    db: Database, caller: SignedIn, given: ChangedPreferences
) -> NotificationPreferences:
    """Choose what you want to be told; your reminders follow.

    What is left out stays as it is, or has its default where you never chose.
    """
    return reminding.set_preferences(db, caller.user_id, **given.chosen())


@notifying.delete("/preferences", BadInput, Contended)
def remove_preferences(db: Database, caller: SignedIn) -> None:
    """Be reminded of nothing."""
    reminding.remove_preferences(db, caller.user_id)


@notifying.post("/reminders", NotAllowed, BadInput)
def remind(db: Database, _messenger: Messenger, given: GivenMinute) -> ToldReminders:
    """Notify everybody in a time zone who is due at a minute, once however often it is asked."""
    return ToldReminders(sent=len(reminding.remind(db, given.timezone, given.moment)))
