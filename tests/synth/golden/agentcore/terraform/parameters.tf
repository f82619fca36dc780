# Made from the design by `sortkey synth`. Change the design and make it anew.

resource "aws_ssm_parameter" "assistants" {
  name        = "/agentcore-prod/assistants/assistants-table-name"
  description = "Assistants DynamoDB table name"
  type        = "String"
  value       = aws_dynamodb_table.assistants.name
}

resource "aws_ssm_parameter" "quota_events" {
  name        = "/agentcore-prod/quota/quota-events-table-name"
  description = "Quota events DynamoDB table name"
  type        = "String"
  value       = aws_dynamodb_table.quota_events.name
}

resource "aws_ssm_parameter" "user_quotas" {
  name        = "/agentcore-prod/quota/user-quotas-table-name"
  description = "User quotas DynamoDB table name"
  type        = "String"
  value       = aws_dynamodb_table.user_quotas.name
}

resource "aws_ssm_parameter" "sessions_metadata" {
  name        = "/agentcore-prod/cost-tracking/sessions-metadata-table-name"
  description = "Sessions metadata DynamoDB table name"
  type        = "String"
  value       = aws_dynamodb_table.sessions_metadata.name
}

resource "aws_ssm_parameter" "oidc_state" {
  name        = "/agentcore-prod/auth/oidc-state-table-name"
  description = "OIDC state DynamoDB table name"
  type        = "String"
  value       = aws_dynamodb_table.oidc_state.name
}

resource "aws_ssm_parameter" "user_cost_summary" {
  name        = "/agentcore-prod/cost-tracking/user-cost-summary-table-name"
  description = "User cost summary DynamoDB table name"
  type        = "String"
  value       = aws_dynamodb_table.user_cost_summary.name
}
