"""The caller that a token identifies, from its claims."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, Field, TypeAdapter, ValidationError


class NotSignedIn(Exception):  # noqa: N818 - it says what happened
    """The request has no valid token, or an expired one."""


class IssuerUnavailable(Exception):  # noqa: N818 - ditto
    """The keys of the issuer cannot be fetched, so its tokens cannot be verified for now."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller that a token identifies."""

    user_id: str
    email: str | None = None
    roles: frozenset[str] = frozenset()
    # Roles that the application assigns itself, apart from the roles that authorize operations.
    app_roles: frozenset[str] = frozenset()


class TokenReader(Protocol):
    """Finds out who sent a token."""

    def read(self, token: str) -> Caller:
        """Return the caller that a token identifies; it may block.

        Raises:
            NotSignedIn: The token is not valid here.
            IssuerUnavailable: Nobody can tell, because the issuer's keys cannot be fetched.
        """
        ...

    async def read_async(self, token: str) -> Caller:
        """Return the caller that a token identifies, as `read` does, without blocking."""
        ...


@dataclass(frozen=True, slots=True)
class RoleClaims:
    """The names of the claims with the roles of a caller."""

    roles: str = "roles"
    app_roles: str = "app_roles"


class _Person(BaseModel):
    """The claims about a person that are read from a token; others are ignored."""

    sub: Annotated[str, Field(min_length=1, max_length=128)]
    email: str | None = None
    email_verified: object = True


_ROLES: TypeAdapter[str | list[str]] = TypeAdapter(str | list[str])


def caller_from(claims: Mapping[str, Any], names: RoleClaims) -> Caller:
    """Return the caller of verified claims, or raise `NotSignedIn`.

    Roles are a list, or a text in which spaces separate them. An e-mail address that the issuer
    has not verified is not the caller's, so it is left out.
    """
    try:
        person = _Person.model_validate(claims)
        roles, app_roles = (_roles(claims, name) for name in (names.roles, names.app_roles))
    except ValidationError as error:
        raise NotSignedIn("the token has no valid claims") from error
    is_verified = person.email_verified not in (False, "false")
    return Caller(person.sub, person.email if is_verified else None, roles, app_roles)


def _roles(claims: Mapping[str, Any], name: str) -> frozenset[str]:
    found = _ROLES.validate_python(claims.get(name, []), strict=True)
    return frozenset(found.split() if isinstance(found, str) else found)
