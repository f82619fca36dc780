# Made from the design by `sortkey synth`. Change the design and make it anew.

output "gym_coach_table_name" {
  description = "The name of gymcoach-ai-main, as it is deployed"
  value       = aws_dynamodb_table.gym_coach.name
}

output "app_policy_arn" {
  description = "What the patterns of the role app send"
  value       = aws_iam_policy.app.arn
}

output "coach_policy_arn" {
  description = "What the patterns of the role coach send"
  value       = aws_iam_policy.coach.arn
}

output "editor_policy_arn" {
  description = "What the patterns of the role editor send"
  value       = aws_iam_policy.editor.arn
}

output "eraser_policy_arn" {
  description = "What the patterns of the role eraser send"
  value       = aws_iam_policy.eraser.arn
}

output "library_policy_arn" {
  description = "What the patterns of the role library send"
  value       = aws_iam_policy.library.arn
}

output "member_policy_arn" {
  description = "What the patterns of the role member send, each session for one user_id"
  value       = aws_iam_policy.member.arn
}

output "messenger_policy_arn" {
  description = "What the patterns of the role messenger send"
  value       = aws_iam_policy.messenger.arn
}

output "alarm_topic_arn" {
  description = "Where alarms go"
  value       = aws_sns_topic.alarm_topic.arn
}
