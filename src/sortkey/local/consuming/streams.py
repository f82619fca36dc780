"""The consumer of a table's stream: changes go to a function in batches, in order by shard.

A batch that fails as a whole is halved until one record is left; a batch of which the function
reports the first record that failed is repeated from there. What fails too often is described in a
dead letter, and the shard goes on. How far each shard was read is kept in the state.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from sortkey.access.streams import entity_of, read_record
from sortkey.access.transports.transport import Transport
from sortkey.design.declaring.entity import kind_of
from sortkey.design.declaring.functions import OnChange
from sortkey.folders.queues import FolderQueue
from sortkey.local.events.changes import change_event, failure_letter
from sortkey.local.events.failures import BadFailures, failures_in
from sortkey.local.functions import FunctionFailed, LocalFunction
from sortkey.local.meters import LAMBDA
from sortkey.local.surroundings import Surroundings
from sortkey.wire.errors import (
    ExpiredIteratorException,
    ResourceNotFoundException,
    TrimmedDataAccessException,
)
from sortkey.wire.messages import Request
from sortkey.wording.prose import counted

_POLL_SECONDS = 0.2
_LOOK_SECONDS = 2.0
_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 2.0
_MILLISECONDS = 1000
_MOST_RECORDS = 1000


@dataclass
class _Shard:
    """A shard that is being read, and the records that the function has not handled yet."""

    name: str
    read_to: str = ""
    iterator: str | None = None
    is_closed: bool = False
    waiting: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    # The size of the next batch, if a larger one failed.
    size: int | None = None
    failures: int = 0
    again_at: float = 0.0


class StreamConsumer:
    """Calls a function with the changes of a table."""

    def __init__(
        self,
        trigger: OnChange,
        table: str,
        function: LocalFunction,
        *,
        number: int = 0,
        transport: Callable[[], Transport],
        dead: FolderQueue,
        around: Surroundings,
    ) -> None:
        """Read the stream of a table by its deployed name, as the consumer with this number."""
        self._trigger = trigger
        self._table = table
        self._file = f"streams/{number}-{function.name}-{table}"
        self._function = function
        self._open = transport
        self._transport: Transport | None = None
        self._dead = dead
        self._state = around.state
        self._clock = around.clock
        self._log = around.log
        self._meters = around.meters
        self._kinds = {kind_of(entity) for entity in trigger.entities}
        self._stream = ""
        self._shards: dict[str, _Shard] = {}
        self._finished: set[str] = set()
        self._looked = 0.0

    def step(self) -> float:
        """Read every shard once, and handle a batch of each; return how long to wait."""
        if time.monotonic() - self._looked >= _LOOK_SECONDS:
            self._look()
        is_busy = False
        for shard in list(self._shards.values()):
            if not shard.waiting and not self._read_if_there(shard):
                is_busy = True
                continue
            if shard.waiting and time.monotonic() >= shard.again_at:
                self._handle(shard)
                is_busy = True
            if shard.is_closed and not shard.waiting:
                self._finished.add(shard.name)
                del self._shards[shard.name]
                self._looked = 0.0
                self._keep()
                is_busy = True
        pauses = [shard.again_at - time.monotonic() for shard in self._shards.values()]
        soonest = min((pause for pause in pauses if pause > 0), default=_POLL_SECONDS)
        return 0.0 if is_busy else min(soonest, _POLL_SECONDS)

    def close(self) -> None:
        """Close the connection to the engine."""
        if self._transport is not None:
            self._transport.close()

    # -- shards -------------------------------------------------------------------------------

    def _look(self) -> None:
        """Find the shards whose parents are finished."""
        self._looked = time.monotonic()
        table = self._send("DescribeTable", {"TableName": self._table})["Table"]
        if table["LatestStreamArn"] != self._stream:
            self._begin(table["LatestStreamArn"])
        known = dict(self._described())
        self._finished &= known.keys()
        for name, parent in known.items():
            is_ready = parent not in known or parent in self._finished
            if is_ready and name not in self._finished and name not in self._shards:
                self._shards[name] = _Shard(name)

    def _begin(self, stream: str) -> None:
        """Continue with a stream where the last run with this state ended."""
        self._stream = stream
        kept: dict[str, Any] = self._state.read(self._file) or {}
        if kept.get("stream") != stream:
            kept = {"read_to": {}, "finished": []}
        self._shards = {name: _Shard(name, place) for name, place in kept["read_to"].items()}
        self._finished = set(kept["finished"])

    def _described(self) -> Iterator[tuple[str, str | None]]:
        place: dict[str, Any] = {}
        while True:
            body = {"StreamArn": self._stream, **place}
            described = self._send("DescribeStream", body)["StreamDescription"]
            for shard in described["Shards"]:
                yield shard["ShardId"], shard.get("ParentShardId")
            if "LastEvaluatedShardId" not in described:
                return
            place = {"ExclusiveStartShardId": described["LastEvaluatedShardId"]}

    def _keep(self) -> None:
        read_to = {shard.name: shard.read_to for shard in self._shards.values()}
        content = {
            "stream": self._stream,
            "read_to": read_to,
            "finished": sorted(self._finished),
        }
        self._state.write(self._file, content)

    # -- reading ------------------------------------------------------------------------------

    def _read_if_there(self, shard: _Shard) -> bool:
        """Read a shard; return whether it still exists, as the stream keeps it for a day."""
        try:
            self._read(shard)
        except ResourceNotFoundException:
            # The clock has jumped; what was not read is lost, and other shards follow.
            del self._shards[shard.name]
            self._looked = 0.0
            return False
        return True

    def _read(self, shard: _Shard) -> None:
        """Read records until some are for the function, or there are no more now."""
        while not shard.waiting and not shard.is_closed:
            if shard.iterator is None:
                shard.iterator = self._iterator(shard)
            limit = min(self._trigger.batch, _MOST_RECORDS)
            body = {"ShardIterator": shard.iterator, "Limit": limit}
            try:
                page = self._send("GetRecords", body)
            except ExpiredIteratorException:
                shard.iterator = None
                continue
            except TrimmedDataAccessException:
                self._say("changes were trimmed before they were handled")
                shard.iterator, shard.read_to = None, ""
                continue
            records: list[dict[str, Any]] = page["Records"]
            shard.iterator = page.get("NextShardIterator")
            shard.is_closed = shard.iterator is None
            shard.waiting = [record for record in records if self._wants(record)]
            if records and not shard.waiting:
                shard.read_to = records[-1]["dynamodb"]["SequenceNumber"]
            if not records:
                return

    def _iterator(self, shard: _Shard) -> str:
        body: dict[str, Any] = {"StreamArn": self._stream, "ShardId": shard.name}
        place: dict[str, Any] = {"ShardIteratorType": "TRIM_HORIZON"}
        if shard.read_to:
            place = {
                "ShardIteratorType": "AFTER_SEQUENCE_NUMBER",
                "SequenceNumber": shard.read_to,
            }
        try:
            return self._send("GetShardIterator", body | place)["ShardIterator"]
        except TrimmedDataAccessException:
            self._say("changes were trimmed before they were handled")
            oldest = {"ShardIteratorType": "TRIM_HORIZON"}
            return self._send("GetShardIterator", body | oldest)["ShardIterator"]

    def _wants(self, record: dict[str, Any]) -> bool:
        trigger = self._trigger
        if trigger.events and record["eventName"] not in trigger.events:
            return False
        if not self._kinds:
            return True
        table = trigger.table.definition
        return entity_of(read_record(record, table), table) in self._kinds

    # -- handling -----------------------------------------------------------------------------

    def _handle(self, shard: _Shard) -> None:
        """Call the function with the next batch of a shard."""
        batch = shard.waiting[: shard.size or self._trigger.batch]
        self._meter_age(batch)
        handled = self._handled(batch)
        if handled:
            shard.failures = 0
            self._pass(shard, handled)
            shard.size = len(batch) - handled or None
        if handled == len(batch):
            return
        shard.failures += 1
        if handled is None and len(batch) > 1:
            # Halving does not count as a try.
            shard.failures -= 1
            shard.size = len(batch) // 2
        elif shard.failures > self._trigger.retries:
            self._bury(shard, batch)
            return
        pause = _FIRST_PAUSE * 2.0 ** min(shard.failures, 10)
        shard.again_at = time.monotonic() + min(pause, _LONGEST_PAUSE)

    def _handled(self, batch: Sequence[dict[str, Any]]) -> int | None:
        """Return how many records were handled; None if the function failed as a whole."""
        title = f"{counted(len(batch), 'change')} of {self._table}"
        try:
            answer = self._function.invoke(change_event(batch, self._stream), title)
            failed = failures_in(answer)
        except FunctionFailed:
            return None
        except BadFailures as error:
            self._say(f"the batch counts as failed, since the answer is wrong: {error}")
            return None
        if not failed:
            return len(batch)
        places = {
            record["dynamodb"]["SequenceNumber"]: number for number, record in enumerate(batch)
        }
        if not {*failed} <= places.keys():
            self._say("the batch counts as failed, since it has no such record")
            return None
        return min(places[number] for number in failed)

    def _pass(self, shard: _Shard, count: int) -> None:
        """Go on behind so many records."""
        shard.read_to = shard.waiting[count - 1]["dynamodb"]["SequenceNumber"]
        del shard.waiting[:count]
        self._keep()

    def _bury(self, shard: _Shard, batch: Sequence[dict[str, Any]]) -> None:
        letter = failure_letter(
            batch,
            stream=self._stream,
            shard=shard.name,
            function=self._function.deployed_name,
            tries=shard.failures,
            now=self._clock(),
        )
        self._dead.send([orjson.dumps(letter).decode()], self._clock())
        self._say(f"{counted(len(batch), 'change')} failed too often, and a dead letter says which")
        shard.failures, shard.size = 0, None
        self._pass(shard, len(batch))

    def _meter_age(self, batch: Sequence[dict[str, Any]]) -> None:
        written = batch[-1]["dynamodb"]["ApproximateCreationDateTime"]
        age = max(0.0, self._clock() - written) * _MILLISECONDS
        dimensions = {"FunctionName": self._function.deployed_name}
        self._meters.add(LAMBDA, "IteratorAge", dimensions, age)

    def _send(self, operation: str, body: dict[str, Any]) -> dict[str, Any]:
        if self._transport is None:
            self._transport = self._open()
        return self._transport.send(Request(operation, body))

    def _say(self, text: str) -> None:
        self._log.write(self._function.name, text)
