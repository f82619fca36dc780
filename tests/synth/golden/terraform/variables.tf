# Made from the design by `sortkey synth`. Change the design and make it anew.

variable "region" {
  description = "Where the tables are"
  type        = string
}
