"""Everything CommitCollect stores, and every question that it asks.

Keys and attributes are those of the item catalog. What was added has a comment that says why.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator
from pydantic.alias_generators import to_camel

from sortkey import (
    TTL,
    Alarms,
    Claim,
    Collection,
    Entity,
    EpochSeconds,
    Expected,
    Op,
    Page,
    Settings,
    Stored,
    Table,
    Version,
    gsi,
    invariant,
    missing,
    pattern,
    refers,
    secret,
    value_of,
)

MOST_PARTS = 99

# An id is part of a key, where # stands between the parts: such an id is refused with its name.
Id = Annotated[str, Field(min_length=1, max_length=128, pattern=r"^[^#]+$")]
# Fixed width, so that no milestone's key is the beginning of another's.
Ulid = Annotated[str, Field(pattern=r"^[0-9A-HJKMNP-TV-Z]{26}$")]
PartIndex = Annotated[int, Field(ge=1, le=MOST_PARTS)]
Measure = Annotated[Decimal, Field(ge=0)]


class Plan(StrEnum):
    """What somebody pays for."""

    FREE = "free"
    PRO = "pro"


class AccountRole(StrEnum):
    """What somebody may do."""

    USER = "user"
    ADMIN = "admin"


class Sport(StrEnum):
    """What a milestone can be about."""

    RIDE = "RIDE"
    RUN = "RUN"
    SWIM = "SWIM"


class TargetType(StrEnum):
    """What a milestone counts."""

    DISTANCE_METERS = "DISTANCE_METERS"
    ELEVATION_METERS = "ELEVATION_METERS"


class MilestoneStatus(StrEnum):
    """Whether all parts are earned."""

    ACTIVE = "ACTIVE"
    COMPLETED = "COMPLETED"


class ModelStatus(StrEnum):
    """Whether new milestones may choose a model."""

    ACTIVE = "ACTIVE"
    RETIRED = "RETIRED"


class EventType(StrEnum):
    """What is worth an audit event."""

    AUTH_SIGNUP = "AUTH_SIGNUP"
    AUTH_LOGIN = "AUTH_LOGIN"
    AUTH_LOGOUT = "AUTH_LOGOUT"
    STRAVA_AUTHORIZE = "STRAVA_AUTHORIZE"
    STRAVA_DEAUTHORIZE = "STRAVA_DEAUTHORIZE"
    STRAVA_ACTIVITY_CREATE = "STRAVA_ACTIVITY_CREATE"
    STRAVA_ACTIVITY_UPDATE = "STRAVA_ACTIVITY_UPDATE"
    STRAVA_ACTIVITY_DELETE = "STRAVA_ACTIVITY_DELETE"
    MILESTONE_PART_MINTED = "MILESTONE_PART_MINTED"
    ACCOUNT_DELETE = "ACCOUNT_DELETE"


class Result(StrEnum):
    """How what an audit event tells of ended."""

    ATTEMPT = "attempt"
    SUCCESS = "success"
    PARTIAL = "partial"
    FAILED = "failed"


# These have an account, or a file, of their own, and the names that are written down.
_ALONE = ("dev", "prod")


def _named(name: str) -> Callable[[str], str]:
    """A table's name; environments that share an account are told apart in front of it."""
    return lambda environment: name if environment in _ALONE else f"{environment}-{name}"


# Four tables, billed on demand; somebody is told when one is throttled.
_SETTINGS = Settings(alarms=Alarms())


class CommitCollect(Table, name=_named("CommitCollect"), settings=_SETTINGS):
    """People, what they did, and what they earned."""

    # Added: the catalog has no index here. One serves three lists, each in partitions of its own:
    # workouts by time (activity ids do not tell it), milestones without their awards (which lie
    # between them in the table), and models by status. Connections have no entry, so that no token
    # is projected. A local index would read consistently, but cannot be added to a table that
    # exists.
    lists = gsi("GSI1PK", "GSI1SK", name="GSI1")


class CommitCollectSessions(
    Table, name=_named("CommitCollectSessions"), ttl="expiresAtUtc", settings=_SETTINGS
):
    """Who is signed in."""

    # Added: deleting an account ends all its sessions.
    by_user = gsi(
        "GSI1PK",
        "GSI1SK",
        name="GSI1",
        project=["sessionId", "userId", "createdAtUtc", "expiresAtUtc"],
    )


