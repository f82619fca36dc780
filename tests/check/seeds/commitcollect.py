"""The item catalog of CommitCollect, as it was first written down."""

from typing import Annotated, Any

from pydantic.alias_generators import to_camel

from sortkey import Entity, RawRequest, Table, Version, gsi, raw_pattern, unique, utc_now


class CommitCollect(Table, raw=True, type_attribute=None):
    pass


class CommitCollectSessions(Table, raw=True, type_attribute=None, ttl="expiresAtUtc"):
    pass


class CommitCollectAudit(Table, raw=True, type_attribute=None, ttl="ExpiresAt"):
    correlation = gsi("GSI1PK", "GSI1SK", name="GSI1")
    event_type = gsi("GSI2PK", "GSI2SK", name="GSI2")


class CommitCollectIdempotency(Table, raw=True, type_attribute=None):
    pass


class UserProfile(Entity, table=CommitCollect, stored=to_camel):
    user_id: str
    email: str
    created_at_utc: int
    plan: str | None = None
    role: str | None = None
    primary = CommitCollect.primary.key("USER#{user_id}", "PROFILE")


class StravaConnection(Entity, table=CommitCollect, stored=to_camel):
    user_id: str
    athlete_id: Annotated[str, unique]
    access_token: str
    refresh_token: str
    expires_at_utc: int
    primary = CommitCollect.primary.key("USER#{user_id}", "STRAVA#CONNECTION")


class AthleteOwner(Entity, table=CommitCollect, stored=to_camel, immutable=True):
    athlete_id: str
    user_id: str
    primary = CommitCollect.primary.key("STRAVA#ATHLETE#{athlete_id}", "OWNER")


class Workout(Entity, table=CommitCollect, stored=to_camel):
    user_id: str
    activity_id: str
    sport_type: str
    start_date_utc: int
    distance_meters: float | None = None
    is_deleted: bool = False
    primary = CommitCollect.primary.key("USER#{user_id}", "WORKOUT#STRAVA#{activity_id}")


class Milestone(Entity, table=CommitCollect, stored=to_camel):
    user_id: str
    milestone_id: str
    model_id: str
    progress_value: float = 0
    version: Version = 0
    primary = CommitCollect.primary.key("USER#{user_id}", "MILESTONE#{milestone_id}")


class Award(Entity, table=CommitCollect, stored=to_camel, immutable=True):
    user_id: str
    milestone_id: str
    part_index: int
    part_name: str
    primary = CommitCollect.primary.key(
        "USER#{user_id}", "MILESTONE#{milestone_id}#AWARD#{part_index}"
    )


class ModelPart(Entity, table=CommitCollect, stored=to_camel):
    model_id: str
    index: int
    part_name: str
    primary = CommitCollect.primary.key("MODEL#{model_id}", "PART#{index}")


class Session(Entity, table=CommitCollectSessions, stored=to_camel):
    session_id: str
    user_id: str
    created_at_utc: int
    expires_at_utc: int
    primary = CommitCollectSessions.primary.key("SESSION#{session_id}", "META")


class AuditEvent(
    Entity, table=CommitCollectAudit, stored=to_camel, immutable=True, identity=("event_id",)
):
    user_id: str
    event_id: str
    request_id: str
    unix_epoch: int
    primary = CommitCollectAudit.primary.key("USER#{user_id}", "AUDIT#{unix_epoch}#{request_id}")


def _key(user_id: str, sort: str) -> dict[str, Any]:
    return {"PK": f"USER#{user_id}", "SK": sort}


def _is_of_milestone(award: Award, user_id: str, milestone_id: str) -> bool:
    return (award.user_id, award.milestone_id) == (user_id, milestone_id)


