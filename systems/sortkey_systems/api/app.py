"""`Api`: the HTTP operations of a system."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, wraps
from inspect import getdoc, isclass
from types import NoneType
from typing import Annotated, Any, TypeVar, get_type_hints

from fastapi import APIRouter, Depends, FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from fastapi_offline import FastAPIOffline
from pydantic import BeforeValidator
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.routing import Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sortkey import DB, TransactionFailed, ValidationException
from sortkey_systems.api.callers import IssuerUnavailable, NotSignedIn, TokenReader
from sortkey_systems.api.details import (
    MEDIA_TYPE,
    UNAVAILABLE,
    UNPROCESSABLE,
    Problem,
    problem_of,
    status_of,
)
from sortkey_systems.api.identity import identify
from sortkey_systems.api.problems import (
    STATUSES,
    TOO_LARGE,
    TOO_MANY,
    UNSUCCESSFUL,
    http_error,
    internal_error,
    invalid_request,
    respond,
    tokens_unverified,
    too_large,
    too_many_requests,
    transaction_failed,
)
from sortkey_systems.api.rates import (
    RateLimit,
    RequestRate,
    RequestRates,
    TooManyRequests,
    network_of,
)

F = TypeVar("F", bound=Callable[..., Any])


# Async although it awaits nothing: FastAPI would run a plain function in a thread.
async def _db(request: Request) -> DB:
    return request.app.state.db


Database = Annotated[DB, Depends(_db)]


def _moment(value: object) -> datetime:
    if not isinstance(value, str) or not re.match(r"\d{4}-\d{2}-\d{2}T", value, re.ASCII):
        raise ValueError("must be a time such as 2030-05-14T10:00:00Z")
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError("must have a time zone, such as the Z in 2030-05-14T10:00:00Z")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("must be within the years 1 to 9999") from None


# A time with a time zone, converted to UTC.
Moment = Annotated[datetime, BeforeValidator(_moment)]
Cursor = Annotated[
    str | None,
    Query(
        description="The `cursor` of the previous page; leave it out for the first page",
        max_length=4096,
    ),
]


# Well below the size limit of a DynamoDB item.
LARGEST_BODY = 128 * 1024
_RATES = RequestRates()


class _Bounded:
    """Middleware that rejects request bodies over `LARGEST_BODY`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        received = 0

        async def bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > LARGEST_BODY:
                raise HTTPException(TOO_LARGE, f"a body can have at most {LARGEST_BODY:,} bytes")
            return message

        await self._app(scope, bounded, send)


