"""A request's ``#names`` and ``:values``, and the expressions read with them."""

from collections.abc import Mapping
from typing import Any

from sortkey.expressions.projection import Projection
from sortkey.expressions.tree import Condition, Update


class Placeholders:
    """One request's names and values: reads its expressions and knows which were used."""

    def __init__(self, names: Mapping[str, str] | None, values: Mapping[str, Any] | None) -> None:
        self.names = names
        self.values = values

    def condition(self, text: str, member: str = "ConditionExpression") -> Condition:
        """The condition that the text states; ``member`` stands in the refusals."""
        raise NotImplementedError

    def update(self, text: str) -> Update:
        """The update that the text describes."""
        raise NotImplementedError

    def projection(self, text: str) -> Projection:
        """The paths that the text lists."""
        raise NotImplementedError

    def refuse_unused(self) -> None:
        """Refuse names and values that no expression read so far has used."""
        raise NotImplementedError
