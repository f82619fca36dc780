"""Request and response models of GymCoach's API: devices, notifications and reminders."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, Field

from sortkey_systems.api.app import Moment
from sortkey_systems.api.bodies import RequestBody
from sortkey_systems.gymcoach.api_models import PathId, PathWord, entity_body, partial_body
from sortkey_systems.gymcoach.design.notifying import (
    DeviceToken,
    NotificationPreferences,
)
from sortkey_systems.gymcoach.design.table import Count, Text, Title, Word


class RegisterDeviceRequest(entity_body(DeviceToken, "device_token", "platform", "device_name")):
    """A device and its push token."""


class UpdateDeviceRequest(partial_body(entity_body(DeviceToken, "device_name", "is_active"))):
    """The fields of a device to update; an inactive device gets no notifications."""


class UpdatePreferencesRequest(
    partial_body(
        entity_body(
            NotificationPreferences,
            "workout_reminders",
            "nutrition_reminders",
            "water_reminders",
            "progress_photos",
            "achievements",
            "ai_suggestions",
            "workout_reminder_time",
            "nutrition_reminder_times",
            "timezone",
        )
    )
):
    """The fields of the preferences to update."""


Data = Annotated[dict[PathWord, Annotated[str, Field(max_length=1_000)]], Field(max_length=20)]


class SendNotificationRequest(RequestBody):
    """A notification; ``notification_id`` must be unique for each user."""

    notification_type: Word
    title: Title
    body: Text
    data: Data = Field(default_factory=dict[str, str])
    notification_id: PathId | None = None


class SetDeliveryRequest(RequestBody):
    """The delivery status of a notification."""

    delivery_status: Word


class SendRemindersRequest(RequestBody):
    """A time zone, and the minute for which to send reminders."""

    timezone: Word
    # Within years in which every time zone has a previous and a next day.
    moment: Annotated[
        Moment,
        Field(gt=datetime(1970, 1, 1, tzinfo=UTC), lt=datetime(9999, 1, 1, tzinfo=UTC)),
    ]


class SendRemindersResponse(BaseModel):
    """The number of reminders sent."""

    sent: Count
