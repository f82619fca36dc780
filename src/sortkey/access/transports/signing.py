"""Signature Version 4 for clients. No I/O."""

from time import gmtime, strftime
from typing import NamedTuple

from sortkey.access.credentials import Credentials
from sortkey.wire.signatures import (
    ALGORITHM,
    STAMP,
    canonical_request,
    credential_scope,
    signature,
)

CONTENT_TYPE = b"application/x-amz-json-1.0"


class _Moment(NamedTuple):
    """One second, as signatures write it."""

    second: int
    stamp: str
    stamp_field: tuple[bytes, bytes]


class Signer:
    """Signs requests to one host and region; safe across threads."""

    def __init__(self, host: str, region: str) -> None:
        self._fields = ((b"content-type", CONTENT_TYPE), (b"host", host.encode()))
        self._region = region
        self._moment = _moment(0)

    def sign(self, target: bytes, body: bytes, credentials: Credentials, now: float) -> bytes:
        """Return the header lines that sign this body for this target at this time."""
        moment = self._moment
        if moment.second != int(now):
            self._moment = moment = _moment(int(now))
        _, stamp, stamp_field = moment
        # In the order of their names, as a canonical request needs them.
        fields = [*self._fields, stamp_field]
        names = "content-type;host;x-amz-date"
        lines = f"X-Amz-Date: {stamp}\r\n"
        if token := credentials.token:
            fields.append((b"x-amz-security-token", token.encode()))
            names += ";x-amz-security-token"
            lines += f"X-Amz-Security-Token: {token}\r\n"
        fields.append((b"x-amz-target", target))

        region = self._region
        proof = signature(canonical_request(fields, body), credentials.secret_key, stamp, region)
        return (
            f"{lines}Authorization: {ALGORITHM} Credential={credentials.access_key}/"
            f"{credential_scope(stamp[:8], region)}, SignedHeaders={names};x-amz-target, "
            f"Signature={proof}\r\n"
        ).encode()


def _moment(second: int) -> _Moment:
    stamp = strftime(STAMP, gmtime(second))
    return _Moment(second, stamp, (b"x-amz-date", stamp.encode()))
