"""An issuer of tokens for this machine, where a design's issuer has no value of its own.

Its key is made once, in the state folder. Nobody else trusts it, and it gives a token to any
caller: it stands in for an identity provider, and protects nothing.
"""

import json
import os
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, unquote

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from sortkey.clock import Clock
from sortkey.local.http.messages import HttpRequest, HttpResponse, json_response, message_response

_BITS = 2048
_SECONDS = 12 * 3600
_MOST_SECONDS = 10 * 366 * 86_400
_TOKEN = "/token"  # noqa: S105 - a path
_OWN = frozenset({"iss", "sub", "aud", "iat", "exp"})

Key = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey


class LocalIssuer:
    """Issues tokens over HTTP: ``GET /token/ann?role=admin``, or ``POST /token`` with claims."""

    def __init__(
        self,
        folder: Path,
        url: str,
        audiences: Callable[[], Sequence[str]],
        clock: Clock,
        algorithm: str = "RS256",
    ) -> None:
        """Keep the key in a folder, which is created if missing."""
        self.url = url
        self._audiences = audiences
        self._clock = clock
        self._algorithm = algorithm
        self._key = _key_in(folder, algorithm)
        self._public = _public(self._key, algorithm)

    def token(self, subject: str, claims: Mapping[str, Any] | None = None) -> str:
        """Return a token of a subject; ``claims`` are added, and may replace the issuer's own."""
        now = int(self._clock())
        audiences = list(self._audiences())
        content = {
            "iss": self.url,
            "sub": subject,
            "aud": audiences[0] if len(audiences) == 1 else audiences,
            "iat": now,
            "exp": now + _SECONDS,
            **(claims or {}),
        }
        return jwt.encode(
            content, self._key, algorithm=self._algorithm, headers={"kid": self._public["kid"]}
        )

    def answer(self, request: HttpRequest) -> HttpResponse:
        """Answer a request: the configuration, the keys, or a token."""
        path = request.path
        if path == "/.well-known/openid-configuration":
            return json_response(
                200,
                {
                    "issuer": self.url,
                    "jwks_uri": f"{self.url}/.well-known/jwks.json",
                    "token_endpoint": f"{self.url}{_TOKEN}",
                    "id_token_signing_alg_values_supported": [self._algorithm],
                    "response_types_supported": ["token"],
                    "subject_types_supported": ["public"],
                },
            )
        if path == "/.well-known/jwks.json":
            return json_response(200, {"keys": [self._public]})
        if request.method == "GET" and path.startswith(f"{_TOKEN}/"):
            return self._plain(unquote(path.removeprefix(f"{_TOKEN}/")), request.query)
        if request.method == "POST" and path == _TOKEN:
            return self._from_claims(request.body)
        return message_response(404, "Not Found")

    def _plain(self, subject: str, query: str) -> HttpResponse:
        """Return a token as text, with the query's values as claims."""
        claims: dict[str, Any] = {}
        for name, value in parse_qsl(query):
            if name in _OWN:
                return message_response(400, f"{name} is the issuer's own: POST it to {_TOKEN}")
            if name in claims:
                before = claims[name]
                earlier = cast("list[str]", before) if isinstance(before, list) else [before]
                claims[name] = [*earlier, value]
            else:
                claims[name] = value
        if not subject:
            return message_response(400, f"Name a subject: {_TOKEN}/ann")
        token = self.token(subject, claims)
        return HttpResponse(200, token.encode(), [("content-type", "text/plain; charset=utf-8")])

    def _from_claims(self, body: bytes) -> HttpResponse:
        """Return a token with exactly these claims, beside those that are missing."""
        try:
            claims = json.loads(body)
            if not isinstance(claims, dict):
                raise TypeError  # noqa: TRY301 - both are the caller's mistake
            token = self.token("", cast("dict[str, Any]", claims))
        except (ValueError, TypeError):
            return message_response(400, 'Send claims as JSON: {"sub": "ann"}')
        return json_response(200, {"access_token": token, "token_type": "Bearer"})


def _key_in(folder: Path, algorithm: str) -> Key:
    """Return the key in a folder; make it if there is none."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{algorithm.lower()}.pem"
    if path.exists():
        return cast("Key", serialization.load_pem_private_key(path.read_bytes(), None))
    key: Key
    if algorithm == "ES256":
        key = ec.generate_private_key(ec.SECP256R1())
    else:
        key = rsa.generate_private_key(public_exponent=65537, key_size=_BITS)
    text = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    unfinished = path.with_suffix(".unfinished")
    with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(text)
    unfinished.rename(path)
    return key


def _public(key: Key, algorithm: str) -> dict[str, Any]:
    """Return the public key as JWKS has it; its id is its digest."""
    maker: Any = jwt.get_algorithm_by_name(algorithm)
    public: dict[str, Any] = json.loads(maker.to_jwk(key.public_key()))
    for private in ("key_ops",):
        public.pop(private, None)
    digest = sha256(json.dumps(public, sort_keys=True).encode()).digest()
    kid = urlsafe_b64encode(digest[:12]).decode()
    return {**public, "kid": kid, "use": "sig", "alg": algorithm}
