# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_cloudwatch_dashboard" "dashboard" {
  dashboard_name = "agentcore-prod"
  dashboard_body = jsonencode({
    widgets = [
      {
        type       = "text"
        x          = 0
        y          = 0
        width      = 24
        height     = 1
        properties = { markdown = "## agentcore-prod-assistants" }
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
              "agentcore-prod-assistants",
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
              "agentcore-prod-assistants",
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
              "agentcore-prod-assistants",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-assistants",
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
              "agentcore-prod-assistants",
              "Operation",
              "DeleteItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-assistants",
              "Operation",
              "GetItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-assistants",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-assistants",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-assistants",
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
              "agentcore-prod-assistants",
              "Operation",
              "DeleteItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-assistants",
              "Operation",
              "GetItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-assistants",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-assistants",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-assistants",
              "Operation",
              "UpdateItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "agentcore-prod-assistants",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "agentcore-prod-assistants",
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
        properties = { markdown = "## agentcore-prod-assistants, OwnerStatusIndex" }
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
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "OwnerStatusIndex",
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
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "OwnerStatusIndex",
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
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "OwnerStatusIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "OwnerStatusIndex",
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
        properties = { markdown = "## agentcore-prod-assistants, EmailDomainIndex" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 15
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
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "EmailDomainIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 15
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
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "EmailDomainIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 15
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
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "EmailDomainIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "EmailDomainIndex",
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
        properties = { markdown = "## agentcore-prod-assistants, CreatedAtIndex" }
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
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "CreatedAtIndex",
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
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "CreatedAtIndex",
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
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "CreatedAtIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-assistants",
              "GlobalSecondaryIndexName",
              "CreatedAtIndex",
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
        properties = { markdown = "## agentcore-prod-quota-events" }
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
              "agentcore-prod-quota-events",
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
              "agentcore-prod-quota-events",
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
              "agentcore-prod-quota-events",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-quota-events",
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
              "agentcore-prod-quota-events",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-quota-events",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-quota-events",
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
              "agentcore-prod-quota-events",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-quota-events",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-quota-events",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "agentcore-prod-quota-events",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "agentcore-prod-quota-events",
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
        properties = { markdown = "## agentcore-prod-quota-events, TierEventIndex" }
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
              "agentcore-prod-quota-events",
              "GlobalSecondaryIndexName",
              "TierEventIndex",
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
              "agentcore-prod-quota-events",
              "GlobalSecondaryIndexName",
              "TierEventIndex",
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
              "agentcore-prod-quota-events",
              "GlobalSecondaryIndexName",
              "TierEventIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-quota-events",
              "GlobalSecondaryIndexName",
              "TierEventIndex",
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
        properties = { markdown = "## agentcore-prod-user-quotas" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 43
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
              "agentcore-prod-user-quotas",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 4
        y      = 43
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
              "agentcore-prod-user-quotas",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 43
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
              "agentcore-prod-user-quotas",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-user-quotas",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 12
        y      = 43
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
              "agentcore-prod-user-quotas",
              "Operation",
              "GetItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-user-quotas",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-user-quotas",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-user-quotas",
              "Operation",
              "TransactWriteItems",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-user-quotas",
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
        y      = 43
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
              "agentcore-prod-user-quotas",
              "Operation",
              "GetItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-user-quotas",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-user-quotas",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-user-quotas",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-user-quotas",
              "Operation",
              "UpdateItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "agentcore-prod-user-quotas",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "agentcore-prod-user-quotas",
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
        properties = { markdown = "## agentcore-prod-user-quotas, TierLookupIndex" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 50
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
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "TierLookupIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 50
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
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "TierLookupIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 50
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
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "TierLookupIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "TierLookupIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 56
        width      = 24
        height     = 1
        properties = { markdown = "## agentcore-prod-user-quotas, SubjectIndex" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 57
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
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "SubjectIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 57
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
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "SubjectIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 57
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
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "SubjectIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "SubjectIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 63
        width      = 24
        height     = 1
        properties = { markdown = "## agentcore-prod-user-quotas, AssignmentTypeIndex" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 64
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
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "AssignmentTypeIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 64
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
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "AssignmentTypeIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 64
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
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "AssignmentTypeIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-user-quotas",
              "GlobalSecondaryIndexName",
              "AssignmentTypeIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 70
        width      = 24
        height     = 1
        properties = { markdown = "## agentcore-prod-sessions-metadata" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 71
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
              "agentcore-prod-sessions-metadata",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 4
        y      = 71
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
              "agentcore-prod-sessions-metadata",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 71
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
              "agentcore-prod-sessions-metadata",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-sessions-metadata",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 12
        y      = 71
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
              "agentcore-prod-sessions-metadata",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-sessions-metadata",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-sessions-metadata",
              "Operation",
              "TransactWriteItems",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-sessions-metadata",
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
        y      = 71
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
              "agentcore-prod-sessions-metadata",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-sessions-metadata",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-sessions-metadata",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-sessions-metadata",
              "Operation",
              "UpdateItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "agentcore-prod-sessions-metadata",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "agentcore-prod-sessions-metadata",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 77
        width      = 24
        height     = 1
        properties = { markdown = "## agentcore-prod-sessions-metadata, UserTimestampIndex" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 78
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
              "agentcore-prod-sessions-metadata",
              "GlobalSecondaryIndexName",
              "UserTimestampIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 78
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
              "agentcore-prod-sessions-metadata",
              "GlobalSecondaryIndexName",
              "UserTimestampIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 78
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
              "agentcore-prod-sessions-metadata",
              "GlobalSecondaryIndexName",
              "UserTimestampIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-sessions-metadata",
              "GlobalSecondaryIndexName",
              "UserTimestampIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 84
        width      = 24
        height     = 1
        properties = { markdown = "## agentcore-prod-sessions-metadata, SessionLookupIndex" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 85
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
              "agentcore-prod-sessions-metadata",
              "GlobalSecondaryIndexName",
              "SessionLookupIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 85
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
              "agentcore-prod-sessions-metadata",
              "GlobalSecondaryIndexName",
              "SessionLookupIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 85
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
              "agentcore-prod-sessions-metadata",
              "GlobalSecondaryIndexName",
              "SessionLookupIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-sessions-metadata",
              "GlobalSecondaryIndexName",
              "SessionLookupIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 91
        width      = 24
        height     = 1
        properties = { markdown = "## agentcore-prod-oidc-state" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 92
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
              "agentcore-prod-oidc-state",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 4
        y      = 92
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
              "agentcore-prod-oidc-state",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 92
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
              "agentcore-prod-oidc-state",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-oidc-state",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 12
        y      = 92
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
              "agentcore-prod-oidc-state",
              "Operation",
              "DeleteItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-oidc-state",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 92
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
              "agentcore-prod-oidc-state",
              "Operation",
              "DeleteItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-oidc-state",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "agentcore-prod-oidc-state",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "agentcore-prod-oidc-state",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 98
        width      = 24
        height     = 1
        properties = { markdown = "## agentcore-prod-user-cost-summary" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 99
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
              "agentcore-prod-user-cost-summary",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 4
        y      = 99
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
              "agentcore-prod-user-cost-summary",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 99
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
              "agentcore-prod-user-cost-summary",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-user-cost-summary",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 12
        y      = 99
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
              "agentcore-prod-user-cost-summary",
              "Operation",
              "GetItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-user-cost-summary",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "agentcore-prod-user-cost-summary",
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
        y      = 99
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
              "agentcore-prod-user-cost-summary",
              "Operation",
              "GetItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-user-cost-summary",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "agentcore-prod-user-cost-summary",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "agentcore-prod-user-cost-summary",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "agentcore-prod-user-cost-summary",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type       = "text"
        x          = 0
        y          = 105
        width      = 24
        height     = 1
        properties = { markdown = "## agentcore-prod-user-cost-summary, TopSpendersIndex" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 106
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
              "agentcore-prod-user-cost-summary",
              "GlobalSecondaryIndexName",
              "TopSpendersIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 106
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
              "agentcore-prod-user-cost-summary",
              "GlobalSecondaryIndexName",
              "TopSpendersIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 106
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
              "agentcore-prod-user-cost-summary",
              "GlobalSecondaryIndexName",
              "TopSpendersIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "agentcore-prod-user-cost-summary",
              "GlobalSecondaryIndexName",
              "TopSpendersIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
    ]
  })
}
