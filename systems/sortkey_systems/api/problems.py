"""Refusals as problem details (RFC 9457), each with the status that its kind has."""

import logging
import re
from collections.abc import Iterable, Mapping, Sequence

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from sortkey import (
    AlreadyExists,
    BadCursor,
    ConditionFailed,
    NotFound,
    NotUnique,
    TransactionFailed,
    TransportError,
    ValueRefused,
    VersionConflict,
)
from sortkey.wire.errors import (
    InternalServerError,
    ProvisionedThroughputExceededException,
    RequestLimitExceeded,
    ThrottlingException,
    TransactionConflictException,
    ValidationException,
)
from sortkey_systems.api.identity import NotAllowed, NotSignedIn

_log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
UNSUCCESSFUL = 400  # and above
UNREADABLE = 400
NOT_ALLOWED = 405
TOO_LARGE = 413
UNPROCESSABLE = 422
UNAVAILABLE = 503

# What the data access itself refuses, wherever a system does not say more.
STATUSES: Mapping[type[Exception], int] = {
    BadCursor: 400,
    NotSignedIn: 401,
    NotAllowed: 403,
    NotFound: 404,
    AlreadyExists: 409,
    ConditionFailed: 409,
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


class Fault(BaseModel):
    """One value of a request that cannot be taken, and why."""

    field: str
    fault: str


class Problem(BaseModel):
    """Why a request was refused: nothing was changed, unless the database did not answer."""

    type: str = Field(examples=["urn:problem:not-found"])
    title: str = Field(examples=["Not found"])
    status: int = Field(examples=[404])
    detail: str
    faults: list[Fault] = []


def answer(kind: str, status: int, detail: str, faults: Sequence[Fault] = ()) -> JSONResponse:
    """The answer that tells a problem; its kind is a name such as ``NotFound``."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*", kind)
    told = Problem(
        type=f"urn:problem:{'-'.join(words).lower()}",
        title=" ".join(words).capitalize(),
        status=status,
        detail=detail,
        faults=list(faults),
    )
    return JSONResponse(told.model_dump(), status, _headers(status), MEDIA_TYPE)


def _headers(status: int) -> dict[str, str]:
    if status == UNAVAILABLE:
        return {"retry-after": "1"}
    return {"www-authenticate": "Bearer"} if status == STATUSES[NotSignedIn] else {}


async def malformed(_request: Request, error: RequestValidationError) -> JSONResponse:
    """The answer to a request whose values are not what the operation declares."""
    faults = [
        Fault(field=".".join(map(str, fault["loc"])), fault=fault["msg"])
        for fault in error.errors()
    ]
    detail = "; ".join(f"{fault.field}: {fault.fault}" for fault in faults)
    return answer("Malformed", UNPROCESSABLE, detail, faults)


def unavailable(error: Exception) -> JSONResponse:
    """The answer where the database gives none; where that is goes to the log."""
    _log.warning("the database does not answer: %s", error)
    return answer("Unavailable", UNAVAILABLE, "the database does not answer: try again")


async def oversized(_request: Request, error: ValidationException) -> JSONResponse:
    """The answer where a record would be larger than DynamoDB takes; the rest is our fault."""
    if "Item size" not in str(error):
        raise error
    return answer("TooLarge", TOO_LARGE, str(error))


async def unwritten(request: Request, error: TransactionFailed) -> JSONResponse:
    """The answer where a transaction met another, or has too large a record.

    Why else it fails the system tells itself, or it is our fault.
    """
    for failure in filter(None, error.failures):
        if STATUSES.get(type(failure)) == UNAVAILABLE:
            return unavailable(error)
        if isinstance(failure, ValidationException):
            return await oversized(request, failure)
    raise error


def unroutable(error: HTTPException, methods: Iterable[str]) -> JSONResponse:
    """The answer to a request that no operation takes; the path itself has these methods."""
    if error.status_code == UNREADABLE:
        # A body that is not even text: for its sender the same as one that is not JSON.
        return answer("Malformed", UNPROCESSABLE, str(error.detail))
    kinds = {404: "NoSuchPath", NOT_ALLOWED: "NoSuchMethod", TOO_LARGE: "TooLarge"}
    kind = kinds.get(error.status_code, "Refused")
    told = answer(kind, error.status_code, str(error.detail))
    told.headers.update(error.headers or {})
    if error.status_code == NOT_ALLOWED:
        told.headers["allow"] = ", ".join(sorted(methods))
    return told


async def broken(_request: Request, _error: Exception) -> JSONResponse:
    """The answer when the fault is ours; what it is goes to the log, not to the caller."""
    return answer("InternalError", 500, "something went wrong here; it has been logged")


def kind_of(error: type[Exception], statuses: Mapping[type[Exception], int]) -> int:
    """The status of a kind of error: its own, or that of the nearest kind above it."""
    return next(statuses[kind] for kind in error.__mro__ if kind in statuses)
