"""`DB` runs operations and blocks until they are done."""

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack, overload

from sortkey.access.database import CHUNK_SIZE, BaseDB, OpenOptions
from sortkey.access.deciding import CONFLICTS, Attempts, Conflict
from sortkey.access.targets import Target
from sortkey.design.tables.table import Table
from sortkey.operations.batch import get_many, write_many
from sortkey.operations.conversation import ExternalCall
from sortkey.operations.delete import Delete
from sortkey.operations.get import Get
from sortkey.operations.operation import Answer, Conversation, Operation, Pause
from sortkey.operations.put import Put
from sortkey.operations.transact import snapshot, transact
from sortkey.operations.walk import read_chunk
from sortkey.operations.write import Write
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")
F = TypeVar("F")


_MOST_THREADS = 50


class DB(BaseDB):
    """A database with blocking calls: ``db(User.get(user_id="u1"))``.

    It is safe to use in several threads and after a fork. Close it with ``with`` or `close`.
    """

    def __init__(
        self, target: Target, *tables: type[Table], **settings: Unpack[OpenOptions]
    ) -> None:
        super().__init__(target, *tables, **settings)
        self._transport = target.open()
        self._in_turn = False
        if self._makes_tables:
            try:
                self.create_tables()
            except BaseException:
                self.close()
                raise

    def __call__(self, operation: Operation[R]) -> R:
        """Run an operation and return its result."""
        return self._run(self._conversation(operation))

    def transact(self, *writes: Write[Any], token: str | None = None) -> None:
        """Run all of the writes or none; a repetition with the same token does nothing.

        DynamoDB remembers a token for ten minutes.
        """
        self(transact(*writes, token=token))

    def decide(
        self,
        decision: Callable[[], Operation[R]],
        *,
        attempts: int = 5,
        on_conflict: Callable[[Conflict], object] | None = None,
    ) -> R:
        """Run the operation that a decision returns; decide again if another caller was faster.

        ``decision`` reads what it needs, preferably with consistent reads, and returns the write,
        or `Done` with the result if there is nothing to write. If the write fails because a record
        has changed, ``decision`` is called again after a pause. ``on_conflict`` is called with each
        such failure, and may raise another error. A write has a token, so it happens once even if
        its response is lost; a single write costs twice its write units for that.

        Raises:
            Contended: Other callers were faster in each attempt. Nothing was written.
        """
        tries = Attempts(attempts, self._retries, on_conflict)
        while True:
            with tries.next():
                operation = self._exactly_once(decision())
                try:
                    return self(operation)
                except CONFLICTS as conflict:
                    pause = tries.pause_after(conflict)
            self._send(pause)

    @overload
    def snapshot(self, first: Get[A], /) -> tuple[A | None]: ...
    @overload
    def snapshot(self, first: Get[A], second: Get[B], /) -> tuple[A | None, B | None]: ...
    @overload
    def snapshot(
        self, first: Get[A], second: Get[B], third: Get[C], /
    ) -> tuple[A | None, B | None, C | None]: ...
    @overload
    def snapshot(
        self, first: Get[A], second: Get[B], third: Get[C], fourth: Get[D], /
    ) -> tuple[A | None, B | None, C | None, D | None]: ...
    @overload
    def snapshot(self, *gets: Get[A]) -> tuple[A | None, ...]: ...
    def snapshot(self, *gets: Get[Any]) -> tuple[Any, ...]:
        """Get the records as they were at one moment; None for each missing one."""
        return self(snapshot(*gets))

    def get_many(self, gets: Iterable[Get[R]]) -> list[R | None]:
        """Get many records in few requests, in the order of the gets; None for each missing one."""
        return self(get_many(gets))

    def write_many(self, writes: Iterable[Put[Any] | Delete[Any]]) -> None:
        """Put and delete many records in few requests, without conditions and in any order."""
        self(write_many(writes))

    def each(self, walk: Operation[list[R]]) -> Iterator[R]:
        """Yield the records of a query or scan, with at most one page in memory."""
        position: Item | None = None
        while True:
            records, position = self(read_chunk(walk, CHUNK_SIZE, position))
            yield from records
            if position is None:
                return

    @overload
    def all(self, first: Operation[A], /) -> tuple[A]: ...
    @overload
    def all(self, first: Operation[A], second: Operation[B], /) -> tuple[A, B]: ...
    @overload
    def all(
        self, first: Operation[A], second: Operation[B], third: Operation[C], /
    ) -> tuple[A, B, C]: ...
    @overload
    def all(
        self,
        first: Operation[A],
        second: Operation[B],
        third: Operation[C],
        fourth: Operation[D],
        /,
    ) -> tuple[A, B, C, D]: ...
    @overload
    def all(
        self,
        first: Operation[A],
        second: Operation[B],
        third: Operation[C],
        fourth: Operation[D],
        fifth: Operation[F],
        /,
    ) -> tuple[A, B, C, D, F]: ...
    @overload
    def all(self, *operations: Operation[R]) -> tuple[R, ...]: ...
    def all(self, *operations: Operation[Any]) -> tuple[Any, ...]:
        """Run several operations in parallel threads and return their results, in order."""
        if self._in_turn or len(operations) < 2:  # noqa: PLR2004 - one needs no thread
            return tuple(self(operation) for operation in operations)
        with ThreadPoolExecutor(min(len(operations), _MOST_THREADS)) as pool:
            # Each thread gets the caller's context variables, such as the clock.
            tasks = [pool.submit(copy_context().run, self, operation) for operation in operations]
            return tuple(task.result() for task in tasks)

    def create_tables(self) -> None:
        """Create missing tables; raise `TableMismatch` if an existing one differs."""
        self._run(self._creation())

    def delete_tables(self) -> None:
        """Delete the tables and all their records; only for databases on this machine."""
        self._run(self._deletion())

    def close(self) -> None:
        """Close the file or the connections."""
        self._transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, steps: Conversation[R]) -> R:
        try:
            step = next(steps)
            while True:
                try:
                    answer = self._send(step)
                except BaseException as error:  # noqa: BLE001 - the operation handles it
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return end.value

    def _send(self, step: Request | Pause | ExternalCall) -> Answer:
        match step:
            case Request():
                return self._transport.send(step)
            case Pause():
                time.sleep(step.seconds)
            case ExternalCall():
                step.run()
        return {}