class CommitCollectAudit(
    Table, name=_named("CommitCollectAudit"), ttl="ExpiresAt", settings=_SETTINGS
):
    """What happened, for ninety days."""

    by_correlation = gsi("GSI1PK", "GSI1SK", name="GSI1")
    by_type = gsi("GSI2PK", "GSI2SK", name="GSI2")


class CommitCollectIdempotency(
    Table, name=_named("CommitCollectIdempotency"), ttl="expires", settings=_SETTINGS
):
    """Which events are being processed, and which were."""


TABLES = (CommitCollect, CommitCollectSessions, CommitCollectAudit, CommitCollectIdempotency)


# The table CommitCollect.


class UserProfile(Entity, table=CommitCollect, stored=to_camel, expected=Expected(count=100_000)):
    """Somebody with an account."""

    user_id: Id
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=320)]
    created_at_utc: EpochSeconds
    plan: Plan = Plan.FREE
    role: AccountRole = AccountRole.USER

    primary = CommitCollect.primary.key("USER#{user_id}", "PROFILE")


class StravaConnection(
    Entity, table=CommitCollect, stored=to_camel, relations=(refers("user_id", UserProfile),)
):
    """Somebody's one Strava account, with the tokens to read it."""

    user_id: Id
    athlete_id: Id
    access_token: Annotated[str, secret]
    refresh_token: Annotated[str, secret]
    # When the access token lapses; the record stays.
    expires_at_utc: EpochSeconds
    updated_at_utc: EpochSeconds
    scope: str | None = None

    primary = CommitCollect.primary.key("USER#{user_id}", "STRAVA#CONNECTION")


class AthleteOwner(
    Entity,
    table=CommitCollect,
    stored=to_camel,
    relations=(refers("user_id", UserProfile),),
    ignore={"SK611": "it is what tells the user of an athlete, and only the server asks it"},
):
    """Who a Strava athlete belongs to: one person, since the key is the athlete's alone."""

    athlete_id: Id
    user_id: Id
    updated_at_utc: EpochSeconds

    primary = CommitCollect.primary.key("STRAVA#ATHLETE#{athlete_id}", "OWNER")


class Workout(
    Entity,
    table=CommitCollect,
    stored=to_camel,
    expected=Expected(count=20_000_000, per_partition=200, size_bytes=400, hottest_share=0.0005),
    relations=(refers("user_id", UserProfile),),
):
    """One activity; a deleted one stays as a mark that an event before the deletion meets."""

    user_id: Id
    activity_id: Id
    # Strava's word in capitals; RIDE, RUN and SWIM count towards milestones.
    sport_type: Annotated[str, Field(min_length=1)] | None = None
    start_date_utc: EpochSeconds | None = None
    event_time_utc: EpochSeconds
    distance_meters: Measure | None = None
    total_elevation_gain: Annotated[Measure | None, Stored("total_elevation_gain")] = None
    is_deleted: bool = False
    deleted_at_utc: EpochSeconds | None = None
    activity_name: str | None = None
    moving_time_sec: Annotated[int, Field(ge=0)] | None = None

    primary = CommitCollect.primary.key("USER#{user_id}", "WORKOUT#STRAVA#{activity_id}")
    # Sparse: a deletion that came before its activity has no start. The id keeps two activities
    # of one second in one order.
    by_start = CommitCollect.lists.key(
        "USER#{user_id}#WORKOUTS", "{start_date_utc:%s}#{activity_id}"
    )

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        if not self.is_deleted and (self.sport_type is None or self.start_date_utc is None):
            raise ValueError("sport_type and start_date_utc are required unless is_deleted")
        return self


