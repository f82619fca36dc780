"""The caller of a request, identified by its bearer token only."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from secrets import token_bytes
from typing import Annotated, Any

import jwt
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param
from pydantic import BaseModel, Field, ValidationError

_ALGORITHM = "HS256"
_KEY_BYTES = 32


class NotSignedIn(Exception):  # noqa: N818 - it says what happened
    """The request has no valid token, or an expired one."""


class NotAllowed(Exception):  # noqa: N818 - ditto
    """The caller's token does not have the required role."""


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller that a token identifies."""

    user_id: str
    email: str | None = None
    roles: frozenset[str] = frozenset()
    # Roles that the application assigns itself, apart from the roles that authorize operations.
    app_roles: frozenset[str] = frozenset()


class _Claims(BaseModel):
    """The claims that are read from a token; others are ignored."""

    sub: Annotated[str, Field(min_length=1, max_length=128)]
    email: str | None = None
    roles: list[str] = []
    app_roles: list[str] = []


class Tokens:
    """Signs and verifies tokens with a private key.

    With an identity provider, replace it by a class that verifies tokens with the provider's
    public keys.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = token_bytes(_KEY_BYTES) if key is None else key

    def sign(self, caller: Caller, *, lasting: timedelta = timedelta(hours=12)) -> str:
        """Return a token that identifies the caller for this time."""
        claims: dict[str, Any] = {
            "sub": caller.user_id,
            "roles": sorted(caller.roles),
            "app_roles": sorted(caller.app_roles),
            "exp": datetime.now(UTC) + lasting,
        }
        if caller.email is not None:
            claims["email"] = caller.email
        return jwt.encode(claims, self._key, algorithm=_ALGORITHM)

    def read(self, token: str) -> Caller:
        """Return the caller that a token identifies, or raise `NotSignedIn`."""
        try:
            claims = jwt.decode(
                token, self._key, algorithms=[_ALGORITHM], options={"require": ["exp", "sub"]}
            )
            valid = _Claims.model_validate(claims)
        except jwt.InvalidTokenError as error:
            raise NotSignedIn(f"the token is not valid: {error}") from error
        except ValidationError as error:
            raise NotSignedIn("the token has no valid claims") from error
        return Caller(valid.sub, valid.email, frozenset(valid.roles), frozenset(valid.app_roles))


_bearer = HTTPBearer(auto_error=False, description="A token from the identity provider")


# Async although it awaits nothing: FastAPI would run a plain function in a thread.
async def bearer(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> str:
    """Return the bearer token of the request."""
    if credentials is None:
        raise NotSignedIn("send a token in the header Authorization: Bearer ...")
    return credentials.credentials


def identified(request: Request) -> Caller | None:
    """Return the caller if the request has a valid token, or None."""
    scheme, token = get_authorization_scheme_param(request.headers.get("authorization"))
    if scheme.lower() != "bearer":
        return None
    try:
        return request.app.state.tokens.read(token)
    except NotSignedIn:
        return None


async def caller(request: Request, token: Annotated[str, Depends(bearer)]) -> Caller:
    """Return the caller that the request's token identifies."""
    tokens: Tokens = request.app.state.tokens
    return request.state.caller or tokens.read(token)


class RequireRole:
    """Requires a role of the caller: ``Annotated[Caller, Depends(RequireRole("admin"))]``."""

    def __init__(self, role: str) -> None:
        self._role = role

    async def __call__(self, known: Annotated[Caller, Depends(caller)]) -> Caller:
        """Return the caller, or raise `NotAllowed`."""
        if self._role not in known.roles:
            raise NotAllowed(f"this requires the role {self._role}")
        return known


Bearer = Annotated[str, Depends(bearer)]
SignedIn = Annotated[Caller, Depends(caller)]
