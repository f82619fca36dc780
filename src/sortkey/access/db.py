"""`DB` and `AsyncDB`: the only two places that wait. One blocks, one awaits."""

import asyncio
import os
import ssl
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from contextvars import copy_context
from types import TracebackType
from typing import Any, Self, TypedDict, TypeVar, Unpack, overload

from sortkey.access import targets
from sortkey.access.budget import budget
from sortkey.access.credentials import Credentials
from sortkey.access.observing import Call, Observer, observed, observers_around
from sortkey.access.retries import Retries, with_retries
from sortkey.access.sealing import sealing_with
from sortkey.access.tables import create_missing, delete_existing
from sortkey.access.targets import Target
from sortkey.access.transports.transport import Timeouts
from sortkey.design.table import Table
from sortkey.errors import Refused, SortkeyError
from sortkey.operations.batch import BatchGet, BatchWrite
from sortkey.operations.clock import now
from sortkey.operations.conversation import Errand
from sortkey.operations.delete import Delete
from sortkey.operations.get import Get
from sortkey.operations.operation import Answer, Context, Conversation, Operation, Pause
from sortkey.operations.put import Put
from sortkey.operations.secrets import KEYLESS, Vault
from sortkey.operations.transact import Snapshot, Transaction
from sortkey.operations.walk import Stretch, Walk
from sortkey.operations.write import Write
from sortkey.wire.messages import Request
from sortkey.wire.values import Item

R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")
C = TypeVar("C")
D = TypeVar("D")

_STRETCH = 200


class Settings(TypedDict, total=False):
    """What any database can be opened with, whatever its target."""

    environment: str
    retries: Retries | None
    cursor_secret: str | None
    observers: Sequence[Observer]
    secrets: Vault | None


