"""Notifying: devices, notifications, preferences and reminders."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator
from pydantic.alias_generators import to_camel

from sortkey import (
    TTL,
    Collection,
    Entity,
    Expected,
    Op,
    Version,
    accepts_plaintext,
    invariant,
    pattern,
    refers,
    secret,
    transact,
)
from sortkey_systems.gymcoach.design.people import UserProfile, has_account
from sortkey_systems.gymcoach.design.records import Records, of_user
from sortkey_systems.gymcoach.design.table import (
    ClockTime,
    CreatedAt,
    GymCoach,
    Id,
    Moment,
    Owner,
    Text,
    Title,
    UpdatedAt,
    Word,
    stamped,
)

NOTIFICATION_KEPT = timedelta(days=7)


class DeviceToken(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=200_000, per_partition=2, size_bytes=500),
    relations=(refers("user_id", UserProfile),),
):
    """A device that receives notifications."""

    device_id: Id
    user_id: Owner
    device_token: Annotated[str, Field(min_length=1, max_length=4_096), secret, accepts_plaintext]
    platform: Literal["ios", "android", "web"]
    device_name: Title | None = None
    is_active: bool = True
    created_at: CreatedAt = stamped()
    last_used_at: Moment

    primary = GymCoach.primary.key("USER#{user_id}", "DEVICE#{device_id}")


class NotificationRecord(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=3_000_000, per_partition=1, size_bytes=500),
    relations=(refers("user_id", UserProfile),),
):
    """A sent notification, kept for seven days."""

    notification_id: Id
    user_id: Owner
    notification_type: Word
    title: Title
    body: Text
    data: dict[str, str] = Field(default_factory=dict[str, str])
    sent_at: Moment
    delivery_status: Word = "Sent"
    ttl: TTL | None = None

    primary = GymCoach.primary.key("NOTIFICATION#{notification_id}", "USER#{user_id}")
    by_user = GymCoach.by_user.key(
        "USER#{user_id}", "NOTIFICATION#{sent_at:%Y-%m-%dT%H:%M:%SZ}#{notification_id}"
    )

    @model_validator(mode="after")
    def _derive(self) -> Self:
        self.ttl = self.sent_at + NOTIFICATION_KEPT
        return self


class NotificationPreferences(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=100_000, per_partition=1, size_bytes=400),
    relations=(refers("user_id", UserProfile),),
):
    """The notifications that a user wants, and when."""

    user_id: Owner
    workout_reminders: bool = True
    nutrition_reminders: bool = True
    water_reminders: bool = True
    progress_photos: bool = True
    achievements: bool = True
    ai_suggestions: bool = True
    workout_reminder_time: ClockTime | None = None
    # At most 24, so that preferences and reminders fit into one transaction.
    nutrition_reminder_times: Annotated[list[ClockTime], Field(max_length=24)] = Field(
        default_factory=list[str]
    )
    timezone: Word = "UTC"
    # Added: reminders are derived from the whole record, so concurrent updates must conflict.
    version: Version = 0
    updated_at: UpdatedAt = stamped()

    primary = GymCoach.primary.key("USER#{user_id}", "NOTIFICATION_PREFERENCES")


class ReminderKind(StrEnum):
    """The kinds of daily reminders."""

    WORKOUT = "workout"
    NUTRITION = "nutrition"


class Reminder(
    Entity,
    table=GymCoach,
    stored=to_camel,
    expected=Expected(count=400_000, per_partition=4, size_bytes=200, hottest_share=0.2),
    relations=(refers("user_id", UserProfile),),
):
    """Added: a reminder at one time of day, because a record has only one entry in an index.

    Reminders are written only together with the preferences.
    """

    user_id: Owner
    kind: ReminderKind
    at: ClockTime
    timezone: Word

    primary = GymCoach.primary.key("USER#{user_id}", "REMINDER#{kind}#{at}")
    due = GymCoach.by_state.key("REMINDER#{timezone}", "{at}#{kind}#{user_id}")


# As many as fit into a transaction, beside the preferences and the check of the account.
Reminders: TypeAlias = Annotated[list[Reminder], Field(max_length=49)]


class NotificationSetup(Collection):
    """A user's preferences and stored reminders."""

    preferences: NotificationPreferences | None
    reminders: list[Reminder]


@pattern("A device by id", rate="1/s")
def device_token(user_id: str, device_id: str) -> Op[DeviceToken | None]:
    """Return a device with its push token."""
    return DeviceToken.get(user_id=user_id, device_id=device_id)


