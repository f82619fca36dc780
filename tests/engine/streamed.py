"""A table with a stream, and a reader that takes shards after their parents."""

from typing import Any

from sortkey.clock import MovableClock
from sortkey.engine import Engine

TABLE: dict[str, Any] = {
    "TableName": "orders",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
    "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
}
START = 1_800_000_000.0


class Streamed:
    """An engine whose clock stands still, with a table that has a stream."""

    def __init__(self, engine: Engine, clock: MovableClock) -> None:
        self.engine = engine
        self.clock = clock

    def ask(self, operation: str, /, **body: Any) -> dict[str, Any]:
        return self.engine.answer(operation, body)

    def put(self, name: str, **attributes: str) -> None:
        values = {key: {"S": value} for key, value in attributes.items()}
        self.ask("PutItem", TableName="orders", Item={"id": {"S": name}, **values})

    def delete(self, name: str) -> None:
        self.ask("DeleteItem", TableName="orders", Key={"id": {"S": name}})

    def switch(self, view: str | None) -> None:
        """Enable a stream with this view, or disable the stream."""
        wanted = (
            {"StreamEnabled": False}
            if view is None
            else {
                "StreamEnabled": True,
                "StreamViewType": view,
            }
        )
        self.ask("UpdateTable", TableName="orders", StreamSpecification=wanted)

    def recover(self) -> None:
        """Enable recovery."""
        self.ask(
            "UpdateContinuousBackups",
            TableName="orders",
            PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": True},
        )

    def tend(self) -> None:
        """Do all upkeep."""
        while self.engine.tend():
            pass

    @property
    def arn(self) -> str:
        """The ARN of the latest stream."""
        return self.ask("DescribeTable", TableName="orders")["Table"]["LatestStreamArn"]

    def shards(self, arn: str | None = None) -> list[dict[str, Any]]:
        return self.describe(arn)["Shards"]

    def describe(self, arn: str | None = None) -> dict[str, Any]:
        return self.ask("DescribeStream", StreamArn=arn or self.arn)["StreamDescription"]

    def iterator(self, shard: str, kind: str = "TRIM_HORIZON", **place: Any) -> str:
        """Return an iterator of this shard of the latest stream."""
        answer = self.ask(
            "GetShardIterator", StreamArn=self.arn, ShardId=shard, ShardIteratorType=kind, **place
        )
        return answer["ShardIterator"]

    def records(self, arn: str | None = None) -> list[dict[str, Any]]:
        """Return all records, those of a shard after those of its parent."""
        stream = arn or self.arn
        return [
            record
            for shard in self.shards(stream)
            for record in self.read(
                self.ask(
                    "GetShardIterator",
                    StreamArn=stream,
                    ShardId=shard["ShardId"],
                    ShardIteratorType="TRIM_HORIZON",
                )["ShardIterator"]
            )
        ]

    def read(self, iterator: str) -> list[dict[str, Any]]:
        """Return the records from an iterator on, in pages of two."""
        found: list[dict[str, Any]] = []
        while True:
            answer = self.ask("GetRecords", ShardIterator=iterator, Limit=2)
            found += answer["Records"]
            if not answer["Records"] or "NextShardIterator" not in answer:
                return found
            iterator = answer["NextShardIterator"]

    def changes(self, arn: str | None = None) -> list[tuple[str, str]]:
        """Return the kind and the id of each change."""
        return [
            (record["eventName"], record["dynamodb"]["Keys"]["id"]["S"])
            for record in self.records(arn)
        ]


def streamed() -> Streamed:
    """Return a new engine in memory with the table."""
    clock = MovableClock(lambda: START)
    engine = Engine.memory(clock=clock)
    engine.answer("CreateTable", TABLE)
    return Streamed(engine, clock)
