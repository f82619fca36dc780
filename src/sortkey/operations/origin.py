"""Where a value in an expression comes from.

A request shows ``{"S": "EMAIL#a@x.com"}``; a plan must say that this is the template
``EMAIL#{email}`` filled with the pattern's argument. Both are read from one tree.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Filled(NamedTuple):
    """A key template, with the values that fill its slots; others may be among them.

    ``compared`` is the slot that a range is over: the comparison, its field, and its bounds.
    """

    template: str
    bound: Mapping[str, Any]
    compared: tuple[str, str, tuple[Any, ...]] | None = None


class Given(NamedTuple):
    """A Python value, written as the type of its field."""

    value: Any