class Milestone(
    Entity,
    table=CommitCollect,
    stored=to_camel,
    expected=Expected(per_partition=5),
    relations=(refers("user_id", UserProfile),),
):
    """A target for one sport, and how much of it and of its statue is reached."""

    user_id: Id
    milestone_id: Ulid
    model_id: Id
    sport: Sport
    target_type: TargetType
    total_target: Annotated[Decimal, Field(gt=0)]
    part_target: Annotated[Decimal, Field(gt=0)]
    parts_total: PartIndex
    period_start_at_utc: EpochSeconds
    status: MilestoneStatus = MilestoneStatus.ACTIVE
    progress_value: Measure = Decimal(0)
    percent_complete: Annotated[Decimal, Field(ge=0, le=100)] = Decimal(0)
    parts_earned: Annotated[int, Field(ge=0, le=MOST_PARTS)] = 0
    version: Version = 0

    primary = CommitCollect.primary.key("USER#{user_id}", "MILESTONE#{milestone_id}")
    by_user = CommitCollect.lists.key("USER#{user_id}#MILESTONES", "{milestone_id}")


class Award(
    Entity,
    table=CommitCollect,
    stored=to_camel,
    immutable=True,
    expected=Expected(per_partition=60),
):
    """A part of the statue that was earned, with its details as they were then."""

    user_id: Id
    milestone_id: Ulid
    part_index: PartIndex
    part_name: str
    mesh_file: str
    attach_point: str
    awarded_at_utc: EpochSeconds
    progress_value_at_award: Measure

    primary = CommitCollect.primary.key(
        "USER#{user_id}", "MILESTONE#{milestone_id}#AWARD#{part_index:02d}"
    )


class ModelMeta(Entity, table=CommitCollect, stored=to_camel, expected=Expected(count=50)):
    """A statue."""

    model_id: Id
    name: str
    parts_total: PartIndex
    status: ModelStatus = ModelStatus.ACTIVE

    primary = CommitCollect.primary.key("MODEL#{model_id}", "META")
    by_status = CommitCollect.lists.key("MODELS#{status}", "{model_id}")


class ModelPart(
    Entity,
    table=CommitCollect,
    stored=to_camel,
    expected=Expected(count=1_000, per_partition=MOST_PARTS),
    relations=(refers("model_id", ModelMeta),),
):
    """A part of a statue."""

    model_id: Id
    index: PartIndex
    part_name: str
    mesh_file: str
    attach_point: str

    primary = CommitCollect.primary.key("MODEL#{model_id}", "PART#{index:02d}")


# The table CommitCollectSessions.


class Session(
    Entity,
    table=CommitCollectSessions,
    stored=to_camel,
    expected=Expected(per_partition=5),
    relations=(refers("user_id", UserProfile),),
    ignore={"SK611": "whoever brings the id of a session is not known before it is read"},
):
    """Somebody is signed in, for thirty days."""

    session_id: Id
    user_id: Id
    created_at_utc: EpochSeconds
    expires_at_utc: TTL

    primary = CommitCollectSessions.primary.key("SESSION#{session_id}", "META")
    by_user = CommitCollectSessions.by_user.key(
        "USER#{user_id}", "{created_at_utc:%s}#{session_id}"
    )


class OAuthState(
    Entity,
    table=CommitCollectSessions,
    stored=to_camel,
    ignore={"SK611": "Strava brings back the state alone; the condition holds it to its user"},
):
    """What Strava sends back with the user, once, within ten minutes."""

    state: Id
    user_id: Id
    session_id: Id
    expires_at_utc: TTL

    primary = CommitCollectSessions.primary.key("STATE#{state}", "META")


# The table CommitCollectAudit.


class AuditEvent(
    Entity, table=CommitCollectAudit, stored=to_camel, immutable=True, identity=("event_id",)
):
    """Something happened."""

    user_id: Id
    event_id: Ulid
    event_type: EventType
    occurred_at_utc: EpochSeconds
    request_id: Id
    correlation_id: Id
    result: Result
    data: Annotated[dict[str, str], Field(max_length=20)] | None = None
    expires_at: Annotated[TTL, Stored("ExpiresAt")]

    # The event's id was added at the end: two events of one request in one second shared a key.
    primary = CommitCollectAudit.primary.key(
        "USER#{user_id}", "AUDIT#{occurred_at_utc:%s}#{request_id}#{event_id}"
    )
    by_correlation = CommitCollectAudit.by_correlation.key(
        "CORR#{correlation_id}", "AUDIT#{occurred_at_utc:%s}#{request_id}#{event_id}"
    )
    by_type = CommitCollectAudit.by_type.key(
        "EVENT#{event_type}#{occurred_at_utc:%Y%m}",
        "AUDIT#{occurred_at_utc:%s}#{request_id}#{event_id}",
    )


