"""Delete an account: find the keys of the user's records, and erase them.

Only keys are read, so a deletion needs no encryption key.
"""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field, create_model
from pydantic.alias_generators import to_camel

from sortkey import (
    Check,
    Entity,
    Expected,
    Op,
    Pattern,
    Update,
    fields_of,
    missing,
    pattern,
    transact,
)
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
from sortkey_systems.gymcoach.design.people import AppPreferences, UserFitnessProfile, UserProfile
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
from sortkey_systems.gymcoach.design.table import GymCoach, Id, Level, Moment
from sortkey_systems.gymcoach.design.training import (
    ExerciseSubstitution,
    WorkoutPlan,
    WorkoutSession,
)

# Replace the name and the e-mail address, which are required, while an account is being deleted.
DELETED_NAME, DELETED_EMAIL = "deleted", "deleted@invalid"
# A transaction has at most 100 actions; one checks the mark.
BATCH = 99


class Erasure:
    """The patterns that find and erase a user's records of one entity."""

    def __init__(self, entity: type[Entity]) -> None:
        self.entity = entity
        # The keys of the table begin with the user, so a consistent read finds the records.
        self.is_consistent = not hasattr(entity, "by_user")
        fields: Any = {
            name: (entity.model_fields[name].annotation, ...) for name in fields_of(entity).key
        }
        key: type[BaseModel] = create_model(f"{entity.__name__}Key", **fields)

        def finding(user_id: str) -> Op[list[Any]]:
            """Return the keys of a user's records, including expired ones that are still stored."""
            if self.is_consistent:
                own = entity.query(user_id=user_id).consistently()
            else:
                own = entity.query(getattr(entity, "by_user"), user_id=user_id)  # noqa: B009 - not every entity has it
            return own.with_expired().select(key)

        def erasing(user_id: str, deletion_id: str, keys: list[Any]) -> Op[None]:
            """Erase records only while the account has the mark of this deletion."""
            gone = (entity.erase(**found.model_dump()) for found in keys)
            return transact(_is_marked(user_id, deletion_id), *gone)

        self.keys: Pattern[[str], list[BaseModel]] = Pattern(
            typed(
                finding,
                f"{name_of(entity)}_keys_of_user",
                {"user_id": str, "return": Op[list[key]]},
            ),
            f"Keys of a user's records: {entity.__name__}",
            rate="1/min",
            fresh=self.is_consistent,
            where=lambda record, user_id: record.user_id == user_id,
        )
        types: dict[str, Any] = {
            **erasing.__annotations__,
            "keys": Annotated[list[key], Field(max_length=BATCH)],
        }
        self.erase: Pattern[[str, str, list[BaseModel]], None] = Pattern(
            typed(erasing, f"erase_{name_of(entity)}", types),
            f"Erase: {entity.__name__}",
            rate="1/min",
        )


# Every entity with an owner, except the account, which is deleted last.
ERASURES = tuple(
    Erasure(entity)
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


class FinishedDeletion(
    Entity,
    table=GymCoach,
    stored=to_camel,
    immutable=True,
    expected=Expected(count=20_000, size_bytes=150),
):
    """Added: records that a deletion was finished, without the user whose account it was."""

    id: Id
    began_at: Moment
    finished_at: Moment

    primary = GymCoach.primary.key("DELETIONS", "DELETION#{id}")


@pattern("Begin the deletion of an account", rate="1/min")
def begin_deletion(user_id: str, deletion_id: str, since: datetime) -> Op[UserProfile]:
    """Mark an account, so that nothing is created or changed for the user; an existing mark stays.

    The account keeps no personal data. It stays until the index has settled.
    """
    return _mark(user_id, deletion_id, since)


@pattern("Identify a deletion that began without an id", rate="1/day")
def identify_deletion(user_id: str, deletion_id: str, since: datetime) -> Op[UserProfile]:
    """Give an id to the mark of an earlier version, if the account still has that mark."""
    return _mark(user_id, deletion_id, since).where(lambda u: u.deleting_since == since)


@pattern(
    "Accounts whose deletion began by a time, oldest first",
    rate="1/min",
    where=lambda account, until: (
        account.deleting_since is not None and account.deleting_since <= until
    ),
    order=lambda account: (account.deleting_since, account.user_id),
)
def deletions_under_way(until: datetime) -> Op[list[UserProfile]]:
    """Return marked accounts; other accounts are not in the index."""
    return UserProfile.query(UserProfile.by_deletion).le(deleting_since=until)


@pattern("Finish the deletion of an account, and record it", rate="1/min")
def end_deletion(user_id: str, finished: FinishedDeletion) -> Op[None]:
    """Erase the account if it still has the mark of this deletion."""
    account = UserProfile.erase(user_id=user_id).where(lambda u: u.deletion_id == finished.id)
    return transact(account, finished.create())


@pattern("A finished deletion by id", rate="1/min")
def finished_deletion(deletion_id: str) -> Op[FinishedDeletion | None]:
    """Return the record of a deletion, or None while it is under way."""
    return FinishedDeletion.get(id=deletion_id)


def _mark(user_id: str, deletion_id: str, since: datetime) -> Update[UserProfile]:
    """Mark an account that has no mark with an id, and remove all personal data from it."""
    return (
        UserProfile.update(user_id=user_id)
        .set(
            deleting_since=since,
            deletion_id=deletion_id,
            email=DELETED_EMAIL,
            name=DELETED_NAME,
            experience_level=Level.BEGINNER,
            preferences=AppPreferences(),
        )
        .remove(lambda u: u.profile_image)
        .remove(lambda u: u.fitness_goals)
        .where(lambda u: missing(u.deletion_id))
    )


def _is_marked(user_id: str, deletion_id: str) -> Check[UserProfile]:
    return UserProfile.check(user_id=user_id).where(lambda u: u.deletion_id == deletion_id)
