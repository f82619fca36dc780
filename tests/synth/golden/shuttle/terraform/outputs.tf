# Made from the design by `sortkey synth`. Change the design and make it anew.

output "shuttle_table_name" {
  description = "The name of InavorShuttleTable, as it is deployed"
  value       = aws_dynamodb_table.shuttle.name
}

output "merchant_policy_arn" {
  description = "What the patterns of the role merchant send, each session for one domain"
  value       = aws_iam_policy.merchant.arn
}

output "gatekeeper_policy_arn" {
  description = "What the patterns of the role gatekeeper send"
  value       = aws_iam_policy.gatekeeper.arn
}

output "worker_policy_arn" {
  description = "What the patterns of the role worker send"
  value       = aws_iam_policy.worker.arn
}

output "operator_policy_arn" {
  description = "What the patterns of the role operator send"
  value       = aws_iam_policy.operator.arn
}

output "eraser_policy_arn" {
  description = "What the patterns of the role eraser send"
  value       = aws_iam_policy.eraser.arn
}

output "alarm_topic_arn" {
  description = "Where alarms go"
  value       = aws_sns_topic.alarm_topic.arn
}
