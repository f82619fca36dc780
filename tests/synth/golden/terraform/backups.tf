# Made from the design by `sortkey synth`. Change the design and make it anew.

# Stays when the tables go: that is what it is for.
resource "aws_backup_vault" "backups" {
  name = "gymcoach-prod-backups"

  lifecycle {
    prevent_destroy = true
  }
}

resource "aws_iam_role" "backups" {
  name = "gymcoach-prod-backups"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
      {
        Effect    = "Allow"
        Principal = { Service = "backup.amazonaws.com" }
        Action    = "sts:AssumeRole"
      },
    ]
  })
}

resource "aws_iam_role_policy_attachment" "backups" {
  role       = aws_iam_role.backups.name
  policy_arn = "arn:${data.aws_partition.current.partition}:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup"
}

# Copies go to the vault gymcoach-prod-backups in eu-west-1, which must be there.
resource "aws_backup_plan" "backup_plan" {
  name = "gymcoach-prod-backups"

  rule {
    rule_name         = "gymcoach-prod-backups"
    target_vault_name = aws_backup_vault.backups.name
    schedule          = "cron(0 3 * * ? *)"

    lifecycle {
      delete_after = 35
    }

    copy_action {
      destination_vault_arn = "arn:${data.aws_partition.current.partition}:backup:eu-west-1:${data.aws_caller_identity.current.account_id}:backup-vault:gymcoach-prod-backups"

      lifecycle {
        delete_after = 35
      }
    }
  }
}

resource "aws_backup_selection" "backup_plan" {
  name         = "gymcoach-prod-backups"
  plan_id      = aws_backup_plan.backup_plan.id
  iam_role_arn = aws_iam_role.backups.arn
  resources    = [aws_dynamodb_table.gym_coach.arn]
}
