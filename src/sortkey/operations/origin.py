"""Where a value in an expression comes from.

A request shows ``{"S": "EMAIL#a@x.com"}``; a plan must say that this is the template
``EMAIL#{email}`` filled with the pattern's argument. Both are read from one tree.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Filled:
    """A key template, with the values that were filled in."""

    template: str
    bound: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Given:
    """A Python value, written as the type of its field."""

    value: Any
