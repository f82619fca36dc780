"""Assisting: assistants are made, named, put to use and laid aside by their owners."""

from collections.abc import Mapping
from types import MappingProxyType
from uuid import uuid4

from sortkey import DB, AlreadyExists, WriteFailed, utc_now
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
    Contended,
    WrongStatus,
    checked,
)
from sortkey_systems.agentcore.mail import domain_of

ATTEMPTS = 5

# What was laid aside is taken up again as a draft, and not at once in use.
NEXT: Mapping[AssistantStatus, frozenset[AssistantStatus]] = MappingProxyType(
    {
        AssistantStatus.DRAFT: frozenset({AssistantStatus.ACTIVE, AssistantStatus.ARCHIVED}),
        AssistantStatus.ACTIVE: frozenset({AssistantStatus.ARCHIVED}),
        AssistantStatus.ARCHIVED: frozenset({AssistantStatus.DRAFT}),
    }
)


def create_assistant(db: DB, owner_id: str, owner_email: str, name: str) -> Assistant:
    """A new draft."""
    domain = domain_of(owner_email)
    if domain is None:
        raise BadInput("owner_email", "it is no mail address")
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
        adding = add_assistant(assistant)
    try:
        return db(adding)
    except AlreadyExists:
        return assistant  # the id is new, so it is this one, whose first answer was lost


def find_assistant(db: DB, owner_id: str, assistant_id: str) -> Assistant:
    """The owner's assistant; somebody else's is not found."""
    with checked():
        assistant = db(assistant_by_id(assistant_id))
    if assistant is None or assistant.owner_id != owner_id:
        raise AssistantNotFound(assistant_id)
    return assistant


def change_status(db: DB, owner_id: str, assistant_id: str, status: AssistantStatus) -> Assistant:
    """The assistant in another status; one that has it already stays as it is."""
    for _ in range(ATTEMPTS):
        assistant = find_assistant(db, owner_id, assistant_id)
        if assistant.status is status:
            return assistant
        if status not in NEXT[assistant.status]:
            raise WrongStatus(f"{assistant_id} is {assistant.status} and cannot become {status}")
        try:
            return db(write_status(assistant, owner_id, status, utc_now()))
        except WriteFailed:
            continue  # somebody else changed it, or it went
    raise Contended(f"the assistant {assistant_id} is being changed")


def rename_assistant(db: DB, owner_id: str, assistant_id: str, name: str) -> Assistant:
    """The assistant under another name."""
    try:
        with checked():
            return db(write_name(assistant_id, owner_id, name, utc_now()))
    except WriteFailed as failed:
        raise AssistantNotFound(assistant_id) from failed


def delete_assistant(db: DB, owner_id: str, assistant_id: str) -> None:
    """The assistant goes."""
    try:
        with checked():
            db(remove_assistant(assistant_id, owner_id))
    except WriteFailed as failed:
        raise AssistantNotFound(assistant_id) from failed
