"""Tokens are verified as API Gateway does, with the keys of their issuer."""

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jwt
import pytest

from sortkey.local.http.authorizer import (
    IssuerKeys,
    KeysUnavailable,
    TokenAuthorizer,
    fetched,
)
from sortkey.local.http.issuer import LocalIssuer
from sortkey.local.http.messages import HttpRequest
from sortkey.local.http.verifier import Unauthorized

URL = "https://issuer.example"


class Issuer:
    """An issuer whose keys can be rotated, and which counts how often they were read."""

    def __init__(self, folder: Path, algorithm: str = "RS256") -> None:
        self.time = 1_700_000_000.0
        self._folder = folder
        self._algorithm = algorithm
        self.reads = 0
        self.is_up = True
        self.number = 0
        self.rotate()

    def rotate(self) -> None:
        self.number += 1
        folder = self._folder / str(self.number)
        self.local = LocalIssuer(folder, URL, lambda: ["notes"], lambda: self.time, self._algorithm)

    def fetch(self, url: str) -> Any:
        if not self.is_up:
            raise KeysUnavailable(url)
        self.reads += url.endswith("jwks.json")
        response = self.local.answer(HttpRequest("GET", url.removeprefix(URL)))
        return json.loads(response.body)

    def token(self, **claims: Any) -> str:
        return f"Bearer {self.local.token('ann', claims)}"


@pytest.fixture
def issuer(tmp_path: Path) -> Issuer:
    return Issuer(tmp_path)


@pytest.fixture
def authorizer(issuer: Issuer) -> TokenAuthorizer:
    return TokenAuthorizer(IssuerKeys(URL, lambda: issuer.time, issuer.fetch), "notes")


def claims_of(authorizer: TokenAuthorizer, header: str) -> Mapping[str, Any]:
    return authorizer.verified(header).claims


def test_a_valid_token_has_its_claims(issuer: Issuer, authorizer: TokenAuthorizer) -> None:
    assert claims_of(authorizer, issuer.token(role="clerk"))["role"] == "clerk"


@pytest.mark.parametrize("prefix", ["Bearer ", "bearer ", ""])
def test_the_word_bearer_is_optional(
    issuer: Issuer, authorizer: TokenAuthorizer, prefix: str
) -> None:
    token = issuer.token().removeprefix("Bearer ")

    assert claims_of(authorizer, f"{prefix}{token}")["sub"] == "ann"


def test_one_of_several_audiences_is_enough(issuer: Issuer, authorizer: TokenAuthorizer) -> None:
    assert claims_of(authorizer, issuer.token(aud=["others", "notes"]))


def test_the_client_counts_only_without_an_audience(
    issuer: Issuer, authorizer: TokenAuthorizer
) -> None:
    token = issuer.local.token("ann", {"client_id": "notes"})
    with pytest.raises(Unauthorized):
        authorizer.verified(issuer.token(aud="others", client_id="notes"))
    assert claims_of(authorizer, token)


def test_the_clock_of_the_run_decides_when_a_token_expires(
    issuer: Issuer, authorizer: TokenAuthorizer
) -> None:
    token = issuer.token()
    assert claims_of(authorizer, token)

    issuer.time += 12 * 3600

    with pytest.raises(Unauthorized, match="expired"):
        authorizer.verified(token)


def test_keys_are_kept_for_two_hours(issuer: Issuer, authorizer: TokenAuthorizer) -> None:
    for _ in range(3):
        authorizer.verified(issuer.token())
    assert issuer.reads == 1

    issuer.time += 2 * 3600 + 1
    authorizer.verified(issuer.token())

    assert issuer.reads == 2


def test_a_new_key_is_read_but_not_for_each_wrong_token(
    issuer: Issuer, authorizer: TokenAuthorizer
) -> None:
    authorizer.verified(issuer.token())
    issuer.rotate()
    new = issuer.token()
    with pytest.raises(Unauthorized, match="no such key"):
        authorizer.verified(new)

    issuer.time += 6
    assert claims_of(authorizer, new)

    for _ in range(5):
        with pytest.raises(Unauthorized, match="no such key"):
            authorizer.verified(Issuer(issuer._folder / "other").token())  # noqa: SLF001
    assert issuer.reads == 2


def test_an_issuer_that_does_not_answer_is_no_reason_to_let_anyone_in(
    issuer: Issuer, authorizer: TokenAuthorizer
) -> None:
    issuer.is_up = False

    with pytest.raises(Unauthorized, match="cannot be read"):
        authorizer.verified(issuer.token())


def test_tokens_signed_with_another_algorithm_are_refused(tmp_path: Path) -> None:
    issuer = Issuer(tmp_path, "ES256")
    authorizer = TokenAuthorizer(IssuerKeys(URL, lambda: issuer.time, issuer.fetch), "notes")

    with pytest.raises(Unauthorized, match="signed with ES256, not RS256"):
        authorizer.verified(issuer.token())


@pytest.mark.parametrize("claims", [{"exp": True}, {"exp": "1"}, {"iat": "now"}, {"nbf": None}])
def test_times_must_be_numbers(
    issuer: Issuer, authorizer: TokenAuthorizer, claims: dict[str, Any]
) -> None:
    with pytest.raises(Unauthorized):
        authorizer.verified(issuer.token(**claims))


@pytest.mark.parametrize("header", [None, "", "  "])
def test_no_token_is_no_reason(authorizer: TokenAuthorizer, header: str | None) -> None:
    with pytest.raises(Unauthorized) as caught:
        authorizer.verified(header)

    assert str(caught.value) == ""


def signed(issuer: Issuer, content: bytes, **headers: Any) -> str:
    """Return a token of any content, signed with the issuer's key."""
    kid = jwt.get_unverified_header(issuer.local.token("ann"))["kid"]
    key = issuer.local._key
    return jwt.PyJWS().encode(content, key, "RS256", {"kid": kid, **headers})


@pytest.mark.parametrize("content", [b"not JSON", b"[1]", b'"ann"'])
def test_a_token_needs_claims(issuer: Issuer, authorizer: TokenAuthorizer, content: bytes) -> None:
    with pytest.raises(Unauthorized):
        authorizer.verified(signed(issuer, content))


@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_token_that_was_changed_is_refused(
    issuer: Issuer, authorizer: TokenAuthorizer, place: int
) -> None:
    parts = issuer.local.token("ann").split(".")
    other = issuer.local.token("ben", {"role": "boss"}).split(".")
    head = jwt.get_unverified_header(".".join(parts))
    other[0] = urlsafe_b64encode(json.dumps({**head, "x": 1}).encode()).decode().rstrip("=")
    parts[place] = other[place]

    with pytest.raises(Unauthorized, match="signature"):
        authorizer.verified(".".join(parts))


@pytest.mark.parametrize("kid", [None, 7, ["a"]])
def test_a_token_must_name_its_key(issuer: Issuer, authorizer: TokenAuthorizer, kid: Any) -> None:
    claims = jwt.decode(issuer.local.token("ann"), options={"verify_signature": False})
    with pytest.raises(Unauthorized):
        authorizer.verified(with_head(claims, {"alg": "RS256", "kid": kid}))


def with_head(claims: Mapping[str, Any], head: Mapping[str, Any]) -> str:
    parts = [urlsafe_b64encode(json.dumps(one).encode()).decode() for one in (head, claims)]
    return ".".join([*(part.rstrip("=") for part in parts), "AAAA"])


def test_keys_come_only_over_an_encrypted_connection() -> None:
    with pytest.raises(KeysUnavailable, match="not encrypted"):
        fetched("http://issuer.example/.well-known/openid-configuration")
