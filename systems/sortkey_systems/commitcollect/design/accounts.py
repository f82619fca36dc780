"""Accounts: a profile for each user.

Every write for a user requires that it exists and is not marked for deletion.
"""

from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import Check, Entity, EpochSeconds, Expected, Op, missing, pattern
from sortkey_systems.commitcollect.design.tables import CommitCollect, Id, Ulid


class Plan(StrEnum):
    """The plan that a user pays for."""

    FREE = "free"
    PRO = "pro"


class AccountRole(StrEnum):
    """The role of an account."""

    USER = "user"
    ADMIN = "admin"


class UserProfile(Entity, table=CommitCollect, stored=to_camel, expected=Expected(count=100_000)):
    """The account of a user."""

    user_id: Id
    email: Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$", max_length=320)]
    created_at_utc: EpochSeconds
    plan: Plan = Plan.FREE
    role: AccountRole = AccountRole.USER
    # Added: the mark of an account that is being deleted.
    deletion_id: Ulid | None = None
    deletion_correlation_id: Id | None = None
    deleting_since_utc: EpochSeconds | None = None

    primary = CommitCollect.primary.key("USER#{user_id}", "PROFILE")
    # Only while the account is being deleted, so that a schedule can finish the deletion.
    by_deletion = CommitCollect.lists.key(
        "DELETIONS", "{deleting_since_utc:%s}#{user_id}", expected=Expected(per_partition=10)
    )


@pattern("A user's profile", rate="50/s", fresh=True)
def profile(user_id: str) -> Op[UserProfile | None]:
    """Read the profile consistently; None means that the user has no account."""
    return UserProfile.get(user_id=user_id).consistently()


def has_account(user_id: str) -> Check[UserProfile]:
    """Let a transaction succeed only if the account exists and is not being deleted."""
    return UserProfile.check(user_id=user_id).where(lambda p: missing(p.deletion_id))


@pattern("Change the plan of an account", rate="1/min")
def set_plan(user_id: str, plan: Plan) -> Op[UserProfile]:
    """Require that the account is not being deleted."""
    return (
        UserProfile.update(user_id=user_id).set(plan=plan).where(lambda p: missing(p.deletion_id))
    )


@pattern("Change the role of an account", rate="1/day")
def set_role(user_id: str, role: AccountRole) -> Op[UserProfile]:
    """Require that the account is not being deleted."""
    return (
        UserProfile.update(user_id=user_id).set(role=role).where(lambda p: missing(p.deletion_id))
    )
