# Made from the design by `sortkey synth`. Change the design and make it anew.

# Who learns: points, and whether they wait or talk.
resource "aws_dynamodb_table" "users" {
  name                        = "Users"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "userId"
  table_class                 = "STANDARD"
  deletion_protection_enabled = true

  attribute {
    name = "userId"
    type = "S"
  }

  attribute {
    name = "queue"
    type = "S"
  }

  attribute {
    name = "lastQueueEntry"
    type = "S"
  }

  global_secondary_index {
    name            = "WaitingIndex"
    projection_type = "KEYS_ONLY"

    key_schema {
      attribute_name = "queue"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "lastQueueEntry"
      key_type       = "RANGE"
    }
  }

  point_in_time_recovery {
    enabled                 = true
    recovery_period_in_days = 35
  }

  lifecycle {
    prevent_destroy = true
  }
}

# Calls of two people, kept for 90 days.
resource "aws_dynamodb_table" "sessions" {
  name                        = "Sessions"
  billing_mode                = "PAY_PER_REQUEST"
  hash_key                    = "sessionId"
  table_class                 = "STANDARD"
  deletion_protection_enabled = true

  attribute {
    name = "sessionId"
    type = "S"
  }

  attribute {
    name = "userA"
    type = "S"
  }

  attribute {
    name = "startTime"
    type = "S"
  }

  attribute {
    name = "userB"
    type = "S"
  }

  global_secondary_index {
    name            = "UserSessionsIndex"
    projection_type = "ALL"

    key_schema {
      attribute_name = "userA"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "startTime"
      key_type       = "RANGE"
    }
  }

  global_secondary_index {
    name            = "PartnerSessionsIndex"
    projection_type = "ALL"

    key_schema {
      attribute_name = "userB"
      key_type       = "HASH"
    }

    key_schema {
      attribute_name = "startTime"
      key_type       = "RANGE"
    }
  }

  ttl {
    attribute_name = "expiresAt"
    enabled        = true
  }

  point_in_time_recovery {
    enabled                 = true
    recovery_period_in_days = 35
  }

  lifecycle {
    prevent_destroy = true
  }
}
