"""Versions of the CDK for the programs of both languages, and the name of the stack."""

import re

from sortkey.synth.model import Stack

# The oldest version that supports multi-attribute index keys.
CDK_VERSION = "2.275.0"
# The oldest command that reads the output of this library.
COMMAND_VERSION = "2.1147.0"
CONSTRUCTS_VERSION = "10.0.0"


def stack_id(stack: Stack) -> str:
    """Return the stack's name in the characters that CloudFormation allows."""
    return re.sub(r"[^A-Za-z0-9-]", "-", stack.name)
