"""A token is valid if one of the issuer's keys signed it, for us, and now; nothing else counts."""

import asyncio
import hmac
import json
from base64 import urlsafe_b64decode
from functools import cache
from time import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256K1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.api.issuer import AUDIENCE, Issuer, ec_key, encoded, jwk, refused, rsa_key

from sortkey_systems.api.callers import Caller, NotSignedIn, RoleClaims
from sortkey_systems.api.issuer_keys import IssuerKeys
from sortkey_systems.api.public_keys import read_key_set
from sortkey_systems.api.verifying import LEEWAY, LONGEST_TOKEN, Verifier

ISSUER = "https://login.example.org"
NOW = int(time())


@cache
def known() -> Issuer:
    """An issuer whose keys are known without a server."""
    issuer = Issuer()
    issuer.url = ISSUER
    return issuer


def verifier(algorithms: str = "RS256 ES256", **options: Any) -> Verifier:
    keys = IssuerKeys(lambda: read_key_set(known().key_set()))
    fetch = keys.prepare()
    assert fetch is not None
    fetch.result(10)
    given: dict[str, Any] = {"audiences": {AUDIENCE, "other"}, **options}
    return Verifier(keys, issuer=ISSUER, algorithms=algorithms.split(), **given)


VERIFIER = verifier()


def read(token: str) -> Caller:
    """The caller, who is the same without blocking."""
    try:
        found = VERIFIER.read(token)
    except NotSignedIn as error:
        with pytest.raises(NotSignedIn, match=f"^{error}$"):
            asyncio.run(VERIFIER.read_async(token))
        raise
    assert asyncio.run(VERIFIER.read_async(token)) == found
    return found


def token(kid: str = "rsa", headers: dict[str, Any] | None = None, **changed: Any) -> str:
    return known().token(kid, headers, **changed)


def signed(header: dict[str, Any], claims: object = None, kid: str = "rsa") -> str:
    """A token with exactly this header, signed with a real key."""
    parts = f"{encoded(header)}.{encoded(known().claims() if claims is None else claims)}"
    algorithm = jwt.get_algorithm_by_name("RS256" if kid == "rsa" else "ES256")
    return f"{parts}.{encoded(algorithm.sign(parts.encode(), known().keys[kid]))}"


HEADER = {"alg": "RS256", "kid": "rsa", "typ": "JWT"}


@pytest.mark.parametrize("kid", ["rsa", "ec"])
def test_a_token_of_the_issuer_identifies_its_caller(kid: str) -> None:
    assert read(token(kid, email="ann@example.org")) == Caller("ann", "ann@example.org")


# The signature.


def test_a_token_of_another_key_is_refused() -> None:
    other = jwt.encode(known().claims(), rsa_key("other"), "RS256", headers={"kid": "rsa"})

    assert refused(read, other) == "the token has no valid signature"


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("kid", ["rsa", "ec"])
def test_a_changed_token_is_refused(kid: str, part: int) -> None:
    parts = token(kid).split(".")
    content = bytearray(urlsafe_b64decode(parts[part] + "=="))
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1
        refused(
            VERIFIER.read, ".".join([*parts[:part], encoded(bytes(changed)), *parts[part + 1 :]])
        )


@pytest.mark.parametrize("alg", ["none", "None", "NONE", "", "HS256", "PS256", "RS512", "EdDSA"])
def test_no_other_algorithm_is_accepted(alg: str) -> None:
    unsigned = f"{encoded({**HEADER, 'alg': alg})}.{encoded(known().claims())}"

    assert "algorithm" in refused(read, f"{unsigned}.{encoded(b'no signature')}")
    refused(read, f"{unsigned}.")


@pytest.mark.parametrize("alg", ["HS256", "RS256"])
def test_the_public_key_is_no_secret_for_a_signature(alg: str) -> None:
    public = known().keys["rsa"].public_key()
    secrets = [
        public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo),
        json.dumps(jwk(known().keys["rsa"], "rsa")).encode(),
        b"",
    ]
    for secret in secrets:
        parts = f"{encoded({**HEADER, 'alg': alg})}.{encoded(known().claims())}"
        mac = hmac.digest(secret, parts.encode(), "sha256")
        refused(read, f"{parts}.{encoded(mac)}")


