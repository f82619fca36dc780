# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_cloudwatch_dashboard" "dashboard" {
  dashboard_name = "One-on-One-prod"
  dashboard_body = jsonencode({
    widgets = [
      {
        type       = "text"
        x          = 0
        y          = 0
        width      = 24
        height     = 1
        properties = { markdown = "## Users" }
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
              "Users",
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
              "Users",
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
              "Users",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "Users",
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
              "Users",
              "Operation",
              "GetItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "Users",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "Users",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "Users",
              "Operation",
              "TransactWriteItems",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "Users",
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
              "Users",
              "Operation",
              "GetItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "Users",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "Users",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "Users",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "Users",
              "Operation",
              "UpdateItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "Users",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "Users",
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
        properties = { markdown = "## Users, WaitingIndex" }
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
              "Users",
              "GlobalSecondaryIndexName",
              "WaitingIndex",
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
              "Users",
              "GlobalSecondaryIndexName",
              "WaitingIndex",
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
              "Users",
              "GlobalSecondaryIndexName",
              "WaitingIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "Users",
              "GlobalSecondaryIndexName",
              "WaitingIndex",
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
        properties = { markdown = "## Sessions" }
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
              "Sessions",
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
              "Sessions",
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
              "Sessions",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "Sessions",
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
              "Sessions",
              "Operation",
              "GetItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "Sessions",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "Sessions",
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
              "Sessions",
              "Operation",
              "GetItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "Sessions",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "Sessions",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "Sessions",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "Sessions",
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
        properties = { markdown = "## Sessions, UserSessionsIndex" }
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
              "Sessions",
              "GlobalSecondaryIndexName",
              "UserSessionsIndex",
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
              "Sessions",
              "GlobalSecondaryIndexName",
              "UserSessionsIndex",
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
              "Sessions",
              "GlobalSecondaryIndexName",
              "UserSessionsIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "Sessions",
              "GlobalSecondaryIndexName",
              "UserSessionsIndex",
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
        properties = { markdown = "## Sessions, PartnerSessionsIndex" }
      },
      {
        type   = "metric"
        x      = 0
        y      = 29
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
              "Sessions",
              "GlobalSecondaryIndexName",
              "PartnerSessionsIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 8
        y      = 29
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
              "Sessions",
              "GlobalSecondaryIndexName",
              "PartnerSessionsIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
      {
        type   = "metric"
        x      = 16
        y      = 29
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
              "Sessions",
              "GlobalSecondaryIndexName",
              "PartnerSessionsIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "Sessions",
              "GlobalSecondaryIndexName",
              "PartnerSessionsIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
    ]
  })
}
