"""`Api`: the operations of one system over HTTP, from its services and patterns."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
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

from sortkey import DB, TransactionFailed
from sortkey.wire.errors import ValidationException
from sortkey_systems.api.identity import NotSignedIn, Tokens
from sortkey_systems.api.problems import (
    MEDIA_TYPE,
    STATUSES,
    TOO_LARGE,
    UNAVAILABLE,
    UNPROCESSABLE,
    UNSUCCESSFUL,
    Fault,
    Problem,
    answer,
    broken,
    kind_of,
    malformed,
    oversized,
    unavailable,
    unroutable,
    unwritten,
)

F = TypeVar("F", bound=Callable[..., Any])


# Awaited, though nothing waits: FastAPI would send a plain function to a thread of its own.
async def _db(request: Request) -> DB:
    return request.app.state.db


Database = Annotated[DB, Depends(_db)]


def _day(value: object) -> date:
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", value, re.ASCII):
        raise ValueError("wants a day such as 2030-05-14")
    return date.fromisoformat(value)


# Written as a day only, and not as the number that a date could also be read from.
Day = Annotated[date, BeforeValidator(_day)]


def _moment(value: object) -> datetime:
    if not isinstance(value, str) or not re.match(r"\d{4}-\d{2}-\d{2}T", value, re.ASCII):
        raise ValueError("wants a moment such as 2030-05-14T10:00:00Z")
    moment = datetime.fromisoformat(value)
    if moment.tzinfo is None:
        raise ValueError("wants a time zone, such as the Z of 2030-05-14T10:00:00Z")
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("is not within the years 1 to 9999") from None


# With a time zone, and told in UTC whichever it was given in.
Moment = Annotated[datetime, BeforeValidator(_moment)]
Cursor = Annotated[
    str | None,
    Query(description="The `cursor` of the page before; none for the first", max_length=4096),
]


# Well below what DynamoDB can hold in one item, whichever part of it a body becomes.
LARGEST_BODY = 128 * 1024


class _Bounded:
    """Reads no body that is larger than any operation needs."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        received = 0

        async def bounded() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > LARGEST_BODY:
                raise HTTPException(TOO_LARGE, f"a body has at most {LARGEST_BODY:,} bytes")
            return message

        await self._app(scope, bounded, send)


@dataclass(frozen=True, slots=True)
class Operation:
    """A function that answers one method of a path, and the refusals that its caller can meet."""

    method: str
    path: str
    function: Callable[..., Any]
    refusals: tuple[type[Exception], ...]
    status: int
    answer: Any


class Operations:
    """Some operations of a system.

    An operation is a function, named by its path and the refusals that its caller can meet:
    ``@operations.get("/me", UserUnknown)``. Those and no others are on the page of the API.
    ``answer`` is a model of what is told, where that is less than what the function returns.
    """

    def __init__(self) -> None:
        self.declared: list[Operation] = []

    def get(self, path: str, *refusals: type[Exception], answer: Any = None) -> Callable[[F], F]:
        """Something to read."""
        return self._operation("GET", path, refusals, 200, answer)

    def post(
        self, path: str, *refusals: type[Exception], status: int = 200, answer: Any = None
    ) -> Callable[[F], F]:
        """Something to do or to make."""
        return self._operation("POST", path, refusals, status, answer)

    def put(
        self, path: str, *refusals: type[Exception], status: int = 200, answer: Any = None
    ) -> Callable[[F], F]:
        """Something to set, the same however often it is asked."""
        return self._operation("PUT", path, refusals, status, answer)

    def patch(self, path: str, *refusals: type[Exception], answer: Any = None) -> Callable[[F], F]:
        """Some part of something to change."""
        return self._operation("PATCH", path, refusals, 200, answer)

    def delete(self, path: str, *refusals: type[Exception], status: int = 204) -> Callable[[F], F]:
        """Something to remove."""
        return self._operation("DELETE", path, refusals, status)

    def _operation(
        self,
        method: str,
        path: str,
        refusals: tuple[type[Exception], ...],
        status: int,
        answer: Any = None,
    ) -> Callable[[F], F]:
        def add(function: F) -> F:
            told = _returned(function) if answer is None else answer
            self.declared.append(Operation(method, path, function, refusals, status, told))
            return function

        return add


