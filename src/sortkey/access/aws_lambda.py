"""AWS Lambda: functions that are given a database, which is made once and used again."""

import inspect
import os
from collections.abc import Callable, Coroutine
from functools import wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar, Unpack, overload

from sortkey.access.database import Settings
from sortkey.access.db import DB
from sortkey.access.targets import VARIABLE
from sortkey.design.table import Table

if TYPE_CHECKING:  # at run time only a function that awaits loads asyncio: starts are counted
    from sortkey.access.async_db import AsyncDB

Event = TypeVar("Event")
About = TypeVar("About")
R = TypeVar("R")


def lambda_handler(
    *tables: type[Table], target: str | None = None, **settings: Unpack[Settings]
) -> "Handler":
    """Decorate a Lambda function, which is then given a database as a third argument.

    A function is given a `DB`, a coroutine function an `AsyncDB`. The database is made once for
    each process and stays open: on the target that is named here, else by SORTKEY_TARGET, else AWS.
    """
    return Handler(tables, target, settings)


class Handler:
    """What makes Lambda functions of functions that want a database."""

    def __init__(
        self, tables: tuple[type[Table], ...], target: str | None, settings: Settings
    ) -> None:
        def named() -> str:
            return target or os.environ.get(VARIABLE) or "aws"

        def make_async() -> "AsyncDB":
            from sortkey.access.async_db import AsyncDB  # noqa: PLC0415

            return AsyncDB.connect(*tables, target=named(), **settings)

        self._db = _Once(lambda: DB.connect(*tables, target=named(), **settings))
        self._async_db = _Once(make_async)

    @overload
    def __call__(
        self, function: Callable[[Event, About, "AsyncDB"], Coroutine[Any, Any, R]]
    ) -> Callable[[Event, About], R]: ...
    @overload
    def __call__(
        self, function: Callable[[Event, About, DB], R]
    ) -> Callable[[Event, About], R]: ...
    def __call__(self, function: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """The function as Lambda calls it, with an event and a context."""
        is_async = inspect.iscoroutinefunction(function)
        if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
            # Lambda lends a starting function more CPU than it has when it is called.
            (self._async_db if is_async else self._db).get()

        @wraps(function)
        def blocking(event: Any, context: Any) -> Any:
            return function(event, context, self._db.get())

        @wraps(function)
        def waiting(event: Any, context: Any) -> Any:
            from sortkey.access.kept_loop import run_kept  # noqa: PLC0415

            return run_kept(function(event, context, self._async_db.get()))

        return waiting if is_async else blocking


class _Once(Generic[R]):
    """Something that is made when it is first asked for, and once."""

    def __init__(self, make: Callable[[], R]) -> None:
        self._make = make
        self._making = Lock()
        self._made: list[R] = []

    def get(self) -> R:
        with self._making:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]
