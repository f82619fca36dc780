"""What a stack can be written as."""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sortkey.synth import cloudformation, terraform
from sortkey.synth.model import Stack

# Each gives the texts of its files by their paths.
TARGETS: Mapping[str, Callable[[Stack], dict[str, str]]] = MappingProxyType(
    {
        "cloudformation": cloudformation.render,
        "terraform": terraform.render,
    }
)
