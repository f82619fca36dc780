# Made from the design by `sortkey synth`. Change the design and make it anew.

data "aws_iam_policy_document" "app" {
  # For profile, workout, milestone, milestone_with_awards, awards.
  statement {
    sid       = "CommitCollectOwn"
    actions   = ["dynamodb:GetItem", "dynamodb:Query"]
    resources = [aws_dynamodb_table.commit_collect.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["USER#$${aws:PrincipalTag/user_id}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  # For workouts_since, recent_workouts, milestones.
  statement {
    sid       = "CommitCollectOwn2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.commit_collect.arn}/index/GSI1"]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values = [
        "USER#$${aws:PrincipalTag/user_id}#MILESTONES",
        "USER#$${aws:PrincipalTag/user_id}#WORKOUTS",
      ]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }
}

resource "aws_iam_policy" "app" {
  name        = "commitcollect-prod-app"
  description = "What the patterns of the role app send, each session for one user_id"
  policy      = data.aws_iam_policy_document.app.json
}

data "aws_iam_policy_document" "catalog" {
  # For active_models, model_with_parts.
  statement {
    sid     = "CommitCollect"
    actions = ["dynamodb:Query"]
    resources = [
      aws_dynamodb_table.commit_collect.arn,
      "${aws_dynamodb_table.commit_collect.arn}/index/GSI1",
    ]
  }
}

resource "aws_iam_policy" "catalog" {
  name        = "commitcollect-prod-catalog"
  description = "What the patterns of the role catalog send"
  policy      = data.aws_iam_policy_document.catalog.json
}

data "aws_iam_policy_document" "sign_in" {
  # For add_profile, open_session.
  statement {
    sid       = "CommitCollect"
    actions   = ["dynamodb:ConditionCheckItem", "dynamodb:PutItem"]
    resources = [aws_dynamodb_table.commit_collect.arn]
  }

  # For open_session, session, end_session.
  statement {
    sid       = "CommitCollectSessions"
    actions   = ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem"]
    resources = [aws_dynamodb_table.commit_collect_sessions.arn]
  }

  # For sessions.
  statement {
    sid       = "CommitCollectSessions2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.commit_collect_sessions.arn}/index/GSI1"]
  }

  # For add_audit_event.
  statement {
    sid       = "CommitCollectAudit"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.commit_collect_audit.arn]
  }
}

resource "aws_iam_policy" "sign_in" {
  name        = "commitcollect-prod-sign-in"
  description = "What the patterns of the role sign-in send"
  policy      = data.aws_iam_policy_document.sign_in.json
}

data "aws_iam_policy_document" "connector" {
  # For session, write_state, consume_state.
  statement {
    sid       = "CommitCollectSessions"
    actions   = ["dynamodb:DeleteItem", "dynamodb:GetItem", "dynamodb:PutItem"]
    resources = [aws_dynamodb_table.commit_collect_sessions.arn]
  }

  # For held_athlete, connect_first, connect_again, connect_other, disconnect_athlete,
  # drop_foreign, drop_unowned.
  statement {
    sid = "CommitCollect"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:DeleteItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
    ]
    resources = [aws_dynamodb_table.commit_collect.arn]
  }

  # For add_audit_event.
  statement {
    sid       = "CommitCollectAudit"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.commit_collect_audit.arn]
  }
}

resource "aws_iam_policy" "connector" {
  name        = "commitcollect-prod-connector"
  description = "What the patterns of the role connector send"
  policy      = data.aws_iam_policy_document.connector.json
}

data "aws_iam_policy_document" "webhook" {
  # For take_event, claim_of, record_created, record_updated, record_deleted, finish_stale,
  # give_back.
  statement {
    sid = "CommitCollectIdempotency"
    actions = [
      "dynamodb:DeleteItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.commit_collect_idempotency.arn]
  }

  # For athlete_owner, connection, record_created, record_updated, record_deleted.
  statement {
    sid = "CommitCollect"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.commit_collect.arn]
  }

  # For add_audit_event.
  statement {
    sid       = "CommitCollectAudit"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.commit_collect_audit.arn]
  }
}

resource "aws_iam_policy" "webhook" {
  name        = "commitcollect-prod-webhook"
  description = "What the patterns of the role webhook send"
  policy      = data.aws_iam_policy_document.webhook.json
}

data "aws_iam_policy_document" "worker" {
  # For milestone, counting_workouts, parts_between, add_milestone, mint.
  statement {
    sid = "CommitCollect"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.commit_collect.arn]
  }

  # For add_audit_event.
  statement {
    sid       = "CommitCollectAudit"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.commit_collect_audit.arn]
  }
}

resource "aws_iam_policy" "worker" {
  name        = "commitcollect-prod-worker"
  description = "What the patterns of the role worker send"
  policy      = data.aws_iam_policy_document.worker.json
}

data "aws_iam_policy_document" "eraser" {
  # For held_athlete, disconnect_athlete, drop_foreign, drop_unowned, delete_profile,
  # workout_keys, delete_workouts, earned, delete_earned.
  statement {
    sid = "CommitCollect"
    actions = [
      "dynamodb:BatchWriteItem",
      "dynamodb:ConditionCheckItem",
      "dynamodb:DeleteItem",
      "dynamodb:GetItem",
      "dynamodb:Query",
    ]
    resources = [aws_dynamodb_table.commit_collect.arn]
  }

  # For sessions.
  statement {
    sid       = "CommitCollectSessions"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.commit_collect_sessions.arn}/index/GSI1"]
  }

  # For end_sessions.
  statement {
    sid       = "CommitCollectSessions2"
    actions   = ["dynamodb:BatchWriteItem"]
    resources = [aws_dynamodb_table.commit_collect_sessions.arn]
  }

  # For add_audit_event.
  statement {
    sid       = "CommitCollectAudit"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.commit_collect_audit.arn]
  }
}

resource "aws_iam_policy" "eraser" {
  name        = "commitcollect-prod-eraser"
  description = "What the patterns of the role eraser send"
  policy      = data.aws_iam_policy_document.eraser.json
}

data "aws_iam_policy_document" "auditor" {
  # For audit_of_user, audit_by_correlation, audit_by_type.
  statement {
    sid     = "CommitCollectAudit"
    actions = ["dynamodb:Query"]
    resources = [
      aws_dynamodb_table.commit_collect_audit.arn,
      "${aws_dynamodb_table.commit_collect_audit.arn}/index/GSI1",
      "${aws_dynamodb_table.commit_collect_audit.arn}/index/GSI2",
    ]
  }
}

resource "aws_iam_policy" "auditor" {
  name        = "commitcollect-prod-auditor"
  description = "What the patterns of the role auditor send"
  policy      = data.aws_iam_policy_document.auditor.json
}

data "aws_iam_policy_document" "editor" {
  # For add_model, retire_model, model_with_parts.
  statement {
    sid       = "CommitCollect"
    actions   = ["dynamodb:PutItem", "dynamodb:Query", "dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.commit_collect.arn]
  }

  # For active_models.
  statement {
    sid       = "CommitCollect2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.commit_collect.arn}/index/GSI1"]
  }
}

resource "aws_iam_policy" "editor" {
  name        = "commitcollect-prod-editor"
  description = "What the patterns of the role editor send"
  policy      = data.aws_iam_policy_document.editor.json
}
