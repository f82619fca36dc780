"""Signature Version 4, from the receiving side and without I/O.

The checks follow DynamoDB's order, because a request may fail several: the parts are there, the
time is right, the scope is right, the key is known, and last the signature itself matches.
"""

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from functools import lru_cache
from urllib.parse import unquote

from sortkey.wire.errors import (
    IncompleteSignatureException,
    InvalidSignatureException,
    MissingAuthenticationTokenException,
    UnrecognizedClientException,
)
from sortkey.wire.signatures import (
    ALGORITHM,
    SERVICE,
    STAMP,
    TERMINATOR,
    canonical_request,
    signature,
)

SKEW = timedelta(minutes=15)
_SCOPE_PARTS = 5
# A presigned request is valid for at most a week.
_LONGEST_SECONDS = 604_800
_QUERY_PARTS = (
    "X-Amz-Algorithm",
    "X-Amz-Credential",
    "X-Amz-Signature",
    "X-Amz-SignedHeaders",
    "X-Amz-Date",
)

Header = tuple[bytes, bytes]
Headers = Sequence[Header]


@dataclass(frozen=True, slots=True)
class KeyPair:
    """The one access key that a server accepts, with its secret."""

    access_key: str
    secret_key: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Claim:
    """The signature of a request, as its headers or parameters state it."""

    algorithm: str
    credential: str
    signed_headers: str
    signature: str
    date: str
    lifetime: timedelta
    has_token: bool = False


def verify(
    headers: Headers, body: bytes | bytearray, keys: KeyPair, now: datetime, *, query: bytes = b""
) -> None:
    """Check that ``POST /`` with these lower-case headers was signed with the keys; else raise."""
    fields = {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(headers)}
    claim = _claim(fields, query.decode("latin-1"))
    stamp = _checked_time(claim, now)
    signed = [name.lower() for name in claim.signed_headers.split(";")]
    if "host" not in signed:
        raise InvalidSignatureException(
            "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."
        )
    if "x-amz-target" in fields and "x-amz-target" not in signed:
        # Otherwise a captured request could be sent again as another operation.
        raise InvalidSignatureException(
            "'X-Amz-Target' must be a 'SignedHeader' in the AWS Authorization."
        )
    if claim.algorithm != ALGORITHM:
        raise IncompleteSignatureException(
            f"Unsupported AWS 'algorithm': '{claim.algorithm}' (only AWS4-HMAC-SHA256 for now). "
        )
    access_key, region = _checked_scope(claim.credential, stamp)
    if not _same(access_key, keys.access_key):
        raise UnrecognizedClientException("The security token included in the request is invalid.")

    canonical = canonical_request(_signed_fields(headers, signed), body, _canonical_query(query))
    if not _same(signature(canonical, keys.secret_key, stamp, region), claim.signature):
        raise InvalidSignatureException(
            "The request signature we calculated does not match the signature you provided. "
            "Check your AWS Secret Access Key and signing method. "
            "Consult the service documentation for details."
        )
    if "x-amz-security-token" in fields or claim.has_token:
        # The keys are not temporary, so no session token belongs to them.
        raise UnrecognizedClientException("The security token included in the request is invalid")


def _same(one: str, other: str) -> bool:
    return hmac.compare_digest(one.encode(), other.encode())


# -- what the request claims --------------------------------------------------------------------


def _claim(fields: dict[str, str], query: str) -> _Claim:
    authorization = fields.get("authorization")
    # Latin-1 as in the headers: it keeps every byte of the signed names.
    in_query = {
        unquote(name, "latin-1"): unquote(value, "latin-1")
        for name, _, value in (pair.partition("=") for pair in query.split("&"))
    }
    signed_query = "X-Amz-Algorithm" in in_query
    if authorization is not None and signed_query:
        raise InvalidSignatureException(
            "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' "
            "as HTTP header."
        )
    if signed_query:
        return _query_claim(in_query)
    if authorization is None or not authorization.strip().startswith("AWS4-"):
        raise MissingAuthenticationTokenException("Request is missing Authentication Token")
    return _header_claim(authorization, fields)


def _query_claim(in_query: dict[str, str]) -> _Claim:
    missing = [
        f"AWS query-string parameters must include '{part}'. "
        for part in _QUERY_PARTS
        if not in_query.get(part)
    ]
    if missing:
        raise IncompleteSignatureException(
            "".join(missing) + "Re-examine the query-string parameters."
        )
    expires = in_query.get("X-Amz-Expires", "")
    return _Claim(
        algorithm=in_query["X-Amz-Algorithm"],
        credential=in_query["X-Amz-Credential"],
        signed_headers=in_query["X-Amz-SignedHeaders"],
        signature=in_query["X-Amz-Signature"],
        date=in_query["X-Amz-Date"],
        lifetime=timedelta(seconds=int(expires)) if _is_lifetime(expires) else SKEW,
        has_token="X-Amz-Security-Token" in in_query,
    )


