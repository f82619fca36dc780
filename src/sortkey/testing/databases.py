"""Empty databases for tests, on the target that the test suite is configured for."""

import re
import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Unpack

from sortkey.access.async_db import AsyncDB
from sortkey.access.database import OpenOptions
from sortkey.access.db import DB
from sortkey.access.targets import LOCAL_ENDPOINT
from sortkey.design.tables.table import Table
from sortkey.engine.weather import WeatherEvent
from sortkey.errors import Refused
from sortkey.testing.weather import weather_events


class Databases:
    """Opens the databases of one test, and closes them after it."""

    def __init__(self, target: str, folder: Path, weather: str | None = None) -> None:
        """Use this target; databases in memory can have weather."""
        self._target = target
        self._weather = weather
        self._files: Iterator[Path] = (folder / f"{number}.db" for number in count(1))
        self._opened: list[DB] = []
        self._awaited: list[AsyncDB] = []

    def open(self, *tables: type[Table], **settings: Unpack[OpenOptions]) -> DB:
        """Open a database with these tables, which are empty."""
        if self._weather is not None:
            db = DB.memory(*tables, weather=self._weather, **settings)
        else:
            db = DB.connect(*tables, target=self._place(), **settings)
        self._opened.append(db)
        if db._target.abilities is LOCAL_ENDPOINT:
            db.delete_tables()
            db.create_tables()
        return db

    def open_async(self, *tables: type[Table], **settings: Unpack[OpenOptions]) -> AsyncDB:
        """Open an empty database for async code, which must close it with ``async with``."""
        if self._weather is not None:
            awaited = AsyncDB.memory(*tables, weather=self._weather, **settings)
            self._awaited.append(awaited)
            return awaited
        place = self._place()
        if "://" in place:
            self.open(*tables, **settings)
        return AsyncDB.connect(*tables, target=place, **settings)

    def weather_events(self) -> list[WeatherEvent]:
        """Return what the weather did to the requests of the test, in order."""
        events = [event for db in (*self._opened, *self._awaited) for event in weather_events(db)]
        return sorted(events, key=lambda event: event.at)

    def close(self) -> None:
        """Close all databases that `open` has opened."""
        for db in self._opened:
            db.close()

    def _place(self) -> str:
        return str(next(self._files)) if self._target == "file" else self._target


@contextmanager
def served() -> Generator[str]:
    """Run `sortkey serve` in memory for the length of a block, which gets its URL."""
    command = [sys.executable, "-m", "sortkey", "serve", "--port", "0"]
    # S603: the command is constant.
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            line = server.stdout.readline() if server.stdout else ""
            address = re.search(r"http://[\d.]+:\d+", line)
            if address is None:
                raise Refused(f"sortkey serve did not start: {line}")
            yield address[0]
        finally:
            server.terminate()
