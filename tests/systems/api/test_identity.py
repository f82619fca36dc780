"""A token identifies a caller, and is valid only if it was signed with the key."""

from datetime import UTC, datetime, timedelta

import jwt
import pytest

from sortkey_systems.api.callers import Caller, NotSignedIn
from sortkey_systems.api.identity import Tokens

KEY = b"k" * 32


def signed(**claims: object) -> str:
    """A token with any claims, signed with the key."""
    return jwt.encode({"exp": datetime.now(UTC) + timedelta(hours=1), **claims}, KEY)


def test_a_token_identifies_its_caller() -> None:
    tokens = Tokens()
    ann = Caller(
        "ann", "ann@example.org", frozenset({"admin", "member"}), frozenset({"researcher"})
    )

    assert tokens.read(tokens.sign(ann)) == ann


def test_an_address_and_roles_are_optional() -> None:
    tokens = Tokens()

    assert tokens.read(tokens.sign(Caller("ann"))) == Caller("ann")


def test_a_token_with_another_key_is_rejected() -> None:
    with pytest.raises(NotSignedIn, match="Signature"):
        Tokens().read(Tokens().sign(Caller("ann")))


def test_a_token_expires() -> None:
    tokens = Tokens()

    with pytest.raises(NotSignedIn, match="expired"):
        tokens.read(tokens.sign(Caller("ann"), lasting=timedelta(seconds=-1)))


def test_a_token_without_a_signature_is_not_believed() -> None:
    unsigned = jwt.encode({"sub": "ann", "exp": 9_999_999_999}, "", algorithm="none")

    with pytest.raises(NotSignedIn):
        Tokens(KEY).read(unsigned)


@pytest.mark.parametrize(
    "token",
    [
        "",
        "nonsense",
        signed(),
        signed(sub=""),
        signed(sub="x" * 129),
        signed(sub=17),
        signed(sub="ann", exp=float("inf")),
        f"{'W1tb' * 1_000}.e30.e30",  # a header of nested lists
        jwt.encode({"sub": "ann"}, KEY),
    ],
)
def test_a_token_without_a_caller_is_rejected(token: str) -> None:
    with pytest.raises(NotSignedIn):
        Tokens(KEY).read(token)


def test_roles_can_be_a_text_of_names() -> None:
    assert Tokens(KEY).read(signed(sub="ann", roles="admin editor")).roles == {"admin", "editor"}


@pytest.mark.parametrize("roles", [3, [1], ["admin", None], {"admin": True}, None, True])
def test_roles_are_names(roles: object) -> None:
    with pytest.raises(NotSignedIn, match="no valid claims"):
        Tokens(KEY).read(signed(sub="ann", roles=roles))
