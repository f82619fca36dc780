"""Delete an account: mark it, find the keys of the user's records, and erase them.

Only keys are read, so a deletion needs no encryption key, and records that cannot be read are
erased too. Records are erased only while the account
has the mark that they were found under, so a slow deletion cannot erase records of a new account.
"""

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from sortkey import Check, EpochSeconds, Op, missing, pattern, transact
from sortkey_systems.commitcollect.design.accounts import UserProfile
from sortkey_systems.commitcollect.design.audit import AuditEvent
from sortkey_systems.commitcollect.design.milestones import Award, Milestone
from sortkey_systems.commitcollect.design.sessions import Session
from sortkey_systems.commitcollect.design.strava import AthleteOwner, OAuthState, StravaConnection
from sortkey_systems.commitcollect.design.tables import Id, Ulid
from sortkey_systems.commitcollect.design.workouts import Workout

# Replaces the e-mail address, which is required, while an account is being deleted.
DELETED_EMAIL = "deleted@invalid"
# A transaction has at most 100 actions; one checks the mark.
BATCH = 99
# An award is erased under the key with a leading zero and under the one without it.
AWARD_BATCH = BATCH // 2


class Mark(BaseModel):
    """The mark of an account that is being deleted."""

    user_id: Id
    deletion_id: Ulid
    deletion_correlation_id: Id
    deleting_since_utc: EpochSeconds


class AccountMark(BaseModel):
    """The mark of an account; empty if it is not being deleted."""

    deletion_id: Ulid | None = None
    deletion_correlation_id: Id | None = None
    deleting_since_utc: EpochSeconds | None = None


class WorkoutKey(BaseModel, frozen=True):
    """The key of a workout."""

    user_id: str
    activity_id: str


class MilestoneKey(BaseModel, frozen=True):
    """The key of a milestone."""

    user_id: str
    milestone_id: str


class AwardKey(BaseModel, frozen=True):
    """The key of an award."""

    user_id: str
    milestone_id: str
    part_index: int


class SessionKey(BaseModel, frozen=True):
    """The key of a session."""

    session_id: str


class StateKey(BaseModel, frozen=True):
    """The key of a state."""

    state: str


def _is_marked(mark: Mark) -> Check[UserProfile]:
    return UserProfile.check(user_id=mark.user_id).where(
        lambda p: p.deletion_id == mark.deletion_id
    )


# The mark.


def _marked(mark: Mark) -> UserProfile:
    """Return the account as it is while it is being deleted."""
    since = mark.deleting_since_utc
    return UserProfile(**mark.model_dump(), email=DELETED_EMAIL, created_at_utc=since)


@pattern("The mark of an account", rate="1/min", fresh=True)
def account_mark(user_id: str) -> Op[AccountMark | None]:
    """Read only the mark, consistently; None means that the user has no account."""
    return UserProfile.get(user_id=user_id).consistently().select(AccountMark)


@pattern(
    "Begin the deletion of an account",
    rate="1/min",
    ignore={"SK705": "a transaction does not read the account again, which may be gone by then"},
)
def begin_deletion(mark: Mark) -> Op[None]:
    """Replace an account that has no mark by a marked one without personal data."""
    return transact(_marked(mark).replace().where(lambda p: missing(p.deletion_id)))


@pattern("Mark records without an account for deletion", rate="1/day")
def begin_deletion_without_account(mark: Mark) -> Op[UserProfile]:
    """Create a marked account for records that an import may have left without one."""
    return _marked(mark).create()


@pattern(
    "Accounts whose deletion began by a time, oldest first",
    rate="1/min",
    where=lambda profile, until: (
        profile.deleting_since_utc is not None and profile.deleting_since_utc <= until
    ),
    order=lambda profile: (profile.deleting_since_utc, profile.user_id),
)
def deletions_under_way(until: datetime) -> Op[list[UserProfile]]:
    """Return marked accounts; other accounts are not in the index."""
    return UserProfile.query(UserProfile.by_deletion).le(deleting_since_utc=until)


@pattern("Finish the deletion of an account", rate="1/min")
def end_deletion(mark: Mark, ended: AuditEvent) -> Op[None]:
    """Erase the account if it still has this mark, and record that in the same transaction."""
    profile = UserProfile.erase(user_id=mark.user_id)
    return transact(profile.where(lambda p: p.deletion_id == mark.deletion_id), ended.create())


# The connection.


@pattern("Erase a connection and its owner record", rate="1/min")
def erase_connection(mark: Mark, athlete_id: str) -> Op[None]:
    """Erase both while the account has this mark, if the user owns the athlete."""
    user_id = mark.user_id
    return transact(
        _is_marked(mark),
        StravaConnection.erase(user_id=user_id).where(lambda c: c.athlete_id == athlete_id),
        AthleteOwner.erase(athlete_id=athlete_id).where(lambda o: o.user_id == user_id),
    )


