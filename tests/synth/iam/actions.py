"""Every action on DynamoDB that IAM knows.

test_second_evaluator.py keeps it whole.
"""

ACTIONS = [
    f"dynamodb:{name}"
    for name in (
        *("AssociateTableReplica", "BatchGetItem", "BatchWriteItem", "ConditionCheckItem"),
        *("CreateBackup", "CreateGlobalTable", "CreateGlobalTableWitness", "CreateTable"),
        *("CreateTableReplica", "DeleteBackup", "DeleteGlobalTableWitness", "DeleteItem"),
        *("DeleteResourcePolicy", "DeleteTable", "DeleteTableReplica", "DescribeBackup"),
        *("DescribeContinuousBackups", "DescribeContributorInsights", "DescribeEndpoints"),
        *("DescribeExport", "DescribeGlobalTable", "DescribeGlobalTableSettings"),
        *("DescribeImport", "DescribeKinesisStreamingDestination", "DescribeLimits"),
        *("DescribeReservedCapacity", "DescribeReservedCapacityOfferings", "DescribeStream"),
        *("DescribeTable", "DescribeTableReplicaAutoScaling", "DescribeTimeToLive"),
        *("DisableKinesisStreamingDestination", "EnableKinesisStreamingDestination"),
        *("ExportTableToPointInTime", "GetAbacStatus", "GetItem", "GetRecords"),
        *("GetResourcePolicy", "GetShardIterator", "ImportTable", "InjectError"),
        *("ListBackups", "ListContributorInsights", "ListExports", "ListGlobalTables"),
        *("ListImports", "ListStreams", "ListTables", "ListTagsOfResource", "PartiQLDelete"),
        *("PartiQLInsert", "PartiQLSelect", "PartiQLUpdate"),
        *("PurchaseReservedCapacityOfferings", "PutItem", "PutResourcePolicy", "Query"),
        *("ReadDataForReplication", "ReplicateSettings", "RestoreTableFromAwsBackup"),
        *("RestoreTableFromBackup", "RestoreTableToPointInTime", "Scan", "SearchVectors"),
        *("StartAwsBackupJob", "TagResource", "UntagResource", "UpdateAbacStatus"),
        *("UpdateContinuousBackups", "UpdateContributorInsights", "UpdateGlobalTable"),
        *("UpdateGlobalTableSettings", "UpdateGlobalTableVersion", "UpdateItem"),
        *("UpdateKinesisStreamingDestination", "UpdateTable"),
        *("UpdateTableReplicaAutoScaling", "UpdateTimeToLive", "WriteDataForReplication"),
    )
]
