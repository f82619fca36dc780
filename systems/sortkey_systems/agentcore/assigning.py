"""Assigning: which tier a user, a role, a mail domain or everybody else has."""

from collections.abc import Mapping
from types import MappingProxyType
from uuid import uuid4

from sortkey import DB, NotFound, TransactionFailed, WriteFailed
from sortkey_systems.agentcore.design.quotas import (
    Assignment,
    AssignmentType,
    add_assignment,
    assignment_by_id,
    change_assignment,
    move_assignment,
    remove_assignment,
)
from sortkey_systems.agentcore.design.standard import is_id
from sortkey_systems.agentcore.errors import (
    AlreadyAssigned,
    AssignmentNotFound,
    BadInput,
    Contended,
    TierNotFound,
    checked,
)
from sortkey_systems.agentcore.mail import is_assignable

ATTEMPTS = 5

_PREFIXES: Mapping[AssignmentType, str] = MappingProxyType(
    {
        AssignmentType.DIRECT_USER: "USER#",
        AssignmentType.APP_ROLE: "APPROLE#",
        AssignmentType.JWT_ROLE: "ROLE#",
    }
)
# Of each of their subjects there is one assignment.
_SOLE = frozenset({AssignmentType.DIRECT_USER, AssignmentType.APP_ROLE})


def assign(
    db: DB,
    assignment_type: AssignmentType,
    who: str | None,
    tier_id: str,
    *,
    priority: int = 0,
    enabled: bool = True,
) -> Assignment:
    """The new assignment of a tier that exists.

    ``who`` is a user's id, a role, or a mail domain, which is ``*.example.edu`` for everything
    under it; None for the default. A user and an application role have one assignment each.
    """
    with checked():
        assignment = Assignment(
            assignment_id=_id_of(assignment_type, who),
            tier_id=tier_id,
            assignment_type=assignment_type,
            subject=subject_of(assignment_type, who),
            priority=priority,
            enabled=enabled,
        )
        adding = add_assignment(assignment)
    try:
        db(adding)
    except TransactionFailed as failed:
        there, tier = failed.failures
        if isinstance(there, WriteFailed):
            raise AlreadyAssigned(f"{assignment.subject} has an assignment already") from failed
        if isinstance(tier, NotFound):
            raise TierNotFound(tier_id) from failed
        raise
    return assignment


def reassign(db: DB, assignment_id: str, tier_id: str) -> Assignment:
    """The assignment, to another tier that exists."""
    for _ in range(ATTEMPTS):
        assignment = find_assignment(db, assignment_id)
        if assignment.tier_id == tier_id:
            return assignment
        with checked():
            moving = move_assignment(assignment, tier_id)
        try:
            db(moving)
        except TransactionFailed as failed:
            if isinstance(failed.failures[0], WriteFailed):
                continue  # it went, or went to another tier, in between
            if isinstance(failed.failures[2], NotFound):
                raise TierNotFound(tier_id) from failed
            raise
        return assignment.model_copy(update={"tier_id": tier_id})
    raise Contended(f"the assignment {assignment_id} is being changed")


def adjust(
    db: DB, assignment_id: str, *, priority: int | None = None, enabled: bool | None = None
) -> Assignment:
    """The assignment with another priority, switched on or off, or both."""
    for _ in range(ATTEMPTS):
        found = find_assignment(db, assignment_id)
        with checked():
            change = change_assignment(
                found,
                found.priority if priority is None else priority,
                enabled=found.enabled if enabled is None else enabled,
            )
        try:
            with checked():
                return db(change)
        except WriteFailed:
            continue  # it went, or was adjusted, in between
    raise Contended(f"the assignment {assignment_id} is being changed")


def unassign(db: DB, assignment_id: str) -> Assignment:
    """The assignment as it was, gone, and counted no more."""
    for _ in range(ATTEMPTS):
        assignment = find_assignment(db, assignment_id)
        try:
            db(remove_assignment(assignment))
        except TransactionFailed as failed:
            if isinstance(failed.failures[0], WriteFailed):
                continue  # it went, or went to another tier, in between
            raise
        return assignment
    raise Contended(f"the assignment {assignment_id} is being changed")


def find_assignment(db: DB, assignment_id: str) -> Assignment:
    """The assignment as it is stored."""
    with checked():
        asked = assignment_by_id(assignment_id)
    assignment = db(asked)
    if assignment is None:
        raise AssignmentNotFound(assignment_id)
    return assignment


def subject_of(assignment_type: AssignmentType, who: str | None) -> str:
    """Whom an assignment is for, as it is stored."""
    if assignment_type is AssignmentType.DEFAULT_TIER:
        if who is not None:
            raise BadInput("who", "a default is for everybody else, and names nobody")
        return "DEFAULT"
    if assignment_type is AssignmentType.EMAIL_DOMAIN:
        return f"DOMAIN#{_domain(who or '')}"
    if who is None or not is_id(who):
        raise BadInput("who", "it has 1 to 128 characters, and no #")
    return f"{_PREFIXES[assignment_type]}{who}"


def _domain(who: str) -> str:
    """A mail domain, or ``*.`` and a domain, in lower case."""
    domain = who.lower()
    if not is_assignable(domain):
        raise BadInput("who", "it is no mail domain, nor *. and a domain")
    return domain


def _id_of(assignment_type: AssignmentType, who: str | None) -> str:
    """A new id; the same for the same subject, where there is one assignment for each."""
    return f"{assignment_type}:{who}" if assignment_type in _SOLE else uuid4().hex