@pattern(
    "A user's devices",
    rate="20/s",
    where=lambda device, user_id: device.user_id == user_id,
    order=lambda device: device.device_id,
)
def devices_of_user(user_id: str) -> Op[list[DeviceToken]]:
    """Return the devices; DynamoDB rejects the documented filter on ``SK``, this uses the key."""
    return DeviceToken.query(user_id=user_id)


@pattern("A user's notification by id", rate="5/s")
def notification_record(user_id: str, notification_id: str) -> Op[NotificationRecord | None]:
    """Return the notification that a user received under an id."""
    return NotificationRecord.get(user_id=user_id, notification_id=notification_id)


@pattern(
    "Notifications by id",
    rate="1/min",
    where=lambda record, notification_id: record.notification_id == notification_id,
    order=lambda record: record.user_id,
)
def notification_records_by_id(notification_id: str) -> Op[list[NotificationRecord]]:
    """Return the notifications of all users with this id: a message to many can share one."""
    return NotificationRecord.query(notification_id=notification_id)


@pattern("A user's notification preferences", rate="20/s")
def notification_preferences(user_id: str) -> Op[NotificationPreferences | None]:
    """Return the preferences."""
    return NotificationPreferences.get(user_id=user_id)


@pattern(
    "A user's preferences with reminders",
    rate="1/s",
    fresh=True,
    where=lambda record, user_id: record.user_id == user_id,
    ignore={"SK407": "a user has one profile and a few devices, which the Query also reads"},
)
def notification_setup(user_id: str) -> Op[NotificationSetup]:
    """Return both; strongly consistent, because an update is based on this read."""
    return NotificationSetup.load(user_id=user_id).consistently()


@pattern(
    "Create: NotificationPreferences, with reminders",
    rate="10/min",
    ignore={"SK703": "the preferences, from which reminders are derived, have a condition"},
)
def create_notification_preferences(
    preferences: NotificationPreferences, stale: Reminders, fresh: Reminders
) -> Op[None]:
    """Create both; ``stale`` are reminders without preferences, which an import may leave."""
    return transact(
        preferences.create(),
        has_account(preferences.user_id),
        *(reminder.delete() for reminder in stale),
        *(reminder.put() for reminder in fresh),
    )


@pattern(
    "Update: NotificationPreferences, with reminders",
    rate="1/s",
    ignore={"SK703": "the preferences, from which reminders are derived, have a condition"},
)
def update_notification_preferences(
    preferences: NotificationPreferences, stale: Reminders, fresh: Reminders
) -> Op[None]:
    """Replace the loaded version, so that the reminders match the latest preferences."""
    return transact(
        preferences.replace(),
        has_account(preferences.user_id),
        *(reminder.delete() for reminder in stale),
        *(reminder.put() for reminder in fresh),
    )


@pattern("Delete: NotificationPreferences, with reminders", rate="1/min")
def delete_notification_preferences(
    preferences: NotificationPreferences, reminders: Reminders
) -> Op[None]:
    """Delete the loaded preferences and reminders."""
    return transact(preferences.delete(), *(reminder.delete() for reminder in reminders))


@pattern("A reminder", rate="1/min")
def reminder(user_id: str, kind: ReminderKind, at: str) -> Op[Reminder | None]:
    """Return a reminder by its key."""
    return Reminder.get(user_id=user_id, kind=kind, at=at)


@pattern(
    "Reminders due in a time zone at a time of day",
    rate="10/s",
    where=lambda reminder, timezone, at: reminder.timezone == timezone and reminder.at == at,
    order=lambda reminder: (reminder.kind, reminder.user_id),
)
def reminders_due(timezone: str, at: str) -> Op[list[Reminder]]:
    """Return the reminders of all users at this local time."""
    return Reminder.query(Reminder.due, timezone=timezone, at=at)


device_tokens = Records(
    DeviceToken, device_token, create="10/min", update="2/s", delete="1/min", requires=has_account
)
notification_records = Records(
    NotificationRecord,
    notification_record,
    create="20/s",
    update="20/s",
    delete="1/min",
    requires=has_account,
)

notification_records_of_user = of_user(
    NotificationRecord, NotificationRecord.by_user, "sent_at", rate="10/s"
)


# Invariants: they hold after every write.


@invariant("A reminder matches its user's preferences")
def reminder_is_preferred(reminder: Reminder, preferences: list[NotificationPreferences]) -> bool:
    """A user is reminded only at times that they chose."""
    own = [each for each in preferences if each.user_id == reminder.user_id]
    times = {
        ReminderKind.WORKOUT: [each.workout_reminder_time for each in own],
        ReminderKind.NUTRITION: [at for each in own for at in each.nutrition_reminder_times],
    }
    return reminder.at in times[reminder.kind]
