"""`follow`: the changes of a table's records as they happen, read from its stream."""

from collections.abc import AsyncIterator, Callable, Generator, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Generic, TypeAlias, TypedDict, TypeVar, Unpack, overload

from sortkey.access.async_db import AsyncDB
from sortkey.access.database import BaseDB
from sortkey.access.db import DB
from sortkey.access.shard_reading import ShardPage, ShardReading, Start, refuse_start
from sortkey.access.streams import Change, change_in
from sortkey.design.declaring.entity import Entity, kind_of
from sortkey.design.declaring.lease import ShardLease
from sortkey.design.tables.table import TableDefinition
from sortkey.errors import Refused
from sortkey.operations.conversation import ExternalCall
from sortkey.operations.operation import Answer, Conversation, Pause
from sortkey.wire.messages import Request
from sortkey.wording.prose import listed

E = TypeVar("E", bound=Entity)

D = TypeVar("D")

Step: TypeAlias = Request | Pause | ExternalCall
Reader: TypeAlias = Callable[[dict[str, Any]], D | None]

_LEASE = timedelta(seconds=30)
_POLL_SECONDS = 0.5


class FollowOptions(TypedDict, total=False):
    """Settings of `follow` and `StreamHandler.run`.

    Attributes:
        leases: The entity that stores how far each shard was read.
        consumer: The name of the consumer, if one entity has several.
        start: Where a consumer begins that has not read anything; the oldest change by default.
        wait: Whether to wait for more changes, which is the default.
        lease: How long a worker may take for one change; 30 seconds by default.
        skip_lost: Whether to go on if changes were trimmed before they were read.
    """

    leases: type[ShardLease] | None
    consumer: str | None
    start: Start
    wait: bool
    lease: timedelta
    skip_lost: bool


@overload
def follow(db: DB, *entities: type[E], **options: Unpack[FollowOptions]) -> Iterator[Change[E]]: ...
@overload
def follow(
    db: AsyncDB, *entities: type[E], **options: Unpack[FollowOptions]
) -> AsyncIterator[Change[E]]: ...
def follow(
    db: DB | AsyncDB, *entities: type[E], **options: Unpack[FollowOptions]
) -> Iterator[Change[E]] | AsyncIterator[Change[E]]:
    """Yield the changes of these entities from the stream of their table, as they happen.

    With an `AsyncDB`, use ``async for``. The changes of a record come in their order, each at
    least once. A change counts as handled when the next one is asked for; with ``leases``, an
    entity of the design, that is stored, so that a worker that starts again goes on there, and
    several workers with the same ``consumer`` share the work. A worker that does not ask for more
    within the ``lease`` counts as dead, and another takes over.

    ``start`` is where a consumer begins that has not read anything: at the oldest change that the
    stream has (it keeps a day), at the latest, or at a time. With ``wait=False`` it ends when there
    are no more changes.

    Raises:
        ChangesLost: The stream has trimmed changes that were not read; ``skip_lost`` goes on.
    """
    tables = {kind_of(entity).table for entity in entities}
    if len(tables) != 1:
        raise Refused(_one_table(entities))
    [table] = tables

    def typed(raw: dict[str, Any]) -> Change[Any] | None:
        change = change_in(raw, table, db._context.secrets)
        return change if change is not None and change.entity in entities else None

    name = "-".join(entity.__name__ for entity in entities)
    settings = follow_settings(table, name, **options)
    return blocking(db, typed, settings) if isinstance(db, DB) else awaited(db, typed, settings)


def _one_table(entities: tuple[type[Entity], ...]) -> str:
    if not entities:
        return "follow needs at least one entity: follow(db, Order)"
    return (
        f"{listed([entity.__name__ for entity in entities])} are stored in several tables, and a "
        "stream belongs to one table: follow each table separately"
    )


@dataclass(frozen=True, slots=True)
class Delivery(Generic[D]):
    """Something to deliver, between the steps."""

    content: D


@dataclass(frozen=True, slots=True)
class FollowSettings:
    """The settings of one `follow`."""

    table: TableDefinition
    leases: type[ShardLease] | None
    consumer: str
    start: Start
    waits: bool
    lease: timedelta
    skip_lost: bool

    def __post_init__(self) -> None:
        refuse_start(self.start)
        if self.lease <= timedelta(0):
            raise Refused(f"a lease must be positive; this one is {self.lease}")


