# Made from the design by `sortkey synth`. Change the design and make it anew.

output "assistants_table_name" {
  description = "The name of agentcore-prod-assistants, as it is deployed"
  value       = aws_dynamodb_table.assistants.name
}

output "quota_events_table_name" {
  description = "The name of agentcore-prod-quota-events, as it is deployed"
  value       = aws_dynamodb_table.quota_events.name
}

output "user_quotas_table_name" {
  description = "The name of agentcore-prod-user-quotas, as it is deployed"
  value       = aws_dynamodb_table.user_quotas.name
}

output "sessions_metadata_table_name" {
  description = "The name of agentcore-prod-sessions-metadata, as it is deployed"
  value       = aws_dynamodb_table.sessions_metadata.name
}

output "oidc_state_table_name" {
  description = "The name of agentcore-prod-oidc-state, as it is deployed"
  value       = aws_dynamodb_table.oidc_state.name
}

output "user_cost_summary_table_name" {
  description = "The name of agentcore-prod-user-cost-summary, as it is deployed"
  value       = aws_dynamodb_table.user_cost_summary.name
}

output "quota_reader_policy_arn" {
  description = "What the patterns of the role quota-reader send"
  value       = aws_iam_policy.quota_reader.arn
}

output "quota_admin_policy_arn" {
  description = "What the patterns of the role quota-admin send"
  value       = aws_iam_policy.quota_admin.arn
}

output "quota_check_policy_arn" {
  description = "What the patterns of the role quota-check send"
  value       = aws_iam_policy.quota_check.arn
}

output "cost_reader_policy_arn" {
  description = "What the patterns of the role cost-reader send"
  value       = aws_iam_policy.cost_reader.arn
}

output "chat_policy_arn" {
  description = "What the patterns of the role chat send"
  value       = aws_iam_policy.chat.arn
}

output "sign_in_policy_arn" {
  description = "What the patterns of the role sign-in send"
  value       = aws_iam_policy.sign_in.arn
}

output "assistant_reader_policy_arn" {
  description = "What the patterns of the role assistant-reader send"
  value       = aws_iam_policy.assistant_reader.arn
}

output "assistant_builder_policy_arn" {
  description = "What the patterns of the role assistant-builder send"
  value       = aws_iam_policy.assistant_builder.arn
}

output "alarm_topic_arn" {
  description = "Where alarms go"
  value       = aws_sns_topic.alarm_topic.arn
}
