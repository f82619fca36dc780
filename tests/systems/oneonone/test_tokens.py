"""Tokens of LiveKit: what others sign is accepted, and nothing else."""

from base64 import urlsafe_b64encode
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.watch import Watch

from sortkey_systems.oneonone.tokens import BadToken, claims_of, sign

KEY, SECRET = "APIkey", "a secret with more than thirty-two characters"
NOW = datetime(2030, 5, 14, 10, tzinfo=UTC)


def claims(**changed: Any) -> dict[str, Any]:
    exp = NOW + timedelta(minutes=5)
    return {"iss": KEY, "exp": int(exp.timestamp()), "nbf": int(NOW.timestamp()), **changed}


@pytest.fixture
def now(watch: Watch) -> None:
    """The clock stands at the time of the tokens."""
    watch.now = NOW


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.booleans()))
def test_another_library_reads_what_is_signed(content: dict[str, Any]) -> None:
    anyway = {"verify_exp": False, "verify_nbf": False, "verify_iat": False, "verify_aud": False,
              "verify_iss": False, "verify_sub": False, "verify_jti": False}  # fmt: skip

    read = jwt.decode(sign(content, SECRET), SECRET, algorithms=["HS256"], options=anyway)  # type: ignore[arg-type]

    assert read == content


@pytest.mark.usefixtures("now")
def test_what_another_library_signs_is_read() -> None:
    content = claims(sha256="aGFzaA==", video={"roomCreate": True})

    assert claims_of(jwt.encode(content, SECRET, algorithm="HS256"), KEY, SECRET) == content


@pytest.mark.usefixtures("now")
@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"iss": "APIother"}, "issuer is another"),
        ({"iss": None}, "issuer is another"),
        ({"exp": int(NOW.timestamp()) - 60}, "has expired"),
        ({"exp": str(int(NOW.timestamp()) + 300)}, "exp is not a time"),
        ({"exp": True}, "exp is not a time"),
        ({"exp": None}, "exp is not a time"),
        ({"exp": float("nan")}, "has expired"),
        ({"nbf": int(NOW.timestamp()) + 61}, "not valid yet"),
        ({"nbf": "now"}, "nbf is not a time"),
    ],
)
def test_a_token_of_others_or_of_another_time_is_refused(
    changed: dict[str, Any], reason: str
) -> None:
    with pytest.raises(BadToken, match=reason):
        claims_of(sign(claims(**changed), SECRET), KEY, SECRET)


@pytest.mark.usefixtures("now")
def test_clocks_may_differ_by_a_minute() -> None:
    now = int(NOW.timestamp())

    assert claims_of(sign(claims(exp=now - 59), SECRET), KEY, SECRET)
    assert claims_of(sign(claims(nbf=now + 60), SECRET), KEY, SECRET)
    without = {name: value for name, value in claims().items() if name != "nbf"}
    assert claims_of(sign(without, SECRET), KEY, SECRET)


@pytest.mark.usefixtures("now")
def test_another_secret_or_algorithm_is_refused() -> None:
    with pytest.raises(BadToken, match="signature is wrong"):
        claims_of(sign(claims(), SECRET + "!"), KEY, SECRET)
    with pytest.raises(BadToken, match="algorithm is not HS256"):
        claims_of(jwt.encode(claims(), SECRET * 2, algorithm="HS512"), KEY, SECRET * 2)
    header, payload, _ = sign(claims(), SECRET).split(".")
    unsigned = urlsafe_b64encode(b'{"alg":"none"}').rstrip(b"=").decode()
    for forged in (f"{unsigned}.{payload}.", f"{unsigned}.{payload}.x", f"{header}.{payload}."):
        with pytest.raises(BadToken):
            claims_of(forged, KEY, SECRET)


@pytest.mark.usefixtures("now")
@given(st.integers(0), st.characters(codec="ascii"))
def test_a_token_with_any_other_character_is_refused(place: int, character: str) -> None:
    token = sign(claims(), SECRET)
    at = place % len(token)
    changed = token[:at] + character + token[at + 1 :]

    if changed != token:
        with pytest.raises(BadToken):
            claims_of(changed, KEY, SECRET)


@pytest.mark.parametrize(
    "text", ["", "a", "a.b", "a.b.c", "a.b.c.d", "é.é.é", "W10.W10.W10", "x" * 99]
)
def test_another_text_is_no_token(text: str) -> None:
    with pytest.raises(BadToken):
        claims_of(text, KEY, SECRET)


def test_a_token_within_tokens_is_refused() -> None:
    deep = urlsafe_b64encode(b"[" * 100_000).decode().rstrip("=")
    with pytest.raises(BadToken, match="not a token"):
        claims_of(f"{deep}.{deep}.{deep}", KEY, SECRET)
