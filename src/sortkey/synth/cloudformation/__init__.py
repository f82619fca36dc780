"""A stack as a CloudFormation template."""

from sortkey.synth.cloudformation.template import render as render
