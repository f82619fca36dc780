"""A stack as a folder of Terraform."""

from sortkey.synth.terraform.files import render as render
