"""AgentCore over HTTP: the quota, costs, sessions and assistants of the signed-in user.

The operations of the chat itself need a token with its role. `api_admin` has the operations for
administrators.
"""

from collections.abc import Sequence
from itertools import islice
from typing import Annotated

from fastapi import Depends, Path

from sortkey import DB, BadCursor, Contended, Page, utc_now
from sortkey_systems.agentcore import assisting, conversing, recording, signing_in
from sortkey_systems.agentcore.api_admin import administration
from sortkey_systems.agentcore.api_models import (
    DEMO_REDIRECT_URI,
    AssistantNameRequest,
    AssistantStatusRequest,
    BeginSignInRequest,
    BeginSignInResponse,
    EditSessionRequest,
    FinishSignInRequest,
    FinishSignInResponse,
    Id,
    QuotaCheckResponse,
    QuotaUsageResponse,
    RecordCostRequest,
    StartSessionRequest,
    Within,
    quota_usage,
)
from sortkey_systems.agentcore.checking import check_quota
from sortkey_systems.agentcore.design.assistants import (
    Assistant,
    AssistantStatus,
    assistants_of_owner,
)
from sortkey_systems.agentcore.design.events import QuotaEvent, events_of_user
from sortkey_systems.agentcore.design.sessions import (
    CostRecord,
    DeletedSession,
    Session,
    SessionDetails,
    active_sessions,
    costs_of_user,
    deleted_sessions,
)
from sortkey_systems.agentcore.design.summaries import (
    CostSummary,
    Period,
    month_of,
    summary_of,
    top_spenders,
)
from sortkey_systems.agentcore.errors import (
    AlreadyAssigned,
    AssignmentNotFound,
    AssistantNotFound,
    BadInput,
    CostDiffers,
    OverrideNotFound,
    RedirectRefused,
    SessionNotFound,
    StateInvalid,
    TierExists,
    TierInUse,
    TierNotFound,
    WrongStatus,
)
from sortkey_systems.agentcore.resolving import Person
from sortkey_systems.agentcore.settings import RedirectSettings
from sortkey_systems.api.app import Api, Cursor, Database
from sortkey_systems.api.callers import Caller
from sortkey_systems.api.identity import NotAllowed, RequireRole, SignedIn
from sortkey_systems.api.rates import RequestRate
from sortkey_systems.api.serving import TrialRequest, trials
from sortkey_systems.api.settings import WrongSettings

STATUSES: dict[type[Exception], int] = {
    AssignmentNotFound: 404,
    AssistantNotFound: 404,
    OverrideNotFound: 404,
    SessionNotFound: 404,
    TierNotFound: 404,
    AlreadyAssigned: 409,
    CostDiffers: 409,
    StateInvalid: 409,
    TierExists: 409,
    TierInUse: 409,
    WrongStatus: 409,
    BadInput: 422,
    RedirectRefused: 422,
}

api = Api(
    "AgentCore",
    "Quotas, costs, sessions, sign-ins and assistants of a university's AI chat.",
    STATUSES,
    roles=["admin", "chat", "sign-in"],
    parts=[administration],
)

# For each address: with the lifetime of ten minutes, at most 700 unfinished sign-ins are stored.
SIGN_INS = RequestRate(per_second=1, burst=100)

Chat = Annotated[Caller, Depends(RequireRole("chat"))]
Redeemer = Annotated[Caller, Depends(RequireRole("sign-in"))]

AssistantId = Annotated[Id, Path(examples=["a0000001-000"])]
SessionId = Annotated[Id, Path(examples=["s0000001-000"])]


def demo_caller(record: object) -> Caller | None:
    """Return the caller that a generated record can sign in, if any."""
    if isinstance(record, Session):
        return Caller(record.user_id, f"{record.user_id}@uni.edu")
    return None


