"""A table whose past is exported to a folder, and the objects of its exports."""

import gzip
import json
from pathlib import Path
from typing import Any

from tests.engine.recoverable import START, Items, Recoverable

from sortkey.clock import MovableClock
from sortkey.engine import Engine

BUCKET = "exports"


class Exportable(Recoverable):
    """A table with recovery in an engine with a bucket."""

    def __init__(self, engine: Engine, clock: MovableClock, folder: Path) -> None:
        super().__init__(engine, clock)
        self.folder = folder / BUCKET
        self.arn: str = self.ask("DescribeTable", TableName="orders")["Table"]["TableArn"]
        self.recover()

    def export(self, **request: Any) -> dict[str, Any]:
        """Begin an export, and return its description."""
        body = {"TableArn": self.arn, "S3Bucket": BUCKET} | request
        return self.ask("ExportTableToPointInTime", **body)["ExportDescription"]

    def export_window(self, start: float, end: float, **request: Any) -> dict[str, Any]:
        """Begin an incremental export, with seconds after the start."""
        window = {"ExportFromTime": START + start, "ExportToTime": START + end}
        window |= request.pop("window", {})
        return self.export(
            ExportType="INCREMENTAL_EXPORT", IncrementalExportSpecification=window, **request
        )

    def described(self, export: dict[str, Any]) -> dict[str, Any]:
        """Return the description of an export when all upkeep is done."""
        self.tend()
        answer = self.ask("DescribeExport", ExportArn=export["ExportArn"])
        return answer["ExportDescription"]

    def read(self, key: str) -> bytes:
        return (self.folder / key).read_bytes()

    def objects(self) -> list[str]:
        """Return the keys of all objects, published or not."""
        found = (path for path in self.folder.rglob("*") if path.is_file())
        return sorted(str(path.relative_to(self.folder)) for path in found)

    def files(self, export: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the lines of the manifest of the files of an export that is complete."""
        described = self.described(export)
        assert described["ExportStatus"] == "COMPLETED", described
        summary = json.loads(self.read(described["ExportManifest"]))
        return [json.loads(line) for line in self.read(summary["manifestFilesS3Key"]).splitlines()]

    def lines(self, export: dict[str, Any]) -> list[dict[str, Any]]:
        """Return the lines of all data objects of an export."""
        found: list[dict[str, Any]] = []
        for file in self.files(export):
            content = gzip.decompress(self.read(file["dataFileS3Key"]))
            lines = [json.loads(line) for line in content.splitlines()]
            assert len(lines) == file["itemCount"]
            found += lines
        assert self.described(export)["ItemCount"] == len(found)
        return found

    def exported(self, export: dict[str, Any]) -> Items:
        """Return the items of a full export; none is there twice."""
        lines = self.lines(export)
        found = dict(colour_of(line["Item"]) for line in lines)
        assert len(found) == len(lines)
        return found


def colour_of(item: dict[str, Any]) -> tuple[tuple[str, int], str]:
    return (item["id"]["S"], int(item["line"]["N"])), item["colour"]["S"]


def exportable(folder: Path, *, grouped: bool = True) -> Exportable:
    """Return a new engine in memory with the table and a bucket, to be tended by hand."""
    (folder / BUCKET).mkdir(exist_ok=True)
    clock = MovableClock(lambda: START)
    engine = Engine.memory(grouped=grouped, clock=clock, buckets=folder)
    return Exportable(engine, clock, folder)
