# Made from the design by `sortkey synth`. Change the design and make it anew.

data "aws_caller_identity" "current" {}

data "aws_partition" "current" {}
