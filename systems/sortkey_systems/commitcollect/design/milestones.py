"""Milestones and their awards: parts of a statue, which are kept for good."""

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import (
    Collection,
    Entity,
    EpochSeconds,
    Expected,
    Op,
    Version,
    invariant,
    pattern,
    refers,
    transact,
)
from sortkey_systems.commitcollect.design.accounts import UserProfile, has_account
from sortkey_systems.commitcollect.design.models import (
    MAX_PARTS,
    ModelMeta,
    ModelPart,
    ModelStatus,
    PartIndex,
)
from sortkey_systems.commitcollect.design.tables import CommitCollect, Id, MilestoneId
from sortkey_systems.commitcollect.design.workouts import Measure, Sport


class TargetType(StrEnum):
    """The quantity that a milestone counts."""

    DISTANCE_METERS = "DISTANCE_METERS"
    ELEVATION_METERS = "ELEVATION_METERS"


class MilestoneStatus(StrEnum):
    """Whether all parts are earned."""

    ACTIVE = "ACTIVE"
    COMPLETED = "COMPLETED"


class Milestone(
    Entity,
    table=CommitCollect,
    stored=to_camel,
    expected=Expected(per_partition=5),
    relations=(refers("user_id", UserProfile),),
):
    """A target in one sport, with the progress and the number of parts earned."""

    user_id: Id
    milestone_id: MilestoneId
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
    parts_earned: Annotated[int, Field(ge=0, le=MAX_PARTS)] = 0
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
    """An earned part of the statue, with a copy of the part's details at that time."""

    user_id: Id
    milestone_id: MilestoneId
    part_index: PartIndex
    part_name: str
    mesh_file: str
    attach_point: str
    awarded_at_utc: EpochSeconds
    progress_value_at_award: Measure | None = None

    # Other programs may have stored the number without a leading zero.
    primary = CommitCollect.primary.key(
        "USER#{user_id}",
        "MILESTONE#{milestone_id}#AWARD#{part_index:02d}",
        earlier="MILESTONE#{milestone_id}#AWARD#{part_index}",
    )


class MilestoneAwards(Collection):
    """A milestone with its awards, in part order."""

    milestone: Milestone | None
    awards: list[Award]


@pattern("A milestone by its id", rate="20/s", fresh=True)
def milestone(user_id: str, milestone_id: str) -> Op[Milestone | None]:
    """Read the milestone consistently."""
    return Milestone.get(user_id=user_id, milestone_id=milestone_id).consistently()


@pattern(
    "A user's milestones",
    rate="50/s",
    where=lambda milestone, user_id: milestone.user_id == user_id,
    order=lambda milestone: milestone.milestone_id,
)
def milestones(user_id: str) -> Op[list[Milestone]]:
    """Return the oldest first, without reading awards."""
    return Milestone.query(Milestone.by_user, user_id=user_id)


@pattern(
    "A milestone with its awards",
    rate="20/s",
    where=lambda record, user_id, milestone_id: (
        record.user_id == user_id and record.milestone_id == milestone_id
    ),
)
def milestone_with_awards(user_id: str, milestone_id: str) -> Op[MilestoneAwards]:
    """Read both with one Query."""
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
    """Return only the earned parts."""
    return Award.query(user_id=user_id, milestone_id=milestone_id)


_NO_PROGRESS = {
    "status": MilestoneStatus.ACTIVE,
    "progress_value": Decimal(0),
    "percent_complete": Decimal(0),
    "parts_earned": 0,
}


@pattern("Create a milestone", rate="10/min")
def add_milestone(milestone: Milestone) -> Op[None]:
    """Create it if the account may be changed and the model is active and has as many parts.

    It begins without progress.
    """
    parts = milestone.parts_total
    model = ModelMeta.check(model_id=milestone.model_id)
    return transact(
        milestone.model_copy(update=_NO_PROGRESS).create(),
        has_account(milestone.user_id),
        model.where(lambda m: (m.status == ModelStatus.ACTIVE) & (m.parts_total == parts)),
    )


def awards_of(milestone: Milestone, parts: Sequence[ModelPart], at: datetime) -> list[Award]:
    """Return awards for these parts, which follow those that the milestone has earned."""
    return [
        Award(
            user_id=milestone.user_id,
            milestone_id=milestone.milestone_id,
            part_index=index,
            part_name=part.part_name,
            mesh_file=part.mesh_file,
            attach_point=part.attach_point,
            awarded_at_utc=at,
            progress_value_at_award=milestone.progress_value,
        )
        for index, part in enumerate(parts, milestone.parts_earned + 1)
    ]


@pattern("Store progress and award parts", rate="5/s")
def mint(
    loaded: Milestone,
    reached: Milestone,
    parts: Annotated[list[ModelPart], Field(max_length=98)],
    at: datetime,
) -> Op[None]:
    """Require that the milestone is unchanged, each award is new and the account exists."""
    progress = loaded.update().set(
        progress_value=reached.progress_value,
        percent_complete=reached.percent_complete,
        status=reached.status,
    )
    before = loaded.model_copy(update={"progress_value": reached.progress_value})
    awards = [award.create() for award in awards_of(before, parts, at)]
    counted = progress.add(parts_earned=len(awards))
    return transact(counted, has_account(loaded.user_id), *awards)


@invariant("A milestone's model exists and has as many parts")
def milestone_has_its_model(milestone: Milestone, models: list[ModelMeta]) -> bool:
    """Models are retired, but never deleted."""
    return any(
        model.model_id == milestone.model_id and model.parts_total == milestone.parts_total
        for model in models
    )


@invariant("A milestone's count of parts is the number of its awards")
def counts_its_awards(
    milestone: Milestone, awards: list[Award], profiles: list[UserProfile]
) -> bool:
    """The transaction that counts a part also awards it; deletion of an account removes both."""
    accounts = [profile for profile in profiles if profile.deletion_id is None]
    if all(account.user_id != milestone.user_id for account in accounts):
        return True
    own = [
        award
        for award in awards
        if award.user_id == milestone.user_id and award.milestone_id == milestone.milestone_id
    ]
    return milestone.parts_earned == len(own)
