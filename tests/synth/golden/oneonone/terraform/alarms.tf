# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_sns_topic" "alarm_topic" {
  name = "One-on-One-prod-alarms"
}

resource "aws_cloudwatch_metric_alarm" "users_table_read_throttled" {
  alarm_name          = "Users-read-throttled"
  alarm_description   = "Users: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.users.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "users_table_write_throttled" {
  alarm_name          = "Users-write-throttled"
  alarm_description   = "Users: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.users.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "users_table_waiting_index_read_throttled" {
  alarm_name        = "Users-WaitingIndex-read-throttled"
  alarm_description = "Users, WaitingIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.users.name
    GlobalSecondaryIndexName = "WaitingIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "users_table_waiting_index_write_throttled" {
  alarm_name        = "Users-WaitingIndex-write-throttled"
  alarm_description = "Users, WaitingIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.users.name
    GlobalSecondaryIndexName = "WaitingIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "users_table_get_item_system_errors" {
  alarm_name        = "Users-get-item-system-errors"
  alarm_description = "Users: GetItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.users.name
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

resource "aws_cloudwatch_metric_alarm" "users_table_put_item_system_errors" {
  alarm_name        = "Users-put-item-system-errors"
  alarm_description = "Users: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.users.name
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

resource "aws_cloudwatch_metric_alarm" "users_table_query_system_errors" {
  alarm_name        = "Users-query-system-errors"
  alarm_description = "Users: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.users.name
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

resource "aws_cloudwatch_metric_alarm" "users_table_transact_write_items_system_errors" {
  alarm_name        = "Users-transact-write-items-system-errors"
  alarm_description = "Users: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.users.name
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

resource "aws_cloudwatch_metric_alarm" "users_table_update_item_system_errors" {
  alarm_name        = "Users-update-item-system-errors"
  alarm_description = "Users: UpdateItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.users.name
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

resource "aws_cloudwatch_metric_alarm" "users_table_conditional_failures" {
  alarm_name          = "Users-conditional-failures"
  alarm_description   = "Users: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.users.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "users_table_transaction_conflicts" {
  alarm_name          = "Users-transaction-conflicts"
  alarm_description   = "Users: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.users.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_table_read_throttled" {
  alarm_name          = "Sessions-read-throttled"
  alarm_description   = "Sessions: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.sessions.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_table_write_throttled" {
  alarm_name          = "Sessions-write-throttled"
  alarm_description   = "Sessions: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.sessions.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_table_user_sessions_index_read_throttled" {
  alarm_name        = "Sessions-UserSessionsIndex-read-throttled"
  alarm_description = "Sessions, UserSessionsIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.sessions.name
    GlobalSecondaryIndexName = "UserSessionsIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_table_user_sessions_index_write_throttled" {
  alarm_name        = "Sessions-UserSessionsIndex-write-throttled"
  alarm_description = "Sessions, UserSessionsIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.sessions.name
    GlobalSecondaryIndexName = "UserSessionsIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_table_partner_sessions_index_read_throttled" {
  alarm_name        = "Sessions-PartnerSessionsIndex-read-throttled"
  alarm_description = "Sessions, PartnerSessionsIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.sessions.name
    GlobalSecondaryIndexName = "PartnerSessionsIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_table_partner_sessions_index_write_throttled" {
  alarm_name        = "Sessions-PartnerSessionsIndex-write-throttled"
  alarm_description = "Sessions, PartnerSessionsIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.sessions.name
    GlobalSecondaryIndexName = "PartnerSessionsIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_table_get_item_system_errors" {
  alarm_name        = "Sessions-get-item-system-errors"
  alarm_description = "Sessions: GetItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.sessions.name
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

resource "aws_cloudwatch_metric_alarm" "sessions_table_query_system_errors" {
  alarm_name        = "Sessions-query-system-errors"
  alarm_description = "Sessions: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.sessions.name
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

resource "aws_cloudwatch_metric_alarm" "sessions_table_transact_write_items_system_errors" {
  alarm_name        = "Sessions-transact-write-items-system-errors"
  alarm_description = "Sessions: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.sessions.name
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

resource "aws_cloudwatch_metric_alarm" "sessions_table_conditional_failures" {
  alarm_name          = "Sessions-conditional-failures"
  alarm_description   = "Sessions: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.sessions.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_table_transaction_conflicts" {
  alarm_name          = "Sessions-transaction-conflicts"
  alarm_description   = "Sessions: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.sessions.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_errors" {
  alarm_name          = "One-on-One-prod-user-errors"
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