def _is_lifetime(expires: str) -> bool:
    is_number = expires.isascii() and expires.isdecimal() and len(expires) < len("1000000")
    return is_number and int(expires) <= _LONGEST_SECONDS


def _header_claim(authorization: str, fields: dict[str, str]) -> _Claim:
    algorithm, *pairs = authorization.replace(",", " ").split()
    parts = {name: value for name, _, value in (pair.partition("=") for pair in pairs)}
    faults = [
        f"Authorization header requires '{part}' parameter. "
        for part in ("Credential", "Signature", "SignedHeaders")
        if not parts.get(part)
    ]
    date = fields.get("x-amz-date") or fields.get("date")
    if not date:
        faults.append(
            "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header. "
        )
    if faults or not date:
        raise IncompleteSignatureException("".join(faults) + f"Authorization={authorization}")
    return _Claim(
        algorithm=algorithm,
        credential=parts["Credential"],
        signed_headers=parts["SignedHeaders"],
        signature=parts["Signature"],
        date=date,
        lifetime=SKEW,
    )


# -- the checks before the signature ------------------------------------------------------------


def _checked_time(claim: _Claim, now: datetime) -> str:
    """Return the request's time in basic format; raise if it is too old or too early."""
    time, stamp = _parsed_time(claim.date)
    if time < now - claim.lifetime:
        minutes = claim.lifetime // timedelta(minutes=1)
        raise InvalidSignatureException(
            f"Signature expired: {stamp} is now earlier than "
            f"{now - claim.lifetime:{STAMP}} ({now:{STAMP}} - {minutes} min.)"
        )
    if time > now + SKEW:
        raise InvalidSignatureException(
            f"Signature not yet current: {stamp} is still later than "
            f"{now + SKEW:{STAMP}} ({now:{STAMP}} + 15 min.)"
        )
    return stamp


@lru_cache(maxsize=32)
def _parsed_time(date: str) -> tuple[datetime, str]:
    """Return a request's time, and its text in the string to sign."""
    try:
        basic = datetime.strptime(date.strip(), STAMP).replace(tzinfo=UTC)
    except ValueError:
        pass
    else:
        return basic, date.strip()
    try:
        parsed = parsedate_to_datetime(date)
        time = parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
        return time, time.strftime(STAMP)
    except (ValueError, OverflowError):
        raise IncompleteSignatureException(
            f"Date must be in ISO-8601 'basic format'. Got '{date}'. "
            "See http://en.wikipedia.org/wiki/ISO_8601"
        ) from None


def _checked_scope(credential: str, stamp: str) -> tuple[str, str]:
    """Return the access key and region of a credential for this service and time."""
    # An access key may contain slashes; the scope is the last four parts.
    parts = credential.rstrip("/").rsplit("/", _SCOPE_PARTS - 1)
    if len(parts) != _SCOPE_PARTS:
        raise IncompleteSignatureException(
            "Credential must have exactly 5 slash-delimited elements, e.g. "
            f"keyid/date/region/service/term, got '{credential}'"
        )
    access_key, date, region, service, terminator = parts
    faults: list[str] = []
    if not region:
        faults.append(f"Credential should be scoped to a valid region, not '{region}'. ")
    if service != SERVICE:
        faults.append("Credential should be scoped to correct service: 'dynamodb'. ")
    if terminator != TERMINATOR:
        faults.append(
            "Credential should be scoped with a valid terminator: 'aws4_request', "
            f"not '{terminator}'. "
        )
    if date != stamp[:8]:
        faults.append(
            "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from "
            f"HTTP: '{date}' != '{stamp[:8]}', from '{stamp}'. "
        )
    if faults:
        raise InvalidSignatureException("".join(faults))
    return access_key, region


# -- the signature itself -----------------------------------------------------------------------


def _signed_fields(headers: Headers, signed: list[str]) -> list[Header]:
    """Return the signed headers, each once and without superfluous spaces."""
    values: dict[bytes, list[bytes]] = {}
    for name, value in headers:
        values.setdefault(name, []).append(b" ".join(value.split()))
    names = [name.encode("latin-1") for name in signed]
    return [(name, b",".join(values.get(name, ()))) for name in names]


def _canonical_query(query: bytes) -> bytes:
    pairs = sorted(
        (name, value)
        for name, _, value in (pair.partition(b"=") for pair in query.split(b"&") if pair)
        if name != b"X-Amz-Signature"
    )
    return b"&".join(name + b"=" + value for name, value in pairs)
