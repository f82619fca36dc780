"""The table ``assistants``: assistants by owner, by mail domain and by time."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import Entity, Expected, Export, Op, Page, Table, gsi, immutable, pattern
from sortkey_systems.agentcore.design.standard import ALARMS, STANDARD, Domain, Id

ASSISTANTS_PAGE = 25

Name = Annotated[str, Field(min_length=1, max_length=120)]


class AssistantStatus(StrEnum):
    """The status of an assistant: being built, in use, or archived."""

    DRAFT = "DRAFT"
    ACTIVE = "ACTIVE"
    ARCHIVED = "ARCHIVED"


class Assistants(
    Table,
    name=STANDARD.named("assistants"),
    settings=STANDARD.settings(
        alarms=ALARMS, exported=Export("assistants", "assistants", "Assistants DynamoDB table name")
    ),
):
    """Assistants, each with its owner."""

    owner_status_index = gsi("GSI1PK", "GSI1SK", name="OwnerStatusIndex")
    email_domain_index = gsi("GSI2PK", "GSI2SK", name="EmailDomainIndex")
    created_at_index = gsi("GSI3PK", "GSI3SK", name="CreatedAtIndex")


class Assistant(
    Entity,
    table=Assistants,
    stored=to_camel,
    expected=Expected(count=50_000, size_bytes=500),
):
    """A customized chat assistant that a user has built."""

    assistant_id: Id
    owner_id: Annotated[Id, immutable]
    owner_email_domain: Annotated[Domain, immutable]
    name: Name
    status: AssistantStatus = AssistantStatus.DRAFT
    created_at: Annotated[datetime, immutable]
    updated_at: datetime

    primary = Assistants.primary.key("AST#{assistant_id}", "METADATA")
    by_owner = Assistants.owner_status_index.key(
        "OWNER#{owner_id}", "STATUS#{status}#CREATED#{created_at}#{assistant_id}"
    )
    by_domain = Assistants.email_domain_index.key(
        "DOMAIN#{owner_email_domain}", "CREATED#{created_at}#{assistant_id}"
    )
    # One partition for each month: a single partition would take every write.
    by_month = Assistants.created_at_index.key(
        "MONTH#{created_at:%Y-%m}", "{created_at}#{assistant_id}"
    )


@pattern("An assistant by its id", rate="20/s", fresh=True)
def assistant_by_id(assistant_id: str) -> Op[Assistant | None]:
    """Use a strongly consistent read: changes are decided from its result."""
    return Assistant.get(assistant_id=assistant_id).consistently()


@pattern(
    "Assistants of an owner with a status, newest first",
    rate="5/s",
    page=ASSISTANTS_PAGE,
    where=lambda assistant, owner_id, status: (
        assistant.owner_id == owner_id and assistant.status is status
    ),
    order=lambda assistant: (assistant.created_at, assistant.assistant_id),
    descending=True,
)
def assistants_of_owner(
    owner_id: str, status: AssistantStatus, after: str | None = None
) -> Op[Page[Assistant]]:
    """Read only matching assistants: the status precedes the time in the key."""
    query = Assistant.query(Assistant.by_owner, owner_id=owner_id, status=status)
    return query.reverse().page(ASSISTANTS_PAGE, after)


@pattern(
    "Assistants of a mail domain, newest first",
    rate="1/s",
    page=ASSISTANTS_PAGE,
    where=lambda assistant, domain: assistant.owner_email_domain == domain,
    order=lambda assistant: (assistant.created_at, assistant.assistant_id),
    descending=True,
)
def assistants_of_domain(domain: str, after: str | None = None) -> Op[Page[Assistant]]:
    """Include assistants of every status."""
    query = Assistant.query(Assistant.by_domain, owner_email_domain=domain)
    return query.reverse().page(ASSISTANTS_PAGE, after)


@pattern(
    "Assistants created in a month, newest first",
    rate="1/min",
    page=ASSISTANTS_PAGE,
    where=lambda assistant, within: (
        (assistant.created_at.year, assistant.created_at.month) == (within.year, within.month)
    ),
    order=lambda assistant: (assistant.created_at, assistant.assistant_id),
    descending=True,
)
def assistants_of_month(within: datetime, after: str | None = None) -> Op[Page[Assistant]]:
    """Use the UTC month that contains ``within``."""
    query = Assistant.query(Assistant.by_month, created_at=within)
    return query.reverse().page(ASSISTANTS_PAGE, after)


def has_status(assistant: Assistant, status: AssistantStatus) -> bool:
    """Return whether the assistant has this status."""
    return assistant.status == status


def is_owned_by(assistant: Assistant, owner_id: str) -> bool:
    """Return whether this user owns the assistant."""
    return assistant.owner_id == owner_id


@pattern("Create an assistant", rate="10/min")
def add_assistant(assistant: Assistant) -> Op[Assistant]:
    """Require that the id is new."""
    return assistant.create()


@pattern("Change an assistant's status", rate="10/min")
def write_status(
    assistant: Assistant, owner_id: str, status: AssistantStatus, moment: datetime
) -> Op[Assistant]:
    """Require the owner and the status that was read; the index entry moves with the status."""
    return (
        assistant.update()
        .set(status=status, updated_at=moment)
        .where(lambda a: is_owned_by(a, owner_id))
        .where(lambda a: has_status(a, assistant.status))
    )


@pattern("Rename an assistant", rate="10/min")
def write_name(assistant_id: str, owner_id: str, name: str, moment: datetime) -> Op[Assistant]:
    """Require the owner."""
    return (
        Assistant.update(assistant_id=assistant_id)
        .set(name=name, updated_at=moment)
        .where(lambda a: is_owned_by(a, owner_id))
    )


@pattern("Delete an assistant", rate="1/min")
def remove_assistant(assistant: Assistant, owner_id: str) -> Op[Assistant | None]:
    """Require the owner."""
    return assistant.delete().where(lambda a: is_owned_by(a, owner_id))