@pytest.mark.parametrize(("alg", "kid"), [("ES256", "rsa"), ("RS256", "ec")])
def test_the_algorithm_must_be_that_of_the_key(alg: str, kid: str) -> None:
    mixed = signed({**HEADER, "alg": alg, "kid": kid}, kid="ec" if alg == "ES256" else "rsa")

    assert refused(read, mixed) == "the issuer has no such key"


@pytest.mark.parametrize(("algorithms", "kid"), [("RS256", "ec"), ("ES256", "rsa")])
def test_only_the_algorithms_of_the_settings_are_accepted(algorithms: str, kid: str) -> None:
    assert "algorithm" in refused(verifier(algorithms).read, token(kid))


@pytest.mark.parametrize("member", ["jwk", "jku", "x5u", "x5c"])
def test_keys_in_a_token_are_not_used(issuer: Issuer, member: str) -> None:
    own = rsa_key("attacker")
    issuer.keys = {"mine": own}
    values = {
        "jwk": jwk(own, "rsa"),
        "jku": f"{issuer.url}/keys",
        "x5u": f"{issuer.url}/keys",
        "x5c": ["MIIB"],
    }
    headers = {"kid": "rsa", member: values[member]}
    forged = jwt.encode(known().claims(), own, "RS256", headers=headers)

    assert refused(read, forged) == "the token has no valid signature"
    assert issuer.requests == []


@pytest.mark.parametrize("kid", [None, "", 3, 1.5, True, ["rsa"], {"rsa": 1}, "x" * 257])
def test_an_odd_id_of_a_key_is_refused(kid: object) -> None:
    header = {name: value for name, value in {**HEADER, "kid": kid}.items() if value is not None}

    assert refused(read, signed(header)) == "the token does not name its key"


@pytest.mark.parametrize("kid", ["../rsa", "rsa\0", "RSA", " rsa", "rsa' OR 1=1"])
def test_an_unknown_id_of_a_key_is_refused(kid: str) -> None:
    assert refused(read, signed({**HEADER, "kid": kid})) == "the issuer has no such key"


@pytest.mark.parametrize("alg", [None, 3, ["RS256"], {}, True])
def test_an_odd_algorithm_is_refused(alg: object) -> None:
    assert "algorithm" in refused(read, signed({**HEADER, "alg": alg}))


@pytest.mark.parametrize("extension", [{"crit": ["exp"], "exp": 1}, {"crit": []}, {"b64": False}])
def test_a_token_with_an_extension_is_refused(extension: dict[str, Any]) -> None:
    assert "extension" in refused(read, signed({**HEADER, **extension}))


@pytest.mark.parametrize("kind", ["logout+jwt", "secevent+jwt", "dpop+jwt", "JWE", "", 3, None])
def test_a_token_of_another_kind_is_refused(kind: object) -> None:
    assert refused(read, signed({**HEADER, "typ": kind})) == "the token is of another kind"


@pytest.mark.parametrize("kind", ["JWT", "jwt", "at+jwt", "application/at+JWT"])
def test_access_tokens_name_their_kind(kind: str) -> None:
    assert read(signed({**HEADER, "typ": kind})) == Caller("ann")


def test_a_kind_is_optional() -> None:
    assert read(signed({"alg": "RS256", "kid": "rsa"})) == Caller("ann")


def test_another_curve_is_no_key_for_es256() -> None:
    key = generate_private_key(SECP256K1())
    parts = f"{encoded({**HEADER, 'alg': 'ES256', 'kid': 'ec'})}.{encoded(known().claims())}"
    signature = jwt.get_algorithm_by_name("ES256K").sign(parts.encode(), key)

    refused(read, f"{parts}.{encoded(signature)}")


@pytest.mark.parametrize("signature", [b"\0" * 64, b"\0" * 32, b"\xff" * 64, b"\0" * 65])
def test_a_signature_of_zeros_is_refused(signature: bytes) -> None:
    parts = f"{encoded({**HEADER, 'alg': 'ES256', 'kid': 'ec'})}.{encoded(known().claims())}"

    refused(read, f"{parts}.{encoded(signature)}")


