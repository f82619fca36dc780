"""`AsyncDB` runs operations from an event loop."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack, cast, overload

from sortkey.access import targets
from sortkey.access.database import STRETCH, Database, Settings
from sortkey.access.targets import Target
from sortkey.design.table import Table
from sortkey.operations.batch import get_many, write_many
from sortkey.operations.conversation import Errand
from sortkey.operations.delete import Delete
from sortkey.operations.get import Get
from sortkey.operations.operation import Answer, Conversation, Operation, Pause
from sortkey.operations.put import Put
from sortkey.operations.transact import snapshot, transact
from sortkey.operations.walk import stretch
from sortkey.operations.write import Write
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")


class AsyncDB(Database):
    """Runs operations from an event loop: ``await db(User.get(user_id="u1"))``.

    Belongs to the loop that first uses it; closed by ``async with``, or `close`.
    """

    def __init__(self, target: Target, *tables: type[Table], **settings: Unpack[Settings]) -> None:
        super().__init__(target, *tables, **settings)
        self.transport = target.open_async()
        self._created = not (self.tables and target.abilities is targets.EMBEDDED)
        self._creating = asyncio.Lock()

    async def __call__(self, operation: Operation[R]) -> R:
        """The operation's result, or its error."""
        if not self._created:
            await self.ready()
        return await self._run(self.conversation(operation))

    async def transact(self, *writes: Write[Any], token: str | None = None) -> None:
        """All of the writes, or none; the same token within ten minutes does it once."""
        await self(transact(*writes, token=token))

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
        """The records as they all were at one moment."""
        return await self(snapshot(*gets))

    async def get_many(self, gets: Iterable[Get[R]]) -> list[R | None]:
        """Many records in few requests, in the order of the gets; None for each missing one."""
        return await self(get_many(gets))

    async def write_many(self, writes: Iterable[Put[Any] | Delete[Any]]) -> None:
        """Many puts and deletes in few requests, without conditions and in any order."""
        await self(write_many(writes))

    async def each(self, walk: Operation[list[R]]) -> AsyncIterator[R]:
        """The records of a query or scan one by one, with no more than a page in memory."""
        position: Item | None = None
        while True:
            records, position = await self(stretch(walk, STRETCH, position))
            for record in records:
                yield record
            if position is None:
                return

    async def all(self, *operations: Operation[R]) -> list[R]:
        """The results of several operations that run at the same time."""
        # All have come to their end before an error is told, as they have where threads run them.
        results = await asyncio.gather(*map(self, operations), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result
        return cast("list[R]", results)

    async def create_tables(self) -> None:
        """Create the tables that are missing; `TableMismatch` where one is there and differs."""
        await self._run(self.creation())

    async def delete_tables(self) -> None:
        """Delete the tables with everything in them; only on this machine."""
        await self._run(self.deletion())

    async def ready(self) -> None:
        """Create the tables of an embedded database, as its first operation otherwise does."""
        async with self._creating:
            if not self._created:
                await self.create_tables()
                self._created = True

    async def close(self) -> None:
        """Let go of the file or the connections."""
        await self.transport.close()

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
                except BaseException as error:  # noqa: BLE001 - whatever it is, the operation is told
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return end.value

    async def _send(self, step: Request | Pause | Errand) -> Answer:
        match step:
            case Request():
                return await self.transport.send(step)
            case Pause():
                await asyncio.sleep(step.seconds)
            case Errand():
                await asyncio.to_thread(step.run)
        return {}
