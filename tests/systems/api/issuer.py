"""An issuer of tokens on loopback: with real keys, and with everything that can go wrong."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import time
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as new_ec_key
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as new_rsa_key
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from sortkey_systems.api.service_settings import IdentitySettings
from sortkey_systems.api.verifiers import verifier_of
from sortkey_systems.api.verifying import Verifier

AUDIENCE = "one-on-one"
KEYS, CONFIGURATION = "/keys", "/.well-known/openid-configuration"


@cache
def rsa_key(name: str) -> RSAPrivateKey:
    """A key for each name, made once: that takes a moment."""
    return new_rsa_key(65537, 2048)


@cache
def ec_key(name: str) -> EllipticCurvePrivateKey:
    return new_ec_key(SECP256R1())


def jwk(key: RSAPrivateKey | EllipticCurvePrivateKey, kid: str, **members: Any) -> dict[str, Any]:
    """A public key as a member of a key set."""
    found: dict[str, Any]
    if isinstance(key, RSAPrivateKey):
        found = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    else:
        found = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    alg = "RS256" if isinstance(key, RSAPrivateKey) else "ES256"
    return {**found, "kid": kid, "use": "sig", "alg": alg, **members}


def encoded(value: object) -> str:
    """Base64url of some bytes, or of JSON."""
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return urlsafe_b64encode(content).rstrip(b"=").decode()


class Issuer:
    """What an issuer publishes, and the tokens that it signs."""

    def __init__(self) -> None:
        self.url = ""
        self.keys: dict[str, RSAPrivateKey | EllipticCurvePrivateKey] = {
            "rsa": rsa_key("first"),
            "ec": ec_key("first"),
        }
        # A response in the place of the one at a path: its status, headers and body.
        self.instead: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.requests: list[str] = []
        self.go_on = Event()
        self.go_on.set()

    def claims(self, **changed: Any) -> dict[str, Any]:
        """The claims of a valid token; those that are changed to None are left out."""
        now = int(time())
        claims = {
            "iss": self.url,
            "aud": AUDIENCE,
            "sub": "ann",
            "iat": now,
            "exp": now + 600,
            **changed,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def token(self, kid: str = "rsa", headers: dict[str, Any] | None = None, **changed: Any) -> str:
        """A token that is signed with a key of the issuer."""
        key = self.keys[kid]
        algorithm = "RS256" if isinstance(key, RSAPrivateKey) else "ES256"
        return jwt.encode(
            self.claims(**changed), key, algorithm, headers={"kid": kid, **(headers or {})}
        )

    def key_set(self) -> dict[str, Any]:
        return {"keys": [jwk(key, kid) for kid, key in self.keys.items()]}

    def verifier(self, algorithms: str = "RS256 ES256", jwks_url: str | None = None) -> Verifier:
        """A verifier with settings as a process has them."""
        return verifier_of(IdentitySettings.load(self.settings(algorithms, jwks_url)))

    def settings(
        self, algorithms: str = "RS256 ES256", jwks_url: str | None = None
    ) -> dict[str, str]:
        found = {"ISSUER": self.url, "AUDIENCE": AUDIENCE, "TOKEN_ALGORITHMS": algorithms}
        return found if jwks_url is None else {**found, "JWKS_URL": jwks_url}

    def respond(self, path: str) -> tuple[int, dict[str, str], bytes]:
        self.requests.append(path)
        self.go_on.wait(30)
        if path in self.instead:
            return self.instead[path]
        configuration = {"issuer": self.url, "jwks_uri": f"{self.url}{KEYS}"}
        documents = {CONFIGURATION: configuration, KEYS: self.key_set()}
        if path not in documents:
            return 404, {}, b"not found"
        return 200, {"content-type": "application/json"}, json.dumps(documents[path]).encode()


def _handler(issuer: Issuer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = issuer.respond(self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    return Handler


@contextmanager
def running_issuer() -> Generator[Issuer]:
    issuer = Issuer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(issuer))
    server.daemon_threads = True
    issuer.url = f"http://127.0.0.1:{server.server_address[1]}"
    Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    try:
        yield issuer
    finally:
        issuer.go_on.set()
        server.shutdown()
        server.server_close()


def refused(read: Callable[[str], object], token: str) -> str:
    """Why a token is refused; it must be."""
    from sortkey_systems.api.callers import NotSignedIn

    try:
        read(token)
    except NotSignedIn as error:
        return str(error)
    raise AssertionError(f"the token was accepted: {token:.80}")