# The form.


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "..",
        "a.b.c",
        "e30.e30.e30",
        "W10.W10.W10",
        "nonsense",
        "é.é.é",
        f"{'W1tb' * 400}.e30.e30",
        f"{'W1tb' * 4_000}.e30.e30",
        "x" * 100_000,
    ],
)
def test_what_is_not_a_token_is_refused(text: str) -> None:
    assert refused(read, text)


def test_the_text_of_a_token_is_taken_as_it_is() -> None:
    text = token()
    for changed in (text.lower(), f" {text}", f"{text}\n", f"{text}=", f"{text}\0"):
        refused(read, changed)


@pytest.mark.parametrize("count", [1, 2, 4, 5])
def test_a_token_has_three_parts(count: int) -> None:
    refused(read, ".".join((token().split(".") * 2)[:count]))


def test_a_token_that_is_too_long_is_not_read() -> None:
    long = token(filler="x" * LONGEST_TOKEN)

    assert refused(read, long) == "this is not a token of an issuer"
    assert read(token(filler="x" * 4_000)) == Caller("ann")


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b"3", b'"x"', b"\xff\xfe", b"{", b"[" * 3_000, b'{"exp":NaN}']
)
def test_claims_that_are_not_an_object_are_refused(content: bytes) -> None:
    refused(read, signed(HEADER, content))


@given(st.binary(max_size=200))
def test_no_bytes_after_a_header_are_taken_for_a_token(content: bytes) -> None:
    refused(VERIFIER.read, f"{encoded(HEADER)}.{encoded(content)}.{encoded(content)}")


@given(st.text(max_size=200))
def test_no_text_raises_anything_but_a_refusal(text: str) -> None:
    refused(VERIFIER.read, text)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=6,
)
_NAMES = ("alg", "kid", "typ", "crit", "b64", "jku", "jwk")


@given(st.dictionaries(st.sampled_from(_NAMES), _json, max_size=4))
def test_no_header_is_believed_without_a_signature(header: dict[str, Any]) -> None:
    text = encoded({**HEADER, **header})
    refused(VERIFIER.read, f"{text}.{encoded(known().claims())}.{encoded(b's' * 256)}")


@given(
    st.sampled_from(["iss", "aud", "exp", "nbf", "iat", "sub", "email", "roles", "client_id"]),
    _json,
)
def test_no_signed_claim_raises_anything_but_a_refusal(name: str, value: object) -> None:
    claims: dict[str, Any] = {**known().claims(), name: value}
    try:
        found = VERIFIER.read(signed(HEADER, claims))
    except NotSignedIn:
        return
    assert found.user_id == claims["sub"]
    assert claims["iss"] == ISSUER
    assert claims["exp"] > time() - LEEWAY - 1


# The claims.


@pytest.mark.parametrize(
    "iss", [None, "", f"{ISSUER}/", ISSUER.upper(), "https://evil.org", [ISSUER], 3]
)
def test_a_token_of_another_issuer_is_refused(iss: object) -> None:
    refused(
        read,
        token(iss=iss)
        if iss is None or isinstance(iss, str)
        else signed(HEADER, {**known().claims(), "iss": iss}),
    )


@pytest.mark.parametrize(
    "aud", ["", "One-on-One", f"{AUDIENCE} ", "someone", [], ["someone"], [""]]
)
def test_a_token_for_another_audience_is_refused(aud: object) -> None:
    assert refused(read, token(aud=aud)) == "the token is for another audience"


@pytest.mark.parametrize("aud", [3, {AUDIENCE: 1}, [AUDIENCE, 3], True])
def test_an_odd_audience_is_refused(aud: object) -> None:
    assert refused(read, signed(HEADER, {**known().claims(), "aud": aud})) == (
        "the token has no valid claims"
    )


@pytest.mark.parametrize("aud", [AUDIENCE, "other", [AUDIENCE], ["someone", AUDIENCE]])
def test_one_audience_of_ours_is_enough(aud: object) -> None:
    assert read(token(aud=aud)) == Caller("ann")


