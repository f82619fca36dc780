"""Accounts: a profile for each user. Every write for a user requires it."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field
from pydantic.alias_generators import to_camel

from sortkey import Check, Entity, EpochSeconds, Expected, Op, pattern
from sortkey_systems.commitcollect.design.tables import CommitCollect, Id


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

    primary = CommitCollect.primary.key("USER#{user_id}", "PROFILE")


@pattern("A user's profile", rate="50/s")
def profile(user_id: str) -> Op[UserProfile | None]:
    """Return the profile, or None if the user has no account."""
    return UserProfile.get(user_id=user_id)


def has_account(user_id: str) -> Check[UserProfile]:
    """Let a transaction succeed only while the user has an account."""
    return UserProfile.check(user_id=user_id)


@pattern("Create a profile", rate="1/s")
def add_profile(profile: UserProfile) -> Op[UserProfile]:
    """Create the account; `AlreadyExists` means that the user has one and is logging in."""
    return profile.create()


@pattern("Delete a profile", rate="1/min")
def delete_profile(user_id: str) -> Op[UserProfile | None]:
    """Delete the profile; every later write for the account fails, since it checks the profile."""
    return UserProfile.delete(user_id=user_id)
