"""Errors as problem details (RFC 9457), with a status for each error class."""

from collections.abc import Iterable, Mapping, Sequence

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from sortkey import TransactionFailed, ValidationException
from sortkey_systems.api import details
from sortkey_systems.api.callers import IssuerUnavailable, NotSignedIn
from sortkey_systems.api.details import (
    MEDIA_TYPE,
    UNAUTHORIZED,
    UNPROCESSABLE,
    FieldError,
    Problem,
    is_passing,
    issuer_unavailable,
    malformed,
    problem,
    unavailable,
)
from sortkey_systems.api.identity import NotAllowed
from sortkey_systems.api.rates import TooManyRequests

UNSUCCESSFUL = 400  # and above
UNREADABLE = 400
NOT_ALLOWED = 405
TOO_LARGE = 413
TOO_MANY = 429

# Errors of the data access and of the caller's identity; a system adds its own.
STATUSES: Mapping[type[Exception], int] = {
    **details.STATUSES,
    NotSignedIn: UNAUTHORIZED,
    NotAllowed: 403,
}


def respond(found: Problem) -> JSONResponse:
    """Return a problem as a response."""
    return JSONResponse(found.model_dump(), found.status, found.headers, MEDIA_TYPE)


def problem_response(
    kind: str, status: int, detail: str, errors: Sequence[FieldError] = ()
) -> JSONResponse:
    """Return a problem as a response; ``kind`` is a name such as ``NotFound``."""
    return respond(problem(kind, status, detail, errors))


async def invalid_request(_request: Request, error: RequestValidationError) -> JSONResponse:
    """Respond to a request with values that do not match the schema."""
    faults = ((".".join(map(str, each["loc"])), each["msg"]) for each in error.errors())
    return respond(malformed(faults))


async def tokens_unverified(_request: Request, error: IssuerUnavailable) -> JSONResponse:
    """Respond when the keys of the issuer cannot be fetched."""
    return respond(issuer_unavailable(error))


async def too_large(_request: Request, error: ValidationException) -> JSONResponse:
    """Respond when a record would exceed the item size limit; raise every other error again."""
    if "Item size" not in str(error):
        raise error
    return problem_response("TooLarge", TOO_LARGE, str(error))


async def too_many_requests(_request: Request, error: TooManyRequests) -> JSONResponse:
    """Respond to a caller who sent too many requests, with the time to wait."""
    response = problem_response("TooManyRequests", TOO_MANY, str(error))
    response.headers["retry-after"] = str(error.retry_after)
    return response


async def transaction_failed(request: Request, error: TransactionFailed) -> JSONResponse:
    """Respond when a transaction met another one, or has a record that is too large.

    Raise every other error again: the system should have handled it.
    """
    if is_passing(error):
        return respond(unavailable(error))
    for failure in filter(None, error.failures):
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