class _RateLimited:
    """Middleware that identifies the caller of each request, and rejects too many requests.

    Without a valid token, requests are counted by their address.
    """

    def __init__(self, app: ASGIApp, rates: RequestRates | None) -> None:
        self._app = app
        self._limits = (
            None if rates is None else (RateLimit(rates.caller), RateLimit(rates.address))
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        caller = await identify(request)
        if self._limits is not None:
            callers, addresses = self._limits
            try:
                if caller is None:
                    addresses.count(_network(request))
                else:
                    callers.count(caller.user_id)
            except TooManyRequests as error:
                response = await too_many_requests(request, error)
                await response(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _network(request: Request) -> str:
    return network_of(request.client.host if request.client else "")


class _Counted:
    """Dependency of an operation that applies its own rate to each address."""

    def __init__(self, rate: RequestRate) -> None:
        self._limit = RateLimit(rate)

    async def __call__(self, request: Request) -> None:
        self._limit.count(_network(request))


@dataclass(frozen=True, slots=True)
class Operation:
    """A function that handles one method of a path, and the errors it documents.

    ``rate`` is a rate of its own, for each address.
    """

    method: str
    path: str
    function: Callable[..., Any]
    errors: tuple[type[Exception], ...]
    status: int
    response: Any
    rate: RequestRate | None = None


class Operations:
    """A group of operations of a system.

    Declare a function with its path and the errors to document in the API's schema:
    ``@operations.get("/me", UserNotFound)``. Pass ``response``, a model, to return fewer fields
    than the function does. An operation without a token that writes needs a ``rate``.
    """

    def __init__(self) -> None:
        self.declared: list[Operation] = []

    def get(self, path: str, *errors: type[Exception], response: Any = None) -> Callable[[F], F]:
        """Declare an operation that reads."""
        return self._operation("GET", path, errors, 200, response)

    def post(
        self,
        path: str,
        *errors: type[Exception],
        status: int = 200,
        response: Any = None,
        rate: RequestRate | None = None,
    ) -> Callable[[F], F]:
        """Declare an operation that creates or does something."""
        return self._operation("POST", path, errors, status, response, rate=rate)

    def put(
        self, path: str, *errors: type[Exception], status: int = 200, response: Any = None
    ) -> Callable[[F], F]:
        """Declare an idempotent operation that sets something."""
        return self._operation("PUT", path, errors, status, response)

    def patch(self, path: str, *errors: type[Exception], response: Any = None) -> Callable[[F], F]:
        """Declare an operation that updates some fields."""
        return self._operation("PATCH", path, errors, 200, response)

    def delete(self, path: str, *errors: type[Exception], status: int = 204) -> Callable[[F], F]:
        """Declare an operation that deletes."""
        return self._operation("DELETE", path, errors, status)

    def _operation(
        self,
        method: str,
        path: str,
        errors: tuple[type[Exception], ...],
        status: int,
        response: Any = None,
        *,
        rate: RequestRate | None = None,
    ) -> Callable[[F], F]:
        def add(function: F) -> F:
            model = _return_type(function) if response is None else response
            self.declared.append(Operation(method, path, function, errors, status, model, rate))
            return function

        return add


class Api(Operations):
    """The operations of a system; ``statuses`` maps its error classes to HTTP statuses.

    A large system declares its operations in ``parts``.
    """

    def __init__(
        self,
        title: str,
        description: str,
        statuses: Mapping[type[Exception], int],
        roles: Sequence[str] = (),
        parts: Iterable[Operations] = (),
    ) -> None:
        super().__init__()
        self.roles = tuple(roles)
        self._title = title
        self._description = description
        self._statuses = {**STATUSES, **statuses}
        self.parts = tuple(parts)

    def _router(self, rates: RequestRates | None) -> APIRouter:
        router = APIRouter()
        for operation in (each for part in (self, *self.parts) for each in part.declared):
            function, model = operation.function, operation.response
            # A Response class has its own media type, and no model.
            is_response = isclass(model) and issubclass(model, Response)
            response: dict[str, Any] = (
                {"response_model": None, "response_class": model}
                if is_response
                else {"response_model": model}
            )
            summary, _, description = (getdoc(function) or "").partition("\n")
            router.add_api_route(
                operation.path,
                _in_thread(function),
                methods=[operation.method],
                status_code=operation.status,
                **response,
                operation_id=function.__name__,
                tags=[operation.path.split("/")[1]],
                summary=summary.rstrip("."),
                # Without a description, FastAPI would use the whole docstring.
                openapi_extra={"description": description.strip()},
                responses=self._responses(operation.errors),
                dependencies=[Depends(_Counted(own))] if rates and (own := operation.rate) else [],
            )
        return router

    def _responses(self, errors: Iterable[type[Exception]]) -> dict[int | str, dict[str, Any]]:
        described = {
            UNPROCESSABLE: ["`Malformed`: A value does not match the schema."],
            TOO_MANY: [_sentence(TooManyRequests)],
            UNAVAILABLE: ["`Unavailable`: The database is unavailable: try again."],
        }
        for error in errors:
            described.setdefault(status_of(error, self._statuses), []).append(_sentence(error))
        return {
            status: {"model": Problem, "description": "\n\n".join(sentences)}
            for status, sentences in sorted(described.items())
        }

    def app(self, db: DB, tokens: TokenReader, rates: RequestRates | None = _RATES) -> FastAPI:
        """Return the application, for this database and callers that ``tokens`` identifies.

        Pass no rates if a gateway in front of the application already limits requests.
        """
        app = FastAPIOffline(
            title=self._title,
            description=self._description,
            version="1",
            redoc_url=None,
            separate_input_output_schemas=False,
        )
        app.state.db, app.state.tokens, app.state.router = db, tokens, self._router(rates)
        app.include_router(app.state.router)
        app.add_middleware(_Bounded)
        app.add_middleware(_RateLimited, rates)
        app.add_exception_handler(TooManyRequests, too_many_requests)  # pyright: ignore[reportArgumentType]  # of this class only
        app.add_exception_handler(IssuerUnavailable, tokens_unverified)  # pyright: ignore[reportArgumentType]  # ditto
        for kind in self._statuses:
            app.add_exception_handler(kind, self._handle_error)
        app.add_exception_handler(TransactionFailed, transaction_failed)  # pyright: ignore[reportArgumentType]  # ditto
        app.add_exception_handler(ValidationException, too_large)  # pyright: ignore[reportArgumentType]  # ditto
        app.add_exception_handler(RequestValidationError, invalid_request)  # pyright: ignore[reportArgumentType]  # ditto
        app.add_exception_handler(HTTPException, self._http_error)  # pyright: ignore[reportArgumentType]  # ditto
        app.add_exception_handler(Exception, internal_error)
        described = app.openapi
        app.openapi = cache(lambda: _with_error_responses(described()))
        return app

    async def _http_error(self, request: Request, error: HTTPException) -> JSONResponse:
        # The router reports the methods of one operation, but the path may have more.
        matching = (
            route
            for route in request.app.state.router.routes
            if isinstance(route, APIRoute) and route.matches(request.scope)[0] is not Match.NONE
        )
        return http_error(error, {method for route in matching for method in route.methods or ()})

    async def _handle_error(self, _request: Request, error: Exception) -> JSONResponse:
        return respond(problem_of(error, self._statuses))


def _in_thread(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a coroutine function that runs this function in a thread.

    FastAPI would do so too, but would use a second thread to serialize the response.
    """

    @wraps(function)
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        return await run_in_threadpool(function, *args, **kwargs)

    return awaited


def _return_type(function: Callable[..., Any]) -> Any:
    """Return the annotated return type of a function, or None for no value."""
    returned = get_type_hints(function, include_extras=True).get("return")
    return None if returned is NoneType else returned


def _sentence(error: type[Exception]) -> str:
    """Return the name of an error class with the first line of its docstring."""
    meaning = (getdoc(error) or "").partition("\n")[0].replace("``", "`")
    return f"`{error.__name__}`: {meaning}"


def _with_error_responses(schema: dict[str, Any]) -> dict[str, Any]:
    """Add the 401 and 413 responses and the media type of problems to a schema of FastAPI."""
    for operations in schema["paths"].values():
        for operation in operations.values():
            responses = operation["responses"]
            if "security" in operation:
                problem = responses[str(UNPROCESSABLE)]
                own = responses.get("401", {}).get("description")
                both = "\n\n".join(filter(None, (_sentence(NotSignedIn), own)))
                responses["401"] = {**problem, "description": both}
            if "requestBody" in operation:
                problem = responses[str(UNPROCESSABLE)]
                limit = f"The body has over {LARGEST_BODY:,} bytes, or the record is too large."
                responses[str(TOO_LARGE)] = {**problem, "description": f"`TooLarge`: {limit}"}
            for status, response in responses.items():
                # FastAPI gives errors the media type of the response.
                for content in response.get("content", {}).values():
                    if int(status) >= UNSUCCESSFUL:
                        response["content"] = {MEDIA_TYPE: content}
            operation["responses"] = dict(sorted(responses.items()))
    return schema
