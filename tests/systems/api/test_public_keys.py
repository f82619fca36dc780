"""A key set has the keys that can verify tokens; all others are left out."""

from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP384R1
from cryptography.hazmat.primitives.asymmetric.ec import generate_private_key as new_ec_key
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key as new_rsa_key
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.api.issuer import ec_key, encoded, jwk, rsa_key

from sortkey_systems.api.public_keys import BadKeySet, read_key_set

RSA = jwk(rsa_key("first"), "rsa")
EC = jwk(ec_key("first"), "ec")


def algorithms(*keys: object) -> dict[str, str]:
    return {key_id: key.algorithm for key_id, key in read_key_set({"keys": list(keys)}).items()}


def test_a_key_has_one_algorithm_by_its_type() -> None:
    assert algorithms(RSA, EC) == {"rsa": "RS256", "ec": "ES256"}


@pytest.mark.parametrize("member", ["use", "alg", "key_ops"])
def test_members_that_say_nothing_new_are_optional(member: str) -> None:
    assert algorithms({name: value for name, value in RSA.items() if name != member})
    assert algorithms({**EC, "key_ops": ["verify"], "x5c": ["MIIB"], "unknown": 1}) == {
        "ec": "ES256"
    }


@pytest.mark.parametrize(
    "changed",
    [
        {"use": "enc"},
        {"use": None},
        {"key_ops": ["sign"]},
        {"key_ops": "verify"},
        {"alg": "RS512"},
        {"alg": "ES256"},
        {"alg": "HS256"},
        {"kty": "EC"},
        {"kty": "oct", "k": "c2VjcmV0"},
        {"kty": ["RSA"]},
        {"kty": None},
        {"kid": None},
        {"kid": ""},
        {"kid": 3},
        {"kid": "x" * 257},
        {"n": None},
        {"n": ""},
        {"n": "not base64!"},
        {"n": 3},
        {"n": encoded(b"\xff" * 100)},
        {"n": encoded(b"\xff" * 1_200)},
        {"n": "A" * 5_000},
        {"e": encoded(b"\0")},
        {"e": encoded(b"\1")},
        {"e": encoded(b"\4")},
        {"e": encoded(b"\xff" * 8)},
        {"d": "AQAB"},
        {"k": "AQAB"},
    ],
)
def test_an_rsa_key_that_cannot_verify_tokens_is_left_out(changed: dict[str, Any]) -> None:
    assert algorithms({**RSA, **changed}, EC) == {"ec": "ES256"}


@pytest.mark.parametrize(
    "changed",
    [
        {"crv": "P-384"},
        {"crv": None},
        {"alg": "ES384"},
        {"x": encoded(b"\1" * 32)},
        {"x": encoded(b"\1" * 31)},
        {"y": encoded(b"\0" * 33)},
        {"y": None},
        {"x": encoded(b"\0" * 32), "y": encoded(b"\0" * 32)},
        {"d": "AQAB"},
    ],
)
def test_an_ec_key_that_cannot_verify_tokens_is_left_out(changed: dict[str, Any]) -> None:
    assert algorithms({**EC, **changed}, RSA) == {"rsa": "RS256"}


def test_weak_keys_and_other_curves_are_left_out() -> None:
    weak = new_rsa_key(65537, 1024)

    assert (
        algorithms(jwk(weak, "weak"), {**jwk(new_ec_key(SECP384R1()), "p384"), "alg": "ES384"})
        == {}
    )


def test_two_keys_with_one_id_are_not_used(caplog: pytest.LogCaptureFixture) -> None:
    other = jwk(rsa_key("other"), "rsa")

    assert algorithms(RSA, other, EC) == {"ec": "ES256"}
    assert algorithms(RSA, other, RSA) == {}
    assert algorithms(RSA, RSA) == {"rsa": "RS256"}
    assert "two keys of the issuer have the id 'rsa'" in caplog.text


@pytest.mark.parametrize("document", [None, [], "keys", 3, {}, {"keys": {}}, {"keys": None}])
def test_another_document_is_not_a_key_set(document: object) -> None:
    with pytest.raises(BadKeySet, match='no list "keys"'):
        read_key_set(document)


def test_a_key_set_has_a_limit() -> None:
    assert read_key_set({"keys": [EC] * 100})
    with pytest.raises(BadKeySet, match="over 100 keys"):
        read_key_set({"keys": [EC] * 101})


_json = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=5,
)


@given(st.lists(_json | st.dictionaries(st.sampled_from(sorted({*RSA, *EC})), _json)))
def test_no_key_makes_a_key_set_unreadable(keys: list[object]) -> None:
    assert read_key_set({"keys": [*keys, EC]})["ec"].algorithm == "ES256"
