"""GymCoach over HTTP: the account of whoever is signed in, and the parts that have the rest.

Everybody keeps records of their own. Editors write the library and the rules, coaches advise and
analyse, messengers notify, and erasers finish deletions: each for a token with that role.
"""

import logging
from collections.abc import Iterator
from typing import Annotated

from fastapi import Depends

from sortkey_systems.api.app import Api, Database
from sortkey_systems.api.identity import Caller, Having, NotAllowed, SignedIn
from sortkey_systems.api.serving import trials
from sortkey_systems.gymcoach import accounts, deleting, exporting
from sortkey_systems.gymcoach.api_coaching import coaching
from sortkey_systems.gymcoach.api_models import (
    INTERNAL,
    ChangedAccount,
    ChangedFitness,
    Exported,
    GivenInjuries,
    NewAccount,
    ToldDeletion,
    ToldDeletions,
    told,
)
from sortkey_systems.gymcoach.api_notifying import notifying
from sortkey_systems.gymcoach.api_progress import progress
from sortkey_systems.gymcoach.api_training import training
from sortkey_systems.gymcoach.design.people import (
    Injury,
    UserFitnessProfile,
    UserProfile,
    fitness_profiles,
)
from sortkey_systems.gymcoach.errors import (
    AccountExists,
    AccountGone,
    AlreadyApplied,
    AlreadyThere,
    BadInput,
    ChangedMeanwhile,
    Contended,
    NotThere,
    RuleUnusable,
    SessionFinished,
    TooManyMilestones,
)
from sortkey_systems.gymcoach.keeping import change, find

_log = logging.getLogger(__name__)

STATUSES: dict[type[Exception], int] = {
    AccountGone: 404,
    NotThere: 404,
    AccountExists: 409,
    AlreadyApplied: 409,
    AlreadyThere: 409,
    ChangedMeanwhile: 409,
    Contended: 409,
    SessionFinished: 409,
    TooManyMilestones: 409,
    BadInput: 422,
    RuleUnusable: 422,
}

api = Api(
    "GymCoach",
    "Fitness coaching: plans, workouts, progress and advice.",
    STATUSES,
    roles=["editor", "coach", "messenger", "eraser"],
    parts=[training, progress, coaching, notifying],
)

# A device's token reaches the device: even its owner has no use for it.
UNTOLD = INTERNAL | {"device_token"}

Eraser = Annotated[Caller, Depends(Having("eraser"))]


def someone(record: object) -> Caller | None:
    """Whom a record of the generated data signs in."""
    return Caller(record.user_id, record.email) if isinstance(record, UserProfile) else None


trial = trials(api, someone)


@api.post(
    "/me", BadInput, AccountExists, AccountGone, AlreadyThere, status=201, answer=told(UserProfile)
)
def register(db: Database, caller: SignedIn, given: NewAccount) -> UserProfile:
    """Join, with the mail address of your token."""
    return accounts.register(db, caller.user_id, email=caller.email or "", **given.model_dump())


@api.get("/me", BadInput, AccountGone, answer=told(UserProfile))
def account(db: Database, caller: SignedIn) -> UserProfile:
    """Your account."""
    return accounts.account(db, caller.user_id)


@api.patch("/me", BadInput, AccountGone, NotThere, ChangedMeanwhile, answer=told(UserProfile))
def change_account(db: Database, caller: SignedIn, given: ChangedAccount) -> UserProfile:
    """Change your account: what is left out stays as it is."""
    return accounts.change_account(db, caller.user_id, **given.chosen())


@api.delete("/me", BadInput, status=200)
def delete_account(db: Database, caller: SignedIn) -> ToldDeletion:
    """Delete your account, with all that you have.

    Your records go at once, and the account some minutes later.
    """
    deletion = deleting.delete_user(db, caller.user_id)
    return ToldDeletion(
        is_done=deletion.is_done, again_at=deletion.again_at, removed={**deletion.removed}
    )


@api.post("/deletions/finish", NotAllowed)
def finish_deletions(db: Database, _eraser: Eraser) -> ToldDeletions:
    """Finish the deletions that began some minutes ago; to be asked on a schedule.

    Those that fail are finished by a later request; why they do goes to the log.
    """
    told_of = deleting.finish_deletions(db)
    for user_id, error in told_of.failed.items():
        _log.error("the deletion of %s is not finished", user_id, exc_info=error)
    return ToldDeletions(finished=len(told_of.finished), failed=len(told_of.failed))


@api.get("/me/records", BadInput, AccountGone)
def export(db: Database, caller: SignedIn) -> list[Exported]:
    """Everything that is stored of you."""
    return list(_exported(db, caller.user_id))


def _exported(db: Database, user_id: str) -> Iterator[Exported]:
    for record in exporting.export(db, user_id):
        told_of = record.model_dump(mode="json", exclude={*UNTOLD})
        yield Exported(kind=type(record).__name__, record=told_of)


@api.get("/fitness", BadInput, NotThere, answer=told(UserFitnessProfile))
def fitness(db: Database, caller: SignedIn) -> UserFitnessProfile:
    """What you can lift, and how your last workouts went."""
    return find(db, fitness_profiles, caller.user_id)


@api.patch("/fitness", BadInput, NotThere, ChangedMeanwhile, answer=told(UserFitnessProfile))
def change_fitness(db: Database, caller: SignedIn, given: ChangedFitness) -> UserFitnessProfile:
    """Say what you train for and how: what is left out stays as it is."""
    found = find(db, fitness_profiles, caller.user_id)
    return change(db, fitness_profiles, found, **given.chosen())


@api.get("/fitness/injuries", BadInput, NotThere)
def injuries(db: Database, caller: SignedIn) -> list[Injury]:
    """What hurts you, or did: told to nobody but you."""
    return find(db, fitness_profiles, caller.user_id).injury_history


@api.put("/fitness/injuries", BadInput, NotThere, ChangedMeanwhile, status=204)
def set_injuries(db: Database, caller: SignedIn, given: GivenInjuries) -> None:
    """Say what hurts you, or did."""
    found = find(db, fitness_profiles, caller.user_id)
    change(db, fitness_profiles, found, injury_history=given.model_dump()["injuries"])
