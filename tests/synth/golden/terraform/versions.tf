# Made from the design by `sortkey synth`. Change the design and make it anew.

terraform {
  required_version = ">= 1.5.0"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 6.37.0, < 7.0.0"
    }
  }
}

provider "aws" {
  region = var.region
}
