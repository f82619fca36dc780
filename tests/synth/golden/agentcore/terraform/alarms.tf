# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_sns_topic" "alarm_topic" {
  name = "agentcore-prod-alarms"
}

resource "aws_cloudwatch_metric_alarm" "assistants_table_read_throttled" {
  alarm_name          = "agentcore-prod-assistants-read-throttled"
  alarm_description   = "agentcore-prod-assistants: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.assistants.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "assistants_table_write_throttled" {
  alarm_name          = "agentcore-prod-assistants-write-throttled"
  alarm_description   = "agentcore-prod-assistants: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.assistants.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "assistants_table_owner_status_index_read_throttled" {
  alarm_name        = "agentcore-prod-assistants-OwnerStatusIndex-read-throttled"
  alarm_description = "agentcore-prod-assistants, OwnerStatusIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.assistants.name
    GlobalSecondaryIndexName = "OwnerStatusIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "assistants_table_owner_status_index_write_throttled" {
  alarm_name        = "agentcore-prod-assistants-OwnerStatusIndex-write-throttled"
  alarm_description = "agentcore-prod-assistants, OwnerStatusIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.assistants.name
    GlobalSecondaryIndexName = "OwnerStatusIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "assistants_table_email_domain_index_read_throttled" {
  alarm_name        = "agentcore-prod-assistants-EmailDomainIndex-read-throttled"
  alarm_description = "agentcore-prod-assistants, EmailDomainIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.assistants.name
    GlobalSecondaryIndexName = "EmailDomainIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "assistants_table_email_domain_index_write_throttled" {
  alarm_name        = "agentcore-prod-assistants-EmailDomainIndex-write-throttled"
  alarm_description = "agentcore-prod-assistants, EmailDomainIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.assistants.name
    GlobalSecondaryIndexName = "EmailDomainIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "assistants_table_created_at_index_read_throttled" {
  alarm_name        = "agentcore-prod-assistants-CreatedAtIndex-read-throttled"
  alarm_description = "agentcore-prod-assistants, CreatedAtIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.assistants.name
    GlobalSecondaryIndexName = "CreatedAtIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "assistants_table_created_at_index_write_throttled" {
  alarm_name        = "agentcore-prod-assistants-CreatedAtIndex-write-throttled"
  alarm_description = "agentcore-prod-assistants, CreatedAtIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.assistants.name
    GlobalSecondaryIndexName = "CreatedAtIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "assistants_table_delete_item_system_errors" {
  alarm_name        = "agentcore-prod-assistants-delete-item-system-errors"
  alarm_description = "agentcore-prod-assistants: DeleteItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.assistants.name
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

resource "aws_cloudwatch_metric_alarm" "assistants_table_get_item_system_errors" {
  alarm_name        = "agentcore-prod-assistants-get-item-system-errors"
  alarm_description = "agentcore-prod-assistants: GetItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.assistants.name
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

resource "aws_cloudwatch_metric_alarm" "assistants_table_put_item_system_errors" {
  alarm_name        = "agentcore-prod-assistants-put-item-system-errors"
  alarm_description = "agentcore-prod-assistants: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.assistants.name
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

resource "aws_cloudwatch_metric_alarm" "assistants_table_query_system_errors" {
  alarm_name        = "agentcore-prod-assistants-query-system-errors"
  alarm_description = "agentcore-prod-assistants: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.assistants.name
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

resource "aws_cloudwatch_metric_alarm" "assistants_table_update_item_system_errors" {
  alarm_name        = "agentcore-prod-assistants-update-item-system-errors"
  alarm_description = "agentcore-prod-assistants: UpdateItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.assistants.name
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

resource "aws_cloudwatch_metric_alarm" "assistants_table_conditional_failures" {
  alarm_name          = "agentcore-prod-assistants-conditional-failures"
  alarm_description   = "agentcore-prod-assistants: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.assistants.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "quota_events_table_read_throttled" {
  alarm_name          = "agentcore-prod-quota-events-read-throttled"
  alarm_description   = "agentcore-prod-quota-events: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.quota_events.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "quota_events_table_write_throttled" {
  alarm_name          = "agentcore-prod-quota-events-write-throttled"
  alarm_description   = "agentcore-prod-quota-events: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.quota_events.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "quota_events_table_tier_event_index_read_throttled" {
  alarm_name        = "agentcore-prod-quota-events-TierEventIndex-read-throttled"
  alarm_description = "agentcore-prod-quota-events, TierEventIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.quota_events.name
    GlobalSecondaryIndexName = "TierEventIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "quota_events_table_tier_event_index_write_throttled" {
  alarm_name        = "agentcore-prod-quota-events-TierEventIndex-write-throttled"
  alarm_description = "agentcore-prod-quota-events, TierEventIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.quota_events.name
    GlobalSecondaryIndexName = "TierEventIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "quota_events_table_put_item_system_errors" {
  alarm_name        = "agentcore-prod-quota-events-put-item-system-errors"
  alarm_description = "agentcore-prod-quota-events: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.quota_events.name
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

resource "aws_cloudwatch_metric_alarm" "quota_events_table_query_system_errors" {
  alarm_name        = "agentcore-prod-quota-events-query-system-errors"
  alarm_description = "agentcore-prod-quota-events: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.quota_events.name
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

resource "aws_cloudwatch_metric_alarm" "quota_events_table_transact_write_items_system_errors" {
  alarm_name        = "agentcore-prod-quota-events-transact-write-items-system-errors"
  alarm_description = "agentcore-prod-quota-events: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.quota_events.name
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

resource "aws_cloudwatch_metric_alarm" "quota_events_table_conditional_failures" {
  alarm_name          = "agentcore-prod-quota-events-conditional-failures"
  alarm_description   = "agentcore-prod-quota-events: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.quota_events.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "quota_events_table_transaction_conflicts" {
  alarm_name          = "agentcore-prod-quota-events-transaction-conflicts"
  alarm_description   = "agentcore-prod-quota-events: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.quota_events.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_read_throttled" {
  alarm_name          = "agentcore-prod-user-quotas-read-throttled"
  alarm_description   = "agentcore-prod-user-quotas: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.user_quotas.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_write_throttled" {
  alarm_name          = "agentcore-prod-user-quotas-write-throttled"
  alarm_description   = "agentcore-prod-user-quotas: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.user_quotas.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_tier_lookup_index_read_throttled" {
  alarm_name        = "agentcore-prod-user-quotas-TierLookupIndex-read-throttled"
  alarm_description = "agentcore-prod-user-quotas, TierLookupIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.user_quotas.name
    GlobalSecondaryIndexName = "TierLookupIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_tier_lookup_index_write_throttled" {
  alarm_name        = "agentcore-prod-user-quotas-TierLookupIndex-write-throttled"
  alarm_description = "agentcore-prod-user-quotas, TierLookupIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.user_quotas.name
    GlobalSecondaryIndexName = "TierLookupIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_subject_index_read_throttled" {
  alarm_name        = "agentcore-prod-user-quotas-SubjectIndex-read-throttled"
  alarm_description = "agentcore-prod-user-quotas, SubjectIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.user_quotas.name
    GlobalSecondaryIndexName = "SubjectIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_subject_index_write_throttled" {
  alarm_name        = "agentcore-prod-user-quotas-SubjectIndex-write-throttled"
  alarm_description = "agentcore-prod-user-quotas, SubjectIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.user_quotas.name
    GlobalSecondaryIndexName = "SubjectIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_assignment_type_index_read_throttled" {
  alarm_name        = "agentcore-prod-user-quotas-AssignmentTypeIndex-read-throttled"
  alarm_description = "agentcore-prod-user-quotas, AssignmentTypeIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.user_quotas.name
    GlobalSecondaryIndexName = "AssignmentTypeIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_assignment_type_index_write_throttled" {
  alarm_name        = "agentcore-prod-user-quotas-AssignmentTypeIndex-write-throttled"
  alarm_description = "agentcore-prod-user-quotas, AssignmentTypeIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.user_quotas.name
    GlobalSecondaryIndexName = "AssignmentTypeIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_get_item_system_errors" {
  alarm_name        = "agentcore-prod-user-quotas-get-item-system-errors"
  alarm_description = "agentcore-prod-user-quotas: GetItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.user_quotas.name
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

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_put_item_system_errors" {
  alarm_name        = "agentcore-prod-user-quotas-put-item-system-errors"
  alarm_description = "agentcore-prod-user-quotas: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.user_quotas.name
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

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_query_system_errors" {
  alarm_name        = "agentcore-prod-user-quotas-query-system-errors"
  alarm_description = "agentcore-prod-user-quotas: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.user_quotas.name
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

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_transact_write_items_system_errors" {
  alarm_name        = "agentcore-prod-user-quotas-transact-write-items-system-errors"
  alarm_description = "agentcore-prod-user-quotas: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.user_quotas.name
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

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_update_item_system_errors" {
  alarm_name        = "agentcore-prod-user-quotas-update-item-system-errors"
  alarm_description = "agentcore-prod-user-quotas: UpdateItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.user_quotas.name
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

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_conditional_failures" {
  alarm_name          = "agentcore-prod-user-quotas-conditional-failures"
  alarm_description   = "agentcore-prod-user-quotas: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.user_quotas.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_quotas_table_transaction_conflicts" {
  alarm_name          = "agentcore-prod-user-quotas-transaction-conflicts"
  alarm_description   = "agentcore-prod-user-quotas: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.user_quotas.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_read_throttled" {
  alarm_name          = "agentcore-prod-sessions-metadata-read-throttled"
  alarm_description   = "agentcore-prod-sessions-metadata: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.sessions_metadata.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_write_throttled" {
  alarm_name          = "agentcore-prod-sessions-metadata-write-throttled"
  alarm_description   = "agentcore-prod-sessions-metadata: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.sessions_metadata.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_user_timestamp_index_read_throttled" {
  alarm_name        = "agentcore-prod-sessions-metadata-UserTimestampIndex-read-throttled"
  alarm_description = "agentcore-prod-sessions-metadata, UserTimestampIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.sessions_metadata.name
    GlobalSecondaryIndexName = "UserTimestampIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_user_timestamp_index_write_throttled" {
  alarm_name        = "agentcore-prod-sessions-metadata-UserTimestampIndex-write-throttled"
  alarm_description = "agentcore-prod-sessions-metadata, UserTimestampIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.sessions_metadata.name
    GlobalSecondaryIndexName = "UserTimestampIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_session_lookup_index_read_throttled" {
  alarm_name        = "agentcore-prod-sessions-metadata-SessionLookupIndex-read-throttled"
  alarm_description = "agentcore-prod-sessions-metadata, SessionLookupIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.sessions_metadata.name
    GlobalSecondaryIndexName = "SessionLookupIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_session_lookup_index_write_throttled" {
  alarm_name        = "agentcore-prod-sessions-metadata-SessionLookupIndex-write-throttled"
  alarm_description = "agentcore-prod-sessions-metadata, SessionLookupIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.sessions_metadata.name
    GlobalSecondaryIndexName = "SessionLookupIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_put_item_system_errors" {
  alarm_name        = "agentcore-prod-sessions-metadata-put-item-system-errors"
  alarm_description = "agentcore-prod-sessions-metadata: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.sessions_metadata.name
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

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_query_system_errors" {
  alarm_name        = "agentcore-prod-sessions-metadata-query-system-errors"
  alarm_description = "agentcore-prod-sessions-metadata: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.sessions_metadata.name
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

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_transact_write_items_system_errors" {
  alarm_name        = "agentcore-prod-sessions-metadata-transact-write-items-system-errors"
  alarm_description = "agentcore-prod-sessions-metadata: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.sessions_metadata.name
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

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_update_item_system_errors" {
  alarm_name        = "agentcore-prod-sessions-metadata-update-item-system-errors"
  alarm_description = "agentcore-prod-sessions-metadata: UpdateItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.sessions_metadata.name
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

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_conditional_failures" {
  alarm_name          = "agentcore-prod-sessions-metadata-conditional-failures"
  alarm_description   = "agentcore-prod-sessions-metadata: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.sessions_metadata.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "sessions_metadata_table_transaction_conflicts" {
  alarm_name          = "agentcore-prod-sessions-metadata-transaction-conflicts"
  alarm_description   = "agentcore-prod-sessions-metadata: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.sessions_metadata.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "oidc_state_table_read_throttled" {
  alarm_name          = "agentcore-prod-oidc-state-read-throttled"
  alarm_description   = "agentcore-prod-oidc-state: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.oidc_state.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "oidc_state_table_write_throttled" {
  alarm_name          = "agentcore-prod-oidc-state-write-throttled"
  alarm_description   = "agentcore-prod-oidc-state: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.oidc_state.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "oidc_state_table_delete_item_system_errors" {
  alarm_name        = "agentcore-prod-oidc-state-delete-item-system-errors"
  alarm_description = "agentcore-prod-oidc-state: DeleteItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.oidc_state.name
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

resource "aws_cloudwatch_metric_alarm" "oidc_state_table_put_item_system_errors" {
  alarm_name        = "agentcore-prod-oidc-state-put-item-system-errors"
  alarm_description = "agentcore-prod-oidc-state: PutItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.oidc_state.name
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

resource "aws_cloudwatch_metric_alarm" "oidc_state_table_conditional_failures" {
  alarm_name          = "agentcore-prod-oidc-state-conditional-failures"
  alarm_description   = "agentcore-prod-oidc-state: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.oidc_state.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_cost_summary_table_read_throttled" {
  alarm_name          = "agentcore-prod-user-cost-summary-read-throttled"
  alarm_description   = "agentcore-prod-user-cost-summary: Reads were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ReadThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.user_cost_summary.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_cost_summary_table_write_throttled" {
  alarm_name          = "agentcore-prod-user-cost-summary-write-throttled"
  alarm_description   = "agentcore-prod-user-cost-summary: Writes were throttled"
  namespace           = "AWS/DynamoDB"
  metric_name         = "WriteThrottleEvents"
  dimensions          = { TableName = aws_dynamodb_table.user_cost_summary.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_cost_summary_table_top_spenders_index_read_throttled" {
  alarm_name        = "agentcore-prod-user-cost-summary-TopSpendersIndex-read-throttled"
  alarm_description = "agentcore-prod-user-cost-summary, TopSpendersIndex: Reads were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "ReadThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.user_cost_summary.name
    GlobalSecondaryIndexName = "TopSpendersIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_cost_summary_table_top_spenders_index_write_throttled" {
  alarm_name        = "agentcore-prod-user-cost-summary-TopSpendersIndex-write-throttled"
  alarm_description = "agentcore-prod-user-cost-summary, TopSpendersIndex: Writes were throttled"
  namespace         = "AWS/DynamoDB"
  metric_name       = "WriteThrottleEvents"
  dimensions = {
    TableName                = aws_dynamodb_table.user_cost_summary.name
    GlobalSecondaryIndexName = "TopSpendersIndex"
  }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_cost_summary_table_get_item_system_errors" {
  alarm_name        = "agentcore-prod-user-cost-summary-get-item-system-errors"
  alarm_description = "agentcore-prod-user-cost-summary: GetItem failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.user_cost_summary.name
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

resource "aws_cloudwatch_metric_alarm" "user_cost_summary_table_query_system_errors" {
  alarm_name        = "agentcore-prod-user-cost-summary-query-system-errors"
  alarm_description = "agentcore-prod-user-cost-summary: Query failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.user_cost_summary.name
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

resource "aws_cloudwatch_metric_alarm" "user_cost_summary_table_transact_write_items_system_errors" {
  alarm_name        = "agentcore-prod-user-cost-summary-transact-write-items-system-errors"
  alarm_description = "agentcore-prod-user-cost-summary: TransactWriteItems failed within DynamoDB"
  namespace         = "AWS/DynamoDB"
  metric_name       = "SystemErrors"
  dimensions = {
    TableName = aws_dynamodb_table.user_cost_summary.name
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

resource "aws_cloudwatch_metric_alarm" "user_cost_summary_table_conditional_failures" {
  alarm_name          = "agentcore-prod-user-cost-summary-conditional-failures"
  alarm_description   = "agentcore-prod-user-cost-summary: Many conditions of writes did not hold"
  namespace           = "AWS/DynamoDB"
  metric_name         = "ConditionalCheckFailedRequests"
  dimensions          = { TableName = aws_dynamodb_table.user_cost_summary.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 1000
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_cost_summary_table_transaction_conflicts" {
  alarm_name          = "agentcore-prod-user-cost-summary-transaction-conflicts"
  alarm_description   = "agentcore-prod-user-cost-summary: Many requests met a transaction on the same record"
  namespace           = "AWS/DynamoDB"
  metric_name         = "TransactionConflict"
  dimensions          = { TableName = aws_dynamodb_table.user_cost_summary.name }
  statistic           = "Sum"
  period              = 300
  evaluation_periods  = 1
  threshold           = 100
  comparison_operator = "GreaterThanOrEqualToThreshold"
  treat_missing_data  = "notBreaching"
  alarm_actions       = [aws_sns_topic.alarm_topic.arn]
}

resource "aws_cloudwatch_metric_alarm" "user_errors" {
  alarm_name          = "agentcore-prod-user-errors"
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
