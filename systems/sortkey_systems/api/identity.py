"""The caller of a request, identified by its bearer token only."""

from datetime import UTC, datetime, timedelta
from secrets import token_bytes
from typing import Annotated, Any

import jwt
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from fastapi.security.utils import get_authorization_scheme_param

from sortkey_systems.api.callers import (
    Caller,
    IssuerUnavailable,
    NotSignedIn,
    RoleClaims,
    TokenReader,
    caller_from,
)

_ALGORITHM = "HS256"
_KEY_BYTES = 32


class NotAllowed(Exception):  # noqa: N818 - it says what happened
    """The caller's token does not have the required role."""


class Tokens:
    """Signs and verifies tokens with a key of its own, for `sortkey demo` and for tests.

    In service, a `Verifier` verifies the tokens of an issuer with its public keys.
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
        except (jwt.InvalidTokenError, ValueError, OverflowError, RecursionError) as error:
            raise NotSignedIn(f"the token is not valid: {error}") from error
        return caller_from(claims, RoleClaims())

    async def read_async(self, token: str) -> Caller:
        """Return the caller that a token identifies, or raise `NotSignedIn`."""
        return self.read(token)


_bearer = HTTPBearer(auto_error=False, description="A token from the identity provider")


# Async although it awaits nothing: FastAPI would run a plain function in a thread.
async def bearer(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> str:
    """Return the bearer token of the request."""
    if credentials is None:
        raise NotSignedIn("send a token in the header Authorization: Bearer ...")
    return credentials.credentials


async def identify(request: Request) -> Caller | None:
    """Find out who sent a request, for the operations; return None without a valid token."""
    request.state.caller = request.state.refusal = None
    scheme, token = get_authorization_scheme_param(request.headers.get("authorization"))
    if scheme.lower() != "bearer":
        return None
    tokens: TokenReader = request.app.state.tokens
    try:
        request.state.caller = await tokens.read_async(token)
    except (NotSignedIn, IssuerUnavailable) as error:
        request.state.refusal = error
    return request.state.caller


async def caller(request: Request, _token: Annotated[str, Depends(bearer)]) -> Caller:
    """Return the caller that the request's token identifies, or raise why there is none."""
    return known_caller(request)


def known_caller(request: Request) -> Caller:
    """Return the caller of a request with a token, or raise why there is none."""
    found: Caller | None = request.state.caller
    if found is None:
        raise request.state.refusal or NotSignedIn("the request has no token")
    return found


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
