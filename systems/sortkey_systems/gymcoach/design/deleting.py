"""The end of an account: what is left of somebody, by its keys alone, and its removal.

No secret is read, so whoever deletes needs no key to open one.
"""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model

from sortkey import Entity, Op, Pattern, missing, pattern, transact
from sortkey.design.entity import kind_of
from sortkey.operations.delete import Check
from sortkey_systems.gymcoach.design.coaching import (
    AdaptivePlan,
    AdviceGiven,
    RecoveryPlan,
    WorkoutRecommendation,
)
from sortkey_systems.gymcoach.design.notifying import (
    DeviceToken,
    NotificationPreferences,
    NotificationRecord,
    Reminder,
)
from sortkey_systems.gymcoach.design.people import UserFitnessProfile, UserProfile
from sortkey_systems.gymcoach.design.progress import (
    BodyMeasurement,
    Milestone,
    PerformanceTrend,
    ProgressChart,
    ProgressMetrics,
    ProgressPhoto,
    StrengthProgress,
)
from sortkey_systems.gymcoach.design.records import name_of, typed
from sortkey_systems.gymcoach.design.training import (
    ExerciseSubstitution,
    WorkoutPlan,
    WorkoutSession,
)

# What a marked account is called, since it has to have a name and an address.
NO_NAME, NO_EMAIL = "nobody", "nobody@invalid"
# A transaction has a hundred actions, of which the check of the mark is one.
BATCH = 99


class Remains:
    """Where the records of one kind are that somebody has, and their removal."""

    def __init__(self, entity: type[Entity]) -> None:
        kind = kind_of(entity)
        self.entity = entity
        # The table itself, read consistently, where its sort key begins with the user.
        self.is_consistent = "by_user" not in kind.keys
        fields: Any = {
            name: (entity.model_fields[name].annotation, ...) for name in kind.key_fields
        }
        key: type[BaseModel] = create_model(f"{entity.__name__}Key", **fields)

        def finding(user_id: str) -> Op[list[Any]]:
            """Those that have expired and are still stored too."""
            if self.is_consistent:
                own = entity.query(user_id=user_id).consistently()
            else:
                own = entity.query(getattr(entity, "by_user"), user_id=user_id)  # noqa: B009 - not of every entity
            return own.with_expired().select(key)

        def erasing(user_id: str, since: datetime, keys: list[Any]) -> Op[None]:
            """Only while the account is marked: nothing goes of one that began anew."""
            gone = (entity.erase(**found.model_dump()) for found in keys)
            return transact(_is_marked(user_id, since), *gone)

        self.keys: Pattern[[str], list[BaseModel]] = Pattern(
            typed(finding, f"remains_{name_of(entity)}", {"user_id": str, "return": Op[list[key]]}),
            f"What is left of a user: {entity.__name__}",
            rate="1/min",
            fresh=self.is_consistent,
            where=lambda record, user_id: record.user_id == user_id,
        )
        types: dict[str, Any] = {
            **erasing.__annotations__,
            "keys": Annotated[list[key], Field(max_length=BATCH)],
        }
        self.erase: Pattern[[str, datetime, list[BaseModel]], None] = Pattern(
            typed(erasing, f"erase_{name_of(entity)}", types),
            f"Erase: {entity.__name__}",
            rate="1/min",
        )


# All that belongs to somebody, save the account, which is removed last.
REMAINS = tuple(
    Remains(entity)
    for entity in (
        WorkoutPlan,
        WorkoutSession,
        ExerciseSubstitution,
        WorkoutRecommendation,
        AdviceGiven,
        AdaptivePlan,
        RecoveryPlan,
        ProgressPhoto,
        ProgressMetrics,
        StrengthProgress,
        BodyMeasurement,
        ProgressChart,
        Milestone,
        PerformanceTrend,
        NotificationRecord,
        DeviceToken,
        NotificationPreferences,
        Reminder,
        UserFitnessProfile,
    )
)


@pattern("Begin to delete an account", rate="1/min")
def begin_deletion(user_id: str, since: datetime) -> Op[UserProfile]:
    """From here on nothing is created for the user; a deletion that has begun keeps its time.

    The mark says nothing of the person: it stays until the index has settled.
    """
    return (
        UserProfile.update(user_id=user_id)
        .set(lambda u: u.deleting_since)
        .to(since)
        .set(lambda u: u.email)
        .to(NO_EMAIL)
        .set(lambda u: u.name)
        .to(NO_NAME)
        .remove(lambda u: u.profile_image)
        .remove(lambda u: u.fitness_goals)
        .where(lambda u: missing(u.deleting_since))
    )


@pattern(
    "Accounts whose deletion began by a moment, the oldest first",
    rate="1/min",
    where=lambda account, until: (
        account.deleting_since is not None and account.deleting_since <= until
    ),
    order=lambda account: (account.deleting_since, account.user_id),
)
def deletions_under_way(until: datetime) -> Op[list[UserProfile]]:
    """Accounts that nobody deletes are not in the index."""
    return UserProfile.query(UserProfile.by_deletion).le(deleting_since=until)


@pattern("Finish deleting an account", rate="1/min")
def end_deletion(user_id: str, since: datetime) -> Op[UserProfile | None]:
    """The account itself, if it is still marked."""
    return UserProfile.erase(user_id=user_id).where(lambda u: u.deleting_since == since)


def _is_marked(user_id: str, since: datetime) -> Check[UserProfile]:
    return UserProfile.check(user_id=user_id).where(lambda u: u.deleting_since == since)
