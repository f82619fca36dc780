# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_sns_topic" "alarm_topic" {
  name = "shuttle-prod-alarms"
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_read_throttled" {
  alarm_name          = "InavorShuttleTable-read-throttled"
  alarm_description   = "InavorShuttleTable: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.shuttle.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_write_throttled" {
  alarm_name          = "InavorShuttleTable-write-throttled"
  alarm_description   = "InavorShuttleTable: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.shuttle.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_gsi_1_read_throttled" {
  alarm_name        = "InavorShuttleTable-GSI1-read-throttled"
  alarm_description = "InavorShuttleTable, GSI1: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.shuttle.name
    GlobalSecondaryIndexName = "GSI1"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_gsi_1_write_throttled" {
  alarm_name        = "InavorShuttleTable-GSI1-write-throttled"
  alarm_description = "InavorShuttleTable, GSI1: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.shuttle.name
    GlobalSecondaryIndexName = "GSI1"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_gsi_2_read_throttled" {
  alarm_name        = "InavorShuttleTable-GSI2-read-throttled"
  alarm_description = "InavorShuttleTable, GSI2: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.shuttle.name
    GlobalSecondaryIndexName = "GSI2"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_gsi_2_write_throttled" {
  alarm_name        = "InavorShuttleTable-GSI2-write-throttled"
  alarm_description = "InavorShuttleTable, GSI2: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.shuttle.name
    GlobalSecondaryIndexName = "GSI2"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_gsi_3_read_throttled" {
  alarm_name        = "InavorShuttleTable-GSI3-read-throttled"
  alarm_description = "InavorShuttleTable, GSI3: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.shuttle.name
    GlobalSecondaryIndexName = "GSI3"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_gsi_3_write_throttled" {
  alarm_name        = "InavorShuttleTable-GSI3-write-throttled"
  alarm_description = "InavorShuttleTable, GSI3: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.shuttle.name
    GlobalSecondaryIndexName = "GSI3"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_status_index_read_throttled" {
  alarm_name        = "InavorShuttleTable-StatusIndex-read-throttled"
  alarm_description = "InavorShuttleTable, StatusIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.shuttle.name
    GlobalSecondaryIndexName = "StatusIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_status_index_write_throttled" {
  alarm_name        = "InavorShuttleTable-StatusIndex-write-throttled"
  alarm_description = "InavorShuttleTable, StatusIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.shuttle.name
    GlobalSecondaryIndexName = "StatusIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_batch_write_item_system_errors" {
  alarm_name        = "InavorShuttleTable-batch-write-item-system-errors"
  alarm_description = "InavorShuttleTable: BatchWriteItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.shuttle.name
    Operation = "BatchWriteItem"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_delete_item_system_errors" {
  alarm_name        = "InavorShuttleTable-delete-item-system-errors"
  alarm_description = "InavorShuttleTable: DeleteItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.shuttle.name
    Operation = "DeleteItem"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_get_item_system_errors" {
  alarm_name        = "InavorShuttleTable-get-item-system-errors"
  alarm_description = "InavorShuttleTable: GetItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.shuttle.name
    Operation = "GetItem"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_put_item_system_errors" {
  alarm_name        = "InavorShuttleTable-put-item-system-errors"
  alarm_description = "InavorShuttleTable: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.shuttle.name
    Operation = "PutItem"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_query_system_errors" {
  alarm_name        = "InavorShuttleTable-query-system-errors"
  alarm_description = "InavorShuttleTable: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.shuttle.name
    Operation = "Query"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_transact_write_items_system_errors" {
  alarm_name        = "InavorShuttleTable-transact-write-items-system-errors"
  alarm_description = "InavorShuttleTable: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.shuttle.name
    Operation = "TransactWriteItems"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_update_item_system_errors" {
  alarm_name        = "InavorShuttleTable-update-item-system-errors"
  alarm_description = "InavorShuttleTable: UpdateItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.shuttle.name
    Operation = "UpdateItem"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_conditional_failures" {
  alarm_name          = "InavorShuttleTable-conditional-failures"
  alarm_description   = "InavorShuttleTable: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.shuttle.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "shuttle_table_transaction_conflicts" {
  alarm_name          = "InavorShuttleTable-transaction-conflicts"
  alarm_description   = "InavorShuttleTable: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.shuttle.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_errors" {
  alarm_name          = "shuttle-prod-user-errors"
  alarm_description   = "Requests that DynamoDB refused as wrong, of everybody in this account and region"
  namespace           = "AWS/DynamoDB"
  metric_name         = "UserErrors"
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}
