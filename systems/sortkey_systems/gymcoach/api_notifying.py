"""GymCoach's HTTP API: devices, notifications, preferences and reminders."""

from typing import Annotated

from fastapi import Depends

from sortkey import BadCursor, Contended, Page
from sortkey_systems.api.app import Cursor, Database, Operations
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import NotAllowed, RequireRole, SignedIn
from sortkey_systems.gymcoach import notifying as sending
from sortkey_systems.gymcoach import reminding
from sortkey_systems.gymcoach.api_models import (
    PathId,
    QueryTimes,
    list_response,
    page_response,
    response_model,
)
from sortkey_systems.gymcoach.api_models_notifying import (
    RegisterDeviceRequest,
    SendNotificationRequest,
    SendRemindersRequest,
    SendRemindersResponse,
    SetDeliveryRequest,
    UpdateDeviceRequest,
    UpdatePreferencesRequest,
)
from sortkey_systems.gymcoach.crud import change, find, remove
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
    AccountNotFound,
    BadInput,
    NotificationDeclined,
    RecordChanged,
    RecordExists,
    RecordNotFound,
)

notifying = Operations()

Messenger = Annotated[Caller, Depends(RequireRole("messenger"))]


# Devices. Responses never contain their push tokens.


@notifying.get("/devices", response=list_response(DeviceToken))
def devices(db: Database, caller: SignedIn) -> list[DeviceToken]:
    """List your devices."""
    return db(devices_of_user(caller.user_id))


@notifying.put(
    "/devices/{device_id}",
    BadInput,
    AccountNotFound,
    RecordExists,
    RecordNotFound,
    RecordChanged,
    response=response_model(DeviceToken),
)
def register_device(
    db: Database, caller: SignedIn, device_id: PathId, body: RegisterDeviceRequest
) -> DeviceToken:
    """Register one of your devices, or update it."""
    return sending.register_device(db, caller.user_id, device_id, **body.model_dump())


@notifying.patch(
    "/devices/{device_id}",
    BadInput,
    AccountNotFound,
    RecordNotFound,
    RecordChanged,
    response=response_model(DeviceToken),
)
def change_device(
    db: Database, caller: SignedIn, device_id: PathId, body: UpdateDeviceRequest
) -> DeviceToken:
    """Update the name of one of your devices, or deactivate it."""
    found = find(db, device_tokens, caller.user_id, device_id)
    return change(db, device_tokens, found, **body.sent_fields())


@notifying.post(
    "/users/{user_id}/devices/{device_id}/deactivate",
    NotAllowed,
    BadInput,
    AccountNotFound,
    RecordNotFound,
    response=response_model(DeviceToken),
)
def deactivate_device(
    db: Database, _messenger: Messenger, user_id: PathId, device_id: PathId
) -> DeviceToken:
    """Deactivate a device of a user whose push token is no longer valid."""
    found = find(db, device_tokens, user_id, device_id)
    return change(db, device_tokens, found, is_active=False)


@notifying.delete("/devices/{device_id}", BadInput, RecordNotFound)
def delete_device(db: Database, caller: SignedIn, device_id: PathId) -> None:
    """Delete one of your devices."""
    remove(db, device_tokens, find(db, device_tokens, caller.user_id, device_id))


# Notifications.


@notifying.get("/notifications", BadInput, BadCursor, response=page_response(NotificationRecord))
def notifications(
    db: Database, caller: SignedIn, times: QueryTimes, cursor: Cursor = None
) -> Page[NotificationRecord]:
    """List your notifications of the last seven days, newest first."""
    return db(notification_records_of_user(caller.user_id, times.since, times.until, cursor))


@notifying.get(
    "/notifications/{notification_id}",
    BadInput,
    RecordNotFound,
    response=response_model(NotificationRecord),
)
def notification(db: Database, caller: SignedIn, notification_id: PathId) -> NotificationRecord:
    """Get one of your notifications."""
    return find(db, notification_records, caller.user_id, notification_id)


@notifying.delete("/notifications/{notification_id}", BadInput, RecordNotFound)
def delete_notification(db: Database, caller: SignedIn, notification_id: PathId) -> None:
    """Delete one of your notifications."""
    found = find(db, notification_records, caller.user_id, notification_id)
    remove(db, notification_records, found)


@notifying.post(
    "/users/{user_id}/notifications",
    NotAllowed,
    BadInput,
    AccountNotFound,
    NotificationDeclined,
    RecordExists,
    status=201,
    response=response_model(NotificationRecord),
)
def notify(
    db: Database, _messenger: Messenger, user_id: PathId, body: SendNotificationRequest
) -> NotificationRecord:
    """Send a notification to a user; its id must be unique for that user."""
    return sending.notify(
        db,
        user_id,
        notification_type=body.notification_type,
        title=body.title,
        body=body.body,
        data=body.data,
        notification_id=body.notification_id,
    )


@notifying.put(
    "/users/{user_id}/notifications/{notification_id}/delivery",
    NotAllowed,
    BadInput,
    AccountNotFound,
    RecordNotFound,
    RecordChanged,
    response=response_model(NotificationRecord),
)
def set_delivery_status(
    *,
    db: Database,
    _messenger: Messenger,
    user_id: PathId,
    notification_id: PathId,
    body: SetDeliveryRequest,
) -> NotificationRecord:
    """Set the delivery status of a notification."""
    return sending.set_delivery_status(db, user_id, notification_id, body.delivery_status)


# Preferences.


@notifying.get(
    "/preferences", BadInput, RecordNotFound, response=response_model(NotificationPreferences)
)
def preferences(db: Database, caller: SignedIn) -> NotificationPreferences:
    """Get your notification preferences."""
    return reminding.preferences(db, caller.user_id)


@notifying.patch(
    "/preferences",
    BadInput,
    AccountNotFound,
    RecordNotFound,
    Contended,
    response=response_model(NotificationPreferences),
)
def set_preferences(
    db: Database, caller: SignedIn, body: UpdatePreferencesRequest
) -> NotificationPreferences:
    """Update some of your notification preferences, and your reminders with them.

    Without preferences so far, the other fields get their defaults.
    """
    return reminding.set_preferences(db, caller.user_id, **body.sent_fields())


@notifying.delete("/preferences", BadInput, Contended)
def remove_preferences(db: Database, caller: SignedIn) -> None:
    """Delete your notification preferences and reminders."""
    reminding.remove_preferences(db, caller.user_id)


@notifying.post("/reminders", NotAllowed, BadInput)
def remind(
    db: Database, _messenger: Messenger, body: SendRemindersRequest
) -> SendRemindersResponse:
    """Send the reminders that are due in a time zone at a minute; repeating it sends none twice."""
    return SendRemindersResponse(sent=len(reminding.remind(db, body.timezone, body.moment)))
