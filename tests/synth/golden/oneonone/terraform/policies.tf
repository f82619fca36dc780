# Made from the design by `sortkey synth`. Change the design and make it anew.

data "aws_iam_policy_document" "member" {
  # For user_status.
  statement {
    sid       = "UsersOwn"
    actions   = ["dynamodb:GetItem"]
    resources = [aws_dynamodb_table.users.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["$${aws:PrincipalTag/user_id}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  # For register_user.
  statement {
    sid       = "UsersOwn2"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.users.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["$${aws:PrincipalTag/user_id}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:Attributes"
      values = [
        "currentSession",
        "currentSessionStart",
        "email",
        "isWaitingInQueue",
        "lastQueueEntry",
        "lastSessionTimestamp",
        "pointsDay",
        "pointsLeft",
        "queue",
        "userId",
      ]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For join_queue, join_queue_on_new_day.
  statement {
    sid       = "UsersOwn3"
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.users.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["$${aws:PrincipalTag/user_id}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:Attributes"
      values = [
        "currentSession",
        "currentSessionStart",
        "isWaitingInQueue",
        "lastQueueEntry",
        "pointsDay",
        "pointsLeft",
        "queue",
        "userId",
      ]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For leave_queue.
  statement {
    sid       = "UsersOwn4"
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.users.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["$${aws:PrincipalTag/user_id}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:Attributes"
      values   = ["isWaitingInQueue", "queue", "userId"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For session_history.
  statement {
    sid     = "SessionsOwn"
    actions = ["dynamodb:Query"]
    resources = [
      "${aws_dynamodb_table.sessions.arn}/index/PartnerSessionsIndex",
      "${aws_dynamodb_table.sessions.arn}/index/UserSessionsIndex",
    ]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["$${aws:PrincipalTag/user_id}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }
}

resource "aws_iam_policy" "member" {
  name        = "One-on-One-prod-member"
  description = "What the patterns of the role member send, each session for one user_id"
  policy      = data.aws_iam_policy_document.member.json
}

data "aws_iam_policy_document" "calls" {
  # For user_status, end_session.
  statement {
    sid       = "Users"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.users.arn]
  }

  # For session_by_id, end_session.
  statement {
    sid       = "Sessions"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.sessions.arn]
  }
}

resource "aws_iam_policy" "calls" {
  name        = "One-on-One-prod-calls"
  description = "What the patterns of the role calls send"
  policy      = data.aws_iam_policy_document.calls.json
}

data "aws_iam_policy_document" "matchmaker" {
  # For waiting_users.
  statement {
    sid       = "Users"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.users.arn}/index/WaitingIndex"]
  }

  # For match_users.
  statement {
    sid       = "Users2"
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.users.arn]
  }

  # For match_users.
  statement {
    sid       = "Sessions"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.sessions.arn]
  }
}

resource "aws_iam_policy" "matchmaker" {
  name        = "One-on-One-prod-matchmaker"
  description = "What the patterns of the role matchmaker send"
  policy      = data.aws_iam_policy_document.matchmaker.json
}
