"""Tokens of LiveKit: JWTs that are signed with a project's API secret, in both directions.

The application signs tokens with which users join rooms and with which it calls LiveKit itself,
and LiveKit signs its webhooks. All have the algorithm HS256 and the API key as their issuer. This
module accepts nothing else, so a token cannot choose its algorithm.
"""

import hmac
import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, cast

from sortkey import utc_now

# LiveKit accepts tokens for a minute more, because clocks differ.
LEEWAY = timedelta(minutes=1)
_ALGORITHM = "HS256"
_TOKEN = re.compile(r"([\w-]+)\.([\w-]+)\.([\w-]+)", re.ASCII)


class BadToken(Exception):  # noqa: N818 - it says what it is
    """A token is not valid; the message says why."""


def sign(claims: Mapping[str, Any], secret: str) -> str:
    """Return a token with these claims."""
    header = {"alg": _ALGORITHM, "typ": "JWT"}
    content = f"{_encoded(header)}.{_encoded(claims)}"
    return f"{content}.{_base64(_signature(content, secret))}"


def claims_of(token: str, key: str, secret: str) -> Mapping[str, Any]:
    """Return the claims of a token that this project has signed and that is valid now.

    Raises:
        BadToken: It is not, or has expired.
    """
    match = _TOKEN.fullmatch(token)
    if match is None:
        raise BadToken("it is not a token")
    header, payload, signature = match.groups()
    if _decoded(header).get("alg") != _ALGORITHM:
        raise BadToken(f"its algorithm is not {_ALGORITHM}")
    expected = _base64(_signature(f"{header}.{payload}", secret))
    if not hmac.compare_digest(expected, signature):
        raise BadToken("its signature is wrong")
    claims = _decoded(payload)
    if claims.get("iss") != key:
        raise BadToken("its issuer is another project")
    now, leeway = utc_now().timestamp(), LEEWAY.total_seconds()
    if not _seconds(claims, "exp") > now - leeway:
        raise BadToken("it has expired")
    if "nbf" in claims and not _seconds(claims, "nbf") <= now + leeway:
        raise BadToken("it is not valid yet")
    return claims


def _seconds(claims: Mapping[str, Any], name: str) -> float:
    value = claims.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise BadToken(f"its {name} is not a time")
    return value


def _signature(content: str, secret: str) -> bytes:
    return hmac.digest(secret.encode(), content.encode(), "sha256")


def _encoded(part: Mapping[str, Any]) -> str:
    return _base64(json.dumps(part, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()


def _decoded(part: str) -> Mapping[str, Any]:
    try:
        read = json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, RecursionError):
        raise BadToken("it is not a token") from None
    if not isinstance(read, dict):
        raise BadToken("it is not a token")
    return cast("dict[str, Any]", read)
