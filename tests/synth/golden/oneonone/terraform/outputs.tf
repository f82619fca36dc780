# Made from the design by `sortkey synth`. Change the design and make it anew.

output "users_table_name" {
  description = "The name of Users, as it is deployed"
  value       = aws_dynamodb_table.users.name
}

output "sessions_table_name" {
  description = "The name of Sessions, as it is deployed"
  value       = aws_dynamodb_table.sessions.name
}

output "member_policy_arn" {
  description = "What the patterns of the role member send, each session for one user_id"
  value       = aws_iam_policy.member.arn
}

output "calls_policy_arn" {
  description = "What the patterns of the role calls send"
  value       = aws_iam_policy.calls.arn
}

output "matchmaker_policy_arn" {
  description = "What the patterns of the role matchmaker send"
  value       = aws_iam_policy.matchmaker.arn
}

output "alarm_topic_arn" {
  description = "Where alarms go"
  value       = aws_sns_topic.alarm_topic.arn
}