def follow_settings(
    table: TableDefinition, default: str, /, **options: Unpack[FollowOptions]
) -> FollowSettings:
    """Return the settings; ``default`` is the name of a consumer that has none."""
    return FollowSettings(
        table=table,
        leases=options.get("leases"),
        consumer=options.get("consumer") or default,
        start=options.get("start", "oldest"),
        waits=options.get("wait", True),
        lease=options.get("lease", _LEASE),
        skip_lost=options.get("skip_lost", False),
    )


class _Following(Generic[D]):
    """The steps of one `follow`; ``read`` returns what to deliver of a stream record, or None."""

    def __init__(self, db: BaseDB, read: Reader[D], settings: FollowSettings) -> None:
        self._read = read
        self._settings = settings
        self._context = db._context
        self._retried = db._with_retries
        self._reading: ShardReading | None = None
        self._page: ShardPage | None = None

    def deliveries(self) -> Generator[Step | Delivery[D], Answer, None]:
        """Yield steps to take, and what to deliver."""
        reading = self._reading = yield from self._retried(self._begin())
        while True:
            page = self._page = yield from self._retried(reading.next_page())
            if page is None:
                return
            for raw in page.records:
                content = self._read(raw)
                if content is not None:
                    if not (yield from self._retried(reading.keep(page))):
                        break  # another worker has the shard now
                    page.delivered += 1
                    yield Delivery(content)
                page.handled += 1
            yield from self._retried(reading.settle(page))
            if page.is_idle:
                if not self._settings.waits:
                    return
                yield Pause(_POLL_SECONDS)

    def _begin(self) -> Conversation[ShardReading]:
        wanted = self._settings
        name = wanted.table.name_in(self._context.environment)
        described = yield Request("DescribeTable", {"TableName": name})
        if "StreamSpecification" not in described["Table"]:
            raise Refused(
                f"{name} has no stream: give {wanted.table} one, as in "
                'settings=Settings(stream="NEW_AND_OLD_IMAGES"), and deploy it'
            )
        return ShardReading(
            described["Table"]["LatestStreamArn"],
            self._context,
            start=wanted.start,
            leases=wanted.leases,
            consumer=wanted.consumer,
            lease=wanted.lease,
            skip_lost=wanted.skip_lost,
        )

    def leave(self) -> Conversation[None]:
        """Return the steps that store what was handled, and give up the shards."""
        return self._retried(self._leave())

    def _leave(self) -> Conversation[None]:
        if self._reading is not None:
            if self._page is not None:
                yield from self._reading.settle(self._page)
            yield from self._reading.leave()


def blocking(db: DB, read: Reader[D], settings: FollowSettings) -> Iterator[D]:
    """Yield what a reader makes of each record of a stream."""
    following = _Following(db, read, settings)
    steps = following.deliveries()
    answer: Answer | None = None
    try:
        while True:
            step = next(steps) if answer is None else steps.send(answer)
            while not isinstance(step, Delivery):
                try:
                    sent = db._send(step)
                except Exception as error:  # noqa: BLE001 - the steps handle it
                    step = steps.throw(error)
                else:
                    step = steps.send(sent)
            yield step.content
            answer = {}
    except StopIteration:
        return
    finally:
        db._run(following.leave())


async def awaited(db: AsyncDB, read: Reader[D], settings: FollowSettings) -> AsyncIterator[D]:
    """Yield what a reader makes of each record of a stream."""
    await db.ready()
    following = _Following(db, read, settings)
    steps = following.deliveries()
    answer: Answer | None = None
    try:
        while True:
            step = next(steps) if answer is None else steps.send(answer)
            while not isinstance(step, Delivery):
                try:
                    sent = await db._send(step)
                except Exception as error:  # noqa: BLE001 - the steps handle it
                    step = steps.throw(error)
                else:
                    step = steps.send(sent)
            yield step.content
            answer = {}
    except StopIteration:
        return
    finally:
        await db._run(following.leave())
