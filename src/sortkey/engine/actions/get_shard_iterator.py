"""GetShardIterator: where to begin to read a shard."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.iterators import ShardIterator
from sortkey.engine.journal import MICROSECONDS, first_id, last_record, position_at
from sortkey.engine.shapes import Length, OneOf, ShardId, StreamArn
from sortkey.engine.streams import (
    Shard,
    oldest_position,
    record_of,
    shards_of,
    stream_with,
    trim_horizon,
)
from sortkey.wire.errors import (
    ResourceNotFoundException,
    TrimmedDataAccessException,
    ValidationException,
)

_BY_SEQUENCE = frozenset({"AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"})


class GetShardIterator(TypedDict):
    """The request."""

    StreamArn: StreamArn
    ShardId: ShardId
    ShardIteratorType: Annotated[
        str,
        OneOf(
            (
                "TRIM_HORIZON",
                "LATEST",
                "AT_SEQUENCE_NUMBER",
                "AFTER_SEQUENCE_NUMBER",
                "AT_TIMESTAMP",
            )
        ),
    ]
    SequenceNumber: NotRequired[Annotated[str, Length(21, 40)]]
    Timestamp: NotRequired[float]


def get_shard_iterator(db: Database, request: GetShardIterator) -> dict[str, Any]:
    """Return an iterator at the wanted place of the shard."""
    kind = request["ShardIteratorType"]
    _refuse(request, kind)
    stream = stream_with(db, request["StreamArn"])
    shard = next((each for each in shards_of(db, stream) if each.name == request["ShardId"]), None)
    if shard is None:
        raise ResourceNotFoundException(
            f"Requested resource not found: Shard: {request['ShardId']} in Stream: {stream.arn} "
            "not found"
        )
    with db.storage.lock:
        after = _position(db, shard, request, kind)
    from_oldest = after is None
    place = ShardIterator(
        stream.arn, first_id(shard.id) if after is None else after, from_oldest, db.clock()
    )
    return {"ShardIterator": place.text()}


def _refuse(request: GetShardIterator, kind: str) -> None:
    if kind in _BY_SEQUENCE and "SequenceNumber" not in request:
        raise ValidationException(f"SequenceNumber is required for ShardIteratorType {kind}")
    if kind not in _BY_SEQUENCE and "SequenceNumber" in request:
        raise ValidationException(f"SequenceNumber is not supported for ShardIteratorType {kind}")
    if kind == "AT_TIMESTAMP" and "Timestamp" not in request:
        raise ValidationException("Timestamp is required for ShardIteratorType AT_TIMESTAMP")
    if kind != "AT_TIMESTAMP" and "Timestamp" in request:
        raise ValidationException(f"Timestamp is not supported for ShardIteratorType {kind}")


def _position(db: Database, shard: Shard, request: GetShardIterator, kind: str) -> int | None:
    """Return the record after which to read, or None to begin with the oldest."""
    if kind == "TRIM_HORIZON":
        return None
    if kind == "LATEST":
        return last_record(db.storage, shard.id) if shard.ended is None else shard.last_record
    if kind == "AT_TIMESTAMP":
        return _at_time(db, shard, request.get("Timestamp", 0.0))
    record = record_of(request.get("SequenceNumber", ""))
    if record is None or not first_id(shard.id) <= record < first_id(shard.id + 1):
        raise ValidationException("Invalid SequenceNumber")
    # The starting number of the shard is before its first record.
    position = record if kind == "AFTER_SEQUENCE_NUMBER" else max(record - 1, first_id(shard.id))
    if position < oldest_position(db, shard) and record > first_id(shard.id):
        raise TrimmedDataAccessException(
            "The operation attempted to read past the oldest stream record in a shard."
        )
    return None if record == first_id(shard.id) else position


def _at_time(db: Database, shard: Shard, at: float) -> int | None:
    if at > db.clock():
        raise ValidationException("Timestamp must not be in the future")
    # The time may be too far in the past for a whole number.
    if at * MICROSECONDS <= trim_horizon(db):
        return None
    return position_at(db.storage, shard.id, round(round(at, 3) * MICROSECONDS))
