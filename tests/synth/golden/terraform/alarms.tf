# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_sns_topic" "alarm_topic" {
  name = "gymcoach-prod-alarms"
}

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_read_throttled" {
  alarm_name          = "gymcoach-ai-main-read-throttled"
  alarm_description   = "gymcoach-ai-main: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.gym_coach.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_write_throttled" {
  alarm_name          = "gymcoach-ai-main-write-throttled"
  alarm_description   = "gymcoach-ai-main: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.gym_coach.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_gsi_1_read_throttled" {
  alarm_name        = "gymcoach-ai-main-GSI1-read-throttled"
  alarm_description = "gymcoach-ai-main, GSI1: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.gym_coach.name
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

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_gsi_1_write_throttled" {
  alarm_name        = "gymcoach-ai-main-GSI1-write-throttled"
  alarm_description = "gymcoach-ai-main, GSI1: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.gym_coach.name
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

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_gsi_2_read_throttled" {
  alarm_name        = "gymcoach-ai-main-GSI2-read-throttled"
  alarm_description = "gymcoach-ai-main, GSI2: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.gym_coach.name
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

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_gsi_2_write_throttled" {
  alarm_name        = "gymcoach-ai-main-GSI2-write-throttled"
  alarm_description = "gymcoach-ai-main, GSI2: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.gym_coach.name
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

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_delete_item_system_errors" {
  alarm_name        = "gymcoach-ai-main-delete-item-system-errors"
  alarm_description = "gymcoach-ai-main: DeleteItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
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

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_delete_item_latency" {
  alarm_name        = "gymcoach-ai-main-delete-item-latency"
  alarm_description = "gymcoach-ai-main: DeleteItem takes 50 ms or more on average"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SuccessfulRequestLatency"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
    Operation = "DeleteItem"
  }
  statistic           = "Average"
  period              = 300
  evaluation_periods  = 1
  threshold           = 50
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_get_item_system_errors" {
  alarm_name        = "gymcoach-ai-main-get-item-system-errors"
  alarm_description = "gymcoach-ai-main: GetItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
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

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_get_item_latency" {
  alarm_name        = "gymcoach-ai-main-get-item-latency"
  alarm_description = "gymcoach-ai-main: GetItem takes 50 ms or more on average"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SuccessfulRequestLatency"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
    Operation = "GetItem"
  }
  statistic           = "Average"
  period              = 300
  evaluation_periods  = 1
  threshold           = 50
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_put_item_system_errors" {
  alarm_name        = "gymcoach-ai-main-put-item-system-errors"
  alarm_description = "gymcoach-ai-main: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
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

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_put_item_latency" {
  alarm_name        = "gymcoach-ai-main-put-item-latency"
  alarm_description = "gymcoach-ai-main: PutItem takes 50 ms or more on average"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SuccessfulRequestLatency"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
    Operation = "PutItem"
  }
  statistic           = "Average"
  period              = 300
  evaluation_periods  = 1
  threshold           = 50
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_query_system_errors" {
  alarm_name        = "gymcoach-ai-main-query-system-errors"
  alarm_description = "gymcoach-ai-main: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
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

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_query_latency" {
  alarm_name        = "gymcoach-ai-main-query-latency"
  alarm_description = "gymcoach-ai-main: Query takes 50 ms or more on average"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SuccessfulRequestLatency"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
    Operation = "Query"
  }
  statistic           = "Average"
  period              = 300
  evaluation_periods  = 1
  threshold           = 50
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_transact_write_items_system_errors" {
  alarm_name        = "gymcoach-ai-main-transact-write-items-system-errors"
  alarm_description = "gymcoach-ai-main: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
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

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_transact_write_items_latency" {
  alarm_name        = "gymcoach-ai-main-transact-write-items-latency"
  alarm_description = "gymcoach-ai-main: TransactWriteItems takes 50 ms or more on average"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SuccessfulRequestLatency"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
    Operation = "TransactWriteItems"
  }
  statistic           = "Average"
  period              = 300
  evaluation_periods  = 1
  threshold           = 50
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_update_item_system_errors" {
  alarm_name        = "gymcoach-ai-main-update-item-system-errors"
  alarm_description = "gymcoach-ai-main: UpdateItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
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

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_update_item_latency" {
  alarm_name        = "gymcoach-ai-main-update-item-latency"
  alarm_description = "gymcoach-ai-main: UpdateItem takes 50 ms or more on average"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SuccessfulRequestLatency"
  dimensions = {
    TableName = aws_dynamodb_table.gym_coach.name
    Operation = "UpdateItem"
  }
  statistic           = "Average"
  period              = 300
  evaluation_periods  = 1
  threshold           = 50
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_conditional_failures" {
  alarm_name          = "gymcoach-ai-main-conditional-failures"
  alarm_description   = "gymcoach-ai-main: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.gym_coach.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "gym_coach_table_transaction_conflicts" {
  alarm_name          = "gymcoach-ai-main-transaction-conflicts"
  alarm_description   = "gymcoach-ai-main: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.gym_coach.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_errors" {
  alarm_name          = "gymcoach-prod-user-errors"
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
