# Made from the design by `sortkey synth`. Change the design and make it anew.

data "aws_iam_policy_document" "quota_reader" {
  # For live_overrides, assignments_of_user, assignments_of_app_role, assignments_of_role,
  # assignments_of_domain, default_assignments, all_tiers, assignments_of_tier,
  # assignments_of_type, overrides_of_user.
  statement {
    sid     = "UserQuotas"
    actions = ["dynamodb:Query"]
    resources = [
      "${aws_dynamodb_table.user_quotas.arn}/index/AssignmentTypeIndex",
      "${aws_dynamodb_table.user_quotas.arn}/index/SubjectIndex",
      "${aws_dynamodb_table.user_quotas.arn}/index/TierLookupIndex",
    ]
  }

  # For quota_config, tier_by_id, assignment_by_id, override_by_id.
  statement {
    sid       = "UserQuotas2"
    actions   = ["dynamodb:GetItem"]
    resources = [aws_dynamodb_table.user_quotas.arn]
  }

  # For summary_of.
  statement {
    sid       = "UserCostSummary"
    actions   = ["dynamodb:GetItem"]
    resources = [aws_dynamodb_table.user_cost_summary.arn]
  }

  # For events_of_user, events_of_tier.
  statement {
    sid     = "QuotaEvents"
    actions = ["dynamodb:Query"]
    resources = [
      aws_dynamodb_table.quota_events.arn,
      "${aws_dynamodb_table.quota_events.arn}/index/TierEventIndex",
    ]
  }
}

resource "aws_iam_policy" "quota_reader" {
  name        = "agentcore-prod-quota-reader"
  description = "What the patterns of the role quota-reader send"
  policy      = data.aws_iam_policy_document.quota_reader.json
}

data "aws_iam_policy_document" "quota_admin" {
  # For live_overrides, assignments_of_user, assignments_of_app_role, assignments_of_role,
  # assignments_of_domain, default_assignments, all_tiers, assignments_of_tier,
  # assignments_of_type, overrides_of_user.
  statement {
    sid     = "UserQuotas"
    actions = ["dynamodb:Query"]
    resources = [
      "${aws_dynamodb_table.user_quotas.arn}/index/AssignmentTypeIndex",
      "${aws_dynamodb_table.user_quotas.arn}/index/SubjectIndex",
      "${aws_dynamodb_table.user_quotas.arn}/index/TierLookupIndex",
    ]
  }

  # For quota_config, tier_by_id, assignment_by_id, override_by_id, add_tier, change_terms,
  # remove_tier, remove_tier_without_config, write_default_tier, write_no_default_tier,
  # add_assignment, move_assignment, change_assignment, remove_assignment, add_override,
  # change_override.
  statement {
    sid = "UserQuotas2"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:DeleteItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.user_quotas.arn]
  }

  # For summary_of.
  statement {
    sid       = "UserCostSummary"
    actions   = ["dynamodb:GetItem"]
    resources = [aws_dynamodb_table.user_cost_summary.arn]
  }

  # For events_of_user, add_override.
  statement {
    sid       = "QuotaEvents"
    actions   = ["dynamodb:PutItem", "dynamodb:Query"]
    resources = [aws_dynamodb_table.quota_events.arn]
  }

  # For events_of_tier.
  statement {
    sid       = "QuotaEvents2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.quota_events.arn}/index/TierEventIndex"]
  }
}

resource "aws_iam_policy" "quota_admin" {
  name        = "agentcore-prod-quota-admin"
  description = "What the patterns of the role quota-admin send"
  policy      = data.aws_iam_policy_document.quota_admin.json
}

data "aws_iam_policy_document" "quota_check" {
  # For live_overrides, assignments_of_user, assignments_of_app_role, assignments_of_role,
  # assignments_of_domain, default_assignments.
  statement {
    sid       = "UserQuotas"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.user_quotas.arn}/index/SubjectIndex"]
  }

  # For quota_config, tier_by_id.
  statement {
    sid       = "UserQuotas2"
    actions   = ["dynamodb:GetItem"]
    resources = [aws_dynamodb_table.user_quotas.arn]
  }

  # For summary_of.
  statement {
    sid       = "UserCostSummary"
    actions   = ["dynamodb:GetItem"]
    resources = [aws_dynamodb_table.user_cost_summary.arn]
  }

  # For add_event, warn_once.
  statement {
    sid       = "QuotaEvents"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.quota_events.arn]
  }
}

