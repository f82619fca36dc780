"""The formats that a stack can be written in."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sortkey.synth import cloudformation, terraform
from sortkey.synth.cdk import python, typescript
from sortkey.synth.model import Stack

# Each returns the texts of its files by their paths.
TARGETS: Mapping[str, Callable[[Stack], dict[str, str]]] = MappingProxyType(
    {
        "cloudformation": cloudformation.render,
        "cdk-ts": typescript.render,
        "cdk-py": python.render,
        "terraform": terraform.render,
    }
)