connect = raw_pattern(
    "Connect Strava",
    operation="TransactWriteItems",
    actions=[
        RawRequest(
            "Put",
            CommitCollect,
            item=_key("{user_id}", "STRAVA#CONNECTION")
            | {
                "athleteId": "{athlete_id}",
                "accessToken": "{access}",
                "refreshToken": "{refresh}",
                "expiresAtUtc": "{expires}",
            },
            entity=StravaConnection,
        ),
        RawRequest(
            "Put",
            CommitCollect,
            item={"PK": "STRAVA#ATHLETE#{athlete_id}", "SK": "OWNER", "userId": "{user_id}"},
            entity=AthleteOwner,
        ),
    ],
    arguments={
        "user_id": str,
        "athlete_id": str,
        "access": str,
        "refresh": str,
        "expires": int,
    },
)
mint = raw_pattern(
    "Mint an award",
    table=CommitCollect,
    operation="PutItem",
    item=_key("{user_id}", "MILESTONE#{milestone_id}#AWARD#{part_index}")
    | {"partIndex": "{part_index}", "partName": "{part_name}"},
    entity=Award,
    arguments={"user_id": str, "milestone_id": str, "part_index": int, "part_name": str},
)
progress = raw_pattern(
    "Update progress",
    table=CommitCollect,
    operation="UpdateItem",
    key=_key("{user_id}", "MILESTONE#{milestone_id}"),
    update="SET progressValue = :value",
    values={":value": "{value}"},
    entity=Milestone,
    arguments={"user_id": str, "milestone_id": str, "value": int},
)
milestones = raw_pattern(
    "Milestones of a user",
    table=CommitCollect,
    operation="Query",
    key_condition="PK = :pk AND begins_with(SK, :milestone)",
    values={":pk": "USER#{user_id}", ":milestone": "MILESTONE#"},
    entity=Milestone,
    arguments={"user_id": str},
    where=lambda milestone, user_id: milestone.user_id == user_id,
)
awards = raw_pattern(
    "Awards of a milestone",
    table=CommitCollect,
    operation="Query",
    key_condition="PK = :pk AND begins_with(SK, :milestone)",
    values={":pk": "USER#{user_id}", ":milestone": "MILESTONE#{milestone_id}"},
    entity=Award,
    arguments={"user_id": str, "milestone_id": str},
    where=_is_of_milestone,
)
awards_in_order = raw_pattern(
    "Awards of a milestone part by part",
    table=CommitCollect,
    operation="Query",
    key_condition="PK = :pk AND begins_with(SK, :award)",
    values={":pk": "USER#{user_id}", ":award": "MILESTONE#{milestone_id}#AWARD#"},
    entity=Award,
    arguments={"user_id": str, "milestone_id": str},
    where=_is_of_milestone,
    order=lambda award: award.part_index,
)
parts = raw_pattern(
    "Parts of a model in order",
    table=CommitCollect,
    operation="Query",
    key_condition="PK = :pk AND begins_with(SK, :part)",
    values={":pk": "MODEL#{model_id}", ":part": "PART#"},
    entity=ModelPart,
    arguments={"model_id": str},
    where=lambda part, model_id: part.model_id == model_id,
    order=lambda part: part.index,
)
workouts = raw_pattern(
    "Workouts since a date for one sport",
    table=CommitCollect,
    operation="Query",
    key_condition="PK = :pk AND begins_with(SK, :workout)",
    filter="sportType = :sport AND startDateUtc >= :since",
    values={
        ":pk": "USER#{user_id}",
        ":workout": "WORKOUT#",
        ":sport": "{sport}",
        ":since": "{since}",
    },
    entity=Workout,
    arguments={"user_id": str, "sport": str, "since": int},
    where=lambda workout, user_id, sport, since: (
        (workout.user_id, workout.sport_type) == (user_id, sport)
        and workout.start_date_utc >= since
    ),
)
session = raw_pattern(
    "Session by id",
    table=CommitCollectSessions,
    operation="GetItem",
    key={"PK": "SESSION#{session_id}", "SK": "META"},
    entity=Session,
    arguments={"session_id": str},
    fresh=True,
    where=lambda session, session_id: (
        session.session_id == session_id and session.expires_at_utc > utc_now().timestamp()
    ),
)