resource "aws_iam_policy" "quota_check" {
  name        = "agentcore-prod-quota-check"
  description = "What the patterns of the role quota-check send"
  policy      = data.aws_iam_policy_document.quota_check.json
}

data "aws_iam_policy_document" "cost_reader" {
  # For active_sessions, deleted_sessions, session_by_id, costs_of_user, costs_of_session.
  statement {
    sid     = "SessionsMetadata"
    actions = ["dynamodb:Query"]
    resources = [
      aws_dynamodb_table.sessions_metadata.arn,
      "${aws_dynamodb_table.sessions_metadata.arn}/index/SessionLookupIndex",
    ]
  }

  # For summary_of.
  statement {
    sid       = "UserCostSummary"
    actions   = ["dynamodb:GetItem"]
    resources = [aws_dynamodb_table.user_cost_summary.arn]
  }

  # For top_spenders.
  statement {
    sid       = "UserCostSummary2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.user_cost_summary.arn}/index/TopSpendersIndex"]
  }
}

resource "aws_iam_policy" "cost_reader" {
  name        = "agentcore-prod-cost-reader"
  description = "What the patterns of the role cost-reader send"
  policy      = data.aws_iam_policy_document.cost_reader.json
}

data "aws_iam_policy_document" "chat" {
  # For active_sessions, deleted_sessions, costs_of_user, add_session, move_session,
  # count_message, change_session, move_to_deleted, add_cost.
  statement {
    sid = "SessionsMetadata"
    actions = [
      "dynamodb:DeleteItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.sessions_metadata.arn]
  }

  # For session_by_id, costs_of_session.
  statement {
    sid       = "SessionsMetadata2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.sessions_metadata.arn}/index/SessionLookupIndex"]
  }

  # For summary_of, add_cost.
  statement {
    sid       = "UserCostSummary"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.user_cost_summary.arn]
  }

  # For top_spenders.
  statement {
    sid       = "UserCostSummary2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.user_cost_summary.arn}/index/TopSpendersIndex"]
  }
}

resource "aws_iam_policy" "chat" {
  name        = "agentcore-prod-chat"
  description = "What the patterns of the role chat send"
  policy      = data.aws_iam_policy_document.chat.json
}

data "aws_iam_policy_document" "sign_in" {
  # For add_state, consume_state.
  statement {
    sid       = "OidcState"
    actions   = ["dynamodb:DeleteItem", "dynamodb:PutItem"]
    resources = [aws_dynamodb_table.oidc_state.arn]
  }
}

resource "aws_iam_policy" "sign_in" {
  name        = "agentcore-prod-sign-in"
  description = "What the patterns of the role sign-in send"
  policy      = data.aws_iam_policy_document.sign_in.json
}

data "aws_iam_policy_document" "assistant_reader" {
  # For assistant_by_id.
  statement {
    sid       = "Assistants"
    actions   = ["dynamodb:GetItem"]
    resources = [aws_dynamodb_table.assistants.arn]
  }

  # For assistants_of_owner, assistants_of_domain, assistants_of_month.
  statement {
    sid     = "Assistants2"
    actions = ["dynamodb:Query"]
    resources = [
      "${aws_dynamodb_table.assistants.arn}/index/CreatedAtIndex",
      "${aws_dynamodb_table.assistants.arn}/index/EmailDomainIndex",
      "${aws_dynamodb_table.assistants.arn}/index/OwnerStatusIndex",
    ]
  }
}

resource "aws_iam_policy" "assistant_reader" {
  name        = "agentcore-prod-assistant-reader"
  description = "What the patterns of the role assistant-reader send"
  policy      = data.aws_iam_policy_document.assistant_reader.json
}

data "aws_iam_policy_document" "assistant_builder" {
  # For assistant_by_id, add_assistant, write_status, write_name, remove_assistant.
  statement {
    sid = "Assistants"
    actions = [
      "dynamodb:DeleteItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.assistants.arn]
  }

  # For assistants_of_owner, assistants_of_domain, assistants_of_month.
  statement {
    sid     = "Assistants2"
    actions = ["dynamodb:Query"]
    resources = [
      "${aws_dynamodb_table.assistants.arn}/index/CreatedAtIndex",
      "${aws_dynamodb_table.assistants.arn}/index/EmailDomainIndex",
      "${aws_dynamodb_table.assistants.arn}/index/OwnerStatusIndex",
    ]
  }
}

resource "aws_iam_policy" "assistant_builder" {
  name        = "agentcore-prod-assistant-builder"
  description = "What the patterns of the role assistant-builder send"
  policy      = data.aws_iam_policy_document.assistant_builder.json
}
