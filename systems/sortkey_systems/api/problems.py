"""Errors as problem details (RFC 9457), with a status for each error class."""

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
    Contended,
    InternalServerError,
    NotFound,
    NotUnique,
    ProvisionedThroughputExceededException,
    RequestLimitExceeded,
    ThrottlingException,
    TransactionConflictException,
    TransactionFailed,
    TransportError,
    ValidationException,
    ValueRefused,
    VersionConflict,
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

# Errors of the data access; a system adds its own.
STATUSES: Mapping[type[Exception], int] = {
    BadCursor: 400,
    NotSignedIn: 401,
    NotAllowed: 403,
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


def problem_response(
    kind: str, status: int, detail: str, errors: Sequence[FieldError] = ()
) -> JSONResponse:
    """Return a problem as a response; ``kind`` is a name such as ``NotFound``."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]*", kind)
    problem = Problem(
        type=f"urn:problem:{'-'.join(words).lower()}",
        title=" ".join(words).capitalize(),
        status=status,
        detail=detail,
        errors=list(errors),
    )
    return JSONResponse(problem.model_dump(), status, _headers(status), MEDIA_TYPE)


def _headers(status: int) -> dict[str, str]:
    if status == UNAVAILABLE:
        return {"retry-after": "1"}
    return {"www-authenticate": "Bearer"} if status == STATUSES[NotSignedIn] else {}


async def invalid_request(_request: Request, error: RequestValidationError) -> JSONResponse:
    """Respond to a request with values that do not match the schema."""
    errors = [
        FieldError(field=".".join(map(str, each["loc"])), message=each["msg"])
        for each in error.errors()
    ]
    detail = "; ".join(f"{each.field}: {each.message}" for each in errors)
    return problem_response("Malformed", UNPROCESSABLE, detail, errors)


def unavailable(error: Exception) -> JSONResponse:
    """Respond when the database is unavailable, and log the error."""
    _log.warning("the database is unavailable: %s", error)
    return problem_response("Unavailable", UNAVAILABLE, "the database is unavailable: try again")


async def too_large(_request: Request, error: ValidationException) -> JSONResponse:
    """Respond when a record would exceed the item size limit; raise every other error again."""
    if "Item size" not in str(error):
        raise error
    return problem_response("TooLarge", TOO_LARGE, str(error))


async def transaction_failed(request: Request, error: TransactionFailed) -> JSONResponse:
    """Respond when a transaction met another one, or has a record that is too large.

    Raise every other error again: the system should have handled it.
    """
    for failure in filter(None, error.failures):
        if STATUSES.get(type(failure)) == UNAVAILABLE:
            return unavailable(error)
        if isinstance(failure, ValidationException):
            return await too_large(request, failure)
    raise error


def http_error(error: HTTPException, methods: Iterable[str]) -> JSONResponse:
    """Respond to a request that matches no operation; ``methods`` are those of its path."""
    if error.status_code == UNREADABLE:
        # A body that is not valid text: the caller should see the same error as for invalid JSON.
        return problem_response("Malformed", UNPROCESSABLE, str(error.detail))
    kinds = {404: "PathNotFound", NOT_ALLOWED: "MethodNotAllowed", TOO_LARGE: "TooLarge"}
    kind = kinds.get(error.status_code, "RequestFailed")
    response = problem_response(kind, error.status_code, str(error.detail))
    response.headers.update(error.headers or {})
    if error.status_code == NOT_ALLOWED:
        response.headers["allow"] = ", ".join(sorted(methods))
    return response


async def internal_error(_request: Request, _error: Exception) -> JSONResponse:
    """Respond to an unexpected error; its details go to the log, not to the caller."""
    return problem_response("InternalError", 500, "internal error; it has been logged")


def status_of(error: type[Exception], statuses: Mapping[type[Exception], int]) -> int:
    """Return the status of an error class, or of its nearest base class that has one."""
    return next(statuses[kind] for kind in error.__mro__ if kind in statuses)
