# Made from the design by `sortkey synth`. Change the design and make it anew.

output "commit_collect_table_name" {
  description = "The name of CommitCollect, as it is deployed"
  value       = aws_dynamodb_table.commit_collect.name
}

output "commit_collect_sessions_table_name" {
  description = "The name of CommitCollectSessions, as it is deployed"
  value       = aws_dynamodb_table.commit_collect_sessions.name
}

output "commit_collect_audit_table_name" {
  description = "The name of CommitCollectAudit, as it is deployed"
  value       = aws_dynamodb_table.commit_collect_audit.name
}

output "commit_collect_idempotency_table_name" {
  description = "The name of CommitCollectIdempotency, as it is deployed"
  value       = aws_dynamodb_table.commit_collect_idempotency.name
}

output "app_policy_arn" {
  description = "What the patterns of the role app send, each session for one user_id"
  value       = aws_iam_policy.app.arn
}

output "catalog_policy_arn" {
  description = "What the patterns of the role catalog send"
  value       = aws_iam_policy.catalog.arn
}

output "sign_in_policy_arn" {
  description = "What the patterns of the role sign-in send"
  value       = aws_iam_policy.sign_in.arn
}

output "connector_policy_arn" {
  description = "What the patterns of the role connector send"
  value       = aws_iam_policy.connector.arn
}

output "webhook_policy_arn" {
  description = "What the patterns of the role webhook send"
  value       = aws_iam_policy.webhook.arn
}

output "worker_policy_arn" {
  description = "What the patterns of the role worker send"
  value       = aws_iam_policy.worker.arn
}

output "eraser_policy_arn" {
  description = "What the patterns of the role eraser send"
  value       = aws_iam_policy.eraser.arn
}

output "auditor_policy_arn" {
  description = "What the patterns of the role auditor send"
  value       = aws_iam_policy.auditor.arn
}

output "editor_policy_arn" {
  description = "What the patterns of the role editor send"
  value       = aws_iam_policy.editor.arn
}

output "alarm_topic_arn" {
  description = "Where alarms go"
  value       = aws_sns_topic.alarm_topic.arn
}
