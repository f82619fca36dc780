# Made from the design by `sortkey synth`. Change the design and make it anew.

data "aws_iam_policy_document" "merchant" {
  # For shop_by_domain, job_by_id, jobs_of_shop, usage_of_day, usage_of_month, usage_of_days,
  # usage_of_months, history_between, current_schema, schema_version.
  statement {
    sid       = "ShuttleOwn"
    actions   = ["dynamodb:GetItem", "dynamodb:Query"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  # For jobs_by_status, jobs_by_status_between.
  statement {
    sid       = "ShuttleOwn2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.shuttle.arn}/index/GSI1"]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  # For jobs_in_status.
  statement {
    sid       = "ShuttleOwn3"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.shuttle.arn}/index/StatusIndex"]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["$${aws:PrincipalTag/domain}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }

  # For set_settings.
  statement {
    sid       = "ShuttleOwn4"
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:Attributes"
      values   = ["PK", "SK", "erasingSince", "settings", "uninstalledAt"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For submit_import, submit_uncounted.
  statement {
    sid       = "ShuttleOwn5"
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:Attributes"
      values   = ["PK", "SK", "activeJobs", "billingStatus", "erasingSince", "plan"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For submit_import, submit_uncounted.
  statement {
    sid       = "ShuttleOwn6"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
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
        "ExpiresAt",
        "GSI1PK",
        "GSI1SK",
        "PK",
        "SK",
        "ShopDomain",
        "Status",
        "_type",
        "completedAt",
        "createdAt",
        "createdBy",
        "errorSummary",
        "failedProducts",
        "fileKey",
        "isDryRun",
        "jobId",
        "mode",
        "nextBatch",
        "processedProducts",
        "startedAt",
        "successfulProducts",
        "totalProducts",
        "type",
      ]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For submit_import.
  statement {
    sid       = "ShuttleOwn7"
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
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
        "GSI2PK",
        "GSI2SK",
        "PK",
        "SK",
        "_type",
        "apiCalls",
        "day",
        "domain",
        "importsCount",
        "productsImported",
        "storageUsedBytes",
      ]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For submit_import.
  statement {
    sid       = "ShuttleOwn8"
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
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
        "GSI2PK",
        "GSI2SK",
        "PK",
        "SK",
        "_type",
        "apiCalls",
        "domain",
        "importsCount",
        "month",
        "productsImported",
        "storageUsedBytes",
      ]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For cancel_job.
  statement {
    sid       = "ShuttleOwn9"
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
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
        "ExpiresAt",
        "GSI1PK",
        "GSI1SK",
        "PK",
        "SK",
        "Status",
        "completedAt",
        "createdAt",
        "nextBatch",
      ]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For cancel_job.
  statement {
    sid       = "ShuttleOwn10"
    actions   = ["dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:Attributes"
      values   = ["PK", "SK", "activeJobs"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For cancel_job.
  statement {
    sid       = "ShuttleOwn11"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
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
        "PK",
        "SK",
        "_type",
        "completedAt",
        "domain",
        "durationMs",
        "errorCount",
        "jobId",
        "mode",
        "productsImported",
      ]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For add_schema, replace_schema.
  statement {
    sid       = "ShuttleOwn12"
    actions   = ["dynamodb:ConditionCheckItem"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:Attributes"
      values   = ["PK", "SK", "erasingSince"]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }

  # For add_schema, replace_schema.
  statement {
    sid       = "ShuttleOwn13"
    actions   = ["dynamodb:PutItem"]
    resources = [aws_dynamodb_table.shuttle.arn]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values   = ["SHOP#$${aws:PrincipalTag/domain}"]
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
        "PK",
        "SK",
        "_type",
        "domain",
        "lastValidatedAt",
        "metafieldDefinitions",
        "metaobjectDefinitions",
        "version",
      ]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:Attributes"
      values   = ["false"]
    }
  }
}

resource "aws_iam_policy" "merchant" {
  name        = "shuttle-prod-merchant"
  description = "What the patterns of the role merchant send, each session for one domain"
  policy      = data.aws_iam_policy_document.merchant.json
}

data "aws_iam_policy_document" "gatekeeper" {
  # For session_by_id, session_now, shop_by_domain, put_session, extend_session, end_session,
  # end_session_of_shop, end_moving_session, add_shop, renew_shop, take_back_shop,
  # mark_uninstalled.
  statement {
    sid = "Shuttle"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:DeleteItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.shuttle.arn]
  }

  # For sessions_of_shop.
  statement {
    sid       = "Shuttle2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.shuttle.arn}/index/GSI3"]
  }
}

resource "aws_iam_policy" "gatekeeper" {
  name        = "shuttle-prod-gatekeeper"
  description = "What the patterns of the role gatekeeper send"
  policy      = data.aws_iam_policy_document.gatekeeper.json
}

data "aws_iam_policy_document" "worker" {
  # For shop_by_domain, job_by_id, current_schema, start_job, count_batch, finish_job,
  # add_api_calls, set_storage, set_validated.
  statement {
    sid = "Shuttle"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.shuttle.arn]
  }

  # For jobs_in_status.
  statement {
    sid       = "Shuttle2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.shuttle.arn}/index/StatusIndex"]
  }
}

resource "aws_iam_policy" "worker" {
  name        = "shuttle-prod-worker"
  description = "What the patterns of the role worker send"
  policy      = data.aws_iam_policy_document.worker.json
}

data "aws_iam_policy_document" "operator" {
  # For shops_by_install_date, active_shops, shops_due_for_purge, usage_on_day, usage_in_month,
  # sessions_of_shop.
  statement {
    sid     = "Shuttle"
    actions = ["dynamodb:Query"]
    resources = [
      "${aws_dynamodb_table.shuttle.arn}/index/GSI1",
      "${aws_dynamodb_table.shuttle.arn}/index/GSI2",
      "${aws_dynamodb_table.shuttle.arn}/index/GSI3",
    ]
  }

  # For shop_by_domain, set_plan, set_billing_status.
  statement {
    sid       = "Shuttle2"
    actions   = ["dynamodb:GetItem", "dynamodb:UpdateItem"]
    resources = [aws_dynamodb_table.shuttle.arn]
  }
}

resource "aws_iam_policy" "operator" {
  name        = "shuttle-prod-operator"
  description = "What the patterns of the role operator send"
  policy      = data.aws_iam_policy_document.operator.json
}

data "aws_iam_policy_document" "eraser" {
  # For shop_by_domain, mark_erasing, mark_purging, stored_jobs, erase_jobs, belongings,
  # erase_belongings, end_session, end_moving_session, erase_shop.
  statement {
    sid = "Shuttle"
    actions = [
      "dynamodb:BatchWriteItem",
      "dynamodb:DeleteItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.shuttle.arn]
  }

  # For shops_due_for_purge, stored_session_ids.
  statement {
    sid       = "Shuttle2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.shuttle.arn}/index/GSI3"]
  }
}

resource "aws_iam_policy" "eraser" {
  name        = "shuttle-prod-eraser"
  description = "What the patterns of the role eraser send"
  policy      = data.aws_iam_policy_document.eraser.json
}
