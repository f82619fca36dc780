"""`DB` runs operations and waits for them."""

import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack, overload

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


_MOST_AT_ONCE = 50


class DB(Database):
    """Runs operations and waits for them: ``db(User.get(user_id="u1"))``.

    Safe across threads and forks; closed by ``with``, or `close`.
    """

    def __init__(self, target: Target, *tables: type[Table], **settings: Unpack[Settings]) -> None:
        super().__init__(target, *tables, **settings)
        self.transport = target.open()
        self.in_turn = False
        if target.abilities is targets.EMBEDDED:
            try:
                self.create_tables()
            except BaseException:
                self.close()
                raise

    def __call__(self, operation: Operation[R]) -> R:
        """The operation's result, or its error."""
        return self._run(self.conversation(operation))

    def transact(self, *writes: Write[Any], token: str | None = None) -> None:
        """All of the writes, or none; the same token within ten minutes does it once."""
        self(transact(*writes, token=token))

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
        return self(snapshot(*gets))

    def get_many(self, gets: Iterable[Get[R]]) -> list[R | None]:
        """Many records in few requests, in the order of the gets; None for each missing one."""
        return self(get_many(gets))

    def write_many(self, writes: Iterable[Put[Any] | Delete[Any]]) -> None:
        """Many puts and deletes in few requests, without conditions and in any order."""
        self(write_many(writes))

    def each(self, walk: Operation[list[R]]) -> Iterator[R]:
        """The records of a query or scan one by one, with no more than a page in memory."""
        position: Item | None = None
        while True:
            records, position = self(stretch(walk, STRETCH, position))
            yield from records
            if position is None:
                return

    def all(self, *operations: Operation[R]) -> list[R]:
        """The results of several operations that run at the same time, unless ``in_turn``."""
        if self.in_turn or len(operations) < 2:  # noqa: PLR2004 - one needs no company
            return [self(operation) for operation in operations]
        with ThreadPoolExecutor(min(len(operations), _MOST_AT_ONCE)) as pool:
            # Each thread sees what its caller has set, such as the clock.
            tasks = [pool.submit(copy_context().run, self, operation) for operation in operations]
            return [task.result() for task in tasks]

    def create_tables(self) -> None:
        """Create the tables that are missing; `TableMismatch` where one is there and differs."""
        self._run(self.creation())

    def delete_tables(self) -> None:
        """Delete the tables with everything in them; only on this machine."""
        self._run(self.deletion())

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
                except BaseException as error:  # noqa: BLE001 - whatever it is, the operation is told
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
