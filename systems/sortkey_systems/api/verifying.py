"""Verify tokens (JWTs) of an issuer with its public keys.

Nothing in a token is believed before its signature is verified, except which of the issuer's own
keys may have signed it. Keys or addresses of keys in a token (jwk, jku, x5c, x5u) are ignored.
"""

import asyncio
import re
from base64 import urlsafe_b64decode
from collections.abc import Callable, Collection
from concurrent.futures import Future, wait
from typing import Annotated, Any, TypeAlias, cast

import jwt
import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sortkey import utc_now
from sortkey_systems.api.callers import Caller, NotSignedIn, RoleClaims, caller_from
from sortkey_systems.api.issuer_keys import IssuerKeys
from sortkey_systems.api.public_keys import LONGEST_KEY_ID, PublicKey

# API Gateway allows 10 KB for all headers.
LONGEST_TOKEN = 8 * 1024
# Clocks may differ by as many seconds.
LEEWAY = 30.0

_PARTS = re.compile(r"([A-Za-z0-9_-]{2,2000})\.([A-Za-z0-9_-]{2,})\.([A-Za-z0-9_-]{2,})", re.ASCII)
# Tokens of other kinds that an issuer signs, such as those of a logout, name their kind.
_KINDS = {"jwt", "at+jwt", "application/jwt", "application/at+jwt"}
_SIGNATURES = jwt.PyJWS(algorithms=["RS256", "ES256"])

Time: TypeAlias = Annotated[float, Field(ge=0, le=1e12, allow_inf_nan=False)]


class _Claims(BaseModel):
    """The claims that decide whether a token is valid here."""

    model_config = ConfigDict(strict=True, hide_input_in_errors=True)

    iss: str
    exp: Time
    nbf: Time = 0
    iat: Time = 0
    aud: str | list[str] | None = None
    # Access tokens of Amazon Cognito have it in the place of an audience, and API Gateway takes it.
    client_id: str | None = None


class Verifier:
    """Verifies tokens of an issuer for some audiences: a `TokenReader`."""

    def __init__(
        self,
        keys: IssuerKeys,
        *,
        issuer: str,
        audiences: Collection[str],
        algorithms: Collection[str],
        claims: RoleClaims | None = None,
        now: Callable[[], float] = lambda: utc_now().timestamp(),
    ) -> None:
        self._keys = keys
        self._issuer = issuer
        self._audiences = frozenset(audiences)
        self._algorithms = frozenset(algorithms)
        self._claims = claims or RoleClaims()
        self._now = now

    def prepare(self) -> None:
        """Begin to fetch the keys of the issuer, so that the first caller need not wait."""
        self._keys.prepare()

    def read(self, token: str) -> Caller:
        """Return the caller that a token identifies; wait if its key must be fetched.

        Raises:
            NotSignedIn: The token is not valid here.
            IssuerUnavailable: The keys of the issuer cannot be fetched.
        """
        key_id, algorithm = self._key_named_by(token)
        fetch = self._keys.prepare(key_id)
        if fetch is not None:
            wait([fetch], self._keys.patience)
        return self._verified(token, key_id, algorithm)

    async def read_async(self, token: str) -> Caller:
        """Return the caller that a token identifies; do not block while its key is fetched.

        Raises:
            NotSignedIn: The token is not valid here.
            IssuerUnavailable: The keys of the issuer cannot be fetched.
        """
        key_id, algorithm = self._key_named_by(token)
        fetch = self._keys.prepare(key_id)
        if fetch is not None:
            await _ended(fetch, self._keys.patience)
        return self._verified(token, key_id, algorithm)

    def _key_named_by(self, token: str) -> tuple[str, str]:
        """Return the id of the key and the algorithm that a token names, both unverified."""
        parts = _PARTS.fullmatch(token) if len(token) <= LONGEST_TOKEN else None
        if parts is None:
            raise NotSignedIn("this is not a token of an issuer")
        header = _object(_decoded(parts[1]))
        key_id, algorithm = header.get("kid"), header.get("alg")
        kind = header.get("typ", "JWT")
        if not isinstance(algorithm, str) or algorithm not in self._algorithms:
            raise NotSignedIn("the token has an algorithm that is not accepted")
        if not isinstance(key_id, str) or not 1 <= len(key_id) <= LONGEST_KEY_ID:
            raise NotSignedIn("the token does not name its key")
        if not isinstance(kind, str) or kind.lower() not in _KINDS:
            raise NotSignedIn("the token is of another kind")
        if "crit" in header or "b64" in header:
            raise NotSignedIn("the token needs an extension that is not supported")
        return key_id, algorithm

    def _verified(self, token: str, key_id: str, algorithm: str) -> Caller:
        key = self._keys.find(key_id)
        if key is None or key.algorithm != algorithm:
            raise NotSignedIn("the issuer has no such key")
        claims = _object(_payload(token, key))
        self._check(claims)
        return caller_from(claims, self._claims)

    def _check(self, claims: dict[str, Any]) -> None:
        try:
            valid = _Claims.model_validate(claims)
        except ValidationError as error:
            raise NotSignedIn("the token has no valid claims") from error
        if valid.iss != self._issuer:
            raise NotSignedIn("the token is of another issuer")
        named = valid.client_id if valid.aud is None else valid.aud
        audiences = {named} if isinstance(named, str) else set(named or ())
        if not self._audiences & audiences:
            raise NotSignedIn("the token is for another audience")
        now = self._now()
        if valid.exp + LEEWAY <= now:
            raise NotSignedIn("the token has expired")
        if max(valid.nbf, valid.iat) - LEEWAY > now:
            raise NotSignedIn("the token is not valid yet")


async def _ended(fetch: "Future[None]", seconds: float) -> None:
    """Wait for a fetch, which goes on for others if this caller leaves."""
    await asyncio.wait({asyncio.wrap_future(fetch)}, timeout=seconds)


def _payload(token: str, key: PublicKey) -> bytes:
    try:
        return _SIGNATURES.decode_complete(token, key.key, algorithms=[key.algorithm])["payload"]
    except (jwt.InvalidTokenError, ValueError, RecursionError) as error:
        raise NotSignedIn("the token has no valid signature") from error


def _decoded(text: str) -> bytes:
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError as error:
        raise NotSignedIn("this is not a token of an issuer") from error


def _object(text: bytes) -> dict[str, Any]:
    try:
        found: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise NotSignedIn("this is not a token of an issuer") from error
    if not isinstance(found, dict):
        raise NotSignedIn("this is not a token of an issuer")
    return cast("dict[str, Any]", found)