# The table CommitCollectIdempotency.


class Outcome(StrEnum):
    """What became of an event."""

    APPLIED = "applied"
    STALE = "stale"  # a newer event was there already


class WebhookClaim(Claim[Outcome], table=CommitCollectIdempotency, stored=to_camel):
    """An event of Strava that is processed once; its id is the event's, not the delivery's."""

    request_id: Id

    primary = CommitCollectIdempotency.primary.key("IDEMPOTENCY#{request_id}", "META")


# What is read together, or only in part.


class MilestoneAwards(Collection):
    """A milestone with its awards in part order."""

    milestone: Milestone | None
    awards: list[Award]


class Earned(Collection):
    """All milestones of somebody, with all awards."""

    milestones: list[Milestone]
    awards: list[Award]


class Statue(Collection):
    """A model with its parts in order."""

    model: ModelMeta | None
    parts: list[ModelPart]


class HeldAthlete(BaseModel):
    """What of a connection can be known without its tokens."""

    athlete_id: str


class Measured(BaseModel):
    """What of a workout counts towards a milestone."""

    distance_meters: Decimal | None = None
    total_elevation_gain: Decimal | None = None


class WorkoutKey(BaseModel):
    """A workout's place."""

    user_id: str
    activity_id: str


class OpenSession(BaseModel):
    """A session as the list of somebody's sessions has it."""

    session_id: str
    user_id: str
    created_at_utc: EpochSeconds


# The access patterns.


def _lives(workout: Workout) -> bool:
    """A condition: the attribute is optional, and says that a workout is deleted."""
    return missing(workout.is_deleted) | (workout.is_deleted == False)  # noqa: E712 - a field


@pattern("Profile by user", rate="50/s")
def profile(user_id: str) -> Op[UserProfile | None]:
    """Who somebody is."""
    return UserProfile.get(user_id=user_id)


@pattern("Connection by user", rate="10/s")
def connection(user_id: str) -> Op[StravaConnection | None]:
    """The Strava account with its tokens, for whoever calls Strava."""
    return StravaConnection.get(user_id=user_id)


@pattern("The athlete that a user holds", rate="1/s", fresh=True)
def held_athlete(user_id: str) -> Op[HeldAthlete | None]:
    """The connection without its tokens, before it is replaced or removed."""
    return StravaConnection.get(user_id=user_id).consistently().select(HeldAthlete)


@pattern("Athlete's owner", rate="100/s", fresh=True)
def athlete_owner(athlete_id: str) -> Op[AthleteOwner | None]:
    """Whose activity an event is about."""
    return AthleteOwner.get(athlete_id=athlete_id).consistently()


@pattern("Workout by activity", rate="10/s")
def workout(user_id: str, activity_id: str) -> Op[Workout | None]:
    """One activity."""
    return Workout.get(user_id=user_id, activity_id=activity_id)


@pattern(
    "A user's workouts since a date for one sport",
    rate="20/s",
    where=lambda workout, user_id, sport, since: (
        workout.user_id == user_id
        and not workout.is_deleted
        and workout.sport_type == sport
        and workout.start_date_utc >= since
    ),
    order=lambda workout: (workout.start_date_utc, workout.activity_id),
    ignore={"affordable": "a person has about 200 workouts, in few sports, and deletes few"},
)
def workouts_since(user_id: str, sport: Sport, since: datetime) -> Op[list[Workout]]:
    """Oldest first, deleted ones left out."""
    return (
        Workout.query(Workout.by_start, user_id=user_id)
        .ge(start_date_utc=since)
        .where(lambda w: (w.sport_type == sport) & _lives(w))
    )


@pattern(
    "Recent workouts, newest first",
    rate="50/s",
    page=20,
    where=lambda workout, user_id: (
        workout.user_id == user_id and not workout.is_deleted and workout.start_date_utc is not None
    ),
    order=lambda workout: (workout.start_date_utc, workout.activity_id),
    descending=True,
    ignore={"affordable": "a person deletes few workouts"},
)
def recent_workouts(user_id: str, after: str | None = None) -> Op[Page[Workout]]:
    """Deleted ones left out."""
    return Workout.query(Workout.by_start, user_id=user_id).where(_lives).reverse().page(20, after)


