"""GymCoach's HTTP API: the caller's account, and the other parts of the API.

Every caller manages their own records. Other operations require a role in the token: editors
maintain the library and the rules, coaches recommend and analyze, messengers send notifications,
and erasers finish deletions.
"""

import logging
from collections.abc import Iterator, Sequence
from typing import Annotated

from fastapi import Depends

from sortkey import DB
from sortkey_systems.api.app import Api, Database
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import NotAllowed, RequireRole, SignedIn
from sortkey_systems.api.serving import TrialRequest, trials
from sortkey_systems.gymcoach import accounts, deleting, exporting
from sortkey_systems.gymcoach.api_coaching import coaching
from sortkey_systems.gymcoach.api_models import (
    INTERNAL,
    CreateAccountRequest,
    CreateFitnessRequest,
    DeletionResponse,
    ExportedRecord,
    FinishDeletionsResponse,
    PathId,
    SetInjuriesRequest,
    UpdateAccountRequest,
    UpdateFitnessRequest,
    response_model,
)
from sortkey_systems.gymcoach.api_notifying import notifying
from sortkey_systems.gymcoach.api_progress import progress
from sortkey_systems.gymcoach.api_records import new_record
from sortkey_systems.gymcoach.api_training import training
from sortkey_systems.gymcoach.crud import add, change, find, remove
from sortkey_systems.gymcoach.design.deleting import FinishedDeletion
from sortkey_systems.gymcoach.design.people import (
    Injury,
    UserFitnessProfile,
    UserProfile,
    fitness_profiles,
)
from sortkey_systems.gymcoach.design.training import workout_sessions_of_user
from sortkey_systems.gymcoach.errors import (
    AccountExists,
    AccountNotFound,
    AlreadyApplied,
    BadInput,
    DeletionUnderWay,
    FitnessProfileFull,
    InvalidRule,
    NotificationDeclined,
    RecordChanged,
    RecordExists,
    RecordNotFound,
    SessionFinished,
    SessionOpen,
    TooManyChanges,
)

_log = logging.getLogger(__name__)

STATUSES: dict[type[Exception], int] = {
    AccountNotFound: 404,
    RecordNotFound: 404,
    AccountExists: 409,
    AlreadyApplied: 409,
    DeletionUnderWay: 409,
    FitnessProfileFull: 409,
    NotificationDeclined: 409,
    RecordExists: 409,
    RecordChanged: 409,
    SessionFinished: 409,
    SessionOpen: 409,
    TooManyChanges: 409,
    BadInput: 422,
    InvalidRule: 422,
}

api = Api(
    "GymCoach",
    "Fitness coaching: plans, workouts, progress and advice.",
    STATUSES,
    roles=["editor", "coach", "messenger", "eraser"],
    parts=[training, progress, coaching, notifying],
)

# Even the owner of a device has no use for its push token.
HIDDEN = INTERNAL | {"device_token"}

Eraser = Annotated[Caller, Depends(RequireRole("eraser"))]


def demo_caller(record: object) -> Caller | None:
    """Return the caller that a generated record belongs to, or None."""
    return Caller(record.user_id, record.email) if isinstance(record, UserProfile) else None


def demo_requests(db: DB, callers: Sequence[Caller]) -> list[TrialRequest]:
    """Return requests with which a user finishes the workout of the day, or a newcomer starts."""
    first, second = (caller.user_id for caller in callers[:2])
    under_way = [s for s in db(workout_sessions_of_user(first)) if s.completed_at is None]
    if not under_way:
        begun = {"name": "Legs"}
        return [
            TrialRequest(first, "POST", "/me", "your account", {"name": "Newcomer"}),
            TrialRequest(first, "POST", "/sessions", "a workout, with its id", begun),
            TrialRequest(second, "GET", "/me", "404: no account yet"),
        ]
    path = f"/sessions/{under_way[0].id}"
    finished = "your workout, and the best weights, strength and milestones that it changed"
    return [
        TrialRequest(first, "POST", f"{path}/finish", finished, {"rating": 4}),
        TrialRequest(first, "POST", "/evaluations", "new recommendations; once more: none"),
        TrialRequest(second, "GET", path, f"404: it is the workout of {first}"),
    ]


trial = trials(api, demo_caller, demo_requests)


@api.post(
    "/me",
    BadInput,
    AccountExists,
    AccountNotFound,
    DeletionUnderWay,
    RecordExists,
    status=201,
    response=response_model(UserProfile),
)
def register(db: Database, caller: SignedIn, body: CreateAccountRequest) -> UserProfile:
    """Create your account, with the e-mail address of your token."""
    return accounts.register(db, caller.user_id, email=caller.email or "", **body.model_dump())


