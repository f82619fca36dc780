"""The JWT authoriser of API Gateway: tokens are verified against the keys of their issuer.

See "Control access to HTTP APIs with JWT authorizers" in its developer guide. Only RS256 is
accepted, whatever a token says of itself.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, cast
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

import jwt

from sortkey.clock import Clock
from sortkey.local.http.verifier import Unauthorized, Verified

_ALGORITHM = "RS256"
# API Gateway may keep keys for two hours; a key that it does not know, it looks up again.
_KEEP_SECONDS = 2 * 3600
_REFRESH_SECONDS = 5.0
_TIMEOUT_SECONDS = 5.0


class KeysUnavailable(Exception):  # noqa: N818 - says what it is
    """The keys of an issuer cannot be read."""


def fetched(url: str) -> Any:
    """Return the JSON at a URL.

    Raises:
        KeysUnavailable: There is none.
    """
    is_local = url.startswith(("http://127.0.0.1:", "http://localhost:"))
    if not is_local and not url.startswith("https://"):
        raise KeysUnavailable(f"{url} is not encrypted")
    # No proxy leads to this machine.
    opener = build_opener(ProxyHandler({})) if is_local else build_opener()
    try:
        with opener.open(url, timeout=_TIMEOUT_SECONDS) as response:
            return json.load(response)
    except (URLError, OSError, ValueError) as error:
        raise KeysUnavailable(f"{url}: {error}") from error


@dataclass(slots=True)
class IssuerKeys:
    """The public keys of an issuer, kept for a while."""

    issuer: str
    clock: Clock
    fetch: Callable[[str], Any] = fetched
    _keys: dict[str, Any] = field(default_factory=dict[str, Any])
    _read_at: float | None = None
    _lock: Lock = field(default_factory=Lock)

    def key(self, kid: str) -> Any:
        """Return the key with this id, or None.

        Raises:
            KeysUnavailable: The issuer does not answer.
        """
        with self._lock:
            age = None if self._read_at is None else abs(self.clock() - self._read_at)
            is_old = age is None or age > _KEEP_SECONDS
            if is_old or (kid not in self._keys and age is not None and age > _REFRESH_SECONDS):
                self._read()
            return self._keys.get(kid)

    def _read(self) -> None:
        configuration = self.fetch(f"{self.issuer.rstrip('/')}/.well-known/openid-configuration")
        found = self.fetch(configuration["jwks_uri"])
        self._keys = {
            key["kid"]: jwt.PyJWK(key, algorithm=_ALGORITHM).key
            for key in found["keys"]
            if key.get("kty") == "RSA" and key.get("use", "sig") == "sig" and "kid" in key
        }
        self._read_at = self.clock()


class TokenAuthorizer:
    """Verifies the tokens of one API."""

    def __init__(self, keys: IssuerKeys, audience: str) -> None:
        self._keys = keys
        self._audience = audience

    def verified(self, header: str | None) -> Verified:
        """Return the claims of the token in an Authorization header.

        Raises:
            Unauthorized: There is no valid token.
        """
        if header is None or not header.strip():
            raise Unauthorized("")
        scheme, _, rest = header.strip().partition(" ")
        token = rest.strip() if scheme.lower() == "bearer" else header.strip()
        claims = self._signed(token)
        self._check(claims)
        return Verified(claims)

    def _signed(self, token: str) -> dict[str, Any]:
        """Return the claims of a token whose signature is right."""
        try:
            head = jwt.get_unverified_header(token)
        except jwt.InvalidTokenError as error:
            raise Unauthorized("the token is not a JWT") from error
        if head.get("alg") != _ALGORITHM:
            raise Unauthorized(f"the token is signed with {head.get('alg')}, not {_ALGORITHM}")
        kid = head.get("kid")
        if not isinstance(kid, str):
            raise Unauthorized("the token does not name its key: it has no kid")
        try:
            key = self._keys.key(kid)
        except (KeysUnavailable, KeyError, TypeError, jwt.PyJWTError) as error:
            raise Unauthorized(f"the keys of the issuer cannot be read: {error}") from error
        if key is None:
            raise Unauthorized("the issuer has no such key")
        try:
            # Claims are checked by the clock of the run, which may not be the machine's.
            content = jwt.PyJWS(algorithms=[_ALGORITHM]).decode(token, key, algorithms=[_ALGORITHM])
            claims = json.loads(content)
        except (jwt.InvalidTokenError, ValueError) as error:
            raise Unauthorized("the signature of the token is wrong") from error
        if not isinstance(claims, dict):
            raise Unauthorized("the token has no claims")
        return cast("dict[str, Any]", claims)

    def _check(self, claims: dict[str, Any]) -> None:
        now = self._keys.clock()
        if claims.get("iss") != self._keys.issuer:
            raise Unauthorized("the token is of another issuer")
        audience: Any = claims.get("aud", claims.get("client_id"))
        accepted = cast("list[Any]", audience) if isinstance(audience, list) else [audience]
        if self._audience not in accepted:
            raise Unauthorized("the token is for another audience")
        if not _is_number(claims.get("exp")) or claims["exp"] <= now:
            raise Unauthorized("the token has expired")
        for name in ("nbf", "iat"):
            if name in claims and (not _is_number(claims[name]) or claims[name] > now + 1):
                raise Unauthorized(f"the token is not valid yet: {name}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
