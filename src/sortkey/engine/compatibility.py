"""The compatibility page, from the table of actions: `python -m sortkey.engine.compatibility`.

A parameter that an action declares is exact, unless `DIFFERENCES` says otherwise; one that it does
not declare is accepted and has no effect, and `IGNORED` says why.
"""

import sys
from collections.abc import Iterator, Mapping

from sortkey.engine.actions import (
    ADMINISTRATIVE_ACTIONS,
    DATA_ACTIONS,
    STREAM_ACTIONS,
    EngineAction,
)

GENERAL = """\
- Errors have DynamoDB's names, messages and order. If the messages of Amazon's DynamoDB Local
  differ from those of the service, the service's are used.
- Capacity is metered as the service charges it. One exception: the service charges a Scan of a
  small on-demand table for each of its partitions (4 units for one tiny item, read consistently);
  here a Scan is charged for the items that it reads.
- Changes take effect at once. Eventually consistent reads are never stale, and tables and indexes
  are ACTIVE as soon as they can be read: CreateTable returns CREATING, and a DescribeTable right
  after it returns ACTIVE. A new index on a table that has items is CREATING while it is filled.
- `ItemCount`, `TableSizeBytes` and `IndexSizeBytes` are exact at all times; the service updates
  them every six hours or so.
- An item collection may grow beyond 10 GB; its size is exact in `ItemCollectionMetrics`.
- There is one account (`000000000000`) in one region (`us-east-1`).
- A server deletes expired items soon after their time, or later with `--ttl-delay`; in process,
  `Engine.tend` deletes them.
- A backup is CREATING and a restored table is CREATING while its items are copied. A server copies
  them in the background; in process, the request itself does. `ContinuousBackupsStatus` is always
  ENABLED; the service reports DISABLED for some seconds after a table was created.
- Exports need `--buckets DIR`, or `buckets=` in process: a folder in place of Amazon S3. They are
  IN_PROGRESS while the objects are written, as backups are CREATING.
- Imports and bulk puts need `--buckets`. A server works on them in the background; in process, the
  request itself does. There is no CloudWatch: what is wrong with an item of an import is a line in
  the server's log, with the content that the service writes. FailureCodes are those of S3 after
  `S3`, `ItemValidationError`, or one that the service does not document.
- In fair weather, which is the default, nothing is throttled, and provisioned throughput has no
  effect. With a scenario of weather, requests are throttled as the service does
  ([guide](../guides/engine.md#weather)).
"""

_STATEMENT = (
    "the documented language; the details of rare syntax errors may differ, and a statement that "
    "is nested more than about 40 levels deep is refused"
)
_UNTHROTTLED = "exact; nothing is throttled in fair weather"
_NO_VECTORS = "an empty list is accepted; any vector index is refused, since there are none"
_BUCKET = "a bucket is a folder in that of `--buckets`; its owner has no effect"
_INPUT = f"{_BUCKET}; ION needs `sortkey[ion]`, ZSTD needs `sortkey[zstd]`"
DIFFERENCES: dict[tuple[str, str], str] = {
    ("CreateTable", "ProvisionedThroughput"): _UNTHROTTLED,
    ("CreateTable", "SSESpecification"): "stored and described; the file is not encrypted",
    ("CreateTable", "TableClass"): "stored and described",
    ("CreateTable", "OnDemandThroughput"): _UNTHROTTLED,
    ("CreateTable", "WarmThroughput"): "stored and described",
    ("CreateTable", "ResourcePolicy"): "its shape is validated; the only user may do everything",
    ("CreateTable", "VectorIndexes"): _NO_VECTORS,
    ("UpdateTable", "ProvisionedThroughput"): _UNTHROTTLED,
    ("UpdateTable", "SSESpecification"): "stored and described; the file is not encrypted",
    ("UpdateTable", "TableClass"): "stored and described",
    ("UpdateTable", "OnDemandThroughput"): _UNTHROTTLED,
    ("UpdateTable", "WarmThroughput"): "stored and described",
    ("UpdateTable", "VectorIndexUpdates"): _NO_VECTORS,
    (
        "ListTagsOfResource",
        "NextToken",
    ): "accepted; all tags are in one page, so it is never needed",
    ("Scan", "TotalSegments"): "exact; the items of a segment differ from the service's",
    (
        "RestoreTableToPointInTime",
        "RestoreDateTime",
    ): "exact; times of the last five minutes, up to now, are accepted too",
    ("RestoreTableFromBackup", "SSESpecificationOverride"): "described; the file is not encrypted",
    (
        "RestoreTableToPointInTime",
        "SSESpecificationOverride",
    ): "described; the file is not encrypted",
    (
        "RestoreTableFromBackup",
        "VectorIndexOverride",
    ): _NO_VECTORS,
    (
        "RestoreTableToPointInTime",
        "VectorIndexOverride",
    ): _NO_VECTORS,
    ("Query", "ConsistentRead"): "exact; eventually consistent reads are not stale either",
    ("ExecuteStatement", "Statement"): _STATEMENT,
    ("ExecuteStatement", "NextToken"): "exact; its content differs from the service's",
    ("BatchExecuteStatement", "Statements"): _STATEMENT,
    ("ExecuteTransaction", "TransactStatements"): _STATEMENT,
    (
        "ExportTableToPointInTime",
        "ExportTime",
    ): (
        "all that was committed before the next second is exported; times of the last minutes, up "
        "to now, are accepted too"
    ),
    (
        "ExportTableToPointInTime",
        "S3Bucket",
    ): "a folder in that of `--buckets`; one that is missing fails the export, as on AWS",
    ("ExportTableToPointInTime", "S3BucketOwner"): "described",
    (
        "ExportTableToPointInTime",
        "S3Prefix",
    ): "exact; empty parts, `.` and `..` are refused",
    ("ExportTableToPointInTime", "S3SseAlgorithm"): "described; the objects are not encrypted",
    ("ExportTableToPointInTime", "S3SseKmsKeyId"): "described; the objects are not encrypted",
    (
        "ExportTableToPointInTime",
        "IncrementalExportSpecification",
    ): "exact; `BilledSizeBytes` is the size of the changes as stored here, at least 10 MB",
    ("ImportTable", "S3BucketSource"): _BUCKET,
    ("ImportTable", "InputFormat"): "exact; ION needs `sortkey[ion]`",
    ("ImportTable", "InputCompressionType"): "exact; ZSTD needs `sortkey[zstd]`",
    ("ImportTable", "TableCreationParameters"): (
        "exact; throughput and encryption as in CreateTable, and no vector indexes"
    ),
    ("ListImports", "NextToken"): "exact; its content differs from the service's",
    ("ListBulkOperations", "NextToken"): "exact; its content differs from the service's",
    ("StartBulkPutItems", "InputS3Configuration"): (
        f"{_INPUT}; a condition is in the members `ConditionExpression`, "
        "`ExpressionAttributeNames` and `ExpressionAttributeValues` beside `Item`"
    ),
    ("StartBulkPutItems", "OutputS3Configuration"): (
        f"{_BUCKET}; the names and members of reports differ from the service's, and they are not "
        "encrypted"
    ),
    ("StartBulkPutItems", "MaxWriteRequestUnits"): "stored and described; nothing is slowed down",
    ("StartBulkPutItems", "PerformanceTier"): "stored and described",
}

