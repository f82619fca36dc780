# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_cloudwatch_dashboard" "dashboard" {
  dashboard_name = "commitcollect-prod"
  dashboard_body = jsonencode({
    widgets = [
      {
        type       = "text"
        x          = 0
        y          = 0
        width      = 24
        height     = 1
        properties = { markdown = "## CommitCollect" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 1
        width  = 4
        height = 6
        properties = {
          title  = "Reads"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedReadCapacityUnits",
              "TableName",
              "CommitCollect",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 4
        y      = 1
        width  = 4
        height = 6
        properties = {
          title  = "Writes"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedWriteCapacityUnits",
              "TableName",
              "CommitCollect",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 1
        width  = 4
        height = 6
        properties = {
          title  = "Throttled"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ReadThrottleEvents",
              "TableName",
              "CommitCollect",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "CommitCollect",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 12
        y      = 1
        width  = 4
        height = 6
        properties = {
          title  = "Latency (ms)"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollect",
              "Operation",
              "BatchWriteItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollect",
              "Operation",
              "DeleteItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollect",
              "Operation",
              "GetItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollect",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollect",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollect",
              "Operation",
              "TransactWriteItems",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollect",
              "Operation",
              "UpdateItem",
              { stat = "Average" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 1
        width  = 4
        height = 6
        properties = {
          title  = "Failures"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollect",
              "Operation",
              "BatchWriteItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollect",
              "Operation",
              "DeleteItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollect",
              "Operation",
              "GetItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollect",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollect",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollect",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollect",
              "Operation",
              "UpdateItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "CommitCollect",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "CommitCollect",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 7
        width      = 24
        height     = 1
        properties = { markdown = "## CommitCollect, GSI1" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 8
        width  = 8
        height = 6
        properties = {
          title  = "Reads"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedReadCapacityUnits",
              "TableName",
              "CommitCollect",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 8
        width  = 8
        height = 6
        properties = {
          title  = "Writes"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedWriteCapacityUnits",
              "TableName",
              "CommitCollect",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 8
        width  = 8
        height = 6
        properties = {
          title  = "Throttled"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ReadThrottleEvents",
              "TableName",
              "CommitCollect",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "CommitCollect",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 14
        width      = 24
        height     = 1
        properties = { markdown = "## CommitCollectSessions" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 15
        width  = 4
        height = 6
        properties = {
          title  = "Reads"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedReadCapacityUnits",
              "TableName",
              "CommitCollectSessions",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 4
        y      = 15
        width  = 4
        height = 6
        properties = {
          title  = "Writes"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedWriteCapacityUnits",
              "TableName",
              "CommitCollectSessions",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 15
        width  = 4
        height = 6
        properties = {
          title  = "Throttled"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ReadThrottleEvents",
              "TableName",
              "CommitCollectSessions",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "CommitCollectSessions",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 12
        y      = 15
        width  = 4
        height = 6
        properties = {
          title  = "Latency (ms)"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "BatchWriteItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "DeleteItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "GetItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "TransactWriteItems",
              { stat = "Average" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 15
        width  = 4
        height = 6
        properties = {
          title  = "Failures"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "BatchWriteItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "DeleteItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "GetItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectSessions",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "CommitCollectSessions",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "CommitCollectSessions",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 21
        width      = 24
        height     = 1
        properties = { markdown = "## CommitCollectSessions, GSI1" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 22
        width  = 8
        height = 6
        properties = {
          title  = "Reads"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedReadCapacityUnits",
              "TableName",
              "CommitCollectSessions",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 22
        width  = 8
        height = 6
        properties = {
          title  = "Writes"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedWriteCapacityUnits",
              "TableName",
              "CommitCollectSessions",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 22
        width  = 8
        height = 6
        properties = {
          title  = "Throttled"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ReadThrottleEvents",
              "TableName",
              "CommitCollectSessions",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "CommitCollectSessions",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 28
        width      = 24
        height     = 1
        properties = { markdown = "## CommitCollectAudit" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 29
        width  = 4
        height = 6
        properties = {
          title  = "Reads"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedReadCapacityUnits",
              "TableName",
              "CommitCollectAudit",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 4
        y      = 29
        width  = 4
        height = 6
        properties = {
          title  = "Writes"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedWriteCapacityUnits",
              "TableName",
              "CommitCollectAudit",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 29
        width  = 4
        height = 6
        properties = {
          title  = "Throttled"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ReadThrottleEvents",
              "TableName",
              "CommitCollectAudit",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "CommitCollectAudit",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 12
        y      = 29
        width  = 4
        height = 6
        properties = {
          title  = "Latency (ms)"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectAudit",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectAudit",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 29
        width  = 4
        height = 6
        properties = {
          title  = "Failures"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectAudit",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectAudit",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "CommitCollectAudit",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "CommitCollectAudit",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 35
        width      = 24
        height     = 1
        properties = { markdown = "## CommitCollectAudit, GSI1" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 36
        width  = 8
        height = 6
        properties = {
          title  = "Reads"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedReadCapacityUnits",
              "TableName",
              "CommitCollectAudit",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 36
        width  = 8
        height = 6
        properties = {
          title  = "Writes"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedWriteCapacityUnits",
              "TableName",
              "CommitCollectAudit",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 36
        width  = 8
        height = 6
        properties = {
          title  = "Throttled"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ReadThrottleEvents",
              "TableName",
              "CommitCollectAudit",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "CommitCollectAudit",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 42
        width      = 24
        height     = 1
        properties = { markdown = "## CommitCollectAudit, GSI2" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 43
        width  = 8
        height = 6
        properties = {
          title  = "Reads"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedReadCapacityUnits",
              "TableName",
              "CommitCollectAudit",
              "GlobalSecondaryIndexName",
              "GSI2",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 43
        width  = 8
        height = 6
        properties = {
          title  = "Writes"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedWriteCapacityUnits",
              "TableName",
              "CommitCollectAudit",
              "GlobalSecondaryIndexName",
              "GSI2",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 43
        width  = 8
        height = 6
        properties = {
          title  = "Throttled"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ReadThrottleEvents",
              "TableName",
              "CommitCollectAudit",
              "GlobalSecondaryIndexName",
              "GSI2",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "CommitCollectAudit",
              "GlobalSecondaryIndexName",
              "GSI2",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 49
        width      = 24
        height     = 1
        properties = { markdown = "## CommitCollectIdempotency" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 50
        width  = 4
        height = 6
        properties = {
          title  = "Reads"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedReadCapacityUnits",
              "TableName",
              "CommitCollectIdempotency",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 4
        y      = 50
        width  = 4
        height = 6
        properties = {
          title  = "Writes"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ConsumedWriteCapacityUnits",
              "TableName",
              "CommitCollectIdempotency",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 50
        width  = 4
        height = 6
        properties = {
          title  = "Throttled"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "ReadThrottleEvents",
              "TableName",
              "CommitCollectIdempotency",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "CommitCollectIdempotency",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 12
        y      = 50
        width  = 4
        height = 6
        properties = {
          title  = "Latency (ms)"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectIdempotency",
              "Operation",
              "DeleteItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectIdempotency",
              "Operation",
              "GetItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectIdempotency",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "CommitCollectIdempotency",
              "Operation",
              "TransactWriteItems",
              { stat = "Average" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 50
        width  = 4
        height = 6
        properties = {
          title  = "Failures"
          region = var.region
          period = 300
          metrics = [
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectIdempotency",
              "Operation",
              "DeleteItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectIdempotency",
              "Operation",
              "GetItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectIdempotency",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "CommitCollectIdempotency",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "CommitCollectIdempotency",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "CommitCollectIdempotency",
              { stat = "Sum" },
            ],
          ]
        }
      },
    ]
  })
}
