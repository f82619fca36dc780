"""A Lambda function for the stream of a table, which also runs without Lambda."""

import inspect
import logging
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, overload

from sortkey.access.streams import (
    Change,
    StreamRecord,
    entity_of,
    is_lock,
    read_record,
    records_in,
    typed_change,
)
from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.design.tables.table import Table
from sortkey.errors import Refused
from sortkey.operations.secrets import KEYLESS, Vault

if TYPE_CHECKING:  # a Lambda function has no use for them
    from typing import Unpack

    from sortkey.access.async_db import AsyncDB
    from sortkey.access.db import DB
    from sortkey.access.following import FollowOptions

E = TypeVar("E", bound=Entity)
G = TypeVar("G")

Failures: TypeAlias = dict[Literal["batchItemFailures"], list[dict[str, str]]]
Handles: TypeAlias = (
    Callable[[G], Awaitable[None] | None] | Callable[[G, Any], Awaitable[None] | None]
)

_log = logging.getLogger(__name__)

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class StreamHandler:
    """A Lambda function for the stream of one table, which calls a function for each change.

    Records are handled in order. It stops at the first one that fails, and returns its sequence
    number, so that Lambda delivers it and all later ones again; the function's event source needs
    ReportBatchItemFailures.
    """

    def __init__(
        self,
        table: type[Table],
        *,
        secrets: Vault = KEYLESS,
        db: "DB | AsyncDB | None" = None,
    ) -> None:
        """Give functions that take ``(change, db)`` this database in Lambda."""
        self._table = table
        self._secrets = secrets
        self._db = db
        self._functions: dict[type[Entity], list[Handles[Change[Any]]]] = defaultdict(list)
        self._others: list[Handles[dict[str, Any]]] = []

    def on(self, entity: type[E]) -> Callable[[Handles[Change[E]]], Handles[Change[E]]]:
        """Decorate a function to be called with each change of a record of this entity."""
        if kind_of(entity).table is not self._table.definition:
            raise Refused(
                f"{entity.__name__} is stored in {kind_of(entity).table}, and this handler is for "
                f"the stream of {self._table.__name__}: use a StreamHandler for each table"
            )

        def register(function: Handles[Change[E]]) -> Handles[Change[E]]:
            self._functions[entity].append(function)
            return function

        return register

    def otherwise(self, function: Handles[dict[str, Any]]) -> Handles[dict[str, Any]]:
        """Decorate a function to be called with each stream record that no other function gets.

        Stream records of the locks of unique fields are skipped.
        """
        self._others.append(function)
        return function

    @overload
    def run(self, db: "DB", **settings: "Unpack[FollowOptions]") -> None: ...
    @overload
    def run(self, db: "AsyncDB", **settings: "Unpack[FollowOptions]") -> Awaitable[None]: ...
    def run(
        self, db: "DB | AsyncDB", **settings: "Unpack[FollowOptions]"
    ) -> Awaitable[None] | None:
        """Follow the stream of a database, and handle its records as Lambda would deliver them.

        With an `AsyncDB`, await it. A record that fails is tried again until it succeeds; with
        ``wait=False`` its error is raised, and the run ends when there are no more changes. The
        settings are those of `follow`.
        """
        from sortkey.access import running  # noqa: PLC0415 - Lambda does not need it
        from sortkey.access.db import DB  # noqa: PLC0415
        from sortkey.access.following import follow_settings  # noqa: PLC0415

        table = self._table.definition
        followed = follow_settings(table, f"{table}-handler", **settings)

        def handle(raw: dict[str, Any]) -> Iterator[Awaitable[None]]:
            return self._handle(read_record(raw, table), db)

        if isinstance(db, DB):
            return running.run_blocking(db, handle, _finish, followed)
        return running.run_awaited(db, handle, followed)

    def __call__(self, event: Mapping[str, Any], _context: object = None) -> Failures:
        """Handle the records; return the first one that Lambda must deliver again, if any."""
        for record in records_in(event, self._table.definition):
            try:
                for awaitable in self._handle(record, self._db):
                    _finish(awaitable)
            except Exception:  # noqa: BLE001 - reported to Lambda, and logged
                _log.exception(
                    "stream record %s of %s failed; Lambda delivers it and all later ones again",
                    record.sequence,
                    self._table.__name__,
                )
                return {"batchItemFailures": [{"itemIdentifier": record.sequence}]}
        return {"batchItemFailures": []}

    def _handle(
        self, record: "StreamRecord", db: "DB | AsyncDB | None"
    ) -> Iterator[Awaitable[None]]:
        """Call the functions for a record, and yield what is to be awaited before the next."""
        kind = entity_of(record, self._table.definition)
        functions = self._functions.get(kind.model) if kind is not None else None
        if kind is not None and functions:
            yield from _call(functions, typed_change(record, kind, self._secrets), db)
        elif not is_lock(record):
            yield from _call(self._others, record.raw, db)


def _call(
    functions: Iterable[Handles[Any]], argument: object, db: "DB | AsyncDB | None"
) -> Iterator[Awaitable[None]]:
    for function in functions:
        call: Callable[..., Awaitable[None] | None] = function
        result = call(argument, _given(db, function)) if _takes_db(function) else call(argument)
        if inspect.isawaitable(result):
            yield result


def _takes_db(function: Handles[Any]) -> bool:
    """Return whether a function has two parameters that must be given."""
    required = [
        each
        for each in inspect.signature(function).parameters.values()
        if each.kind in _POSITIONAL and each.default is each.empty
    ]
    return len(required) > 1


def _given(db: "DB | AsyncDB | None", function: Handles[Any]) -> "DB | AsyncDB":
    if db is None:
        name = getattr(function, "__name__", "a function")
        raise Refused(
            f"{name} takes a database, and this handler has none: StreamHandler(..., db=db)"
        )
    return db


def _finish(awaitable: Awaitable[None]) -> None:
    from sortkey.access.background_loop import run_in_background  # noqa: PLC0415 - asyncio

    run_in_background(awaitable)