_GLOBAL = "there are no global tables"
IGNORED: dict[tuple[str, str], str] = {
    ("CreateTable", "GlobalTableSourceArn"): _GLOBAL,
    ("CreateTable", "GlobalTableSettingsReplicationMode"): _GLOBAL,
    ("UpdateTable", "ReplicaUpdates"): _GLOBAL,
    ("UpdateTable", "MultiRegionConsistency"): _GLOBAL,
    ("UpdateTable", "GlobalTableWitnessUpdates"): _GLOBAL,
    ("UpdateTable", "GlobalTableSettingsReplicationMode"): _GLOBAL,
    ("UpdateTable", "DisassociationProtectionEnabled"): _GLOBAL,
}

ABSENT: dict[str, tuple[str, ...]] = {
    "Global tables": (
        "CreateGlobalTable",
        "DescribeGlobalTable",
        "DescribeGlobalTableSettings",
        "DescribeTableReplicaAutoScaling",
        "ListGlobalTables",
        "UpdateGlobalTable",
        "UpdateGlobalTableSettings",
        "UpdateTableReplicaAutoScaling",
    ),
    "Vector search": ("SearchVectors",),
    "Other services": (
        "DeleteResourcePolicy",
        "DescribeContributorInsights",
        "DescribeKinesisStreamingDestination",
        "DisableKinesisStreamingDestination",
        "EnableKinesisStreamingDestination",
        "GetResourcePolicy",
        "ListContributorInsights",
        "PutResourcePolicy",
        "UpdateContributorInsights",
        "UpdateKinesisStreamingDestination",
    ),
}


def page() -> str:
    """Return the page, as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Compatibility"
    yield ""
    yield "The operations of the engine, in process and over HTTP. This page is generated from the"
    yield "table of actions by `make docs`; do not edit it."
    yield ""
    yield "## All operations"
    yield ""
    yield GENERAL
    yield "## Each operation"
    yield from _operations(DATA_ACTIONS)
    yield ""
    yield "## Each operation of DynamoDB Streams"
    yield ""
    yield "They are on the same port. Shards roll every four hours, and split with partitions."
    yield from _operations(STREAM_ACTIONS)
    yield ""
    yield "## Administration"
    yield ""
    yield "DynamoDB has no such operations. Their target is `Sortkey.` and the name."
    yield from _operations(ADMINISTRATIVE_ACTIONS)
    yield ""
    yield "## Unsupported operations"
    yield ""
    yield "They fail with `UnknownOperationException`."
    yield ""
    for group, names in ABSENT.items():
        yield f"- {group}: {', '.join(f'`{each}`' for each in names)}"


def _operations(actions: Mapping[str, EngineAction]) -> Iterator[str]:
    for name, action in sorted(actions.items()):
        yield ""
        yield f"### {name}"
        yield ""
        yield from _operation(name, action)


def _operation(name: str, action: EngineAction) -> Iterator[str]:
    summary = (action.answer.__doc__ or "").partition("\n")[0]
    yield summary
    members = [*action.shape.members, *(member for owner, member in IGNORED if owner == name)]
    if not members:
        return
    yield ""
    yield "| parameter | |"
    yield "|---|---|"
    for member in members:
        yield f"| `{member}` | {_remark(name, member)} |"


def _remark(name: str, member: str) -> str:
    ignored = IGNORED.get((name, member))
    if ignored is not None:
        return f"ignored: {ignored}"
    return DIFFERENCES.get((name, member), "exact")


if __name__ == "__main__":
    sys.stdout.write(page())