def _demo_requests(db: DB, callers: Sequence[Caller]) -> list[TrialRequest]:
    """Return requests on generated records, with their answers."""
    person, other = callers[:2]
    month = month_of(utc_now())
    first = next(iter(db(top_spenders(month))), None)
    spenders = f"the users with the highest costs, {first.user_id} first" if first else "nobody yet"
    usages = quota_usage(db, _person_of(person)).usage
    spent = ", ".join(f"{each.spent} of {each.limit} in {each.period}" for each in usages)
    requests = [
        TrialRequest("admin", "GET", f"/spenders/{month}", spenders),
        TrialRequest(
            person.user_id, "GET", "/quota", f"what you have spent: {spent or 'no limit'}"
        ),
    ]
    for newest in islice(db(active_sessions(person.user_id)), 1):
        path = f"/sessions/{newest.session_id}"
        answer = f"404, as if it did not exist: the session belongs to {person.user_id}"
        requests.append(TrialRequest(other.user_id, "GET", path, answer))
    return requests


trial = trials(api, demo_caller, _demo_requests)


async def _person(caller: SignedIn) -> Person:
    return _person_of(caller)


def _person_of(caller: Caller) -> Person:
    return Person(
        caller.user_id,
        caller.email,
        app_roles=tuple(sorted(caller.app_roles)),
        jwt_roles=tuple(sorted(caller.roles)),
    )


CurrentPerson = Annotated[Person, Depends(_person)]


# Quota.


@api.get("/quota", BadInput)
def quota(db: Database, person: CurrentPerson) -> QuotaUsageResponse:
    """Get the quota that applies to you, and your usage."""
    return quota_usage(db, person)


@api.post("/quota/checks", BadInput)
def check(db: Database, person: CurrentPerson) -> QuotaCheckResponse:
    """Check whether you may send a request.

    You are warned at most once an hour for each threshold. If the quota cannot be read, the
    request is allowed.
    """
    return QuotaCheckResponse.of(check_quota(db, person))


@api.get("/quota/events", BadInput, BadCursor)
def events(
    db: Database, caller: SignedIn, within: Within, cursor: Cursor = None
) -> Page[QuotaEvent]:
    """List your warnings, blocks and overrides, newest first."""
    return db(events_of_user(caller.user_id, within.since, within.until, cursor))


# Costs.


@api.post("/costs", NotAllowed, BadInput, SessionNotFound, CostDiffers, status=201)
def record_cost(db: Database, _caller: Chat, request: RecordCostRequest) -> CostRecord:
    """Record the cost of a message; sending it again has no effect.

    Only the chat may record costs: users cannot set the cost of their own messages.
    """
    return recording.record_cost(db, request.to_cost())


@api.get("/costs", BadInput, BadCursor)
def costs(
    db: Database, caller: SignedIn, within: Within, cursor: Cursor = None
) -> Page[CostRecord]:
    """List the costs of your messages, newest first."""
    return db(costs_of_user(caller.user_id, within.since, within.until, cursor))


@api.get("/costs/summaries/{period}")
def summary(
    db: Database, caller: SignedIn, period: Annotated[Period, Path(examples=["2036-05"])]
) -> CostSummary:
    """Get your costs of a day (`2036-05-14`) or a month (`2036-05`)."""
    found = db(summary_of(caller.user_id, period))
    return found or CostSummary(user_id=caller.user_id, period=period)


# Sessions.


@api.get("/sessions", BadCursor)
def sessions(db: Database, caller: SignedIn, cursor: Cursor = None) -> Page[SessionDetails]:
    """List your sessions, newest first."""
    return db(active_sessions(caller.user_id, cursor))


@api.post("/sessions", BadInput, status=201)
def start_session(db: Database, caller: SignedIn, request: StartSessionRequest) -> SessionDetails:
    """Start a session."""
    return conversing.start_session(db, caller.user_id, request.title)


@api.get("/sessions/{session_id}", BadInput, SessionNotFound)
def session(
    db: Database, caller: SignedIn, session_id: SessionId
) -> DeletedSession | SessionDetails:
    """Get one of your sessions, active or deleted."""
    return conversing.find_session(db, caller.user_id, session_id)


@api.patch("/sessions/{session_id}", BadInput, SessionNotFound, Contended)
def edit_session(
    db: Database, caller: SignedIn, session_id: SessionId, request: EditSessionRequest
) -> SessionDetails:
    """Change the title, star or tags of one of your sessions."""
    return conversing.edit_session(
        db,
        caller.user_id,
        session_id,
        title=request.title,
        starred=request.starred,
        tags=request.tags,
    )


