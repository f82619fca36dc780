# Made from the design by `sortkey synth`. Change the design and make it anew.

data "aws_iam_policy_document" "app" {
  # For user, register_user, update_user_profile, fitness_profile, create_user_fitness_profile,
  # update_user_fitness_profile, delete_user_fitness_profile, workout_plan, create_workout_plan,
  # update_workout_plan, delete_workout_plan, workout_session, create_workout_session,
  # update_workout_session, delete_workout_session, finish_session, exercise_substitution,
  # create_exercise_substitution, update_exercise_substitution, delete_exercise_substitution,
  # workout_recommendation, create_workout_recommendation, update_workout_recommendation,
  # delete_workout_recommendation, apply_recommendation, adaptive_plan, create_adaptive_plan,
  # update_adaptive_plan, delete_adaptive_plan, recovery_plan, create_recovery_plan,
  # update_recovery_plan, delete_recovery_plan, progress_photo, create_progress_photo,
  # update_progress_photo, delete_progress_photo, metrics_of_user, metrics_of_period,
  # create_progress_metrics, update_progress_metrics, delete_progress_metrics, strength_between,
  # strength_on_day, create_strength_progress, update_strength_progress, delete_strength_progress,
  # measurements_between, body_measurement, create_body_measurement, update_body_measurement,
  # delete_body_measurement, progress_chart, create_progress_chart, update_progress_chart,
  # delete_progress_chart, milestone, create_milestone, update_milestone, delete_milestone,
  # trends_between, performance_trend, create_performance_trend, update_performance_trend,
  # delete_performance_trend, device_token, create_device_token, update_device_token,
  # delete_device_token, notification_record, create_notification_record,
  # update_notification_record, delete_notification_record, notification_setup,
  # create_notification_preferences, update_notification_preferences,
  # delete_notification_preferences.
  statement {
    sid = "GymCoach"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:DeleteItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.gym_coach.arn]
  }

  # For milestones_under_way.
  statement {
    sid       = "GymCoach2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.gym_coach.arn}/index/GSI1"]
  }
}

resource "aws_iam_policy" "app" {
  name        = "gymcoach-prod-app"
  description = "What the patterns of the role app send"
  policy      = data.aws_iam_policy_document.app.json
}

data "aws_iam_policy_document" "coach" {
  # For active_rules, active_rules_of_type.
  statement {
    sid       = "GymCoach"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.gym_coach.arn}/index/GSI2"]
  }

  # For fitness_profile, give_advice, create_workout_recommendation.
  statement {
    sid       = "GymCoach2"
    actions   = ["dynamodb:ConditionCheckItem", "dynamodb:GetItem", "dynamodb:PutItem"]
    resources = [aws_dynamodb_table.gym_coach.arn]
  }
}

resource "aws_iam_policy" "coach" {
  name        = "gymcoach-prod-coach"
  description = "What the patterns of the role coach send"
  policy      = data.aws_iam_policy_document.coach.json
}

data "aws_iam_policy_document" "editor" {
  # For all_exercises, exercise, create_exercise, update_exercise, delete_exercise,
  # all_coaching_rules, coaching_rule, create_coaching_rule, update_coaching_rule,
  # delete_coaching_rule.
  statement {
    sid = "GymCoach"
    actions = [
      "dynamodb:DeleteItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.gym_coach.arn]
  }
}

resource "aws_iam_policy" "editor" {
  name        = "gymcoach-prod-editor"
  description = "What the patterns of the role editor send"
  policy      = data.aws_iam_policy_document.editor.json
}

data "aws_iam_policy_document" "eraser" {
  # For user, create_user_profile, begin_deletion, end_deletion, remains_advice_given,
  # remains_progress_metrics, remains_strength_progress, remains_body_measurement,
  # remains_performance_trend, remains_device_token, remains_notification_preferences,
  # remains_reminder, remains_user_fitness_profile, erase_workout_plan, erase_workout_session,
  # erase_exercise_substitution, erase_workout_recommendation, erase_advice_given,
  # erase_adaptive_plan, erase_recovery_plan, erase_progress_photo, erase_progress_metrics,
  # erase_strength_progress, erase_body_measurement, erase_progress_chart, erase_milestone,
  # erase_performance_trend, erase_notification_record, erase_device_token,
  # erase_notification_preferences, erase_reminder, erase_user_fitness_profile.
  statement {
    sid = "GymCoach"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:DeleteItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.gym_coach.arn]
  }

  # For deletions_under_way, remains_workout_plan, remains_workout_session,
  # remains_exercise_substitution, remains_workout_recommendation, remains_adaptive_plan,
  # remains_recovery_plan, remains_progress_photo, remains_progress_chart, remains_milestone,
  # remains_notification_record.
  statement {
    sid     = "GymCoach2"
    actions = ["dynamodb:Query"]
    resources = [
      "${aws_dynamodb_table.gym_coach.arn}/index/GSI1",
      "${aws_dynamodb_table.gym_coach.arn}/index/GSI2",
    ]
  }
}

