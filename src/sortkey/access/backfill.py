"""Back-fill: update every stored record to what the design would write now.

It scans whole tables while they are in use. The records of a page are rewritten before the page's
position is saved, so a run that was killed continues from there and repeats at most one page,
which changes nothing the second time.
"""

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sortkey.access.db import DB
from sortkey.access.indexes import CreateIndexes
from sortkey.access.mismatch import MissingIndexes
from sortkey.access.observing import Call, observe
from sortkey.access.rewriting import PAGE, Failure, Progress, rewrites_of
from sortkey.clock import now
from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import TableDefinition
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.encryption import expect_keys
from sortkey.operations.rewrite import ItemCount, Rewritten, ScanPage
from sortkey.wire.values import Item
from sortkey.wording.prose import counted

_FORMAT = 1
_END = "end"


class OtherState(SortkeyError):  # noqa: N818 - reads as what was found
    """The state file belongs to another back-fill, which this one cannot continue."""


class Limiter:
    """Limits the capacity units per second; unused units are not saved up."""

    def __init__(
        self,
        rate: float | None,
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.units = 0.0
        self._rate = rate
        self._clock = clock
        self._pause = pause
        self._ready = clock()
        self._lock = threading.Lock()

    def spend(self, call: Call) -> None:
        """Record the units that a call consumed."""
        units = call.read_units + call.write_units
        with self._lock:
            self.units += units
            if self._rate is not None:
                self._ready = max(self._ready, self._clock()) + units / self._rate

    def wait(self) -> None:
        """Wait until the units consumed so far are within the rate."""
        seconds = self._ready - self._clock()
        if seconds > 0:
            self._pause(seconds)


class State:
    """The position in each segment of each table; stored in a file if there is a path."""

    def __init__(self, path: Path | None, identity: str, segments: int | None) -> None:
        self.path = path
        self.identity = identity
        self.segments = segments or 1
        self.positions: dict[str, list[Any]] = {}
        self.progress = Progress()
        self.resumed = False
        if path is not None and path.exists():
            self._load(path, segments)

    def _load(self, path: Path, segments: int | None) -> None:
        try:
            stored = json.loads(path.read_text())
            if stored["format"] != _FORMAT:
                raise ValueError(f"format {stored['format']}")  # noqa: TRY301 - reported below
            identity, kept = stored["identity"], stored["segments"]
            progress = stored["progress"]
            failures = tuple(Failure(**failure) for failure in progress.pop("failures"))
            self.progress = Progress(**progress, failures=failures)
            self.positions = stored["positions"]
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise OtherState(
                f"{path} is not the state of a back-fill: name another file, or delete it"
            ) from error
        if identity != self.identity:
            raise OtherState(
                f"{path} is the state of a back-fill of another design, target, environment or "
                "choice of entities: finish that one, name another file, or delete it"
            )
        if segments not in {None, kept}:
            raise OtherState(
                f"{path} is the state of a back-fill with {counted(kept, 'segment')}, not "
                f"{segments}: continue with {kept}, or delete the file to start again"
            )
        self.segments, self.resumed = kept, True

    def of(self, table: TableDefinition) -> list[Any]:
        """Return the position in each segment of a table."""
        return self.positions.setdefault(table.title, [None] * self.segments)

    def save(self) -> None:
        """Write the state atomically."""
        if self.path is None:
            return
        stored = {
            "format": _FORMAT,
            "identity": self.identity,
            "segments": self.segments,
            "positions": self.positions,
            "progress": asdict(self.progress),
        }
        fresh = self.path.with_name(f"{self.path.name}.{os.getpid()}.new")
        with fresh.open("w") as file:
            json.dump(stored, file)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path)

    def forget(self) -> None:
        """Delete the file: there is nothing left to continue."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


class Backfill:
    """An update of the stored records of some entities to what the design would write now.

    ``rate`` is the maximum number of capacity units per second, for reads and writes together.
    ``segments`` pages are read, and as many records written, in parallel. With ``state``, a file,
    a run that was interrupted can be continued. ``dry_run`` writes neither records nor state.
    """

    def __init__(
        self,
        db: DB,
        entities: Iterable[type[Entity]],
        *,
        segments: int | None = None,
        rate: float | None = None,
        state: Path | None = None,
        dry_run: bool = False,
        indexes: Iterable[MissingIndexes] = (),
        limiter: Limiter | None = None,
    ) -> None:
        if (segments is not None and segments < 1) or (rate is not None and rate <= 0):
            raise Refused("a back-fill needs at least one segment, and a rate above 0")
        self._db = db
        self._kinds = tuple(map(kind_of, entities))
        self._dry_run = dry_run
        # Created at the end, unless a record could not be rewritten.
        self._indexes = tuple(indexes)
        self._limiter = limiter or Limiter(rate)
        identity = _identity(db, self._kinds)
        self._state = State(None if dry_run else state, identity, segments)
        # A page is written without a pause, so with a rate it takes about a second's units.
        self._page = PAGE
        if rate is not None:
            self._page = max(1, min(PAGE, int(rate / self._state.segments)))
        for kind in self._kinds:
            expect_keys(kind.secrets, db._context)

    @property
    def resumed(self) -> bool:
        """Whether this continues an earlier run."""
        return self._state.resumed

    def run(self) -> Iterator[Progress]:
        """Rewrite all records, and yield the progress after each round of pages."""
        state = self._state
        before = state.progress.units
        tables = _by_table(self._kinds)
        expected = sum(self._db(ItemCount(table)) for table in tables)
        for table, kinds in tables.items():
            for items, results in self._rounds(table, kinds):
                locks = sum(map(kinds[0].is_lock, items))
                progress = state.progress.after(results, read=len(items), locks=locks)
                units = before + self._limiter.units
                state.progress = replace(progress, units=units, expected=expected)
                state.save()
                yield state.progress
        if not (self._dry_run or state.progress.failed):
            for missing in self._indexes:
                self._db(CreateIndexes(missing))
        state.forget()
        yield replace(state.progress, expected=expected, done=True)

    def _rounds(
        self, table: TableDefinition, kinds: Sequence[EntityKind[Any]]
    ) -> Iterator[tuple[list[Item], list[Rewritten]]]:
        """Rewrite a page of each segment at a time; note its position after its records."""
        state = self._state
        positions = state.of(table)
        while waiting := [n for n, position in enumerate(positions) if position != _END]:
            pages = self._all(
                [ScanPage(table, n, state.segments, self._page, positions[n]) for n in waiting]
            )
            time = now()
            rewrites = [
                rewrites_of(kinds, items, time, dry_run=self._dry_run) for items, _ in pages
            ]
            results = [result for done in self._all(rewrites) for result in done]
            for n, (_, position) in zip(waiting, pages, strict=True):
                positions[n] = position or _END
            yield [item for items, _ in pages for item in items], results

    def _all(self, operations: Sequence[Any]) -> tuple[Any, ...]:
        self._limiter.wait()
        with observe(self._limiter.spend):
            return self._db.all(*operations)


def _by_table(
    kinds: Iterable[EntityKind[Any]],
) -> Mapping[TableDefinition, list[EntityKind[Any]]]:
    tables: dict[TableDefinition, list[EntityKind[Any]]] = {}
    for kind in kinds:
        tables.setdefault(kind.table, []).append(kind)
    return tables


def _identity(db: DB, kinds: Iterable[EntityKind[Any]]) -> str:
    """Return a digest of the target and of everything that decides what records become."""
    content: list[Any] = [db._target.shown, db._context.environment]
    for kind in kinds:
        keys = [
            [
                key.name,
                [part.template.text for part in key.parts],
                [part.earlier.text for part in key.parts if part.earlier is not None],
                key.shard_count,
            ]
            for key in kind.keys.values()
        ]
        secrets = [
            [secret.field, secret.accepts_plaintext]
            for own in kind.secrets
            for secret in own.fields
        ]
        stored = dict(kind.stored_names)
        content.append([kind.name, str(kind.table), kind.shape, stored, keys, secrets])
    return blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()