@api.get("/me", BadInput, AccountNotFound, response=response_model(UserProfile))
def account(db: Database, caller: SignedIn) -> UserProfile:
    """Get your account."""
    return accounts.account(db, caller.user_id)


@api.patch("/me", BadInput, AccountNotFound, response=response_model(UserProfile))
def change_account(db: Database, caller: SignedIn, body: UpdateAccountRequest) -> UserProfile:
    """Update some fields of your account."""
    return accounts.change_account(db, caller.user_id, **body.sent_fields())


@api.put("/me/email", BadInput, AccountNotFound, response=response_model(UserProfile))
def change_email(db: Database, caller: SignedIn) -> UserProfile:
    """Change the e-mail address of your account to that of your token, which is verified."""
    return accounts.change_account(db, caller.user_id, email=caller.email or "")


@api.delete("/me", BadInput, status=200)
def delete_account(db: Database, caller: SignedIn) -> DeletionResponse:
    """Delete your account and all your records.

    The records are deleted at once, the account some minutes later.
    """
    deletion = deleting.delete_user(db, caller.user_id)
    return DeletionResponse(
        deletion_id=deletion.id,
        is_complete=deletion.is_complete,
        retry_at=deletion.retry_at,
        deleted={**deletion.deleted},
    )


@api.post("/deletions/finish", NotAllowed)
def finish_deletions(db: Database, _eraser: Eraser) -> FinishDeletionsResponse:
    """Finish the deletions that began some minutes ago; call this on a schedule.

    A deletion that fails is logged, and a later request finishes it.
    """
    result = deleting.finish_deletions(db)
    for user_id, error in result.failed.items():
        _log.error("could not finish the deletion of %s", user_id, exc_info=error)
    return FinishDeletionsResponse(finished=len(result.finished), failed=len(result.failed))


@api.get(
    "/finished-deletions/{deletion_id}",
    NotAllowed,
    BadInput,
    RecordNotFound,
    response=response_model(FinishedDeletion),
)
def finished_deletion(db: Database, _eraser: Eraser, deletion_id: PathId) -> FinishedDeletion:
    """Get the record of a finished deletion, which does not name the user."""
    return deleting.end_of(db, deletion_id)


@api.get("/me/records", BadInput, AccountNotFound)
def export(db: Database, caller: SignedIn) -> list[ExportedRecord]:
    """Export all your records."""
    return list(_exported(db, caller.user_id))


def _exported(db: Database, user_id: str) -> Iterator[ExportedRecord]:
    for record in exporting.export(db, user_id):
        fields = record.model_dump(mode="json", exclude={*HIDDEN})
        yield ExportedRecord(kind=type(record).__name__, record=fields)


@api.get("/fitness", BadInput, RecordNotFound, response=response_model(UserFitnessProfile))
def fitness(db: Database, caller: SignedIn) -> UserFitnessProfile:
    """Get your fitness profile."""
    return find(db, fitness_profiles, caller.user_id)


@api.post(
    "/fitness",
    BadInput,
    AccountNotFound,
    RecordExists,
    status=201,
    response=response_model(UserFitnessProfile),
)
def create_fitness(
    db: Database, caller: SignedIn, body: CreateFitnessRequest
) -> UserFitnessProfile:
    """Create your fitness profile, if you deleted it."""
    return add(db, fitness_profiles, new_record(UserFitnessProfile, caller.user_id, body))


@api.delete("/fitness", BadInput, RecordNotFound, RecordChanged)
def delete_fitness(db: Database, caller: SignedIn) -> None:
    """Delete your fitness profile; without one, you cannot finish workouts."""
    remove(db, fitness_profiles, find(db, fitness_profiles, caller.user_id))


@api.patch(
    "/fitness",
    BadInput,
    AccountNotFound,
    RecordNotFound,
    RecordChanged,
    response=response_model(UserFitnessProfile),
)
def change_fitness(
    db: Database, caller: SignedIn, body: UpdateFitnessRequest
) -> UserFitnessProfile:
    """Update some fields of your fitness profile."""
    found = find(db, fitness_profiles, caller.user_id)
    return change(db, fitness_profiles, found, **body.sent_fields())


@api.get("/fitness/injuries", BadInput, RecordNotFound)
def injuries(db: Database, caller: SignedIn) -> list[Injury]:
    """List your injuries, which only you can see."""
    return find(db, fitness_profiles, caller.user_id).injury_history


@api.put("/fitness/injuries", BadInput, AccountNotFound, RecordNotFound, RecordChanged, status=204)
def set_injuries(db: Database, caller: SignedIn, body: SetInjuriesRequest) -> None:
    """Replace the list of your injuries."""
    found = find(db, fitness_profiles, caller.user_id)
    change(db, fitness_profiles, found, injury_history=body.model_dump()["injuries"])