@pattern(
    "What counts towards a distance or elevation",
    rate="10/s",
    fresh=True,
    where=lambda workout, user_id, sport, since: (
        workout.user_id == user_id
        and not workout.is_deleted
        and workout.sport_type == sport
        and workout.start_date_utc >= since
    ),
    order=lambda workout: workout.activity_id,
    ignore={"affordable": "a person has about 200 workouts, and an index could miss the last"},
)
def counting_workouts(user_id: str, sport: Sport, since: EpochSeconds) -> Op[list[Measured]]:
    """The user's own partition, consistent and projected: an index could miss the last ride."""
    return (
        Workout.query(user_id=user_id)
        .where(
            lambda w: (w.sport_type == sport) & (value_of(w.start_date_utc) >= since) & _lives(w)
        )
        .consistently()
        .select(Measured)
    )


@pattern(
    "Where a user's workouts are",
    rate="1/min",
    fresh=True,
    where=lambda workout, user_id: workout.user_id == user_id,
    order=lambda workout: workout.activity_id,
)
def workout_keys(user_id: str) -> Op[list[WorkoutKey]]:
    """For whoever removes them: their keys, consistent and projected."""
    return Workout.query(user_id=user_id).consistently().select(WorkoutKey)


@pattern(
    "All that a user has earned",
    rate="1/min",
    fresh=True,
    where=lambda record, user_id: record.user_id == user_id,
)
def earned(user_id: str) -> Op[Earned]:
    """For whoever removes it: milestones and awards with one Query."""
    return Earned.load(user_id=user_id).consistently()


@pattern("Milestone by id", rate="20/s", fresh=True)
def milestone(user_id: str, milestone_id: str) -> Op[Milestone | None]:
    """A milestone as it is now."""
    return Milestone.get(user_id=user_id, milestone_id=milestone_id).consistently()


@pattern(
    "A user's milestones",
    rate="50/s",
    where=lambda milestone, user_id: milestone.user_id == user_id,
    order=lambda milestone: milestone.milestone_id,
)
def milestones(user_id: str) -> Op[list[Milestone]]:
    """The oldest first, without reading their awards."""
    return Milestone.query(Milestone.by_user, user_id=user_id)


@pattern(
    "A milestone with its awards",
    rate="20/s",
    where=lambda record, user_id, milestone_id: (
        record.user_id == user_id and record.milestone_id == milestone_id
    ),
)
def milestone_with_awards(user_id: str, milestone_id: str) -> Op[MilestoneAwards]:
    """One Query."""
    return MilestoneAwards.load(user_id=user_id, milestone_id=milestone_id)


@pattern(
    "Awards of a milestone in part order",
    rate="20/s",
    where=lambda award, user_id, milestone_id: (
        award.user_id == user_id and award.milestone_id == milestone_id
    ),
    order=lambda award: award.part_index,
)
def awards(user_id: str, milestone_id: str) -> Op[list[Award]]:
    """The earned parts alone."""
    return Award.query(user_id=user_id, milestone_id=milestone_id)


@pattern(
    "Model with its parts", rate="10/s", where=lambda record, model_id: record.model_id == model_id
)
def model_with_parts(model_id: str) -> Op[Statue]:
    """One Query."""
    return Statue.load(model_id=model_id)


@pattern(
    "Parts of a model from one to another",
    rate="2/s",
    where=lambda part, model_id, first, last: (
        part.model_id == model_id and first <= part.index <= last
    ),
    order=lambda part: part.index,
)
def parts_between(model_id: str, first: int, last: int) -> Op[list[ModelPart]]:
    """The parts that a recompute is about to award."""
    return ModelPart.query(model_id=model_id).between(index=(first, last))


@pattern(
    "Active models",
    rate="5/s",
    where=lambda model: model.status is ModelStatus.ACTIVE,
    order=lambda model: model.model_id,
)
def active_models() -> Op[list[ModelMeta]]:
    """What a new milestone can choose from."""
    return ModelMeta.query(ModelMeta.by_status, status=ModelStatus.ACTIVE)


