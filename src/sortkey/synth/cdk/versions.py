"""What the programs of both languages are run with, and what they call the stack."""

import re

from sortkey.synth.model import Stack

# The oldest that is known to have indexes keyed on several attributes.
CDK_VERSION = "2.275.0"
# The oldest command that reads what such a library writes.
COMMAND_VERSION = "2.1147.0"
CONSTRUCTS_VERSION = "10.0.0"


def stack_id(stack: Stack) -> str:
    """The stack's name, as CloudFormation allows it."""
    return re.sub(r"[^A-Za-z0-9-]", "-", stack.name)
