"""The schema of GymCoach AI, as it was first written down."""

from datetime import date, datetime
from typing import Any

from pydantic.alias_generators import to_camel

from sortkey import Entity, RawPattern, Table, gsi, raw_pattern, utc_now


class Gym(Table, raw=True, name="gymcoach-ai-main", type_attribute=None, ttl="ttl"):
    gsi1 = gsi("GSI1PK", "GSI1SK", name="GSI1")
    gsi2 = gsi("GSI2PK", "GSI2SK", name="GSI2")


class UserProfile(Entity, table=Gym, stored=to_camel):
    id: str
    user_id: str
    email: str
    primary = Gym.primary.key("USER#{user_id}", "PROFILE#{user_id}")


class WorkoutPlan(Entity, table=Gym, stored=to_camel):
    id: str
    user_id: str
    name: str
    primary = Gym.primary.key("WORKOUT_PLANS", "PLAN#{id}")


class WorkoutSession(Entity, table=Gym, stored=to_camel):
    id: str
    user_id: str
    started_at: datetime
    primary = Gym.primary.key("WORKOUT_SESSIONS", "SESSION#{id}")


class Recommendation(Entity, table=Gym, stored=to_camel):
    id: str
    user_id: str
    expires_at: datetime
    primary = Gym.primary.key("WORKOUT_RECOMMENDATIONS", "RECOMMENDATION#{id}")


class ProgressMetrics(
    Entity, table=Gym, stored=to_camel, identity=("user_id", "period", "start_date")
):
    user_id: str
    period: str
    start_date: date
    primary = Gym.primary.key("PROGRESS_METRICS", "METRICS#{user_id}#{period}")


class StrengthProgress(
    Entity, table=Gym, stored=to_camel, identity=("user_id", "exercise_id", "date")
):
    user_id: str
    exercise_id: str
    date: str
    primary = Gym.primary.key("STRENGTH_PROGRESS", "USER#{user_id}#{date}")


class BodyMeasurement(Entity, table=Gym, stored=to_camel, identity=("id",)):
    id: str
    user_id: str
    date: str
    primary = Gym.primary.key("BODY_MEASUREMENTS", "USER#{user_id}#{date}")


class DeviceToken(Entity, table=Gym, stored=to_camel):
    user_id: str
    device_id: str
    device_token: str
    primary = Gym.primary.key("USER#{user_id}", "DEVICE#{device_id}")


class Exercise(Entity, table=Gym, stored=to_camel):
    id: str
    name: str
    primary = Gym.primary.key("EXERCISES", "EXERCISE#{id}")


class Notification(Entity, table=Gym, stored=to_camel):
    notification_id: str
    user_id: str
    sent_at: datetime
    ttl: int
    primary = Gym.primary.key("NOTIFICATION#{notification_id}", "USER#{user_id}")


def listed(title: str, entity: type[Entity], partition: str) -> RawPattern:
    """What belongs to a user, as the seed lists it."""
    return raw_pattern(
        title,
        table=Gym,
        operation="Query",
        key_condition="PK = :pk",
        filter="userId = :user",
        values={":pk": partition, ":user": "{user_id}"},
        entity=entity,
        arguments={"user_id": str},
        where=lambda record, user_id: record.user_id == user_id,
    )


user_plans = listed("List user workout plans", WorkoutPlan, "WORKOUT_PLANS")
user_sessions = listed("List user workout sessions", WorkoutSession, "WORKOUT_SESSIONS")
user_measurements = listed("Get user body measurements", BodyMeasurement, "BODY_MEASUREMENTS")
user_recommendations = raw_pattern(
    "Get user recommendations",
    table=Gym,
    operation="Query",
    key_condition="PK = :pk",
    filter="userId = :user",
    values={":pk": "WORKOUT_RECOMMENDATIONS", ":user": "{user_id}"},
    entity=Recommendation,
    arguments={"user_id": str},
    where=lambda recommendation, user_id: (
        recommendation.user_id == user_id and recommendation.expires_at > utc_now()
    ),
)


def written(title: str, entity: type[Entity], item: dict[str, Any], **arguments: Any) -> RawPattern:
    """A record as the seed creates it: without a condition."""
    return raw_pattern(
        title,
        table=Gym,
        operation="PutItem",
        item=item | {"id": "{id}", "userId": "{user_id}"},
        entity=entity,
        arguments={"id": str, "user_id": str, **arguments},
    )


create_profile = written(
    "Create user profile",
    UserProfile,
    {"PK": "USER#{user_id}", "SK": "PROFILE#{user_id}", "email": "{email}"},
    email=str,
)
create_measurement = written(
    "Create body measurement",
    BodyMeasurement,
    {"PK": "BODY_MEASUREMENTS", "SK": "USER#{user_id}#{day}", "date": "{day}"},
    day=str,
)

sessions_by_date = raw_pattern(
    "Get workout sessions by date range",
    table=Gym,
    operation="Query",
    key_condition="PK = :pk",
    filter="userId = :user AND startedAt BETWEEN :start AND :end",
    values={
        ":pk": "WORKOUT_SESSIONS",
        ":user": "{user_id}",
        ":start": "{start}",
        ":end": "{end}",
    },
    entity=WorkoutSession,
    arguments={"user_id": str, "start": date, "end": date},
    where=lambda session, user_id, start, end: (
        session.user_id == user_id and start <= session.started_at.date() <= end
    ),
)
user_devices = raw_pattern(
    "Get user devices",
    table=Gym,
    operation="Query",
    key_condition="PK = :pk",
    filter="begins_with(SK, :device)",
    values={":pk": "USER#{user_id}", ":device": "DEVICE#"},
    entity=DeviceToken,
    arguments={"user_id": str},
    where=lambda device, user_id: device.user_id == user_id,
)
user_notifications = raw_pattern(
    "Get user notifications",
    table=Gym,
    operation="Query",
    key_condition="PK = :pk",
    filter="SK = :user",
    values={":pk": "NOTIFICATION#{notification_id}", ":user": "USER#{user_id}"},
    entity=Notification,
    arguments={"notification_id": str, "user_id": str},
    where=lambda notification, user_id: notification.user_id == user_id,
)
notifications_by_key = raw_pattern(
    "Get user notifications by key",
    doc="The same, as DynamoDB takes it.",
    table=Gym,
    operation="Query",
    key_condition="PK = :pk AND SK = :user",
    values={":pk": "NOTIFICATION#{notification_id}", ":user": "USER#{user_id}"},
    entity=Notification,
    arguments={"notification_id": str, "user_id": str},
    where=lambda notification, user_id: notification.user_id == user_id,
)
exercises = raw_pattern(
    "List all exercises",
    table=Gym,
    operation="Query",
    key_condition="PK = :pk",
    values={":pk": "EXERCISES"},
)
