"""The public keys in an issuer's JSON Web Key Set (RFC 7517): those that can sign tokens.

A key verifies exactly one algorithm, which follows from its type: RS256 for RSA, ES256 for P-256.
So a token cannot choose another one, such as HS256 with the public key as its secret.
"""

import logging
import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePublicKey,
    EllipticCurvePublicNumbers,
)
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey, RSAPublicNumbers

_log = logging.getLogger(__name__)

LONGEST_KEY_ID = 256
_MOST_KEYS = 100
_RSA_BITS = range(2048, 8193)
_LARGEST_EXPONENT = 2**32
_COORDINATE_BYTES = 32
_PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
_BASE64URL = re.compile(r"[A-Za-z0-9_-]{1,2000}", re.ASCII)


class BadKeySet(Exception):  # noqa: N818 - it says what happened
    """A document is not a key set."""


class _Unusable(Exception):  # noqa: N818 - ditto
    """A key cannot verify tokens."""


@dataclass(frozen=True, slots=True)
class PublicKey:
    """A key of an issuer, with the one algorithm that it verifies."""

    key_id: str
    algorithm: str
    key: RSAPublicKey | EllipticCurvePublicKey


Members: TypeAlias = Mapping[str, Any]


def read_key_set(document: object) -> dict[str, PublicKey]:
    """Return the keys of a key set that can verify tokens, by their id.

    Keys for other uses, of other types, without an id, or with an id that two keys have are left
    out, and logged.

    Raises:
        BadKeySet: The document is not a key set.
    """
    keys: object = document.get("keys") if isinstance(document, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]  # any JSON
    if not isinstance(keys, list):
        raise BadKeySet('it has no list "keys"')
    listed = cast("list[object]", keys)
    if len(listed) > _MOST_KEYS:
        raise BadKeySet(f"it has over {_MOST_KEYS} keys")
    found: dict[str, PublicKey] = {}
    twice: set[str] = set()
    for number, members in enumerate(listed, 1):
        try:
            key = _read_key(members)
        except _Unusable as reason:
            _log.info("key %d of the issuer is not used: %s", number, reason)
            continue
        if key.key_id in found and found[key.key_id].key != key.key:
            twice.add(key.key_id)
        found[key.key_id] = key
    for key_id in twice:
        _log.warning("two keys of the issuer have the id %r, and neither is used", key_id)
    return {key_id: key for key_id, key in found.items() if key_id not in twice}


def _read_key(given: object) -> PublicKey:
    if not isinstance(given, dict):
        raise _Unusable("it is not an object")
    members = cast("Members", given)
    key_id, kind = members.get("kid"), members.get("kty")
    if not isinstance(key_id, str) or not 1 <= len(key_id) <= LONGEST_KEY_ID:
        raise _Unusable("it has no id")
    if members.get("use", "sig") != "sig":
        raise _Unusable("it is not for signatures")
    operations = members.get("key_ops", ["verify"])
    if not isinstance(operations, list) or "verify" not in operations:
        raise _Unusable("it is not for verifying")
    if not isinstance(kind, str) or kind not in _READERS:
        raise _Unusable("its type is neither RSA nor EC")
    if _PRIVATE & members.keys():
        # Everybody can read it, so everybody could sign with it.
        raise _Unusable("it is a private key")
    algorithm, read = _READERS[kind]
    if members.get("alg", algorithm) != algorithm:
        raise _Unusable(f"its algorithm is not {algorithm}")
    try:
        return PublicKey(key_id, algorithm, read(members))
    except ValueError as error:
        raise _Unusable("its numbers are not those of a key") from error


def _read_rsa(members: Members) -> RSAPublicKey:
    modulus, exponent = (int.from_bytes(_bytes(members, name)) for name in ("n", "e"))
    if modulus.bit_length() not in _RSA_BITS or exponent >= _LARGEST_EXPONENT:
        raise _Unusable("its modulus or exponent has an unusual size")
    return RSAPublicNumbers(exponent, modulus).public_key()


def _read_ec(members: Members) -> EllipticCurvePublicKey:
    if members.get("crv") != "P-256":
        raise _Unusable("its curve is not P-256")
    x, y = (_bytes(members, name) for name in ("x", "y"))
    if len(x) != _COORDINATE_BYTES or len(y) != _COORDINATE_BYTES:
        raise _Unusable("its coordinates have not 32 bytes")
    # It refuses a point that is not on the curve.
    return EllipticCurvePublicNumbers(
        int.from_bytes(x), int.from_bytes(y), SECP256R1()
    ).public_key()


_READERS = {"RSA": ("RS256", _read_rsa), "EC": ("ES256", _read_ec)}


def _bytes(members: Members, name: str) -> bytes:
    value = members.get(name)
    if not isinstance(value, str) or not _BASE64URL.fullmatch(value):
        raise _Unusable(f'its member "{name}" is not base64url')
    return urlsafe_b64decode(value + "=" * (-len(value) % 4))
