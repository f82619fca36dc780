"""Assigning: give a tier to a user, a role, a mail domain or all other users."""

from collections.abc import Mapping
from types import MappingProxyType
from uuid import uuid4

from sortkey import DB, Done, NotFound, Op, RecordError, TransactionFailed
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
    TierNotFound,
    checked,
)
from sortkey_systems.agentcore.mail import is_assignable

_PREFIXES: Mapping[AssignmentType, str] = MappingProxyType(
    {
        AssignmentType.DIRECT_USER: "USER#",
        AssignmentType.APP_ROLE: "APPROLE#",
        AssignmentType.JWT_ROLE: "ROLE#",
    }
)
# The types whose subjects have at most one assignment.
_ONE_PER_SUBJECT = frozenset({AssignmentType.DIRECT_USER, AssignmentType.APP_ROLE})


def assign(
    db: DB,
    assignment_type: AssignmentType,
    who: str | None,
    tier_id: str,
    *,
    priority: int = 0,
    enabled: bool = True,
) -> Assignment:
    """Assign an existing tier and return the assignment.

    ``who`` is a user id, a role, or a mail domain (``*.example.edu`` for all its subdomains); None
    for the default. A user and an application role have one assignment each.

    Raises:
        AlreadyAssigned: The user or application role has an assignment.
        TierNotFound: The tier does not exist.
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
        write = add_assignment(assignment)
    try:
        db(write)
    except TransactionFailed as failed:
        existing, tier = failed.failures
        if isinstance(existing, RecordError):
            raise AlreadyAssigned(f"{assignment.subject} already has an assignment") from failed
        if isinstance(tier, NotFound):
            raise TierNotFound(tier_id) from failed
        raise
    return assignment


def reassign(db: DB, assignment_id: str, tier_id: str) -> Assignment:
    """Assign the subject to another tier, which must exist."""

    def decide() -> Op[Assignment]:
        assignment = find_assignment(db, assignment_id)
        if assignment.tier_id == tier_id:
            return Done(assignment)
        with checked():
            move = move_assignment(assignment, tier_id)
        return move.returning(assignment.model_copy(update={"tier_id": tier_id}))

    def explain(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(None, _, NotFound())):
                raise TierNotFound(tier_id) from conflict
            case TransactionFailed(failures=(None, *_)):
                raise conflict
            case _:
                pass  # it was removed, or moved to another tier, in between

    return db.decide(decide, on_conflict=explain)


def adjust(
    db: DB, assignment_id: str, *, priority: int | None = None, enabled: bool | None = None
) -> Assignment:
    """Change the priority of an assignment, enable or disable it, or both."""

    def decide() -> Op[Assignment]:
        found = find_assignment(db, assignment_id)
        with checked():
            return change_assignment(
                found,
                found.priority if priority is None else priority,
                enabled=found.enabled if enabled is None else enabled,
            )

    with checked():
        return db.decide(decide)


def unassign(db: DB, assignment_id: str) -> Assignment:
    """Remove the assignment, decrement the count of its tier, and return the removed record."""

    def decide() -> Op[Assignment]:
        assignment = find_assignment(db, assignment_id)
        return remove_assignment(assignment).returning(assignment)

    def look_again(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(None, *_)):
                raise conflict
            case _:
                pass  # it was removed, or moved to another tier, in between

    return db.decide(decide, on_conflict=look_again)


def find_assignment(db: DB, assignment_id: str) -> Assignment:
    """Return the stored assignment, or raise `AssignmentNotFound`."""
    with checked():
        read = assignment_by_id(assignment_id)
    assignment = db(read)
    if assignment is None:
        raise AssignmentNotFound(assignment_id)
    return assignment


def subject_of(assignment_type: AssignmentType, who: str | None) -> str:
    """Return the stored form of the subject of an assignment."""
    if assignment_type is AssignmentType.DEFAULT_TIER:
        if who is not None:
            raise BadInput("who", "must be left out, as a default assignment has no subject")
        return "DEFAULT"
    if assignment_type is AssignmentType.EMAIL_DOMAIN:
        return f"DOMAIN#{_domain(who or '')}"
    if who is None or not is_id(who):
        raise BadInput("who", "must have 1 to 128 characters, without #")
    return f"{_PREFIXES[assignment_type]}{who}"


def _domain(who: str) -> str:
    """Return a mail domain, or ``*.`` and a domain, in lower case."""
    domain = who.lower()
    if not is_assignable(domain):
        raise BadInput("who", "must be a mail domain, or *. and a domain")
    return domain


def _id_of(assignment_type: AssignmentType, who: str | None) -> str:
    """Return a new id, or an id made from the subject if it can have only one assignment."""
    return f"{assignment_type}:{who}" if assignment_type in _ONE_PER_SUBJECT else uuid4().hex
