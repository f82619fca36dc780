"""DescribeStream: a stream, and its shards."""

from typing import Annotated, Any, NotRequired, TypedDict

from sortkey.engine.database import Database
from sortkey.engine.journal import first_id
from sortkey.engine.shapes import NumberRange, OneOf, ShardId, StreamArn
from sortkey.engine.streams import Shard, sequence_number, shards_of, stream_with

_MOST = 100


class ShardFilter(TypedDict):
    """Which shards to describe: the children of one."""

    Type: Annotated[str, OneOf(("CHILD_SHARDS",))]
    ShardId: ShardId


class DescribeStream(TypedDict):
    """The request."""

    StreamArn: StreamArn
    Limit: NotRequired[Annotated[int, NumberRange(1, _MOST)]]
    ExclusiveStartShardId: NotRequired[ShardId]
    ShardFilter: NotRequired[ShardFilter]


def describe_stream(db: Database, request: DescribeStream) -> dict[str, Any]:
    """Return the stream with its shards after one, parents before children."""
    stream = stream_with(db, request["StreamArn"])
    shards = shards_of(db, stream)
    names = {shard.id: shard.name for shard in shards}
    wanted = shards
    if "ShardFilter" in request:
        parent = request["ShardFilter"]["ShardId"]
        wanted = [each for each in shards if names.get(each.parent or 0) == parent]
    after = request.get("ExclusiveStartShardId", "")
    wanted = [shard for shard in wanted if shard.name > after]
    page = wanted[: request.get("Limit", _MOST)]
    description: dict[str, Any] = {
        "StreamArn": stream.arn,
        "StreamStatus": "ENABLED" if stream.ended is None else "DISABLED",
        "Shards": [_described(shard, names) for shard in page],
        **stream.description,
    }
    if len(page) < len(wanted):
        description["LastEvaluatedShardId"] = page[-1].name
    return {"StreamDescription": description}


def _described(shard: Shard, names: dict[int, str]) -> dict[str, Any]:
    numbers = {"StartingSequenceNumber": sequence_number(first_id(shard.id))}
    if shard.last_record is not None:
        numbers["EndingSequenceNumber"] = sequence_number(shard.last_record)
    described: dict[str, Any] = {"ShardId": shard.name, "SequenceNumberRange": numbers}
    # A parent whose records are all too old is not listed any more.
    if shard.parent in names:
        described["ParentShardId"] = names[shard.parent]
    return described
