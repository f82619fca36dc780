"""The engine: requests in, responses out."""

import logging
import os
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, NoReturn, Self, TypeVar

import orjson

from sortkey.clock import Clock, ahead_of, now
from sortkey.engine.actions import ACTIONS, EngineAction
from sortkey.engine.database import Database
from sortkey.engine.forgetting import Forgotten, forget
from sortkey.engine.jobs import waiting_jobs
from sortkey.engine.lagging_reads import LaggingReads
from sortkey.engine.promptness import IsLocked, NotPrompt, prompt_calls
from sortkey.engine.storage import MEMORY, Durability, Storage, StorageError
from sortkey.engine.stored_items import to_json, to_plain
from sortkey.engine.streams import split_for_heat
from sortkey.engine.upkeep import finish_unless_tended, tend
from sortkey.engine.weather import EngineWeather, Scenario, ScenarioError
from sortkey.folders.buckets import Buckets
from sortkey.wire.errors import (
    SerializationException,
    ServiceError,
    UnknownOperationException,
)
from sortkey.wording.prose import listed
from sortkey.wording.spelling import meant_by

R = TypeVar("R")

# An error can list so many operations.
_FEW_OPERATIONS = 5

_log = logging.getLogger(__name__)


class Engine:
    """An embedded DynamoDB: ``Engine.open("app.db")``, or ``Engine.memory()``."""

    def __init__(
        self,
        storage: Storage,
        clock: Clock,
        ttl_delay: int = 0,
        weather: EngineWeather | None = None,
        buckets: Buckets | None = None,
    ) -> None:
        self._storage = storage
        try:
            self._db = Database(storage, clock, ttl_delay, weather, buckets)
            if not storage.read_only:
                self._take_up()
        except (sqlite3.Error, UnicodeDecodeError) as error:
            failure = storage.failure(error)
            storage.close()
            raise failure from error
        except BaseException:
            storage.close()
            raise

    def _take_up(self) -> None:
        """Finish what another process had to leave; damage to one table does not stop the rest."""
        try:
            finish_unless_tended(self._db)
        except StorageError as error:
            _log.warning("Work that was under way cannot be finished: %s", error)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        durability: Durability = "normal",
        grouped: bool = False,
        clock: Clock = now,
        ttl_delay: int = 0,
        weather: Scenario | None = None,
        buckets: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Open the database in this file, which is created if missing.

        With ``grouped``, writes are held until `flush`, which commits them together. `tend` deletes
        expired items ``ttl_delay`` seconds after their time. With ``weather``, requests are
        throttled or fail as the scenario says; it does not know of other processes that use the
        file. ``buckets`` is the folder whose folders are the buckets of exports and imports.
        """
        name = os.fspath(path)
        if name in {"", MEMORY}:
            raise StorageError(
                "Engine.open needs the name of a file; use Engine.memory() for a database in memory"
            )
        there, time = _weather(weather, clock)
        folder = None if buckets is None else Buckets(buckets)
        storage = Storage(name, durability=durability, grouped=grouped)
        engine = cls(storage, time, ttl_delay, there, folder)
        if grouped and not storage.read_only and (waiting := waiting_jobs(engine._db)):
            _log.warning(
                "%d exports, imports or bulk puts are not complete, and wait for a server with "
                "--buckets; until then, the journals of exported tables are not trimmed",
                waiting,
            )
        return engine

    @classmethod
    def memory(
        cls,
        *,
        grouped: bool = False,
        clock: Clock = now,
        ttl_delay: int = 0,
        weather: Scenario | None = None,
        buckets: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Open a new, empty database in memory, which is lost when it is closed.

        `tend` deletes expired items ``ttl_delay`` seconds after their time. With ``weather``,
        requests are throttled or fail as the scenario says. ``buckets`` is the folder whose folders
        are the buckets of exports and imports.
        """
        there, time = _weather(weather, clock)
        folder = None if buckets is None else Buckets(buckets)
        return cls(Storage(MEMORY, grouped=grouped), time, ttl_delay, there, folder)

    @property
    def weather(self) -> EngineWeather | None:
        """The weather, or None if it is fair."""
        return self._db.weather

    def answer(
        self, operation: str, body: dict[str, Any], *, lazily: bool = False
    ) -> dict[str, Any]:
        """Return the response to a request, or raise one of DynamoDB's errors.

        With ``lazily``, the items of a page are a sequence that decodes each when it is read.
        """
        if lazily and self._db.weather is None:
            action = ACTIONS.get(operation) or _unknown(operation)
            return self._carried_out(self._db, action, body, to_plain)
        return orjson.loads(self.reply(operation, body))

    def reply(self, operation: str, body: Any) -> bytes:
        """Return the response to a request as JSON."""
        action = ACTIONS.get(operation) or _unknown(operation)
        weather = self._db.weather
        if weather is None:
            return self._carried_out(self._db, action, body, to_json)
        with weather.request(operation, body) as splits:
            try:
                return weather.disturb(
                    operation, body, lambda body: self._in_weather(weather, operation, action, body)
                )
            finally:
                for split in splits:
                    split_for_heat(self._db, weather, split)

    def _in_weather(
        self, weather: EngineWeather, operation: str, action: EngineAction, body: Any
    ) -> bytes:
        """Carry out a request; a read may see earlier states."""
        lag = weather.lag
        if lag is None or not lag.concerns(operation, body):
            return self._carried_out(self._db, action, body, to_json)
        with lag.view() as view:
            db = LaggingReads(self._db, lag.versions, view)
            reply = self._carried_out(db, action, body, to_json)
        weather.note_lag(db.behind)
        return reply

    def _carried_out(
        self, db: Database, action: EngineAction, body: Any, written: Callable[[Any], R]
    ) -> R:
        request = action.shape.read(body)
        try:
            try:
                return written(action.answer(db, request))
            except sqlite3.OperationalError as error:
                if not str(error).startswith("no such table"):
                    raise
                # Another process removed the table or index since its definition was read here.
                db.refresh()
                return written(action.answer(db, request))
        except ServiceError:
            # DynamoDB reads all of a request before it acts on any of it, so a value of the
            # wrong type anywhere in it is the first thing to complain about.
            action.shape.refuse_type(body)
            raise
        except UnicodeEncodeError as error:
            raise SerializationException(f"A text is not valid Unicode: {error.reason}") from error
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise self._storage.failure(error) from error

    def reply_at_once(self, operation: str, body: Any) -> bytes | None:
        """Return the response as JSON, or None if it must wait or takes long."""
        if not self._storage.lock.acquire(blocking=False):
            return None
        try:
            with prompt_calls():
                return self.reply(operation, body)
        except NotPrompt:
            return None
        finally:
            self._storage.lock.release()

    @property
    def writing(self) -> bool:
        """Whether writes, or the errors of failed ones, wait for `flush`."""
        return self._storage.writing or self._storage.broken

    def can_write(self) -> bool:
        """Return whether a prompt call can write again, after one has raised `IsLocked`."""
        storage = self._storage
        with storage.lock:
            storage.is_locked = False
            try:
                with storage.impatient():
                    storage.begin()
            except IsLocked:
                return False
            except sqlite3.Error as error:
                raise storage.failure(error) from error
        return True

    def beside(self) -> "Engine":
        """Return an engine with the same data, for threads beside an event loop.

        Each of their writes is committed alone. A file gets a connection of its own, so that
        neither waits for the other's reads.
        """
        storage = self._storage
        beside = storage.beside()
        if beside is storage:
            return self
        db = self._db
        return Engine(beside, db.clock, db.ttl_delay, db.weather, db.buckets)

    def flush(self) -> None:
        """Commit the grouped writes; only then may they be acknowledged."""
        self._storage.flush()

    def tend(self) -> bool:
        """Do a piece of upkeep (expiry, back-fill, backups), and return whether more is waiting."""
        if self._storage.read_only:
            return False
        try:
            return tend(self._db)
        except sqlite3.Error as error:
            raise self._storage.failure(error) from error

    def forget(
        self,
        table: str,
        key: Mapping[str, str],
        *,
        vacuum: bool = False,
        progress: Callable[[int], object] = lambda _: None,
    ) -> Forgotten:
        """Remove a key from the journal of a table, for the erasure of a person.

        With only the partition key, all keys of the partition are removed. Values are text, also of
        numbers, and Base64 for binary keys. The items must have been deleted before. With
        ``vacuum``, the file is written again, so that no unused page of it has traces of them.

        Raises:
            NotForgotten: The table still has such items, or a backup of it is being made.
        """
        storage = self._storage
        try:
            with storage.overwriting():
                found = forget(self._db, table, key, progress)
            if vacuum:
                storage.vacuum()
            return replace(found, is_in_log=not storage.empty_log())
        except sqlite3.Error as error:
            raise storage.failure(error) from error

    def image(self) -> bytes:
        """Return a copy of all data, which `load` can restore."""
        return self._storage.image()

    def load(self, image: bytes) -> None:
        """Restore an earlier image; only an engine in memory can."""
        self._storage.load(image)
        if self.weather is not None and self.weather.lag is not None:
            self.weather.lag.versions.clear()

    def close(self) -> None:
        """Commit open writes and close the file."""
        self._db.close_sources()
        self._storage.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _weather(scenario: Scenario | None, clock: Clock) -> tuple[EngineWeather | None, Clock]:
    """Return the weather of a scenario, None if it is fair, and the clock of the engine in it."""
    if scenario is None:
        return None, clock
    for fault, name in ((each, name) for each in scenario.faults for name in each.operations):
        if name not in ACTIONS:
            near = meant_by(name, ACTIONS)
            raise ScenarioError(
                f"{scenario.name}: a fault names the operation {name}, which does not exist"
                + (f"; did you mean {near}?" if near else "")
            )
        if not fault.can_happen_to(name):
            possible = [each for each in ACTIONS if fault.can_happen_to(each)]
            raise ScenarioError(
                f"{scenario.name}: a fault {fault.kind} cannot happen to {name}"
                + (f"; it can to {listed(possible)}" if len(possible) <= _FEW_OPERATIONS else "")
            )
    time = ahead_of(clock, scenario.clock_ahead_seconds)
    return EngineWeather(scenario, time), time


def _unknown(operation: str) -> NoReturn:
    raise UnknownOperationException(f"Unknown operation: {operation}")
