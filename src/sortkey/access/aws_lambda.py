"""AWS Lambda: functions that receive a database, which is opened once for each process."""

import inspect
import os
from collections.abc import Callable, Coroutine
from functools import wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, Unpack, overload

from sortkey.access.credentials import ON_LAMBDA
from sortkey.access.database import OpenOptions
from sortkey.access.db import DB
from sortkey.access.targets import VARIABLE
from sortkey.design.tables.table import Table

if TYPE_CHECKING:  # at run time only a coroutine function imports asyncio, for fast cold starts
    from sortkey.access.async_db import AsyncDB

Event = TypeVar("Event")
About = TypeVar("About")
R = TypeVar("R")
Event_contra = TypeVar("Event_contra", contravariant=True)
About_contra = TypeVar("About_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
Wrapped_co = TypeVar("Wrapped_co", covariant=True)


class LambdaFunction(Protocol[Event_contra, About_contra, R_co, Wrapped_co]):
    """A function as Lambda calls it; ``__wrapped__`` is the one that was decorated."""

    @property
    def __wrapped__(self) -> Wrapped_co:
        """The function that was decorated, which takes a database as a third argument."""
        ...

    def __call__(self, event: Event_contra, context: About_contra, /) -> R_co:
        """Call the function with a database."""
        ...


def lambda_handler(
    *tables: type[Table], target: str | None = None, **settings: Unpack[OpenOptions]
) -> "Handler":
    """Decorate a Lambda function to receive a database as its third argument.

    A function receives a `DB`, a coroutine function an `AsyncDB`. The database is opened once for
    each process and stays open. Its target is ``target``, else SORTKEY_TARGET, else AWS.
    """
    return Handler(tables, target, settings)


class Handler:
    """A decorator for functions that take a database."""

    def __init__(
        self, tables: tuple[type[Table], ...], target: str | None, settings: OpenOptions
    ) -> None:
        def named() -> str:
            return target or os.environ.get(VARIABLE) or "aws"

        def make_async() -> "AsyncDB":
            from sortkey.access.async_db import AsyncDB  # noqa: PLC0415

            return AsyncDB.connect(*tables, target=named(), **settings)

        self._db = _PerProcess(lambda: DB.connect(*tables, target=named(), **settings))
        self._async_db = _PerProcess(make_async)

    @overload
    def __call__(
        self, function: Callable[[Event, About, "AsyncDB"], Coroutine[Any, Any, R]]
    ) -> LambdaFunction[
        Event, About, R, Callable[[Event, About, "AsyncDB"], Coroutine[Any, Any, R]]
    ]: ...
    @overload
    def __call__(
        self, function: Callable[[Event, About, DB], R]
    ) -> LambdaFunction[Event, About, R, Callable[[Event, About, DB], R]]: ...
    def __call__(self, function: Callable[[Any, Any, Any], Any]) -> Any:
        """Return the function as Lambda calls it, with an event and a context."""
        is_async = inspect.iscoroutinefunction(function)
        if ON_LAMBDA in os.environ:
            # Lambda gives a function more CPU while it starts than when it is called.
            (self._async_db if is_async else self._db).get()

        @wraps(function)
        def blocking(event: Any, context: Any) -> Any:
            return function(event, context, self._db.get())

        @wraps(function)
        def waiting(event: Any, context: Any) -> Any:
            from sortkey.access.background_loop import run_in_background  # noqa: PLC0415

            return run_in_background(function(event, context, self._async_db.get()))

        return waiting if is_async else blocking


class _PerProcess(Generic[R]):
    """A value that each process creates once, when it is first needed."""

    def __init__(self, make: Callable[[], R]) -> None:
        self._make = make
        # A fork inherits connections that belong to the parent, and perhaps a lock that a thread
        # of the parent holds. The parent's value is kept: closing it could disturb the parent.
        self._made: dict[int, tuple[Lock, list[R]]] = {}

    def get(self) -> R:
        making, made = self._made.setdefault(os.getpid(), (Lock(), []))
        with making:
            if not made:
                made.append(self._make())
            return made[0]
