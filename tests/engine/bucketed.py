"""An engine with buckets, whose jobs are worked on by hand or at once."""

import gzip
from pathlib import Path
from typing import Any

import orjson

from sortkey.clock import MovableClock
from sortkey.engine import Engine

START = 1_800_000_000
PREFIX = "data/"
TABLE: dict[str, Any] = {
    "TableName": "target",
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
    "BillingMode": "PAY_PER_REQUEST",
}


def item(name: str, line: int = 1, **more: dict[str, Any]) -> dict[str, Any]:
    return {"id": {"S": name}, "line": {"N": str(line)}, **more}


def lines(*records: Any) -> bytes:
    return b"".join(orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE) for record in records)


def items(*names: str) -> bytes:
    return lines(*({"Item": item(name)} for name in names))


class Bucketed:
    """An engine with the buckets ``source`` and ``reports``; its clock stands still."""

    def __init__(self, folder: Path, *, grouped: bool = False, path: Path | None = None) -> None:
        self.folder = folder
        self.path = path
        self.grouped = grouped
        for bucket in ("source", "reports"):
            (folder / bucket).mkdir(exist_ok=True, parents=True)
        self.clock = MovableClock(lambda: float(START))
        self.engine = self.opened()

    def opened(self) -> Engine:
        if self.path is None:
            return Engine.memory(grouped=self.grouped, clock=self.clock, buckets=self.folder)
        return Engine.open(self.path, grouped=self.grouped, clock=self.clock, buckets=self.folder)

    def reopen(self) -> None:
        self.engine.close()
        self.engine = self.opened()

    def ask(self, operation: str, /, **body: Any) -> dict[str, Any]:
        answer = self.engine.answer(operation, body)
        self.engine.flush()
        return answer

    def tend(self) -> None:
        while self.engine.tend():
            self.engine.flush()

    def place(self, content: bytes, key: str = f"{PREFIX}a", *, packed: bool = False) -> None:
        """Put an object into the source."""
        file = self.folder / "source" / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(gzip.compress(content) if packed else content)

    def begin_import(self, form: str = "DYNAMODB_JSON", **more: Any) -> dict[str, Any]:
        request = {
            "S3BucketSource": {"S3Bucket": "source", "S3KeyPrefix": PREFIX},
            "InputFormat": form,
            "TableCreationParameters": TABLE,
        }
        return self.ask("ImportTable", **request | more)["ImportTableDescription"]

    def described_import(self, arn: str) -> dict[str, Any]:
        return self.ask("DescribeImport", ImportArn=arn)["ImportTableDescription"]

    def imported(self, form: str = "DYNAMODB_JSON", **more: Any) -> dict[str, Any]:
        """Import, and return the description of the import when it has ended."""
        arn = self.begin_import(form, **more)["ImportArn"]
        self.tend()
        return self.described_import(arn)

    def begin_bulk(self, form: str = "DYNAMODB_JSON", **more: Any) -> dict[str, Any]:
        request = {
            "TableName": "target",
            "InputS3Configuration": {
                "S3Bucket": "source",
                "S3KeyPrefix": PREFIX,
                "InputFormat": form,
            },
            "OutputS3Configuration": {
                "S3Bucket": "reports",
                "S3KeyPrefix": "out",
                "OutputType": ["ERROR", "CONDITION_CHECK_FAILURE"],
            },
        }
        return self.ask("StartBulkPutItems", **request | more)["BulkOperationDescription"]

    def described_bulk(self, arn: str) -> dict[str, Any]:
        answer = self.ask("DescribeBulkOperation", BulkOperationArn=arn)
        return answer["BulkOperationDescription"]

    def bulk_put(self, form: str = "DYNAMODB_JSON", **more: Any) -> dict[str, Any]:
        """Put the items, and return the description of the operation when it has ended."""
        arn = self.begin_bulk(form, **more)["BulkOperationArn"]
        self.tend()
        return self.described_bulk(arn)

    def report(self, arn: str, name: str) -> list[Any]:
        """Return the lines of a report, or of the manifest."""
        number = arn.rpartition("/")[2]
        file = self.folder / "reports" / "out" / "AWSDynamoDB" / number / name
        return [orjson.loads(line) for line in file.read_bytes().splitlines()]

    def items(self, table: str = "target", **index: str) -> list[dict[str, Any]]:
        """Return the items of a table or an index, in the order of their keys."""
        found: list[dict[str, Any]] = []
        start: dict[str, Any] = {}
        while True:
            page = self.ask("Scan", TableName=table, **index, **start)
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                return sorted(found, key=lambda each: (each["id"]["S"], float(each["line"]["N"])))
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

    def names(self, table: str = "target") -> list[str]:
        return [each["id"]["S"] for each in self.items(table)]