def test_the_client_of_an_access_token_stands_for_its_audience() -> None:
    assert read(token(aud=None, client_id=AUDIENCE)) == Caller("ann")
    assert "audience" in refused(read, token(aud=None, client_id="someone"))
    assert "audience" in refused(read, token(aud="someone", client_id=AUDIENCE))
    assert "audience" in refused(read, token(aud=[], client_id=AUDIENCE))
    assert "audience" in refused(read, token(aud=None))


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"exp": NOW}, None),
        ({"exp": NOW - LEEWAY + 1}, None),
        ({"exp": NOW - LEEWAY}, "expired"),
        ({"exp": NOW - 10**6}, "expired"),
        ({"exp": 0}, "expired"),
        ({"exp": None}, "no valid claims"),
        ({"exp": str(NOW + 600)}, "no valid claims"),
        ({"exp": True}, "no valid claims"),
        ({"exp": 1e300}, "no valid claims"),
        ({"exp": 10**30}, "no valid claims"),
        ({"exp": -1}, "no valid claims"),
        ({"exp": NOW + 0.5}, None),
        ({"nbf": NOW + LEEWAY}, None),
        ({"nbf": NOW + LEEWAY + 1}, "not valid yet"),
        ({"nbf": "soon"}, "no valid claims"),
        ({"iat": None}, None),
        ({"iat": NOW + LEEWAY}, None),
        ({"iat": NOW + LEEWAY + 1}, "not valid yet"),
        ({"iat": [NOW]}, "no valid claims"),
    ],
)
def test_a_token_is_valid_at_its_time(changed: dict[str, Any], expected: str | None) -> None:
    claims = {**known().claims(exp=NOW + 600, iat=NOW), **changed}
    found = signed(HEADER, {name: value for name, value in claims.items() if value is not None})
    at_now = verifier(now=lambda: NOW)

    if expected is None:
        assert at_now.read(found) == Caller("ann")
    else:
        assert expected in refused(at_now.read, found)


@pytest.mark.parametrize("sub", [None, "", "x" * 129, 3, ["ann"]])
def test_a_token_names_its_caller(sub: object) -> None:
    claims = {
        name: value for name, value in {**known().claims(), "sub": sub}.items() if value is not None
    }

    assert refused(read, signed(HEADER, claims)) == "the token has no valid claims"


@pytest.mark.parametrize("verified", [False, "false"])
def test_an_address_that_is_not_verified_is_not_the_caller_s(verified: object) -> None:
    assert read(token(email="ann@example.org", email_verified=verified)).email is None
    assert read(token(email="ann@example.org", email_verified=True)).email == "ann@example.org"


@pytest.mark.parametrize("name", ["roles", "cognito:groups", "https://example.org/roles"])
@pytest.mark.parametrize("roles", [["admin", "editor"], "admin editor"])
def test_roles_come_from_the_claim_of_the_settings(name: str, roles: Any) -> None:
    named = verifier(claims=RoleClaims(name, "app"))
    claims = {**known().claims(), "app": ["researcher"], name: roles}
    found = named.read(signed(HEADER, claims))

    assert found.roles == {"admin", "editor"}
    assert found.app_roles == {"researcher"}
    assert named.read(token(other=roles)).roles == frozenset()


@pytest.mark.parametrize("roles", [3, [3], {"admin": True}, [["admin"]], True])
def test_odd_roles_are_refused(roles: object) -> None:
    assert refused(read, token(roles=roles)) == "the token has no valid claims"


def test_a_key_of_the_same_type_with_another_id_did_not_sign() -> None:
    first, second = ec_key("first"), ec_key("second")
    keys = IssuerKeys(lambda: read_key_set({"keys": [jwk(first, "a"), jwk(second, "b")]}))
    both = Verifier(keys, issuer=ISSUER, audiences={AUDIENCE}, algorithms=["ES256"])
    claims = known().claims()

    assert both.read(jwt.encode(claims, second, "ES256", headers={"kid": "b"})) == Caller("ann")
    refused(both.read, jwt.encode(claims, second, "ES256", headers={"kid": "a"}))
