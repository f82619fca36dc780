"""The issuer of this machine: its keys stay, and it gives tokens to any caller."""

import json
from pathlib import Path
from typing import Any

import jwt
import pytest

from sortkey.local.http.issuer import LocalIssuer
from sortkey.local.http.messages import HttpRequest

URL = "http://127.0.0.1:8002"


def issuer(folder: Path, *audiences: str, algorithm: str = "RS256") -> LocalIssuer:
    return LocalIssuer(folder, URL, lambda: audiences, lambda: 1_700_000_000.0, algorithm)


def ask(made: LocalIssuer, target: str, body: bytes | None = None) -> tuple[int, Any]:
    response = made.answer(HttpRequest("GET" if body is None else "POST", target, (), body or b""))
    kind = dict(response.headers)["content-type"]
    text = response.body.decode()
    return response.status, json.loads(text) if kind == "application/json" else text


def claims_of(token: str) -> dict[str, Any]:
    return jwt.decode(token, options={"verify_signature": False})


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_a_token_is_signed_with_a_key_that_it_publishes(tmp_path: Path, algorithm: str) -> None:
    made = issuer(tmp_path, "notes", algorithm=algorithm)

    _, configuration = ask(made, "/.well-known/openid-configuration")
    _, found = ask(made, configuration["jwks_uri"].removeprefix(URL))

    assert configuration["issuer"] == URL
    [key] = found["keys"]
    assert not {"d", "p", "q"} & key.keys()
    token = made.token("ann")
    assert jwt.get_unverified_header(token)["kid"] == key["kid"]
    options: Any = {"verify_exp": False, "verify_iat": False}
    content = jwt.decode(
        token, jwt.PyJWK(key).key, algorithms=[algorithm], audience="notes", options=options
    )
    assert (content["sub"], content["iss"]) == ("ann", URL)


def test_its_key_is_made_once_and_readable_for_its_user_only(tmp_path: Path) -> None:
    made = [issuer(tmp_path / "keys", "notes") for _ in range(2)]

    assert ask(made[0], "/.well-known/jwks.json") == ask(made[1], "/.well-known/jwks.json")
    [key] = (tmp_path / "keys").iterdir()
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_token_is_for_all_apis(tmp_path: Path) -> None:
    assert claims_of(issuer(tmp_path, "one").token("ann"))["aud"] == "one"
    assert claims_of(issuer(tmp_path, "one", "two").token("ann"))["aud"] == ["one", "two"]


def test_a_person_gets_a_token_by_name(tmp_path: Path) -> None:
    status, token = ask(issuer(tmp_path, "notes"), "/token/ann%20b?role=clerk&role=boss&team=a")

    claims = claims_of(token)
    assert status == 200
    assert (claims["sub"], claims["role"], claims["team"]) == ("ann b", ["clerk", "boss"], "a")


@pytest.mark.parametrize("target", ["/token/", "/token/ann?aud=others", "/token/ann?exp=1"])
def test_a_name_is_needed_and_own_claims_are_not_changed_by_accident(
    tmp_path: Path, target: str
) -> None:
    assert ask(issuer(tmp_path, "notes"), target)[0] == 400


def test_a_program_chooses_any_claims(tmp_path: Path) -> None:
    body = json.dumps({"sub": "ben", "aud": "others", "exp": 1, "teams": {"a": 1}}).encode()

    status, answer = ask(issuer(tmp_path, "notes"), "/token", body)

    claims = claims_of(answer["access_token"])
    assert status == 200
    assert (claims["sub"], claims["aud"], claims["exp"]) == ("ben", "others", 1)
    assert claims["teams"] == {"a": 1}


@pytest.mark.parametrize("body", [b"", b"[1]", b"sub=ann"])
def test_other_bodies_are_refused(tmp_path: Path, body: bytes) -> None:
    assert ask(issuer(tmp_path, "notes"), "/token", body)[0] == 400


def test_nothing_else_is_found(tmp_path: Path) -> None:
    assert ask(issuer(tmp_path, "notes"), "/")[0] == 404
