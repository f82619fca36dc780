"""Request and response models of CommitCollect's API."""

from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, Field

from sortkey import EpochSeconds
from sortkey_systems.api.app import Moment
from sortkey_systems.api.bodies import RequestBody
from sortkey_systems.commitcollect.connecting import Grant
from sortkey_systems.commitcollect.design.accounts import AccountRole, Plan
from sortkey_systems.commitcollect.design.milestones import Award, Milestone, TargetType
from sortkey_systems.commitcollect.design.models import MAX_PARTS, ModelMeta, ModelPart, PartIndex
from sortkey_systems.commitcollect.design.tables import Id
from sortkey_systems.commitcollect.design.workouts import Sport
from sortkey_systems.commitcollect.receiving import (
    Activity,
    Aspect,
    DeliveryOutcome,
    StravaEvent,
    StravaId,
)

Text = Annotated[str, Field(min_length=1, max_length=255)]
Token = Annotated[str, Field(min_length=1, max_length=2048)]
Metres = Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=3)]


class MilestoneRequest(RequestBody):
    """A milestone to create."""

    model_id: Id
    sport: Sport
    target_type: TargetType
    total_target: Annotated[Decimal, Field(gt=0, max_digits=12, decimal_places=3)]
    parts_total: PartIndex
    period_start: Moment


class PlanRequest(RequestBody):
    """The plan of an account."""

    plan: Plan


class RoleRequest(RequestBody):
    """The role of an account."""

    role: AccountRole


class PartRequest(RequestBody):
    """A part of a model; its position in the list is its number."""

    part_name: Text
    mesh_file: Text
    attach_point: Text


class ModelRequest(RequestBody):
    """A model to publish, with its parts, in order."""

    model_id: Id
    name: Text
    parts: Annotated[list[PartRequest], Field(min_length=1, max_length=MAX_PARTS)]

    def meta(self) -> ModelMeta:
        """Return the model without its parts."""
        return ModelMeta(model_id=self.model_id, name=self.name, parts_total=len(self.parts))

    def numbered_parts(self) -> list[ModelPart]:
        """Return the parts, numbered from 1."""
        return [
            ModelPart(model_id=self.model_id, index=index, **part.model_dump())
            for index, part in enumerate(self.parts, 1)
        ]


class GrantRequest(RequestBody):
    """The athlete and tokens that Strava granted, with the session and state of the user."""

    session_id: Id
    state: Id
    athlete_id: StravaId
    access_token: Annotated[Token, Field(repr=False)]
    refresh_token: Annotated[Token, Field(repr=False)]
    expires_at: Moment
    scope: Text | None = None

    def grant(self) -> Grant:
        """Return the part of the request that a connection stores."""
        return Grant.model_validate(self.model_dump(exclude={"session_id", "state"}))


class ActivityRequest(RequestBody):
    """An activity as returned by Strava's API."""

    sport_type: Text
    start_date: Moment
    distance_meters: Metres | None = None
    total_elevation_gain: Metres | None = None
    name: Annotated[str, Field(max_length=1024)] | None = None
    moving_time_sec: Annotated[int, Field(ge=0, le=10**9)] | None = None


class EventRequest(RequestBody):
    """An event of Strava, with the activity unless it was deleted."""

    aspect: Aspect
    object_id: StravaId
    athlete_id: StravaId
    event_time: Moment
    activity: ActivityRequest | None = None

    def event(self) -> StravaEvent:
        """Return the event without the activity."""
        return StravaEvent.model_validate(self.model_dump(exclude={"activity"}))

    def reported(self) -> Activity | None:
        """Return the activity, if the request has one."""
        return self.activity and Activity.model_validate(self.activity.model_dump())


class AccountResponse(BaseModel):
    """An account."""

    user_id: str
    email: str
    created_at_utc: EpochSeconds
    plan: Plan
    role: AccountRole


class DeletionResponse(BaseModel):
    """Whether the account is deleted too; if not, a schedule deletes it from ``retry_at`` on."""

    is_complete: bool
    retry_at: EpochSeconds | None


class FinishDeletionsResponse(BaseModel):
    """The numbers of finished and failed deletions."""

    finished: int
    failed: int


class SignInResponse(BaseModel):
    """A new session, whose id is the bearer token of later requests."""

    session_id: str
    expires_at_utc: EpochSeconds
    is_new: bool


class SessionResponse(BaseModel):
    """A session without its id, which is a secret."""

    created_at_utc: EpochSeconds
    is_current: bool


class StateResponse(BaseModel):
    """A state that Strava must send back."""

    state: str
    expires_at_utc: EpochSeconds


class MilestoneResponse(BaseModel):
    """A milestone with its awards, in part order."""

    milestone: Milestone
    awards: list[Award]


class ModelResponse(BaseModel):
    """A model with its parts, in order."""

    model: ModelMeta
    parts: list[ModelPart]


class EventResponse(BaseModel):
    """The outcome of a delivery."""

    outcome: DeliveryOutcome
