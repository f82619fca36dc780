"""BackupDetails, BackupSummary and BackupDescription: a backup as DynamoDB returns it."""

from typing import Any

from sortkey.engine.backups import Backup
from sortkey.engine.definitions.throughput import billing_mode
from sortkey.engine.table import Definition

_MILLISECONDS = 1000
_UNITS = ("ReadCapacityUnits", "WriteCapacityUnits")
_KEYS = ("IndexName", "KeySchema", "Projection")


def backup_details(backup: Backup, status: str | None = None) -> dict[str, Any]:
    """Return the BackupDetails of a backup in this state, or in its own."""
    details: dict[str, Any] = {
        "BackupArn": backup.arn,
        "BackupName": backup.name,
        "BackupSizeBytes": backup.content["Bytes"],
        "BackupStatus": status or backup.status,
        "BackupType": backup.kind,
        "BackupCreationDateTime": backup.created / _MILLISECONDS,
    }
    if backup.expires is not None:
        details["BackupExpiryDateTime"] = backup.expires / _MILLISECONDS
    return details


def backup_summary(backup: Backup) -> dict[str, Any]:
    """Return the BackupSummary of a backup, for a list."""
    table = {member: backup.definition[member] for member in ("TableName", "TableId", "TableArn")}
    return table | backup_details(backup)


def backup_description(backup: Backup, status: str | None = None) -> dict[str, Any]:
    """Return the BackupDescription of a backup in this state, or in its own."""
    return {
        "BackupDetails": backup_details(backup, status),
        "SourceTableDetails": _table_details(backup),
        # That of a deleted table has none.
        "SourceTableFeatureDetails": _features(backup.definition) if backup.expires is None else {},
    }


def _table_details(backup: Backup) -> dict[str, Any]:
    definition = backup.definition
    details: dict[str, Any] = {
        "TableName": definition["TableName"],
        "TableId": definition["TableId"],
        "TableArn": definition["TableArn"],
        "TableSizeBytes": backup.content["Bytes"],
        "KeySchema": definition["KeySchema"],
        "TableCreationDateTime": definition["CreationDateTime"],
        "ProvisionedThroughput": _units(definition),
        "ItemCount": backup.content["Items"],
        "BillingMode": billing_mode(definition),
    }
    if "OnDemandThroughput" in definition:
        details["OnDemandThroughput"] = definition["OnDemandThroughput"]
    return details


def _units(definition: Definition) -> dict[str, int]:
    return {unit: definition["ProvisionedThroughput"][unit] for unit in _UNITS}


def _features(definition: Definition) -> dict[str, Any]:
    """Return the indexes and settings of a table, those that it has."""
    features: dict[str, Any] = {}
    if "LocalSecondaryIndexes" in definition:
        features["LocalSecondaryIndexes"] = [
            {member: index[member] for member in _KEYS}
            for index in definition["LocalSecondaryIndexes"]
        ]
    if "GlobalSecondaryIndexes" in definition:
        features["GlobalSecondaryIndexes"] = [
            _global_index(index) for index in definition["GlobalSecondaryIndexes"]
        ]
    if "StreamSpecification" in definition:
        features["StreamDescription"] = definition["StreamSpecification"]
    if "TimeToLive" in definition:
        features["TimeToLiveDescription"] = {
            "TimeToLiveStatus": "ENABLED",
            "AttributeName": definition["TimeToLive"],
        }
    if "SSEDescription" in definition:
        features["SSEDescription"] = definition["SSEDescription"]
    return features


def _global_index(index: Definition) -> dict[str, Any]:
    info = {member: index[member] for member in _KEYS} | {"ProvisionedThroughput": _units(index)}
    if "OnDemandThroughput" in index:
        info["OnDemandThroughput"] = index["OnDemandThroughput"]
    return info
