"""The functions of the design with every kind of them, as they are deployed."""

from typing import Any

from tests.synth.iam.requests import ARN
from tests.synth.outputs import stack

from sortkey.synth.documents import document
from sortkey.synth.model import FunctionResource, Programs

DESIGN = "programs"


def programs(environment: str = "prod") -> Programs:
    """Everything that runs."""
    return stack(DESIGN, environment).programs


def function(name: str, environment: str = "prod") -> FunctionResource:
    """One of the functions, by the name that the design gives it."""
    [found] = [f for f in programs(environment).functions if f.name.endswith(f"-{name}")]
    return found


def everything_granted(name: str) -> dict[str, Any]:
    """All statements of the execution role of a function as one policy."""
    own = function(name)
    statements = [*own.statements, *(s for policy in own.policies for s in policy.statements)]
    return document(statements, ARN)
