"""Assisting: owners create, rename, activate, archive and delete their assistants."""

from collections.abc import Mapping
from types import MappingProxyType
from uuid import uuid4

from sortkey import DB, AlreadyExists, Done, Op, RecordError, utc_now
from sortkey_systems.agentcore.design.assistants import (
    Assistant,
    AssistantStatus,
    add_assistant,
    assistant_by_id,
    remove_assistant,
    write_name,
    write_status,
)
from sortkey_systems.agentcore.errors import (
    AssistantNotFound,
    BadInput,
    WrongStatus,
    checked,
)
from sortkey_systems.agentcore.mail import domain_of

# An archived assistant becomes a draft before it can be active again.
NEXT: Mapping[AssistantStatus, frozenset[AssistantStatus]] = MappingProxyType(
    {
        AssistantStatus.DRAFT: frozenset({AssistantStatus.ACTIVE, AssistantStatus.ARCHIVED}),
        AssistantStatus.ACTIVE: frozenset({AssistantStatus.ARCHIVED}),
        AssistantStatus.ARCHIVED: frozenset({AssistantStatus.DRAFT}),
    }
)


def create_assistant(db: DB, owner_id: str, owner_email: str, name: str) -> Assistant:
    """Create a draft and return it."""
    domain = domain_of(owner_email)
    if domain is None:
        raise BadInput("owner_email", "is not a mail address")
    now = utc_now()
    with checked():
        assistant = Assistant(
            assistant_id=uuid4().hex,
            owner_id=owner_id,
            owner_email_domain=domain,
            name=name,
            created_at=now,
            updated_at=now,
        )
        write = add_assistant(assistant)
    try:
        return db(write)
    except AlreadyExists:
        return assistant  # the id is new, so this is a retry whose first response was lost


def find_assistant(db: DB, owner_id: str, assistant_id: str) -> Assistant:
    """Return the assistant, or raise `AssistantNotFound` if this user does not own it."""
    with checked():
        assistant = db(assistant_by_id(assistant_id))
    if assistant is None or assistant.owner_id != owner_id:
        raise AssistantNotFound(assistant_id)
    return assistant


def change_status(db: DB, owner_id: str, assistant_id: str, status: AssistantStatus) -> Assistant:
    """Change the status; do nothing if the assistant already has it."""

    def decide() -> Op[Assistant]:
        assistant = find_assistant(db, owner_id, assistant_id)
        if assistant.status is status:
            return Done(assistant)
        if status not in NEXT[assistant.status]:
            raise WrongStatus(f"{assistant_id} is {assistant.status} and cannot become {status}")
        return write_status(assistant, owner_id, status, utc_now())

    return db.decide(decide)


def rename_assistant(db: DB, owner_id: str, assistant_id: str, name: str) -> Assistant:
    """Rename the assistant and return it."""
    try:
        with checked():
            return db(write_name(assistant_id, owner_id, name, utc_now()))
    except RecordError as failed:
        raise AssistantNotFound(assistant_id) from failed


def delete_assistant(db: DB, owner_id: str, assistant_id: str) -> None:
    """Delete the assistant, or raise `AssistantNotFound` if this user does not own it."""

    def decide() -> Op[Assistant | None]:
        return remove_assistant(find_assistant(db, owner_id, assistant_id), owner_id)

    db.decide(decide)
