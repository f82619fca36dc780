"""GetRecords: the next changes of a shard."""

from hashlib import blake2b
from typing import Annotated, Any, NotRequired, TypedDict

import orjson

from sortkey.engine.database import Database
from sortkey.engine.definitions.arns import REGION
from sortkey.engine.iterators import ShardIterator, read_iterator
from sortkey.engine.journal import (
    MICROSECONDS,
    ChangeKind,
    Record,
    last_record,
    records_after,
    shard_of,
)
from sortkey.engine.shapes import Length, NumberRange
from sortkey.engine.streams import (
    Shard,
    Stream,
    oldest_position,
    sequence_number,
    shards_of,
    stream_with,
)
from sortkey.wire.errors import ResourceNotFoundException, TrimmedDataAccessException
from sortkey.wire.limits import PAGE_BYTES
from sortkey.wire.values import item_size

_MOST = 1000
_NAMES = {
    ChangeKind.INSERT: "INSERT",
    ChangeKind.MODIFY: "MODIFY",
    ChangeKind.REMOVE: "REMOVE",
    ChangeKind.EXPIRE: "REMOVE",
}
_EXPIRED = {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}


class GetRecords(TypedDict):
    """The request."""

    ShardIterator: Annotated[str, Length(1, 2048)]
    Limit: NotRequired[Annotated[int, NumberRange(1, _MOST)]]


def get_records(db: Database, request: GetRecords) -> dict[str, Any]:
    """Return some changes, and where to go on unless the shard has ended."""
    place = read_iterator(request["ShardIterator"], db.clock())
    stream = stream_with(db, place.stream)
    with db.storage.snapshot():
        shard = _shard_at(db, stream, place)
        after = _oldest(db, shard, place)
        records = records_after(db.storage, after, request.get("Limit", _MOST), PAGE_BYTES)
        end = last_record(db.storage, shard.id) if shard.ended is None else shard.last_record
    reached = records[-1].id if records else after
    shown = [_shown(stream, each) for each in records if each.kind is not ChangeKind.FORGOTTEN]
    answer: dict[str, Any] = {"Records": shown}
    if shard.ended is None or reached < (end or 0):
        onward = ShardIterator(stream.arn, reached, place.from_oldest and not records, db.clock())
        answer["NextShardIterator"] = onward.text()
    return answer


def _shard_at(db: Database, stream: Stream, place: ShardIterator) -> Shard:
    for shard in shards_of(db, stream):
        if shard.id == shard_of(place.after):
            return shard
    raise ResourceNotFoundException(
        f"Requested resource not found: a shard of Stream: {stream.arn} not found"
    )


def _oldest(db: Database, shard: Shard, place: ShardIterator) -> int:
    """Return the record after which to read; those before it may be too old."""
    oldest = oldest_position(db, shard)
    if place.from_oldest:
        return max(place.after, oldest)
    if place.after < oldest:
        raise TrimmedDataAccessException(
            "The operation attempted to read past the oldest stream record in a shard."
        )
    return place.after


def _shown(stream: Stream, record: Record) -> dict[str, Any]:
    """Return a record as DynamoDB shows it."""
    view: str = stream.description["StreamViewType"]
    number = sequence_number(record.id)
    images = {
        name: orjson.loads(image)
        for name, image, views in (
            ("NewImage", record.new, ("NEW_IMAGE", "NEW_AND_OLD_IMAGES")),
            ("OldImage", record.old, ("OLD_IMAGE", "NEW_AND_OLD_IMAGES")),
        )
        if image is not None and view in views
    }
    keys = orjson.loads(record.keys)
    shown: dict[str, Any] = {
        "eventID": blake2b(f"{stream.arn} {number}".encode(), digest_size=16).hexdigest(),
        "eventName": _NAMES[record.kind],
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": REGION,
        "dynamodb": {
            "ApproximateCreationDateTime": record.written // MICROSECONDS,
            "Keys": keys,
            **images,
            "SequenceNumber": number,
            "SizeBytes": sum(map(item_size, (keys, *images.values()))),
            "StreamViewType": view,
        },
    }
    return shown | ({"userIdentity": _EXPIRED} if record.kind is ChangeKind.EXPIRE else {})