resource "aws_iam_policy" "eraser" {
  name        = "gymcoach-prod-eraser"
  description = "What the patterns of the role eraser send"
  policy      = data.aws_iam_policy_document.eraser.json
}

data "aws_iam_policy_document" "library" {
  # For exercise, all_exercises.
  statement {
    sid       = "GymCoach"
    actions   = ["dynamodb:GetItem", "dynamodb:Query"]
    resources = [aws_dynamodb_table.gym_coach.arn]
  }

  # For exercises_of_category, exercises_of_difficulty.
  statement {
    sid     = "GymCoach2"
    actions = ["dynamodb:Query"]
    resources = [
      "${aws_dynamodb_table.gym_coach.arn}/index/GSI1",
      "${aws_dynamodb_table.gym_coach.arn}/index/GSI2",
    ]
  }
}

resource "aws_iam_policy" "library" {
  name        = "gymcoach-prod-library"
  description = "What the patterns of the role library send"
  policy      = data.aws_iam_policy_document.library.json
}

data "aws_iam_policy_document" "member" {
  # For user, advice_given, advice_given_to, devices_of_user, device_token,
  # notification_preferences, notification_setup, reminder.
  statement {
    sid       = "GymCoachOwn"
    actions   = ["dynamodb:GetItem", "dynamodb:Query"]
    resources = [aws_dynamodb_table.gym_coach.arn]

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

  # For workout_plans_of_user, workout_sessions_of_user, exercise_substitutions_of_user,
  # workout_recommendations_of_user, adaptive_plans_of_user, recovery_plans_of_user,
  # progress_photos_of_user, progress_charts_of_user, milestones_of_user, milestones_under_way,
  # notification_records_of_user.
  statement {
    sid       = "GymCoachOwn2"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.gym_coach.arn}/index/GSI1"]

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

  # For active_workout_plans, open_recommendations, active_adaptive_plans.
  statement {
    sid       = "GymCoachOwn3"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.gym_coach.arn}/index/GSI2"]

    condition {
      test     = "ForAllValues:StringEquals"
      variable = "dynamodb:LeadingKeys"
      values = [
        "ACTIVE_PLANS#$${aws:PrincipalTag/user_id}",
        "OPEN_RECOMMENDATIONS#$${aws:PrincipalTag/user_id}",
      ]
    }

    condition {
      test     = "Null"
      variable = "dynamodb:LeadingKeys"
      values   = ["false"]
    }
  }
}

resource "aws_iam_policy" "member" {
  name        = "gymcoach-prod-member"
  description = "What the patterns of the role member send, each session for one user_id"
  policy      = data.aws_iam_policy_document.member.json
}

data "aws_iam_policy_document" "messenger" {
  # For reminders_due.
  statement {
    sid       = "GymCoach"
    actions   = ["dynamodb:Query"]
    resources = ["${aws_dynamodb_table.gym_coach.arn}/index/GSI2"]
  }

  # For devices_of_user, notification_records_by_id, notification_record,
  # create_notification_record, update_notification_record.
  statement {
    sid = "GymCoach2"
    actions = [
      "dynamodb:ConditionCheckItem",
      "dynamodb:GetItem",
      "dynamodb:PutItem",
      "dynamodb:Query",
      "dynamodb:UpdateItem",
    ]
    resources = [aws_dynamodb_table.gym_coach.arn]
  }
}

resource "aws_iam_policy" "messenger" {
  name        = "gymcoach-prod-messenger"
  description = "What the patterns of the role messenger send"
  policy      = data.aws_iam_policy_document.messenger.json
}
