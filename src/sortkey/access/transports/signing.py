"""Signature Version 4 for clients. No I/O.

Most of what is signed is the same for all requests of one second, so it is written once for them.
"""

import hashlib
import hmac
from time import gmtime, strftime
from typing import NamedTuple

from sortkey.access.credentials import Credentials
from sortkey.wire.signatures import (
    ALGORITHM,
    STAMP,
    canonical_request,
    credential_scope,
    signing_key,
    text_to_sign,
)

CONTENT_TYPE = b"application/x-amz-json-1.0"
# Stands for the target of a request; no header can contain it.
_TARGET = b"\n"
_DIGEST_CHARACTERS = 64


class _Moment(NamedTuple):
    """The parts of the signed requests of one second that do not depend on the request."""

    second: int
    credentials: Credentials
    # The canonical request before and after its target, without the digest of the body.
    before: bytes
    after: bytes
    # What is signed, without the digest of the canonical request.
    to_sign: bytes
    date: str
    # The header lines up to the signature.
    lines: bytes


class Signer:
    """Signs requests to one host and region; safe across threads."""

    def __init__(self, host: str, region: str) -> None:
        self._fields = ((b"content-type", CONTENT_TYPE), (b"host", host.encode()))
        self._region = region
        self._moment: _Moment | None = None

    def sign(self, target: bytes, body: bytes, credentials: Credentials, now: float) -> bytes:
        """Return the header lines that sign this body for this target at this time."""
        moment = self._moment
        if (
            moment is None
            or moment.second != int(now)
            or (moment.credentials is not credentials and moment.credentials != credentials)
        ):
            self._moment = moment = self._at(int(now), credentials)
        digest = hashlib.sha256(body).hexdigest().encode()
        canonical = b"%b%b%b%b" % (moment.before, target, moment.after, digest)
        digest = hashlib.sha256(canonical).hexdigest().encode()
        # Not a part of the moment, whose text a traceback may show.
        key = signing_key(credentials.secret_key, moment.date, self._region)
        proof = hmac.digest(key, moment.to_sign + digest, "sha256").hex()
        return b"%bSignature=%b\r\n" % (moment.lines, proof.encode())

    def _at(self, second: int, credentials: Credentials) -> _Moment:
        stamp = strftime(STAMP, gmtime(second))
        date, region = stamp[:8], self._region
        # In the order of their names, as a canonical request needs them.
        fields = [*self._fields, (b"x-amz-date", stamp.encode())]
        names = "content-type;host;x-amz-date"
        lines = f"X-Amz-Date: {stamp}\r\n"
        if token := credentials.token:
            fields.append((b"x-amz-security-token", token.encode()))
            names += ";x-amz-security-token"
            lines += f"X-Amz-Security-Token: {token}\r\n"
        fields.append((b"x-amz-target", _TARGET))
        whole = canonical_request(fields, b"")[:-_DIGEST_CHARACTERS]
        before, _, after = whole.rpartition(b":" + _TARGET + b"\n")
        return _Moment(
            second,
            credentials,
            before + b":",
            b"\n" + after,
            text_to_sign("", stamp, region).encode(),
            date,
            (
                f"{lines}Authorization: {ALGORITHM} Credential={credentials.access_key}/"
                f"{credential_scope(date, region)}, SignedHeaders={names};x-amz-target, "
            ).encode(),
        )
