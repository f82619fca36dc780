"""What CommitCollect is sent over HTTP, and what it tells where a record holds more than that."""

from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, Field

from sortkey import EpochSeconds
from sortkey_systems.api.app import Moment
from sortkey_systems.api.bodies import Given
from sortkey_systems.commitcollect.connecting import Grant
from sortkey_systems.commitcollect.design import (
    MOST_PARTS,
    Award,
    Id,
    Milestone,
    ModelMeta,
    ModelPart,
    PartIndex,
    Sport,
    TargetType,
)
from sortkey_systems.commitcollect.receiving import (
    Activity,
    Aspect,
    Handling,
    StravaEvent,
    StravaId,
)

Text = Annotated[str, Field(min_length=1, max_length=255)]
Token = Annotated[str, Field(min_length=1, max_length=2048)]
Metres = Annotated[Decimal, Field(ge=0, max_digits=12, decimal_places=3)]


class GivenMilestone(Given):
    """A target to set."""

    model_id: Id
    sport: Sport
    target_type: TargetType
    total_target: Annotated[Decimal, Field(gt=0, max_digits=12, decimal_places=3)]
    parts_total: PartIndex
    period_start: Moment


class GivenPart(Given):
    """A part of a model, which is numbered by its place among the others."""

    part_name: Text
    mesh_file: Text
    attach_point: Text


class GivenModel(Given):
    """A model to publish, with its parts in order."""

    model_id: Id
    name: Text
    parts: Annotated[list[GivenPart], Field(min_length=1, max_length=MOST_PARTS)]

    def meta(self) -> ModelMeta:
        """The model without its parts."""
        return ModelMeta(model_id=self.model_id, name=self.name, parts_total=len(self.parts))

    def numbered(self) -> list[ModelPart]:
        """The parts, numbered from 1."""
        return [
            ModelPart(model_id=self.model_id, index=index, **part.model_dump())
            for index, part in enumerate(self.parts, 1)
        ]


class GivenGrant(Given):
    """What Strava gave for the code that somebody came back with, in which session."""

    session_id: Id
    state: Id
    athlete_id: StravaId
    access_token: Annotated[Token, Field(repr=False)]
    refresh_token: Annotated[Token, Field(repr=False)]
    expires_at: Moment
    scope: Text | None = None

    def grant(self) -> Grant:
        """What of it the connection holds."""
        return Grant.model_validate(self.model_dump(exclude={"session_id", "state"}))


class GivenActivity(Given):
    """An activity as Strava's API tells it."""

    sport_type: Text
    start_date: Moment
    distance_meters: Metres | None = None
    total_elevation_gain: Metres | None = None
    name: Annotated[str, Field(max_length=1024)] | None = None
    moving_time_sec: Annotated[int, Field(ge=0, le=10**9)] | None = None


class GivenEvent(Given):
    """An event of Strava, with the activity unless it is deleted."""

    aspect: Aspect
    object_id: StravaId
    athlete_id: StravaId
    event_time: Moment
    activity: GivenActivity | None = None

    def event(self) -> StravaEvent:
        """What happened."""
        return StravaEvent.model_validate(self.model_dump(exclude={"activity"}))

    def told(self) -> Activity | None:
        """What it happened to."""
        return self.activity and Activity.model_validate(self.activity.model_dump())


class OpenedSession(BaseModel):
    """A session, whose id is shown from now on, and whether the account is new."""

    session_id: str
    expires_at_utc: EpochSeconds
    is_new: bool


class RunningSession(BaseModel):
    """A session without its id, which would sign in whoever sees it."""

    created_at_utc: EpochSeconds
    is_this: bool


class BegunConnection(BaseModel):
    """What Strava has to send back."""

    state: str
    expires_at_utc: EpochSeconds


class MilestoneReached(BaseModel):
    """A milestone with its awards in part order."""

    milestone: Milestone
    awards: list[Award]


class Model(BaseModel):
    """A model with its parts in order."""

    model: ModelMeta
    parts: list[ModelPart]


class Handled(BaseModel):
    """What became of a delivery."""

    handling: Handling
