# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_sns_topic" "alarm_topic" {
  name = "commitcollect-prod-alarms"
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_read_throttled" {
  alarm_name          = "CommitCollect-read-throttled"
  alarm_description   = "CommitCollect: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_write_throttled" {
  alarm_name          = "CommitCollect-write-throttled"
  alarm_description   = "CommitCollect: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_gsi_1_read_throttled" {
  alarm_name        = "CommitCollect-GSI1-read-throttled"
  alarm_description = "CommitCollect, GSI1: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.commit_collect.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_gsi_1_write_throttled" {
  alarm_name        = "CommitCollect-GSI1-write-throttled"
  alarm_description = "CommitCollect, GSI1: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.commit_collect.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_batch_write_item_system_errors" {
  alarm_name        = "CommitCollect-batch-write-item-system-errors"
  alarm_description = "CommitCollect: BatchWriteItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_delete_item_system_errors" {
  alarm_name        = "CommitCollect-delete-item-system-errors"
  alarm_description = "CommitCollect: DeleteItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_get_item_system_errors" {
  alarm_name        = "CommitCollect-get-item-system-errors"
  alarm_description = "CommitCollect: GetItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_put_item_system_errors" {
  alarm_name        = "CommitCollect-put-item-system-errors"
  alarm_description = "CommitCollect: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_query_system_errors" {
  alarm_name        = "CommitCollect-query-system-errors"
  alarm_description = "CommitCollect: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_transact_write_items_system_errors" {
  alarm_name        = "CommitCollect-transact-write-items-system-errors"
  alarm_description = "CommitCollect: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_update_item_system_errors" {
  alarm_name        = "CommitCollect-update-item-system-errors"
  alarm_description = "CommitCollect: UpdateItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_conditional_failures" {
  alarm_name          = "CommitCollect-conditional-failures"
  alarm_description   = "CommitCollect: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_table_transaction_conflicts" {
  alarm_name          = "CommitCollect-transaction-conflicts"
  alarm_description   = "CommitCollect: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_read_throttled" {
  alarm_name          = "CommitCollectSessions-read-throttled"
  alarm_description   = "CommitCollectSessions: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_sessions.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_write_throttled" {
  alarm_name          = "CommitCollectSessions-write-throttled"
  alarm_description   = "CommitCollectSessions: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_sessions.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_gsi_1_read_throttled" {
  alarm_name        = "CommitCollectSessions-GSI1-read-throttled"
  alarm_description = "CommitCollectSessions, GSI1: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.commit_collect_sessions.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_gsi_1_write_throttled" {
  alarm_name        = "CommitCollectSessions-GSI1-write-throttled"
  alarm_description = "CommitCollectSessions, GSI1: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.commit_collect_sessions.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_batch_write_item_system_errors" {
  alarm_name        = "CommitCollectSessions-batch-write-item-system-errors"
  alarm_description = "CommitCollectSessions: BatchWriteItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_sessions.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_delete_item_system_errors" {
  alarm_name        = "CommitCollectSessions-delete-item-system-errors"
  alarm_description = "CommitCollectSessions: DeleteItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_sessions.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_get_item_system_errors" {
  alarm_name        = "CommitCollectSessions-get-item-system-errors"
  alarm_description = "CommitCollectSessions: GetItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_sessions.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_put_item_system_errors" {
  alarm_name        = "CommitCollectSessions-put-item-system-errors"
  alarm_description = "CommitCollectSessions: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_sessions.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_query_system_errors" {
  alarm_name        = "CommitCollectSessions-query-system-errors"
  alarm_description = "CommitCollectSessions: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_sessions.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_transact_write_items_system_errors" {
  alarm_name        = "CommitCollectSessions-transact-write-items-system-errors"
  alarm_description = "CommitCollectSessions: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_sessions.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_conditional_failures" {
  alarm_name          = "CommitCollectSessions-conditional-failures"
  alarm_description   = "CommitCollectSessions: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_sessions.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_sessions_table_transaction_conflicts" {
  alarm_name          = "CommitCollectSessions-transaction-conflicts"
  alarm_description   = "CommitCollectSessions: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_sessions.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_audit_table_read_throttled" {
  alarm_name          = "CommitCollectAudit-read-throttled"
  alarm_description   = "CommitCollectAudit: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_audit.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_audit_table_write_throttled" {
  alarm_name          = "CommitCollectAudit-write-throttled"
  alarm_description   = "CommitCollectAudit: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_audit.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_audit_table_gsi_1_read_throttled" {
  alarm_name        = "CommitCollectAudit-GSI1-read-throttled"
  alarm_description = "CommitCollectAudit, GSI1: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.commit_collect_audit.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_audit_table_gsi_1_write_throttled" {
  alarm_name        = "CommitCollectAudit-GSI1-write-throttled"
  alarm_description = "CommitCollectAudit, GSI1: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.commit_collect_audit.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_audit_table_gsi_2_read_throttled" {
  alarm_name        = "CommitCollectAudit-GSI2-read-throttled"
  alarm_description = "CommitCollectAudit, GSI2: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.commit_collect_audit.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_audit_table_gsi_2_write_throttled" {
  alarm_name        = "CommitCollectAudit-GSI2-write-throttled"
  alarm_description = "CommitCollectAudit, GSI2: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.commit_collect_audit.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_audit_table_put_item_system_errors" {
  alarm_name        = "CommitCollectAudit-put-item-system-errors"
  alarm_description = "CommitCollectAudit: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_audit.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_audit_table_query_system_errors" {
  alarm_name        = "CommitCollectAudit-query-system-errors"
  alarm_description = "CommitCollectAudit: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_audit.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_audit_table_conditional_failures" {
  alarm_name          = "CommitCollectAudit-conditional-failures"
  alarm_description   = "CommitCollectAudit: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_audit.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_idempotency_table_read_throttled" {
  alarm_name          = "CommitCollectIdempotency-read-throttled"
  alarm_description   = "CommitCollectIdempotency: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_idempotency.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_idempotency_table_write_throttled" {
  alarm_name          = "CommitCollectIdempotency-write-throttled"
  alarm_description   = "CommitCollectIdempotency: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_idempotency.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_idempotency_table_delete_item_system_errors" {
  alarm_name        = "CommitCollectIdempotency-delete-item-system-errors"
  alarm_description = "CommitCollectIdempotency: DeleteItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_idempotency.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_idempotency_table_get_item_system_errors" {
  alarm_name        = "CommitCollectIdempotency-get-item-system-errors"
  alarm_description = "CommitCollectIdempotency: GetItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_idempotency.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_idempotency_table_put_item_system_errors" {
  alarm_name        = "CommitCollectIdempotency-put-item-system-errors"
  alarm_description = "CommitCollectIdempotency: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_idempotency.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_idempotency_table_transact_write_items_system_errors" {
  alarm_name        = "CommitCollectIdempotency-transact-write-items-system-errors"
  alarm_description = "CommitCollectIdempotency: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.commit_collect_idempotency.name
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

resource "aws_cloudwatch_metric_alarm" "commit_collect_idempotency_table_conditional_failures" {
  alarm_name          = "CommitCollectIdempotency-conditional-failures"
  alarm_description   = "CommitCollectIdempotency: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_idempotency.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "commit_collect_idempotency_table_transaction_conflicts" {
  alarm_name          = "CommitCollectIdempotency-transaction-conflicts"
  alarm_description   = "CommitCollectIdempotency: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.commit_collect_idempotency.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_errors" {
  alarm_name          = "commitcollect-prod-user-errors"
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
