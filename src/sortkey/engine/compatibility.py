"""The compatibility page, made from the table of actions: `python -m sortkey.engine.compatibility`.

A parameter that an action declares is exact, unless `DIFFERENCES` says otherwise; one that it does
not declare is accepted and has no effect, and `IGNORED` says why.
"""

import sys
from collections.abc import Iterator

from sortkey.engine.actions import ACTIONS, Action

GENERAL = """\
- Errors have DynamoDB's names, texts and order. Where the texts that Amazon's DynamoDB Local prints
  differ from those of the service, the service's are used.
- Capacity is metered as the service charges it. One exception: the service charges a Scan of a
  small on-demand table for each of the partitions that it happens to have (4 units for one tiny
  item, read consistently); here a Scan is charged for what it reads.
- Changes take effect at once. Eventually consistent reads are never stale, and tables and indexes
  are ACTIVE as soon as they can be read: CreateTable answers CREATING, and a DescribeTable right
  after it says ACTIVE. A new index on a table that has items is CREATING while it is filled.
- `ItemCount`, `TableSizeBytes` and `IndexSizeBytes` are exact at all times; the service updates
  them every six hours or so.
- An item collection may grow beyond 10 GB; its size is exact in `ItemCollectionMetrics`.
- One account (`000000000000`) in one region (`us-east-1`).
- Expired items are removed by a server soon after their time; in process, when `Engine.tend` is
  called.
- Nothing is throttled: provisioned throughput is stored and described, and has no effect.
"""

DIFFERENCES: dict[tuple[str, str], str] = {
    ("CreateTable", "ProvisionedThroughput"): "stored and described; nothing is throttled",
    ("CreateTable", "StreamSpecification"): "stored and described; records cannot be read yet",
    ("CreateTable", "SSESpecification"): "stored and described; the file is not encrypted",
    ("CreateTable", "TableClass"): "stored and described",
    ("CreateTable", "OnDemandThroughput"): "stored and described; nothing is throttled",
    ("CreateTable", "WarmThroughput"): "stored and described",
    ("CreateTable", "ResourcePolicy"): "its shape is checked; there is one user, who may do all",
    ("UpdateTable", "ProvisionedThroughput"): "stored and described; nothing is throttled",
    ("UpdateTable", "StreamSpecification"): "stored and described; records cannot be read yet",
    ("UpdateTable", "SSESpecification"): "stored and described; the file is not encrypted",
    ("UpdateTable", "TableClass"): "stored and described",
    ("UpdateTable", "OnDemandThroughput"): "stored and described; nothing is throttled",
    ("UpdateTable", "WarmThroughput"): "stored and described",
    ("ListTagsOfResource", "NextToken"): "accepted; all tags come at once, so it is never needed",
    ("Scan", "TotalSegments"): "exact; which items a segment holds differs, as it may",
    ("Query", "ConsistentRead"): "exact; without it a read is not stale either",
}

_GLOBAL = "global tables are not kept on one machine"
IGNORED: dict[tuple[str, str], str] = {
    ("CreateTable", "GlobalTableSourceArn"): _GLOBAL,
    ("CreateTable", "GlobalTableSettingsReplicationMode"): _GLOBAL,
    ("CreateTable", "VectorIndexes"): "there are no vector indexes",
    ("UpdateTable", "ReplicaUpdates"): _GLOBAL,
    ("UpdateTable", "MultiRegionConsistency"): _GLOBAL,
    ("UpdateTable", "GlobalTableWitnessUpdates"): _GLOBAL,
    ("UpdateTable", "GlobalTableSettingsReplicationMode"): _GLOBAL,
    ("UpdateTable", "DisassociationProtectionEnabled"): _GLOBAL,
    ("UpdateTable", "VectorIndexUpdates"): "there are no vector indexes",
}

ABSENT: dict[str, tuple[str, ...]] = {
    "PartiQL": ("BatchExecuteStatement", "ExecuteStatement", "ExecuteTransaction"),
    "Backups and point-in-time recovery": (
        "CreateBackup",
        "DeleteBackup",
        "DescribeBackup",
        "DescribeContinuousBackups",
        "ListBackups",
        "RestoreTableFromBackup",
        "RestoreTableToPointInTime",
        "UpdateContinuousBackups",
    ),
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
    "Imports, exports and bulk operations": (
        "CancelBulkOperation",
        "DescribeBulkOperation",
        "DescribeExport",
        "DescribeImport",
        "ExportTableToPointInTime",
        "ImportTable",
        "ListBulkOperations",
        "ListExports",
        "ListImports",
        "StartBulkPutItems",
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
    """The page, as Markdown."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield "# Compatibility"
    yield ""
    yield "What the engine answers, in process and over HTTP alike. This page is made from the"
    yield "table of actions by `make docs`; do not edit it."
    yield ""
    yield "## What holds everywhere"
    yield ""
    yield GENERAL
    yield "## Operations"
    for name, action in sorted(ACTIONS.items()):
        yield ""
        yield f"### {name}"
        yield ""
        yield from _operation(name, action)
    yield ""
    yield "## Operations that are not answered"
    yield ""
    yield "They are refused with `UnknownOperationException`."
    yield ""
    for group, names in ABSENT.items():
        yield f"- {group}: {', '.join(f'`{each}`' for each in names)}"
    yield "- The DynamoDB Streams API (`ListStreams`, `GetRecords`, …)"


def _operation(name: str, action: Action) -> Iterator[str]:
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