class Api(Operations):
    """The operations of one system; ``statuses`` has the status of each of its refusals.

    A large system declares its operations in ``parts``.
    """

    def __init__(
        self,
        title: str,
        about: str,
        statuses: Mapping[type[Exception], int],
        roles: Sequence[str] = (),
        parts: Iterable[Operations] = (),
    ) -> None:
        super().__init__()
        self.roles = tuple(roles)
        self._title = title
        self._about = about
        self._statuses = {**STATUSES, **statuses}
        self.parts = tuple(parts)

    def _router(self) -> APIRouter:
        router = APIRouter()
        for operation in (each for part in (self, *self.parts) for each in part.declared):
            function, told = operation.function, operation.answer
            # A kind of response has a media type of its own, and no model.
            is_response = isclass(told) and issubclass(told, Response)
            answering: dict[str, Any] = (
                {"response_model": None, "response_class": told}
                if is_response
                else {"response_model": told}
            )
            summary, _, description = (getdoc(function) or "").partition("\n")
            router.add_api_route(
                operation.path,
                _in_thread(function),
                methods=[operation.method],
                status_code=operation.status,
                **answering,
                operation_id=function.__name__,
                tags=[operation.path.split("/")[1]],
                summary=summary.rstrip("."),
                # As an argument, nothing would mean the whole docstring.
                openapi_extra={"description": description.strip()},
                responses=self._responses(operation.refusals),
            )
        return router

    def _responses(self, refusals: Iterable[type[Exception]]) -> dict[int | str, dict[str, Any]]:
        told = {
            UNPROCESSABLE: ["`Malformed`: A value is not what the operation declares."],
            UNAVAILABLE: ["`Unavailable`: The database does not answer: try again."],
        }
        for refusal in refusals:
            told.setdefault(kind_of(refusal, self._statuses), []).append(_sentence(refusal))
        return {
            status: {"model": Problem, "description": "\n\n".join(sentences)}
            for status, sentences in sorted(told.items())
        }

    def app(self, db: DB, tokens: Tokens) -> FastAPI:
        """The application that answers from this database whomever these tokens name."""
        app = FastAPIOffline(
            title=self._title,
            description=self._about,
            version="1",
            redoc_url=None,
            separate_input_output_schemas=False,
        )
        app.state.db, app.state.tokens, app.state.router = db, tokens, self._router()
        app.include_router(app.state.router)
        app.add_middleware(_Bounded)
        for kind in self._statuses:
            app.add_exception_handler(kind, self._refused)
        app.add_exception_handler(TransactionFailed, unwritten)  # pyright: ignore[reportArgumentType]  # of this kind only
        app.add_exception_handler(ValidationException, oversized)  # pyright: ignore[reportArgumentType]  # ditto
        app.add_exception_handler(RequestValidationError, malformed)  # pyright: ignore[reportArgumentType]  # ditto
        app.add_exception_handler(HTTPException, self._unroutable)  # pyright: ignore[reportArgumentType]  # ditto
        app.add_exception_handler(Exception, broken)
        described = app.openapi
        app.openapi = cache(lambda: _as_it_is(described()))
        return app

    async def _unroutable(self, request: Request, error: HTTPException) -> JSONResponse:
        # The router would tell the methods of one operation, and its path may have others.
        matching = (
            route
            for route in request.app.state.router.routes
            if isinstance(route, APIRoute) and route.matches(request.scope)[0] is not Match.NONE
        )
        return unroutable(error, {method for route in matching for method in route.methods or ()})

    async def _refused(self, _request: Request, error: Exception) -> JSONResponse:
        status = kind_of(type(error), self._statuses)
        if status == UNAVAILABLE:
            return unavailable(error)
        field = getattr(error, "field", None)
        faults = [Fault(field=field, fault=str(error))] if isinstance(field, str) else []
        return answer(type(error).__name__, status, str(error), faults)


def _in_thread(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, awaited while a thread runs it.

    FastAPI runs a plain function so too, and then a second thread only to write its answer.
    """

    @wraps(function)
    async def awaited(*args: Any, **kwargs: Any) -> Any:
        return await run_in_threadpool(function, *args, **kwargs)

    return awaited


def _returned(function: Callable[..., Any]) -> Any:
    """What a function says it returns; None where that is nothing."""
    returned = get_type_hints(function, include_extras=True).get("return")
    return None if returned is NoneType else returned


def _sentence(refusal: type[Exception]) -> str:
    """What a refusal means, from its docstring."""
    meaning = (getdoc(refusal) or "").partition("\n")[0].replace("``", "`")
    return f"`{refusal.__name__}`: {meaning}"


def _as_it_is(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with what FastAPI cannot know: who must sign in, and how refusals are sent."""
    for operations in schema["paths"].values():
        for operation in operations.values():
            responses = operation["responses"]
            if "security" in operation:
                problem = responses[str(UNPROCESSABLE)]
                own = responses.get("401", {}).get("description")
                told = "\n\n".join(filter(None, (_sentence(NotSignedIn), own)))
                responses["401"] = {**problem, "description": told}
            if "requestBody" in operation:
                problem = responses[str(UNPROCESSABLE)]
                told = (
                    f"`TooLarge`: The body has over {LARGEST_BODY:,} bytes, or the record is full."
                )
                responses[str(TOO_LARGE)] = {**problem, "description": told}
            for status, response in responses.items():
                # Of one kind, which is that of the answer until here.
                for content in response.get("content", {}).values():
                    if int(status) >= UNSUCCESSFUL:
                        response["content"] = {MEDIA_TYPE: content}
            operation["responses"] = dict(sorted(responses.items()))
    return schema
