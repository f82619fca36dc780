# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_cloudwatch_dashboard" "dashboard" {
  dashboard_name = "shuttle-prod"
  dashboard_body = jsonencode({
    widgets = [
      {
        type       = "text"
        x          = 0
        y          = 0
        width      = 24
        height     = 1
        properties = { markdown = "## InavorShuttleTable" }
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
              "InavorShuttleTable",
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
              "InavorShuttleTable",
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
              "InavorShuttleTable",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "InavorShuttleTable",
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
              "InavorShuttleTable",
              "Operation",
              "BatchWriteItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "DeleteItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "GetItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "TransactWriteItems",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "InavorShuttleTable",
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
              "InavorShuttleTable",
              "Operation",
              "BatchWriteItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "DeleteItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "GetItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "InavorShuttleTable",
              "Operation",
              "UpdateItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "InavorShuttleTable",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "InavorShuttleTable",
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
        properties = { markdown = "## InavorShuttleTable, GSI1" }
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
              "InavorShuttleTable",
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
              "InavorShuttleTable",
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
              "InavorShuttleTable",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "InavorShuttleTable",
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
        properties = { markdown = "## InavorShuttleTable, GSI2" }
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
              "InavorShuttleTable",
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
              "InavorShuttleTable",
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
              "InavorShuttleTable",
              "GlobalSecondaryIndexName",
              "GSI2",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "InavorShuttleTable",
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
        y          = 21
        width      = 24
        height     = 1
        properties = { markdown = "## InavorShuttleTable, GSI3" }
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
              "InavorShuttleTable",
              "GlobalSecondaryIndexName",
              "GSI3",
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
              "InavorShuttleTable",
              "GlobalSecondaryIndexName",
              "GSI3",
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
              "InavorShuttleTable",
              "GlobalSecondaryIndexName",
              "GSI3",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "InavorShuttleTable",
              "GlobalSecondaryIndexName",
              "GSI3",
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
        properties = { markdown = "## InavorShuttleTable, StatusIndex" }
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
              "InavorShuttleTable",
              "GlobalSecondaryIndexName",
              "StatusIndex",
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
              "InavorShuttleTable",
              "GlobalSecondaryIndexName",
              "StatusIndex",
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
              "InavorShuttleTable",
              "GlobalSecondaryIndexName",
              "StatusIndex",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "InavorShuttleTable",
              "GlobalSecondaryIndexName",
              "StatusIndex",
              { stat = "Sum" },
            ],
          ]
        }
      },
    ]
  })
}