@pattern("Erase a connection whose athlete belongs to another user", rate="1/day")
def erase_foreign_connection(mark: Mark, athlete_id: str) -> Op[None]:
    """Erase a connection that an import may have left; the owner record stays."""
    user_id = mark.user_id
    return transact(
        _is_marked(mark),
        StravaConnection.erase(user_id=user_id).where(lambda c: c.athlete_id == athlete_id),
        AthleteOwner.check(athlete_id=athlete_id).where(lambda o: o.user_id != user_id),
    )


@pattern("Erase a connection whose athlete has no owner", rate="1/day")
def erase_unowned_connection(mark: Mark, athlete_id: str) -> Op[None]:
    """Erase a connection that an import may have left without an owner record."""
    return transact(
        _is_marked(mark),
        StravaConnection.erase(user_id=mark.user_id).where(lambda c: c.athlete_id == athlete_id),
        AthleteOwner.check(athlete_id=athlete_id).is_absent(),
    )


@pattern("Erase a connection that cannot be read", rate="1/day")
def erase_unreadable_connection(mark: Mark) -> Op[None]:
    """Erase it by its key; its owner record, which only its athlete identifies, stays."""
    return transact(_is_marked(mark), StravaConnection.erase(user_id=mark.user_id))


# Workouts, milestones and awards.


@pattern(
    "Keys of a user's workouts",
    rate="1/min",
    fresh=True,
    where=lambda workout, user_id: workout.user_id == user_id,
    order=lambda workout: workout.activity_id,
)
def workout_keys(user_id: str) -> Op[list[WorkoutKey]]:
    """Read the keys consistently."""
    return Workout.query(user_id=user_id).consistently().select(WorkoutKey)


@pattern("Erase workouts", rate="1/min")
def erase_workouts(
    mark: Mark, keys: Annotated[list[WorkoutKey], Field(max_length=BATCH)]
) -> Op[None]:
    """Erase them while the account has this mark."""
    return transact(_is_marked(mark), *(Workout.erase(**key.model_dump()) for key in keys))


@pattern(
    "Keys of a user's milestones",
    rate="1/min",
    fresh=True,
    where=lambda milestone, user_id: milestone.user_id == user_id,
    order=lambda milestone: milestone.milestone_id,
    ignore={"SK407": "deletions are rare, and the awards are erased first"},
)
def milestone_keys(user_id: str) -> Op[list[MilestoneKey]]:
    """Read the keys consistently."""
    return Milestone.query(user_id=user_id).consistently().select(MilestoneKey)


@pattern("Erase milestones", rate="1/min")
def erase_milestones(
    mark: Mark, keys: Annotated[list[MilestoneKey], Field(max_length=BATCH)]
) -> Op[None]:
    """Erase them while the account has this mark."""
    return transact(_is_marked(mark), *(Milestone.erase(**key.model_dump()) for key in keys))


@pattern(
    "Keys of a user's awards",
    rate="1/min",
    fresh=True,
    where=lambda award, user_id: award.user_id == user_id,
    order=lambda award: (award.milestone_id, award.part_index),
    ignore={"SK407": "deletions are rare, and a user has few milestones"},
)
def award_keys(user_id: str) -> Op[list[AwardKey]]:
    """Read the keys consistently."""
    return Award.query(user_id=user_id).consistently().select(AwardKey)


@pattern("Erase awards", rate="1/min")
def erase_awards(
    mark: Mark, keys: Annotated[list[AwardKey], Field(max_length=AWARD_BATCH)]
) -> Op[None]:
    """Erase them while the account has this mark; nothing else deletes an award."""
    return transact(_is_marked(mark), *(Award.erase(**key.model_dump()) for key in keys))


# Sessions and states: an index finds them, which may not have the latest yet.


@pattern(
    "Keys of a user's sessions",
    rate="1/min",
    where=lambda session, user_id: session.user_id == user_id,
    order=lambda session: (session.created_at_utc, session.session_id),
)
def session_keys(user_id: str) -> Op[list[SessionKey]]:
    """Include expired sessions that are still stored."""
    return Session.query(Session.by_user, user_id=user_id).with_expired().select(SessionKey)


@pattern("Erase sessions", rate="1/min")
def erase_sessions(
    mark: Mark, keys: Annotated[list[SessionKey], Field(max_length=BATCH)]
) -> Op[None]:
    """Erase them while the account has this mark."""
    return transact(_is_marked(mark), *(Session.erase(**key.model_dump()) for key in keys))


@pattern(
    "Keys of a user's states",
    rate="1/min",
    where=lambda state, user_id: state.user_id == user_id,
    order=lambda state: state.state,
)
def state_keys(user_id: str) -> Op[list[StateKey]]:
    """Include expired states that are still stored."""
    return OAuthState.query(OAuthState.by_user, user_id=user_id).with_expired().select(StateKey)


@pattern("Erase states", rate="1/min")
def erase_states(mark: Mark, keys: Annotated[list[StateKey], Field(max_length=BATCH)]) -> Op[None]:
    """Erase them while the account has this mark."""
    return transact(_is_marked(mark), *(OAuthState.erase(**key.model_dump()) for key in keys))
