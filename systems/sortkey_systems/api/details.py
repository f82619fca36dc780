"""Problem details (RFC 9457) of errors, without a web framework.

The messages of sortkey name keys and their templates, so they go to the log. Callers get the texts
below; only the errors of a system are shown as they are.
"""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence

from pydantic import BaseModel, Field

from sortkey import (
    AlreadyExists,
    BadCursor,
    ConditionFailed,
    Contended,
    InternalServerError,
    NotFound,
    NotUnique,
    ProvisionedThroughputExceededException,
    RequestLimitExceeded,
    SortkeyError,
    ThrottlingException,
    TransactionConflictException,
    TransactionFailed,
    TransportError,
    ValueRefused,
    VersionConflict,
)

_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
UNAUTHORIZED = 401
UNPROCESSABLE = 422
UNAVAILABLE = 503

# Errors of the data access; a system adds its own.
STATUSES: Mapping[type[Exception], int] = {
    BadCursor: 400,
    NotFound: 404,
    AlreadyExists: 409,
    ConditionFailed: 409,
    Contended: 409,
    NotUnique: 409,
    VersionConflict: 409,
    ValueRefused: UNPROCESSABLE,
    TransportError: UNAVAILABLE,
    InternalServerError: UNAVAILABLE,
    ProvisionedThroughputExceededException: UNAVAILABLE,
    RequestLimitExceeded: UNAVAILABLE,
    ThrottlingException: UNAVAILABLE,
    TransactionConflictException: UNAVAILABLE,
}
_DETAILS: Mapping[type[Exception], str] = {
    BadCursor: "the cursor is not one of this list: leave it out to begin again",
    NotFound: "the record does not exist",
    AlreadyExists: "the record already exists",
    ConditionFailed: "another request has changed the record: read it again",
    Contended: "other requests are changing the same records: try again",
    NotUnique: "another record already has this value",
    VersionConflict: "another request has changed the record: read it again",
    ValueRefused: "the value cannot be stored",
}


class FieldError(BaseModel):
    """An invalid field of a request."""

    field: str
    message: str


class Problem(BaseModel):
    """Why a request failed. Nothing was changed, unless the database was unavailable."""

    type: str = Field(examples=["urn:problem:not-found"])
    title: str = Field(examples=["Not found"])
    status: int = Field(examples=[404])
    detail: str
    errors: list[FieldError] = []

    @property
    def headers(self) -> dict[str, str]:
        """The headers of a response with this problem, beside its media type."""
        if self.status == UNAVAILABLE:
            return {"retry-after": "1"}
        return {"www-authenticate": "Bearer"} if self.status == UNAUTHORIZED else {}


def problem(kind: str, status: int, detail: str, errors: Sequence[FieldError] = ()) -> Problem:
    """Return a problem; ``kind`` is a name such as ``NotFound``."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*", kind)
    return Problem(
        type=f"urn:problem:{'-'.join(words).lower()}",
        title=" ".join(words).capitalize(),
        status=status,
        detail=detail,
        errors=list(errors),
    )


def malformed(faults: Iterable[tuple[str, str]]) -> Problem:
    """Return the problem of values that do not match the schema: fields with messages."""
    errors = [FieldError(field=field, message=message) for field, message in faults]
    detail = "; ".join(f"{each.field}: {each.message}" for each in errors)
    return problem("Malformed", UNPROCESSABLE, detail, errors)


def unavailable(error: Exception) -> Problem:
    """Return the problem that the database is unavailable, and log the error."""
    _log.warning("the database is unavailable: %s", error)
    return problem("Unavailable", UNAVAILABLE, "the database is unavailable: try again")


def issuer_unavailable(error: Exception) -> Problem:
    """Return the problem that tokens cannot be verified for now, and log the error."""
    _log.warning("tokens cannot be verified: %s", error)
    detail = "tokens cannot be verified for now: try again"
    return problem("IssuerUnavailable", UNAVAILABLE, detail)


def is_passing(error: TransactionFailed) -> bool:
    """Return whether a transaction failed only for now, such as because it met another one."""
    return any(STATUSES.get(type(each)) == UNAVAILABLE for each in error.failures if each)


def problem_of(error: Exception, statuses: Mapping[type[Exception], int]) -> Problem:
    """Return the problem of an error that has a status."""
    status = status_of(type(error), statuses)
    if status == UNAVAILABLE:
        return unavailable(error)
    detail = str(error)
    if isinstance(error, SortkeyError):
        _log.info("%d: %s", status, error)
        detail = next(_DETAILS[kind] for kind in type(error).__mro__ if kind in _DETAILS)
    field = getattr(error, "field", None)
    errors = [FieldError(field=field, message=detail)] if isinstance(field, str) else []
    if isinstance(error, ValueRefused):
        detail = f"{error.field}: {detail}"
    return problem(type(error).__name__, status, detail, errors)


def status_of(error: type[Exception], statuses: Mapping[type[Exception], int]) -> int:
    """Return the status of an error class, or of its nearest base class that has one."""
    return next(statuses[kind] for kind in error.__mro__ if kind in statuses)
