"""AgentCore over HTTP: the quota, costs, sessions and assistants of whoever is signed in.

What the chat itself tells and asks is for a token with its role; what administrators do is in
`api_admin`.
"""

import os
from typing import Annotated

from fastapi import Depends, Path

from sortkey import BadCursor, Page
from sortkey_systems.agentcore import assisting, conversing, recording, signing_in
from sortkey_systems.agentcore.api_admin import administration
from sortkey_systems.agentcore.api_models import (
    DEMO_REDIRECT_URI,
    BegunSignIn,
    CheckedQuota,
    FinishedSignIn,
    GivenCost,
    GivenEdit,
    GivenName,
    GivenReturn,
    GivenState,
    GivenStatus,
    GivenTitle,
    Id,
    UsedQuota,
    Within,
    used_quota,
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
    SessionFacts,
    active_sessions,
    costs_of_user,
    deleted_sessions,
)
from sortkey_systems.agentcore.design.summaries import CostSummary, Period, summary_of
from sortkey_systems.agentcore.errors import (
    AlreadyAssigned,
    AssignmentNotFound,
    AssistantNotFound,
    BadInput,
    Contended,
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
from sortkey_systems.api.app import Api, Cursor, Database
from sortkey_systems.api.identity import Caller, Having, NotAllowed, SignedIn
from sortkey_systems.api.serving import trials

STATUSES: dict[type[Exception], int] = {
    AssignmentNotFound: 404,
    AssistantNotFound: 404,
    OverrideNotFound: 404,
    SessionNotFound: 404,
    TierNotFound: 404,
    AlreadyAssigned: 409,
    Contended: 409,
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

Chat = Annotated[Caller, Depends(Having("chat"))]
Redeemer = Annotated[Caller, Depends(Having("sign-in"))]

AssistantId = Annotated[Id, Path(examples=["a0000001-000"])]
SessionId = Annotated[Id, Path(examples=["s0000001-000"])]


def someone(record: object) -> Caller | None:
    """Whom a record of the generated data signs in."""
    if isinstance(record, Session):
        return Caller(record.user_id, f"{record.user_id}@uni.edu")
    return None


trial = trials(api, someone)


async def _person(caller: SignedIn) -> Person:
    return Person(
        caller.user_id,
        caller.email,
        app_roles=tuple(sorted(caller.app_roles)),
        jwt_roles=tuple(sorted(caller.roles)),
    )


Self = Annotated[Person, Depends(_person)]


# Quota.


@api.get("/quota", BadInput)
def quota(db: Database, person: Self) -> UsedQuota:
    """The quota that applies to you, and what you have used of it."""
    return used_quota(db, person)


@api.post("/quota/checks", BadInput)
def check(db: Database, person: Self) -> CheckedQuota:
    """Ask whether you may send a request.

    You are warned once an hour of each threshold that you pass. A quota that cannot be read
    allows the request.
    """
    return CheckedQuota.of(check_quota(db, person))


@api.get("/quota/events", BadInput, BadCursor)
def events(
    db: Database, caller: SignedIn, within: Within, cursor: Cursor = None
) -> Page[QuotaEvent]:
    """When you were warned or blocked, and your overrides, newest first."""
    return db(events_of_user(caller.user_id, within.since, within.until, cursor))


# Costs.


@api.post("/costs", NotAllowed, BadInput, SessionNotFound, CostDiffers, status=201)
def record_cost(db: Database, _caller: Chat, given: GivenCost) -> CostRecord:
    """Record what a message cost, which counts once however often it is told.

    The chat measures this: nobody says what their own messages cost.
    """
    return recording.record_cost(db, given.cost())


@api.get("/costs", BadInput, BadCursor)
def costs(
    db: Database, caller: SignedIn, within: Within, cursor: Cursor = None
) -> Page[CostRecord]:
    """What your messages cost, newest first."""
    return db(costs_of_user(caller.user_id, within.since, within.until, cursor))


@api.get("/costs/summaries/{period}")
def summary(
    db: Database, caller: SignedIn, period: Annotated[Period, Path(examples=["2036-05"])]
) -> CostSummary:
    """What you have spent on a day (`2036-05-14`) or in a month (`2036-05`)."""
    found = db(summary_of(caller.user_id, period))
    return found or CostSummary(user_id=caller.user_id, period=period)


# Sessions.


@api.get("/sessions", BadCursor)
def sessions(db: Database, caller: SignedIn, cursor: Cursor = None) -> Page[SessionFacts]:
    """Your sessions, newest first."""
    return db(active_sessions(caller.user_id, cursor))


@api.post("/sessions", BadInput, status=201)
def start_session(db: Database, caller: SignedIn, given: GivenTitle) -> SessionFacts:
    """Start a session."""
    return conversing.start_session(db, caller.user_id, given.title)


@api.get("/sessions/{session_id}", BadInput, SessionNotFound)
def session(db: Database, caller: SignedIn, session_id: SessionId) -> DeletedSession | SessionFacts:
    """One of your sessions, deleted or not."""
    return conversing.find_session(db, caller.user_id, session_id)


@api.patch("/sessions/{session_id}", BadInput, SessionNotFound, Contended)
def edit_session(
    db: Database, caller: SignedIn, session_id: SessionId, given: GivenEdit
) -> SessionFacts:
    """Give one of your sessions another title, a star or none, or other tags."""
    return conversing.edit_session(
        db,
        caller.user_id,
        session_id,
        title=given.title,
        starred=given.starred,
        tags=given.tags,
    )


@api.delete("/sessions/{session_id}", BadInput, SessionNotFound, Contended)
def delete_session(db: Database, caller: SignedIn, session_id: SessionId) -> None:
    """Delete one of your sessions; what it cost stays."""
    conversing.delete_session(db, caller.user_id, session_id)


@api.post("/sessions/{session_id}/messages", BadInput, SessionNotFound, Contended)
def add_message(db: Database, caller: SignedIn, session_id: SessionId) -> SessionFacts:
    """Send a message to one of your sessions, which comes to the top of your list."""
    return conversing.add_message(db, caller.user_id, session_id)


@api.get("/sessions/{session_id}/costs", BadInput, BadCursor, SessionNotFound)
def session_costs(
    db: Database, caller: SignedIn, session_id: SessionId, cursor: Cursor = None
) -> Page[CostRecord]:
    """What the messages of one of your sessions cost, oldest first."""
    return conversing.session_costs(db, caller.user_id, session_id, cursor)


@api.get("/deleted-sessions", BadCursor)
def list_deleted(db: Database, caller: SignedIn, cursor: Cursor = None) -> Page[DeletedSession]:
    """The sessions that you have deleted, newest first."""
    return db(deleted_sessions(caller.user_id, cursor))


# Assistants.


@api.get("/assistants", BadCursor)
def assistants(
    db: Database,
    caller: SignedIn,
    status: AssistantStatus = AssistantStatus.ACTIVE,
    cursor: Cursor = None,
) -> Page[Assistant]:
    """Your assistants of a status, newest first."""
    return db(assistants_of_owner(caller.user_id, status, cursor))


@api.post("/assistants", BadInput, status=201)
def create_assistant(db: Database, caller: SignedIn, given: GivenName) -> Assistant:
    """Begin to build an assistant, which is a draft at first."""
    return assisting.create_assistant(db, caller.user_id, caller.email or "", given.name)


@api.get("/assistants/{assistant_id}", BadInput, AssistantNotFound)
def assistant(db: Database, caller: SignedIn, assistant_id: AssistantId) -> Assistant:
    """One of your assistants."""
    return assisting.find_assistant(db, caller.user_id, assistant_id)


@api.put("/assistants/{assistant_id}/name", BadInput, AssistantNotFound)
def rename_assistant(
    db: Database, caller: SignedIn, assistant_id: AssistantId, given: GivenName
) -> Assistant:
    """Give one of your assistants another name."""
    return assisting.rename_assistant(db, caller.user_id, assistant_id, given.name)


@api.put("/assistants/{assistant_id}/status", BadInput, AssistantNotFound, WrongStatus, Contended)
def change_status(
    db: Database, caller: SignedIn, assistant_id: AssistantId, given: GivenStatus
) -> Assistant:
    """Put one of your assistants to use, or lay it aside."""
    return assisting.change_status(db, caller.user_id, assistant_id, given.status)


@api.delete("/assistants/{assistant_id}", BadInput, AssistantNotFound)
def delete_assistant(db: Database, caller: SignedIn, assistant_id: AssistantId) -> None:
    """Delete one of your assistants."""
    assisting.delete_assistant(db, caller.user_id, assistant_id)


# Signing in.

# Where browsers may be sent back to, as the environment names it: several with spaces between.
REDIRECT_URIS = "AGENTCORE_REDIRECT_URIS"


def allowed_redirects() -> list[str]:
    """The addresses of the environment, or that of the demo."""
    return os.environ.get(REDIRECT_URIS, DEMO_REDIRECT_URI).split()


@api.post("/sign-ins", BadInput, RedirectRefused, status=201)
def begin_sign_in(db: Database, given: GivenReturn) -> BegunSignIn:
    """Begin to sign in: what you take to the identity provider, within ten minutes.

    You come back to one of the addresses that are configured, and to no other.
    """
    begun = signing_in.begin_sign_in(db, given.redirect_uri, allowed=allowed_redirects())
    return BegunSignIn.of(begun)


@api.post("/sign-ins/finish", NotAllowed, StateInvalid)
def finish_sign_in(db: Database, _caller: Redeemer, given: GivenState) -> FinishedSignIn:
    """Take back the state that a browser has brought, once.

    This is for whoever redeems codes at the identity provider, and needs the verifier for it.
    """
    return FinishedSignIn.of(signing_in.finish_sign_in(db, given.state))
