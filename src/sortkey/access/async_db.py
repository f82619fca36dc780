"""`AsyncDB` runs operations on an event loop."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
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


class AsyncDB(BaseDB):
    """A database for asyncio: ``await db(User.get(user_id="u1"))``.

    Over HTTP it belongs to the event loop that first uses it. On the embedded engine any loop can
    use it, one at a time. Close it with ``async with`` or `close`.
    """

    def __init__(
        self, target: Target, *tables: type[Table], **settings: Unpack[OpenOptions]
    ) -> None:
        super().__init__(target, *tables, **settings)
        self._transport = target.open_async()
        self._created = not (self._tables and self._makes_tables)
        self._creating = asyncio.Lock()

    async def __call__(self, operation: Operation[R]) -> R:
        """Run an operation and return its result."""
        if not self._created:
            await self.ready()
        return await self._run(self._conversation(operation))

    async def transact(self, *writes: Write[Any], token: str | None = None) -> None:
        """Run all of the writes or none; a repetition with the same token does nothing.

        DynamoDB remembers a token for ten minutes.
        """
        await self(transact(*writes, token=token))

    async def decide(
        self,
        decision: Callable[[], Awaitable[Operation[R]] | Operation[R]],
        *,
        attempts: int = 5,
        on_conflict: Callable[[Conflict], object] | None = None,
    ) -> R:
        """Run the operation that a decision returns; decide again if another caller was faster.

        ``decision``, a function or coroutine function, reads what it needs, preferably with
        consistent reads, and returns the write, or `Done` with the result if there is nothing to
        write. If the write fails because a record has changed, ``decision`` is called again after
        a pause. ``on_conflict`` is called with each such failure, and may raise another error. A
        write has a token, so it happens once even if its response is lost; a single write costs
        twice its write units for that.

        Raises:
            Contended: Other callers were faster in each attempt. Nothing was written.
        """
        tries = Attempts(attempts, self._retries, on_conflict)
        while True:
            with tries.next():
                decided = decision()
                operation = await decided if isinstance(decided, Awaitable) else decided
                try:
                    return await self(self._exactly_once(operation))
                except CONFLICTS as conflict:
                    pause = tries.pause_after(conflict)
            await self._send(pause)

    @overload
    async def snapshot(self, first: Get[A], /) -> tuple[A | None]: ...
    @overload
    async def snapshot(self, first: Get[A], second: Get[B], /) -> tuple[A | None, B | None]: ...
    @overload
    async def snapshot(
        self, first: Get[A], second: Get[B], third: Get[C], /
    ) -> tuple[A | None, B | None, C | None]: ...
    @overload
    async def snapshot(
        self, first: Get[A], second: Get[B], third: Get[C], fourth: Get[D], /
    ) -> tuple[A | None, B | None, C | None, D | None]: ...
    @overload
    async def snapshot(self, *gets: Get[A]) -> tuple[A | None, ...]: ...
    async def snapshot(self, *gets: Get[Any]) -> tuple[Any, ...]:
        """Get the records as they were at one moment; None for each missing one."""
        return await self(snapshot(*gets))

    async def get_many(self, gets: Iterable[Get[R]]) -> list[R | None]:
        """Get many records in few requests, in the order of the gets; None for each missing one."""
        return await self(get_many(gets))

    async def write_many(self, writes: Iterable[Put[Any] | Delete[Any]]) -> None:
        """Put and delete many records in few requests, without conditions and in any order."""
        await self(write_many(writes))

    async def each(self, walk: Operation[list[R]]) -> AsyncIterator[R]:
        """Yield the records of a query or scan, with at most one page in memory."""
        position: Item | None = None
        while True:
            records, position = await self(read_chunk(walk, CHUNK_SIZE, position))
            for record in records:
                yield record
            if position is None:
                return

    @overload
    async def all(self, first: Operation[A], /) -> tuple[A]: ...
    @overload
    async def all(self, first: Operation[A], second: Operation[B], /) -> tuple[A, B]: ...
    @overload
    async def all(
        self, first: Operation[A], second: Operation[B], third: Operation[C], /
    ) -> tuple[A, B, C]: ...
    @overload
    async def all(
        self,
        first: Operation[A],
        second: Operation[B],
        third: Operation[C],
        fourth: Operation[D],
        /,
    ) -> tuple[A, B, C, D]: ...
    @overload
    async def all(
        self,
        first: Operation[A],
        second: Operation[B],
        third: Operation[C],
        fourth: Operation[D],
        fifth: Operation[F],
        /,
    ) -> tuple[A, B, C, D, F]: ...
    @overload
    async def all(self, *operations: Operation[R]) -> tuple[R, ...]: ...
    async def all(self, *operations: Operation[Any]) -> tuple[Any, ...]:
        """Run several operations concurrently and return their results, in order."""
        # All of them finish before an error is raised, as in `DB.all`.
        results: list[Any] = await asyncio.gather(*map(self, operations), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return tuple(results)

    async def create_tables(self) -> None:
        """Create missing tables; raise `TableMismatch` if an existing one differs."""
        await self._run(self._creation())

    async def delete_tables(self) -> None:
        """Delete the tables and all their records; only for databases on this machine."""
        await self._run(self._deletion())

    async def ready(self) -> None:
        """Create the tables of an embedded database now, instead of at its first operation."""
        async with self._creating:
            if not self._created:
                await self.create_tables()
                self._created = True

    async def close(self) -> None:
        """Close the file or the connections."""
        await self._transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _run(self, steps: Conversation[R]) -> R:
        try:
            step = next(steps)
            while True:
                try:
                    answer = await self._send(step)
                except BaseException as error:  # noqa: BLE001 - the operation handles it
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return end.value

    async def _send(self, step: Request | Pause | ExternalCall) -> Answer:
        match step:
            case Request():
                return await self._transport.send(step)
            case Pause():
                await asyncio.sleep(step.seconds)
            case ExternalCall():
                await asyncio.to_thread(step.run)
        return {}
