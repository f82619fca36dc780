"""A table with recovery, and what it had at each time."""

from typing import Any

from sortkey.clock import MovableClock
from sortkey.engine import Engine

TABLE: dict[str, Any] = {
    "TableName": "orders",
    "KeySchema": [
        {"AttributeName": "id", "KeyType": "HASH"},
        {"AttributeName": "line", "KeyType": "RANGE"},
    ],
    "AttributeDefinitions": [
        {"AttributeName": "id", "AttributeType": "S"},
        {"AttributeName": "line", "AttributeType": "N"},
        {"AttributeName": "colour", "AttributeType": "S"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by_colour",
            "KeySchema": [{"AttributeName": "colour", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
    "LocalSecondaryIndexes": [
        {
            "IndexName": "lines_by_colour",
            "KeySchema": [
                {"AttributeName": "id", "KeyType": "HASH"},
                {"AttributeName": "colour", "KeyType": "RANGE"},
            ],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
    "BillingMode": "PAY_PER_REQUEST",
}
START = 1_800_000_000
DAY = 24 * 3600

Items = dict[tuple[str, int], str]


class Recoverable:
    """An engine whose clock stands still, with a table."""

    def __init__(self, engine: Engine, clock: MovableClock) -> None:
        self.engine = engine
        self.clock = clock
        self.engine.answer("CreateTable", TABLE)

    def ask(self, operation: str, /, **body: Any) -> dict[str, Any]:
        return self.engine.answer(operation, body)

    def recover(self, days: int | None = None, *, enabled: bool = True) -> dict[str, Any]:
        """Enable or disable recovery, and return its description."""
        wanted: dict[str, Any] = {"PointInTimeRecoveryEnabled": enabled}
        wanted |= {} if days is None else {"RecoveryPeriodInDays": days}
        answer = self.ask(
            "UpdateContinuousBackups", TableName="orders", PointInTimeRecoverySpecification=wanted
        )
        return answer["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"]

    def put(self, name: str, line: int = 1, colour: str = "red") -> None:
        item = {"id": {"S": name}, "line": {"N": str(line)}, "colour": {"S": colour}}
        self.ask("PutItem", TableName="orders", Item=item)

    def delete(self, name: str, line: int = 1) -> None:
        self.ask(
            "DeleteItem", TableName="orders", Key={"id": {"S": name}, "line": {"N": str(line)}}
        )

    def items(self, table: str = "orders", **index: str) -> Items:
        """Return the items of a table or an index: the colour of each key."""
        found: Items = {}
        start: dict[str, Any] = {}
        while True:
            page = self.ask("Scan", TableName=table, **index, **start)
            for item in page["Items"]:
                found[item["id"]["S"], int(item["line"]["N"])] = item["colour"]["S"]
            if "LastEvaluatedKey" not in page:
                return found
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def restore(self, target: str, second: float | None = None, **more: Any) -> dict[str, Any]:
        """Begin to restore the table to a second after the start, or to the latest time."""
        time = {"UseLatestRestorableTime": True}
        if second is not None:
            time = {"RestoreDateTime": START + second}
        names = {"SourceTableName": "orders", "TargetTableName": target}
        answer = self.ask("RestoreTableToPointInTime", **(names | time | more))
        return answer["TableDescription"]

    def restored(self, second: float) -> Items:
        """Return the items of the table at a second after the start; the index has them too."""
        self.restore("past", second)
        self.tend()
        found = self.items("past")
        assert self.items("past", IndexName="by_colour") == found
        self.ask("DeleteTable", TableName="past")
        return found

    def back_up(self, name: str = "first") -> str:
        """Begin a backup, and return its ARN."""
        answer = self.ask("CreateBackup", TableName="orders", BackupName=name)
        return answer["BackupDetails"]["BackupArn"]

    def status(self, arn: str) -> str:
        described = self.ask("DescribeBackup", BackupArn=arn)["BackupDescription"]
        return described["BackupDetails"]["BackupStatus"]

    def backups(self, **filters: Any) -> list[dict[str, Any]]:
        return self.ask("ListBackups", **filters)["BackupSummaries"]

    def tend(self) -> None:
        """Do all upkeep."""
        while self.engine.tend():
            pass

    def count(self, name: str) -> int:
        """Return the number of rows of one of the tables of the storage."""
        storage = self.engine._storage  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
        [found] = storage.execute(f"SELECT count(*) FROM {name}").fetchone()
        return found

    def written(self) -> list[int]:
        """Return the times of all records in the journal, in their order."""
        storage = self.engine._storage  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
        return [time for [time] in storage.execute("SELECT written FROM journal ORDER BY id")]

    def stored(self) -> set[str]:
        """Return the names of the tables of the storage."""
        storage = self.engine._storage  # pyright: ignore[reportPrivateUsage] # noqa: SLF001
        return {name for [name] in storage.execute("SELECT name FROM sqlite_master")}


def recoverable(*, grouped: bool = False) -> Recoverable:
    """Return a new engine in memory with the table; grouped, it is tended by hand."""
    clock = MovableClock(lambda: START)
    return Recoverable(Engine.memory(grouped=grouped, clock=clock), clock)