class _Settings:
    """What `DB` and `AsyncDB` have in common: everything but the waiting."""

    def __init__(
        self,
        target: Target,
        *tables: type[Table],
        environment: str = "dev",
        retries: Retries | None = None,
        cursor_secret: str | None = None,
        observers: Sequence[Observer] = (),
        secrets: Vault | None = None,
    ) -> None:
        self.target = target
        self.tables = tuple(table.definition for table in tables)
        self.context = Context(
            environment, now, sealing_with(cursor_secret), KEYLESS if secrets is None else secrets
        )
        self.retries = retries or Retries()
        self.observers = tuple(observers)

    @classmethod
    def memory(cls, *tables: type[Table], **settings: Unpack[Settings]) -> Self:
        """A new database in memory, with these tables in it."""
        return cls(targets.memory_target(), *tables, **settings)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *tables: type[Table], **settings: Unpack[Settings]
    ) -> Self:
        """The database in a file, with these tables made where they are missing."""
        return cls(targets.file_target(path), *tables, **settings)

    @classmethod
    def endpoint(
        cls,
        url: str,
        *tables: type[Table],
        region: str | None = None,
        credentials: Credentials | None = None,
        timeouts: Timeouts | None = None,
        tls: ssl.SSLContext | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """A DynamoDB at a URL, such as ``http://127.0.0.1:8000``."""
        target = targets.endpoint_target(
            url, region=region, credentials=credentials, timeouts=timeouts, tls=tls
        )
        return cls(target, *tables, **settings)

    @classmethod
    def aws(
        cls,
        *tables: type[Table],
        region: str | None = None,
        profile: str | None = None,
        credentials: Credentials | None = None,
        timeouts: Timeouts | None = None,
        **settings: Unpack[Settings],
    ) -> Self:
        """DynamoDB in an AWS account; credentials and region are found as AWS's tools find them."""
        target = targets.aws_target(
            region=region, profile=profile, credentials=credentials, timeouts=timeouts
        )
        return cls(target, *tables, **settings)

    @classmethod
    def connect(
        cls, *tables: type[Table], target: str | None = None, **settings: Unpack[Settings]
    ) -> Self:
        """The target that is named here, or by the environment variable SORTKEY_TARGET."""
        return cls(targets.named_target(target), *tables, **settings)

    def budget(
        self,
        *,
        reads: float | None = None,
        writes: float | None = None,
        requests: int | None = None,
    ) -> AbstractContextManager[list[Call]]:
        """Hold the block's calls to so many units and requests, or raise `OverBudget` at its end.

        The value of the block is the list of its calls.
        """
        return budget(reads=reads, writes=writes, requests=requests)

    def _conversation(self, operation: Operation[R]) -> Conversation[R]:
        """What is said to run an operation, retries included."""
        steps = self._patient(operation.steps(self.context))
        observers = (*self.observers, *observers_around())
        return observed(steps, operation, observers) if observers else steps

    def _deletion(self) -> Conversation[None]:
        if not self.target.abilities.creates_tables:
            raise Refused(
                f"tables are deleted only on this machine, and this database is {self.target.shown}"
            )
        return self._patient(delete_existing(self.tables, self.context))

    def _patient(self, steps: Conversation[R]) -> Conversation[R]:
        return with_retries(steps, self.retries, self.target.abilities.refuse)


class DB(_Settings):
    """Runs operations and waits for them: ``db(User.get(user_id="u1"))``.

    Safe across threads and forks; closed by ``with``, or `close`.
    """

    def __init__(self, target: Target, *tables: type[Table], **settings: Unpack[Settings]) -> None:
        super().__init__(target, *tables, **settings)
        self.transport = target.open()
        self.in_turn = False
        if target.abilities.creates_tables and target.abilities is targets.EMBEDDED:
            self.create_tables()

    def __call__(self, operation: Operation[R]) -> R:
        """The operation's result, or its error."""
        return self._run(self._conversation(operation))

    def transact(self, *writes: Write[Any], token: str | None = None) -> None:
        """All of the writes, or none; the same token within ten minutes does it once."""
        self(_transaction(writes, token))

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
        """The records as they all were at one moment."""
        asked: Snapshot[tuple[Any, ...]] = Snapshot(gets)
        return self(asked)

    def get_many(self, gets: Iterable[Get[R]]) -> list[R | None]:
        """Many records in few requests, in the order of the gets; None for each missing one."""
        return self(BatchGet(tuple(gets)))

    def write_many(self, writes: Iterable[Put[Any] | Delete[Any]]) -> None:
        """Many puts and deletes in few requests, without conditions and in any order."""
        self(BatchWrite(tuple(writes)))

    def each(self, walk: Walk[R]) -> Iterator[R]:
        """The records of a query or scan one by one, with no more than a page in memory."""
        position: Item | None = None
        while True:
            records, position = self(Stretch(walk, _STRETCH, position, pattern=walk.pattern))
            yield from records
            if position is None:
                return

    def all(self, *operations: Operation[R]) -> list[R]:
        """The results of several operations that run at the same time, unless ``in_turn``."""
        if self.in_turn or len(operations) < 2:  # noqa: PLR2004 - one needs no company
            return [self(operation) for operation in operations]
        with ThreadPoolExecutor(len(operations)) as pool:
            # Each thread sees what its caller has set, such as the clock.
            tasks = [pool.submit(copy_context().run, self, operation) for operation in operations]
            return [task.result() for task in tasks]

    def create_tables(self) -> None:
        """Create the tables that are missing; `TableMismatch` where one is there and differs."""
        self._run(self._patient(create_missing(self.tables, self.context)))

    def delete_tables(self) -> None:
        """Delete the tables with everything in them; only on this machine."""
        self._run(self._deletion())

    def close(self) -> None:
        """Let go of the file or the connections."""
        self.transport.close()

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
                except SortkeyError as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(answer)
        except StopIteration as end:
            return end.value

    def _send(self, step: Request | Pause | Errand) -> Answer:
        match step:
            case Request():
                return self.transport.send(step)
            case Pause():
                time.sleep(step.seconds)
            case Errand():
                step.run()
        return {}


class AsyncDB(_Settings):
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
        return await self._run(self._conversation(operation))

    async def transact(self, *writes: Write[Any], token: str | None = None) -> None:
        """All of the writes, or none; the same token within ten minutes does it once."""
        await self(_transaction(writes, token))

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
        asked: Snapshot[tuple[Any, ...]] = Snapshot(gets)
        return await self(asked)

    async def get_many(self, gets: Iterable[Get[R]]) -> list[R | None]:
        """Many records in few requests, in the order of the gets; None for each missing one."""
        return await self(BatchGet(tuple(gets)))

    async def write_many(self, writes: Iterable[Put[Any] | Delete[Any]]) -> None:
        """Many puts and deletes in few requests, without conditions and in any order."""
        await self(BatchWrite(tuple(writes)))

    async def each(self, walk: Walk[R]) -> AsyncIterator[R]:
        """The records of a query or scan one by one, with no more than a page in memory."""
        position: Item | None = None
        while True:
            records, position = await self(Stretch(walk, _STRETCH, position, pattern=walk.pattern))
            for record in records:
                yield record
            if position is None:
                return

    async def all(self, *operations: Operation[R]) -> list[R]:
        """The results of several operations that run at the same time."""
        return list(await asyncio.gather(*map(self, operations)))

    async def create_tables(self) -> None:
        """Create the tables that are missing; `TableMismatch` where one is there and differs."""
        await self._run(self._patient(create_missing(self.tables, self.context)))

    async def delete_tables(self) -> None:
        """Delete the tables with everything in them; only on this machine."""
        await self._run(self._deletion())

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
                except SortkeyError as error:
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


def _transaction(writes: tuple[Write[Any], ...], token: str | None) -> Transaction:
    return Transaction(writes) if token is None else Transaction(writes, token)
