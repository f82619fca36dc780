"""A setting says whether a function verifies tokens itself; no event can change that."""

import subprocess
import sys
from typing import Any

import pytest
from tests.systems.api.issuer import Issuer

from sortkey_systems.api.callers import IssuerUnavailable
from sortkey_systems.oneonone.errors import NotSignedIn
from sortkey_systems.oneonone.gateway import Caller, caller_of, error_response

CLAIMS = {"sub": "mallory", "email": "mallory@example.org"}
AUTHORIZERS: list[dict[str, Any]] = [
    {},
    {"authorizer": {"jwt": {"claims": CLAIMS}}},
    {"authorizer": {"claims": CLAIMS}},
]


def event(token: str | None, context: dict[str, Any] | None = None) -> dict[str, Any]:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    return {"headers": headers, "requestContext": context or {}}


@pytest.fixture
def verified_here(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> Issuer:
    for name, value in {**issuer.settings(), "TOKENS_VERIFIED_BY": "application"}.items():
        monkeypatch.setenv(name, value)
    return issuer


@pytest.mark.parametrize("kid", ["rsa", "ec"])
def test_a_function_verifies_tokens_itself(verified_here: Issuer, kid: str) -> None:
    token = verified_here.token(kid, email="ann@example.org")

    assert caller_of(event(token)) == Caller("ann", "ann@example.org")
    assert caller_of({"headers": {"Authorization": f"bearer {token}"}}) == (
        Caller("ann", "ann@example.org")
    )


@pytest.mark.parametrize("context", AUTHORIZERS)
def test_claims_in_an_event_count_for_nothing_then(
    verified_here: Issuer, context: dict[str, Any]
) -> None:
    with pytest.raises(NotSignedIn, match="send a token"):
        caller_of(event(None, context))
    with pytest.raises(NotSignedIn, match="another audience"):
        caller_of(event(verified_here.token(aud="someone"), context))
    assert caller_of(event(verified_here.token(), context)).user_id == "ann"


@pytest.mark.parametrize(
    "headers",
    [
        None,
        [],
        {},
        {"authorization": None},
        {"authorization": 3},
        {"authorization": ""},
        {"authorization": "Bearer"},
        {"authorization": "Bearer "},
        {"authorization": "Basic YW5uOmFubg=="},
        {"authorization": "Bearer a", "Authorization": "Bearer b"},
        {"x-authorization": "Bearer a"},
    ],
)
def test_without_a_token_there_is_no_caller(verified_here: Issuer, headers: object) -> None:
    with pytest.raises(NotSignedIn, match="send a token"):
        caller_of({"headers": headers})


def test_a_valid_token_counts_for_nothing_behind_an_authorizer(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in issuer.settings().items():
        monkeypatch.setenv(name, value)

    for setting in ("", "gateway"):
        monkeypatch.setenv("TOKENS_VERIFIED_BY", setting)
        with pytest.raises(NotSignedIn, match="the request has no caller"):
            caller_of(event(issuer.token()))
    assert error_response(NotSignedIn("no"))["statusCode"] == 401
    assert issuer.requests == []


def test_an_issuer_that_is_down_is_no_fault_of_the_caller(verified_here: Issuer) -> None:
    verified_here.instead["/keys"] = 500, {}, b""
    with pytest.raises(IssuerUnavailable) as down:
        caller_of(event(verified_here.token()))
    answer = error_response(down.value)

    assert answer["statusCode"] == 503
    assert answer["headers"]["retry-after"] == "1"


def test_keys_are_kept_between_calls(verified_here: Issuer) -> None:
    for _ in range(5):
        caller_of(event(verified_here.token()))

    assert len(verified_here.requests) == 2


@pytest.mark.parametrize(
    ("environ", "message"),
    [
        ({"TOKENS_VERIFIED_BY": "me"}, "TOKENS_VERIFIED_BY is 'me', but must be 'gateway' or"),
        ({"TOKENS_VERIFIED_BY": "application"}, "ISSUER is not set"),
    ],
)
def test_wrong_settings_end_the_start_of_a_function(environ: dict[str, str], message: str) -> None:
    started = subprocess.run(
        [sys.executable, "-c", "import sortkey_systems.oneonone.gateway"],
        env={"PYTHONPATH": ":".join(sys.path), "AWS_LAMBDA_FUNCTION_NAME": "join", **environ},
        capture_output=True,
        text=True,
        check=False,
    )

    assert started.returncode == 1
    assert message in started.stderr


def test_behind_an_authorizer_a_function_starts_without_what_verifies() -> None:
    code = (
        "import sys, sortkey_systems.oneonone.gateway;"
        "assert not {'jwt', 'cryptography'} & set(sys.modules), sys.modules.keys()"
    )
    environ = {"PYTHONPATH": ":".join(sys.path), "AWS_LAMBDA_FUNCTION_NAME": "join"}
    subprocess.run([sys.executable, "-c", code], env=environ, check=True)
