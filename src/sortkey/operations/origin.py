"""The origin of a value in an expression.

A request contains ``{"S": "EMAIL#a@x.com"}``; a plan must show that this is the template
``EMAIL#{email}`` filled with the pattern's argument. Both are made from one tree.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple


class Filled(NamedTuple):
    """A key template, and values that include those of its slots.

    ``compared`` is the slot of a range: the comparison, its field, and its bounds.
    """

    template: str
    bound: Mapping[str, Any]
    compared: tuple[str, str, tuple[Any, ...]] | None = None


class FieldValue(NamedTuple):
    """A Python value, encoded as the type of its field."""

    value: Any