@pattern("Session by id", rate="500/s", fresh=True)
def session(session_id: str) -> Op[Session | None]:
    """Who is asking; a session past its time is none."""
    return Session.get(session_id=session_id).consistently()


@pattern(
    "A user's sessions",
    rate="1/s",
    where=lambda session, user_id: session.user_id == user_id,
    order=lambda session: (session.created_at_utc, session.session_id),
)
def sessions(user_id: str) -> Op[list[OpenSession]]:
    """Where somebody is signed in."""
    return Session.query(Session.by_user, user_id=user_id).select(OpenSession)


def _by_time(event: AuditEvent) -> tuple[datetime, str]:
    """The time, and within a second the text of both ids: # sorts among what ids are made of."""
    return event.occurred_at_utc, f"{event.request_id}#{event.event_id}"


@pattern(
    "Audit events of a user by time range",
    rate="1/s",
    page=50,
    where=lambda event, user_id, since, until: (
        event.user_id == user_id and since <= event.occurred_at_utc <= until
    ),
    order=_by_time,
)
def audit_of_user(
    user_id: str, since: datetime, until: datetime, after: str | None = None
) -> Op[Page[AuditEvent]]:
    """Both ends included."""
    return AuditEvent.query(user_id=user_id).between(occurred_at_utc=(since, until)).page(50, after)


@pattern(
    "Audit events by correlation id",
    rate="1/s",
    page=50,
    where=lambda event, correlation_id: event.correlation_id == correlation_id,
    order=_by_time,
)
def audit_by_correlation(correlation_id: str, after: str | None = None) -> Op[Page[AuditEvent]]:
    """What one thing led to, whoever it was about."""
    return AuditEvent.query(AuditEvent.by_correlation, correlation_id=correlation_id).page(
        50, after
    )


@pattern(
    "Audit events by type and month",
    rate="10/day",
    page=50,
    where=lambda event, event_type, month: (
        event.event_type is event_type
        and f"{event.occurred_at_utc:%Y-%m}" == f"{month.astimezone(UTC):%Y-%m}"
    ),
    order=_by_time,
)
def audit_by_type(
    event_type: EventType, month: datetime, after: str | None = None
) -> Op[Page[AuditEvent]]:
    """All of a month; ``month`` is any moment of it."""
    return AuditEvent.query(AuditEvent.by_type, event_type=event_type, occurred_at_utc=month).page(
        50, after
    )


@pattern("Idempotency claim", rate="1/min", fresh=True)
def claim_of(request_id: str) -> Op[WebhookClaim | None]:
    """How far an event is."""
    return WebhookClaim.get(request_id=request_id).consistently()


# What is true after every write.


@invariant("An athlete's owner is connected to it")
def owner_is_connected(owner: AthleteOwner, connections: list[StravaConnection]) -> bool:
    """An owner without a connection would keep the athlete from everybody else."""
    return any(
        held.user_id == owner.user_id and held.athlete_id == owner.athlete_id
        for held in connections
    )


@invariant("Whoever is connected to an athlete owns it")
def connection_is_owned(connection: StravaConnection, owners: list[AthleteOwner]) -> bool:
    """So nobody else can be connected to it."""
    return any(
        owner.athlete_id == connection.athlete_id and owner.user_id == connection.user_id
        for owner in owners
    )


@invariant("A milestone's model exists, and has as many parts")
def milestone_has_its_model(milestone: Milestone, models: list[ModelMeta]) -> bool:
    """Models are retired and never removed."""
    return any(
        model.model_id == milestone.model_id and model.parts_total == milestone.parts_total
        for model in models
    )


@invariant("A milestone counts its awards, as long as its account exists")
def counts_its_awards(
    milestone: Milestone, awards: list[Award], profiles: list[UserProfile]
) -> bool:
    """Each part is awarded in the transaction that counts it; a deleted account loses both."""
    if all(profile.user_id != milestone.user_id for profile in profiles):
        return True
    own = [
        award
        for award in awards
        if award.user_id == milestone.user_id and award.milestone_id == milestone.milestone_id
    ]
    return milestone.parts_earned == len(own)