@api.delete("/sessions/{session_id}", BadInput, SessionNotFound, Contended)
def delete_session(db: Database, caller: SignedIn, session_id: SessionId) -> None:
    """Delete one of your sessions; its costs remain."""
    conversing.delete_session(db, caller.user_id, session_id)


@api.post("/sessions/{session_id}/messages", BadInput, SessionNotFound, Contended)
def add_message(db: Database, caller: SignedIn, session_id: SessionId) -> SessionDetails:
    """Send a message to one of your sessions, which moves to the top of your list."""
    return conversing.add_message(db, caller.user_id, session_id)


@api.get("/sessions/{session_id}/costs", BadInput, BadCursor, SessionNotFound)
def session_costs(
    db: Database, caller: SignedIn, session_id: SessionId, cursor: Cursor = None
) -> Page[CostRecord]:
    """List the costs of one of your sessions, oldest first."""
    return conversing.session_costs(db, caller.user_id, session_id, cursor)


@api.get("/deleted-sessions", BadCursor)
def list_deleted(db: Database, caller: SignedIn, cursor: Cursor = None) -> Page[DeletedSession]:
    """List your deleted sessions, newest first."""
    return db(deleted_sessions(caller.user_id, cursor))


# Assistants.


@api.get("/assistants", BadCursor)
def assistants(
    db: Database,
    caller: SignedIn,
    status: AssistantStatus = AssistantStatus.ACTIVE,
    cursor: Cursor = None,
) -> Page[Assistant]:
    """List your assistants with a status, newest first."""
    return db(assistants_of_owner(caller.user_id, status, cursor))


@api.post("/assistants", BadInput, status=201)
def create_assistant(db: Database, caller: SignedIn, request: AssistantNameRequest) -> Assistant:
    """Create an assistant as a draft."""
    return assisting.create_assistant(db, caller.user_id, caller.email or "", request.name)


@api.get("/assistants/{assistant_id}", BadInput, AssistantNotFound)
def assistant(db: Database, caller: SignedIn, assistant_id: AssistantId) -> Assistant:
    """Get one of your assistants."""
    return assisting.find_assistant(db, caller.user_id, assistant_id)


@api.put("/assistants/{assistant_id}/name", BadInput, AssistantNotFound)
def rename_assistant(
    db: Database, caller: SignedIn, assistant_id: AssistantId, request: AssistantNameRequest
) -> Assistant:
    """Rename one of your assistants."""
    return assisting.rename_assistant(db, caller.user_id, assistant_id, request.name)


@api.put("/assistants/{assistant_id}/status", BadInput, AssistantNotFound, WrongStatus, Contended)
def change_status(
    db: Database, caller: SignedIn, assistant_id: AssistantId, request: AssistantStatusRequest
) -> Assistant:
    """Change the status of one of your assistants."""
    return assisting.change_status(db, caller.user_id, assistant_id, request.status)


@api.delete("/assistants/{assistant_id}", BadInput, AssistantNotFound)
def delete_assistant(db: Database, caller: SignedIn, assistant_id: AssistantId) -> None:
    """Delete one of your assistants."""
    assisting.delete_assistant(db, caller.user_id, assistant_id)


# Signing in.


def allowed_redirects() -> tuple[str, ...]:
    """Return the addresses in the settings; without settings, the one of the demo."""
    try:
        return RedirectSettings.current().redirect_uris
    except WrongSettings:
        return (DEMO_REDIRECT_URI,)


@api.post("/sign-ins", BadInput, RedirectRefused, status=201, rate=SIGN_INS)
def begin_sign_in(db: Database, request: BeginSignInRequest) -> BeginSignInResponse:
    """Begin a sign-in, which must be finished within ten minutes.

    The response has the parameters for the identity provider. The redirect address must be one of
    the configured ones.
    """
    begun = signing_in.begin_sign_in(db, request.redirect_uri, allowed=allowed_redirects())
    return BeginSignInResponse.of(begun)


@api.post("/sign-ins/finish", NotAllowed, StateInvalid)
def finish_sign_in(
    db: Database, _caller: Redeemer, request: FinishSignInRequest
) -> FinishSignInResponse:
    """Exchange the state that a browser brought back, once.

    Only the service that redeems codes at the identity provider may call this: the response has the
    code verifier.
    """
    return FinishSignInResponse.of(signing_in.finish_sign_in(db, request.state))
