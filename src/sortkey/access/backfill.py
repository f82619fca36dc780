"""Back-fill: every stored record brought to what the design would write now.

It walks over whole tables while they are in use. Each page's records are rewritten before the
page's position is kept, so a run that was killed goes on where it was, and does at most a page
twice, which changes nothing the second time.
"""

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from sortkey.access.db import DB
from sortkey.access.observing import Call, observed_by
from sortkey.design.entity import Entity, kind_of
from sortkey.design.kind import EntityKind
from sortkey.design.table import TableDefinition
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.clock import now
from sortkey.operations.rewrite import ItemCount, Result, Rewrite, Rewrites, Rewritten, ScanPage
from sortkey.operations.sealing import expect_keys
from sortkey.wire.values import Item

PAGE = 100
MOST_FAILURES = 50
_FORMAT = 1
_END = "end"


class OtherState(SortkeyError):  # noqa: N818 - reads as what was found
    """A file with the state of another back-fill, which this one cannot go on from."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A record that was left as it is, and why."""

    entity: str
    key: str
    reason: str


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a back-fill is. Of the failures the first are listed, and all are counted.

    ``locks`` are those of unique fields, which go with their records; ``other`` are items that
    belong to none of the entities; ``expected`` is about how many items there are in all.
    """

    read: int = 0
    current: int = 0
    rewritten: int = 0
    gone: int = 0
    failed: int = 0
    locks: int = 0
    other: int = 0
    units: float = 0.0
    expected: int = 0
    failures: tuple[Failure, ...] = ()
    done: bool = False

    def after(self, results: Iterable[Rewritten], *, read: int, locks: int) -> "Progress":
        """The progress after some more items."""
        told = list(results)
        counts = {result: sum(one.result is result for one in told) for result in Result}
        failures = [
            Failure(one.entity, one.key, one.reason) for one in told if one.result is Result.FAILED
        ]
        return replace(
            self,
            read=self.read + read,
            current=self.current + counts[Result.CURRENT],
            rewritten=self.rewritten + counts[Result.REWRITTEN],
            gone=self.gone + counts[Result.GONE],
            failed=self.failed + counts[Result.FAILED],
            locks=self.locks + locks,
            other=self.other + read - locks - len(told),
            failures=(*self.failures, *failures)[:MOST_FAILURES],
        )


class Limiter:
    """Spends units no faster than a rate; what was saved up while nothing happened is not spent."""

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
        """Note what a call consumed."""
        units = call.read_units + call.write_units
        with self._lock:
            self.units += units
            if self._rate is not None:
                self._ready = max(self._ready, self._clock()) + units / self._rate

    def wait(self) -> None:
        """Wait until what was consumed so far is within the rate."""
        seconds = self._ready - self._clock()
        if seconds > 0:
            self._pause(seconds)


class State:
    """Where each segment of each table is; in a file, if it is to outlive the process."""

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
                raise ValueError(f"format {stored['format']}")  # noqa: TRY301 - told as the others
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
                f"{path} is the state of a back-fill in {kept} segments, not {segments}: go on "
                "with as many, or delete it to begin again"
            )
        self.segments, self.resumed = kept, True

    def of(self, table: TableDefinition) -> list[Any]:
        """The position of each of a table's segments."""
        return self.positions.setdefault(table.title, [None] * self.segments)

    def save(self) -> None:
        """Keep the state, whole: the file is never seen half written."""
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
        """Remove the file: there is nothing left to go on with."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


class Backfill:
    """Brings the stored records of some entities to what the design would write now.

    ``rate`` is the most capacity units a second, reads and writes together. ``segments`` pages
    are read, and as many records written, at the same time. With ``state`` a run that ended early
    goes on where it was; ``dry_run`` writes nothing, neither records nor state.
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
        limiter: Limiter | None = None,
    ) -> None:
        if (segments is not None and segments < 1) or (rate is not None and rate <= 0):
            raise Refused("a back-fill wants at least one segment, and a rate above nothing")
        self._db = db
        self._kinds = tuple(map(kind_of, entities))
        self._dry_run = dry_run
        self._limiter = limiter or Limiter(rate)
        identity = _identity(db, self._kinds)
        self._state = State(None if dry_run else state, identity, segments)
        # A page is written in one go: about a second's worth, where there is a rate.
        self._page = PAGE
        if rate is not None:
            self._page = max(1, min(PAGE, int(rate / self._state.segments)))
        for kind in self._kinds:
            expect_keys(kind.secrets, db.context)

    @property
    def resumed(self) -> bool:
        """Whether an earlier run is continued."""
        return self._state.resumed

    def run(self) -> Iterator[Progress]:
        """Work to the end, and tell the progress after each round of pages."""
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
        state.forget()
        yield replace(state.progress, expected=expected, done=True)

    def _rounds(
        self, table: TableDefinition, kinds: Sequence[EntityKind[Any]]
    ) -> Iterator[tuple[list[Item], list[Rewritten]]]:
        """A page of each segment, again and again; each position is kept after its records."""
        state = self._state
        positions = state.of(table)
        while waiting := [n for n, position in enumerate(positions) if position != _END]:
            pages = self._all(
                [ScanPage(table, n, state.segments, self._page, positions[n]) for n in waiting]
            )
            rewrites = [self._rewrites(kinds, items) for items, _ in pages]
            results = [result for told in self._all(rewrites) for result in told]
            for n, (_, position) in zip(waiting, pages, strict=True):
                positions[n] = position or _END
            yield [item for items, _ in pages for item in items], results

    def _rewrites(self, kinds: Sequence[EntityKind[Any]], items: Iterable[Item]) -> Rewrites:
        time = now()
        owned = [(kind, item) for item in items for kind in kinds if kind.is_mine(item)]
        return Rewrites(
            tuple(Rewrite(k, item, k.index_names, time, dry_run=self._dry_run) for k, item in owned)
        )

    def _all(self, operations: Sequence[Any]) -> list[Any]:
        self._limiter.wait()
        with observed_by(self._limiter.spend):
            return self._db.all(*operations)


def _by_table(
    kinds: Iterable[EntityKind[Any]],
) -> Mapping[TableDefinition, list[EntityKind[Any]]]:
    tables: dict[TableDefinition, list[EntityKind[Any]]] = {}
    for kind in kinds:
        tables.setdefault(kind.table, []).append(kind)
    return tables


def _identity(db: DB, kinds: Iterable[EntityKind[Any]]) -> str:
    """What a state must have been made for: the target, and what the records are to become."""
    said: list[Any] = [db.target.shown, db.context.environment]
    for kind in kinds:
        keys = [
            [key.name, [part.template.text for part in key.parts], key.shard_count]
            for key in kind.keys.values()
        ]
        said.append([kind.name, str(kind.table), kind.shape, dict(kind.stored_names), keys])
    return blake2b(json.dumps(said).encode(), digest_size=16).hexdigest()
