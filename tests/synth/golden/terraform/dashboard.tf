# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_cloudwatch_dashboard" "dashboard" {
  dashboard_name = "gymcoach-prod"
  dashboard_body = jsonencode({
    widgets = [
      {
        type       = "text"
        x          = 0
        y          = 0
        width      = 24
        height     = 1
        properties = { markdown = "## gymcoach-ai-main" }
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
              "gymcoach-ai-main",
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
              "gymcoach-ai-main",
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
              "gymcoach-ai-main",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "gymcoach-ai-main",
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
              "gymcoach-ai-main",
              "Operation",
              "DeleteItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "gymcoach-ai-main",
              "Operation",
              "GetItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "gymcoach-ai-main",
              "Operation",
              "PutItem",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "gymcoach-ai-main",
              "Operation",
              "Query",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "gymcoach-ai-main",
              "Operation",
              "TransactWriteItems",
              { stat = "Average" },
            ],
            [
              "AWS/DynamoDB",
              "SuccessfulRequestLatency",
              "TableName",
              "gymcoach-ai-main",
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
              "gymcoach-ai-main",
              "Operation",
              "DeleteItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "gymcoach-ai-main",
              "Operation",
              "GetItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "gymcoach-ai-main",
              "Operation",
              "PutItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "gymcoach-ai-main",
              "Operation",
              "Query",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "gymcoach-ai-main",
              "Operation",
              "TransactWriteItems",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "SystemErrors",
              "TableName",
              "gymcoach-ai-main",
              "Operation",
              "UpdateItem",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "ConditionalCheckFailedRequests",
              "TableName",
              "gymcoach-ai-main",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "TransactionConflict",
              "TableName",
              "gymcoach-ai-main",
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
        properties = { markdown = "## gymcoach-ai-main, GSI1" }
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
              "gymcoach-ai-main",
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
              "gymcoach-ai-main",
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
              "gymcoach-ai-main",
              "GlobalSecondaryIndexName",
              "GSI1",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "gymcoach-ai-main",
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
        properties = { markdown = "## gymcoach-ai-main, GSI2" }
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
              "gymcoach-ai-main",
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
              "gymcoach-ai-main",
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
              "gymcoach-ai-main",
              "GlobalSecondaryIndexName",
              "GSI2",
              { stat = "Sum" },
            ],
            [
              "AWS/DynamoDB",
              "WriteThrottleEvents",
              "TableName",
              "gymcoach-ai-main",
              "GlobalSecondaryIndexName",
              "GSI2",
              { stat = "Sum" },
            ],
          ]
        }
      },
    ]
  })
}
