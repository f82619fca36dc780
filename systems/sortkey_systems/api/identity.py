"""Who sends a request: whom its token names, and nothing else in it is believed."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from secrets import token_bytes
from typing import Annotated, Any

import jwt
from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel, Field, ValidationError

_ALGORITHM = "HS256"
_KEY_BYTES = 32


class NotSignedIn(Exception):  # noqa: N818 - it says what happened
    """The request comes with no token that its identity provider has signed, or an expired one."""


class NotAllowed(Exception):  # noqa: N818 - ditto
    """The caller is known, and has no role that may do this."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who sends the request, as the token says."""

    user_id: str
    email: str | None = None
    roles: frozenset[str] = frozenset()
    # What the application itself calls somebody, where it tells that apart from who may do what.
    app_roles: frozenset[str] = frozenset()


class _Claims(BaseModel):
    """What is read of a token; the rest is not asked for."""

    sub: Annotated[str, Field(min_length=1, max_length=128)]
    email: str | None = None
    roles: list[str] = []
    app_roles: list[str] = []


class Tokens:
    """Signs tokens for callers and reads them back, with a key that nobody else has.

    Behind an identity provider, what reads its tokens with its public keys takes this place.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self._key = token_bytes(_KEY_BYTES) if key is None else key

    def sign(self, caller: Caller, *, lasting: timedelta = timedelta(hours=12)) -> str:
        """A token that names the caller for so long."""
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
        """The caller whom a token names."""
        try:
            claims = jwt.decode(
                token, self._key, algorithms=[_ALGORITHM], options={"require": ["exp", "sub"]}
            )
            told = _Claims.model_validate(claims)
        except jwt.InvalidTokenError as error:
            raise NotSignedIn(f"the token is not valid: {error}") from error
        except ValidationError as error:
            raise NotSignedIn("the token names nobody") from error
        return Caller(told.sub, told.email, frozenset(told.roles), frozenset(told.app_roles))


_bearer = HTTPBearer(auto_error=False, description="A token of the identity provider")


# Awaited, though nothing waits: FastAPI would send a plain function to a thread of its own.
async def bearer(
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> str:
    """What the request shows to say who sends it."""
    if credentials is None:
        raise NotSignedIn("send a token: Authorization: Bearer ...")
    return credentials.credentials


async def caller(request: Request, token: Annotated[str, Depends(bearer)]) -> Caller:
    """The caller whom the token names."""
    tokens: Tokens = request.app.state.tokens
    return tokens.read(token)


class Having:
    """Lets callers of one role through: ``Annotated[Caller, Depends(Having("admin"))]``."""

    def __init__(self, role: str) -> None:
        self._role = role

    async def __call__(self, who: Annotated[Caller, Depends(caller)]) -> Caller:
        """The caller, who has the role."""
        if self._role not in who.roles:
            raise NotAllowed(f"this is for the role {self._role}")
        return who


Bearer = Annotated[str, Depends(bearer)]
SignedIn = Annotated[Caller, Depends(caller)]
