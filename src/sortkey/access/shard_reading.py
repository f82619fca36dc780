"""How a worker reads the shards of a stream: which it may read, and from where. No I/O.

Shards are read after their parents, so that the changes of a record keep their order. With leases,
several workers share the shards; each one takes about as many as the others, and those of a worker
that died once its leases have ended.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, TypeAlias

from sortkey.design.declaring.lease import ShardLease
from sortkey.errors import Refused, SortkeyError, WriteFailed
from sortkey.operations.batch import get_many
from sortkey.operations.operation import Context, Conversation
from sortkey.operations.write import new_token
from sortkey.wire.errors import (
    ExpiredIteratorException,
    TrimmedDataAccessException,
    ValidationException,
)
from sortkey.wire.messages import Request

Start: TypeAlias = Literal["oldest", "latest"] | datetime

_PAGE = 100
_KEEP = timedelta(days=2)
# DynamoDB allows ten DescribeStream a second for all readers of an account.
_LOOK_SECONDS = 5.0


class ChangesLost(SortkeyError):  # noqa: N818 - says what happened
    """Changes were trimmed from the stream before they were read: it keeps them for a day."""


@dataclass(slots=True)
class ShardPage:
    """Changes of one shard as DynamoDB returns them, and how many of them were handled."""

    shard: str
    records: Sequence[dict[str, Any]]
    onward: str | None
    handled: int = 0
    # Of those that were handled, some may be of other entities, such as the leases themselves.
    delivered: int = 0

    @property
    def read_to(self) -> str:
        """The sequence number of the last change that was handled, or nothing."""
        if not self.handled:
            return ""
        return self.records[self.handled - 1]["dynamodb"]["SequenceNumber"]

    @property
    def is_idle(self) -> bool:
        """Whether no shard had any changes."""
        return not self.shard

    @property
    def is_handled(self) -> bool:
        """Whether all changes were handled."""
        return self.handled == len(self.records)


@dataclass(slots=True)
class _Held:
    """A shard that this worker reads."""

    shard: str
    lease: ShardLease | None
    renewed: float
    # Where to begin, or after which change to go on; with an iterator, where that is.
    since: datetime | None
    read_to: str
    iterator: str | None = None


@dataclass(slots=True)
class ShardReading:
    """The work of one worker."""

    stream: str
    context: Context
    start: Start
    leases: type[ShardLease] | None
    consumer: str
    lease: timedelta
    skip_lost: bool
    worker: str = field(default_factory=new_token)
    _held: dict[str, _Held] = field(default_factory=dict[str, Any])
    _finished: set[str] = field(default_factory=set[str])
    _known: dict[str, str | None] = field(default_factory=dict[str, Any])
    _turn: list[str] = field(default_factory=list[str])
    _looked: float = -math.inf
    _is_open: bool = True

    @property
    def held(self) -> set[str]:
        """The shards that this worker reads."""
        return {*self._held}

    # -- reading ------------------------------------------------------------------------------

    def next_page(self) -> Conversation[ShardPage | None]:
        """Return the next changes, or a page without any if there are none now; None at the end."""
        pause = min(_LOOK_SECONDS, self.lease.total_seconds() / 3)
        if self.context.now() - self._looked >= pause:
            yield from self._look()
        for _ in range(len(self._held)):
            page = yield from self._read(self._next_shard())
            if page.records or page.onward is None:
                return page
        if not self._is_open and self._known.keys() <= self._finished:
            return None
        return ShardPage("", (), None)

    def _next_shard(self) -> _Held:
        self._turn = [shard for shard in self._turn if shard in self._held]
        self._turn += [shard for shard in self._held if shard not in self._turn]
        shard = self._turn.pop(0)
        self._turn.append(shard)
        return self._held[shard]

    def _read(self, held: _Held) -> Conversation[ShardPage]:
        for _ in range(2):
            if held.iterator is None:
                held.iterator = yield from self._iterator(held)
            try:
                answer = yield Request(
                    "GetRecords", {"ShardIterator": held.iterator, "Limit": _PAGE}
                )
                return ShardPage(held.shard, answer["Records"], answer.get("NextShardIterator"))
            except ExpiredIteratorException:
                held.iterator = None
            except TrimmedDataAccessException as trimmed:
                self._begin_again(held, trimmed)
        raise ChangesLost(f"the shard {held.shard} cannot be read: its iterators end at once")

    def _iterator(self, held: _Held) -> Conversation[str]:
        body: dict[str, Any] = {"StreamArn": self.stream, "ShardId": held.shard}
        if held.read_to:
            place = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": held.read_to}
        elif held.since is not None:
            place = {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": held.since.timestamp()}
        else:
            place = {"ShardIteratorType": "TRIM_HORIZON"}
        try:
            answer = yield Request("GetShardIterator", body | place)
        except ValidationException:
            if held.read_to or held.since is None or held.since > _moment(self.context.now()):
                raise
            # Only our clock is ahead of the service's: there it is the future, with no changes yet.
            answer = yield Request("GetShardIterator", body | {"ShardIteratorType": "LATEST"})
        except TrimmedDataAccessException as trimmed:
            self._begin_again(held, trimmed)
            answer = yield Request("GetShardIterator", body | {"ShardIteratorType": "TRIM_HORIZON"})
        return answer["ShardIterator"]

    def _begin_again(self, held: _Held, trimmed: Exception) -> None:
        if not self.skip_lost:
            raise ChangesLost(
                f"changes after {held.read_to or 'the start'} in the shard {held.shard} were "
                "trimmed before they were read, since a stream keeps them for a day: rebuild what "
                "depends on them, and follow again with skip_lost=True"
            ) from trimmed
        held.read_to, held.since, held.iterator = "", None, None

    # -- after a page -------------------------------------------------------------------------

    def keep(self, page: ShardPage) -> Conversation[bool]:
        """Renew the lease of a page's shard if it is time; return whether it is still ours."""
        held = self._held.get(page.shard)
        if held is None:
            return False
        if held.lease is None or not self._is_due(held):
            return True
        return (yield from self._write(held, page.read_to or held.read_to))

    def _is_due(self, held: _Held) -> bool:
        """Return whether it is time to renew the lease of a shard."""
        return self.context.now() - held.renewed >= self.lease.total_seconds() / 3

    def settle(self, page: ShardPage) -> Conversation[None]:
        """Store how far a page was handled; leave a shard that has been read to its end."""
        held = self._held.get(page.shard)
        if held is None:
            return
        if not page.is_handled:
            held.iterator = None
        elif page.onward is not None:
            held.iterator = page.onward
        held.read_to = page.read_to or held.read_to
        is_finished = page.is_handled and page.onward is None
        # A page of others' changes is not worth a write, which may itself be in the stream.
        if held.lease is not None and (page.delivered or is_finished):
            yield from self._write(held, held.read_to, is_finished=is_finished)
        if is_finished:
            self._finished.add(page.shard)
            self._held.pop(page.shard, None)
            self._looked = -math.inf  # its children can be read now

    def leave(self) -> Conversation[None]:
        """Give up all leases, so that others need not wait for their end."""
        for held in list(self._held.values()):
            if held.lease is not None:
                yield from self._release(held)
        self._held.clear()

    # -- leases -------------------------------------------------------------------------------

    def _write(self, held: _Held, read_to: str, *, is_finished: bool = False) -> Conversation[bool]:
        """Store a place and renew the lease; return whether it is still ours."""
        now = self.context.now()
        written = yield from self._update(
            held.lease,
            self.worker,
            read_to=read_to,
            is_finished=is_finished,
            held_until=_moment(now) + self.lease,
            expires=_moment(now) + _KEEP,
        )
        if written is None:
            self._held.pop(held.shard, None)
            return False
        held.lease, held.renewed = written, now
        return True

    def _release(self, held: _Held) -> Conversation[None]:
        yield from self._update(held.lease, self.worker, held_by="", wanted_by="")
        self._held.pop(held.shard, None)

    def _update(
        self, lease: ShardLease | None, holder: str, **values: Any
    ) -> Conversation[ShardLease | None]:
        """Change a lease that this worker still has, or return None."""
        if lease is None:
            return None
        update = lease.update().set(**values).where(lambda each: each.held_by == holder)
        try:
            return (yield from update._steps(self.context))
        except WriteFailed:
            return None

    def _look(self) -> Conversation[None]:
        """Find new shards, and take those that this worker may read."""
        yield from self._describe()
        self._looked = self.context.now()
        if self.leases is None:
            for shard in self._ready():
                if shard not in self._held:
                    self._hold(shard, None)
            return
        stored = yield from self._stored(self.leases)
        self._finished |= {shard for shard, lease in stored.items() if lease.is_finished}
        yield from self._share(self.leases, stored)

    def _describe(self) -> Conversation[None]:
        place: dict[str, Any] = {}
        found: dict[str, str | None] = {}
        while True:
            answer = yield Request("DescribeStream", {"StreamArn": self.stream, **place})
            described = answer["StreamDescription"]
            for shard in described["Shards"]:
                found[shard["ShardId"]] = shard.get("ParentShardId")
            if "LastEvaluatedShardId" not in described:
                break
            place = {"ExclusiveStartShardId": described["LastEvaluatedShardId"]}
        self._is_open = described["StreamStatus"] in {"ENABLED", "ENABLING"}
        self._known = found

    def _ready(self) -> Iterator[str]:
        """Yield the shards that can be read: their parents are finished, or too old to exist."""
        for shard, parent in self._known.items():
            is_first = parent is None or parent not in self._known or parent in self._finished
            if is_first and shard not in self._finished:
                yield shard

    def _stored(self, leases: type[ShardLease]) -> Conversation[dict[str, ShardLease]]:
        gets = [
            leases.get(consumer=self.consumer, shard=shard).consistently() for shard in self._known
        ]
        found = yield from get_many(gets)._steps(self.context)
        return {lease.shard: lease for lease in found if lease is not None}

    def _share(
        self, leases: type[ShardLease], stored: Mapping[str, ShardLease]
    ) -> Conversation[None]:
        """Take free shards up to a fair share; ask for one, or give one that was asked for."""
        now = _moment(self.context.now())
        ready = list(self._ready())
        holders = {
            shard: lease.held_by
            for shard, lease in stored.items()
            if shard in ready and lease.held_by and (lease.held_until or now) > now
        }
        wanting = {lease.wanted_by for shard, lease in stored.items() if shard in holders}
        workers = ({*holders.values()} | wanting | {self.worker}) - {""}
        share = math.ceil(len(ready) / len(workers))
        for shard, held in list(self._held.items()):
            lease = stored.get(shard)
            if held.lease is not None and (lease is None or lease.held_by != self.worker):
                self._held.pop(shard)  # taken over
            elif lease is not None and lease.wanted_by and len(self._held) > share:
                yield from self._release(held)
            elif self._is_due(held):
                yield from self._write(held, held.read_to)
        for shard, holder in holders.items():
            if holder == self.worker and shard not in self._held:
                self._hold(shard, stored[shard])  # taken by a write whose response was lost
        for shard in ready:
            if len(self._held) >= share:
                return
            if shard not in holders and shard not in self._held:
                yield from self._take(leases, shard, stored)
        if len(self._held) < share:
            yield from self._ask(stored, holders, share)

    def _take(
        self, leases: type[ShardLease], shard: str, stored: Mapping[str, ShardLease]
    ) -> Conversation[None]:
        now = _moment(self.context.now())
        before = stored.get(shard)
        mine: dict[str, Any] = {
            "held_by": self.worker,
            "held_until": now + self.lease,
            "expires": now + _KEEP,
        }
        if before is None:
            since = None if self._known[shard] in stored else self._since()
            lease = leases(consumer=self.consumer, shard=shard, since=since, **mine)
            steps = lease.create()._steps(self.context)
        else:
            until = before.held_until
            update = before.update().set(**mine, wanted_by="")
            steps = update.where(lambda each: each.held_until == until)._steps(self.context)
        try:
            taken = yield from steps
        except WriteFailed:
            return  # another worker was faster
        self._hold(shard, taken)

    def _ask(
        self, stored: Mapping[str, ShardLease], holders: Mapping[str, str], share: int
    ) -> Conversation[None]:
        """Ask a worker that has more than its share for one of its shards."""
        counts = Counter(holders.values())
        if any(stored[shard].wanted_by == self.worker for shard in holders):
            return
        for shard, holder in holders.items():
            if counts[holder] > share and not stored[shard].wanted_by:
                yield from self._update(stored[shard], holder, wanted_by=self.worker)
                return

    def _hold(self, shard: str, lease: ShardLease | None) -> None:
        since = self._since() if lease is None else lease.since
        if lease is None and self._known[shard] in self._finished:
            since = None
        read_to = "" if lease is None else lease.read_to
        self._held[shard] = _Held(shard, lease, self.context.now(), since, read_to)

    def _since(self) -> datetime | None:
        return None if self.start == "oldest" else self._began

    @property
    def _began(self) -> datetime:
        if isinstance(self.start, datetime):
            return self.start
        self.start = _moment(self.context.now())
        return self.start


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def refuse_start(start: Start) -> None:
    """Refuse a time without a zone, and words that are no start."""
    if isinstance(start, datetime):
        if start.tzinfo is None:
            raise Refused("start has no time zone: write datetime(..., tzinfo=UTC)")
    elif start not in ("oldest", "latest"):
        raise Refused(
            f'start is {start!r}: write "oldest", "latest" or a datetime with a time zone'
        )
