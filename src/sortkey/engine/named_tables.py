"""Table names in requests about several tables: inside actions, or as the keys of a map."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

from sortkey.engine.database import bare_name
from sortkey.engine.shapes import NAME_PATTERN

_LEAST, _MOST = 3, 255
_NAME = re.compile(rf"[a-zA-Z0-9_.-]{{{_LEAST},{_MOST}}}")


@dataclass(frozen=True, slots=True)
class IsTableNameOrArn:
    """A text is a table's name or its ARN."""

    def complaints(self, value: str) -> list[str]:
        """Return DynamoDB's complaints about another text."""
        name = bare_name(value)
        if _NAME.fullmatch(name):
            return []
        found: list[str] = []
        if not re.fullmatch(NAME_PATTERN, name):
            found.append(f"Member must satisfy regular expression pattern: {NAME_PATTERN}")
        if len(name) < _LEAST:
            found.append(f"Member must have length greater than or equal to {_LEAST}")
        if len(name) > _MOST:
            found.append(f"Member must have length less than or equal to {_MOST}")
        return found


@dataclass(frozen=True, slots=True)
class KeysAreTableNames:
    """Every key of a map is a table's name or its ARN."""

    def complaints(self, value: Iterable[Any]) -> list[str]:
        """Return DynamoDB's complaints about a map with another key."""
        if all(_NAME.fullmatch(bare_name(name)) for name in value):
            return []
        return [
            (
                "Map keys must satisfy constraint: "
                f"[Member must have length less than or equal to {_MOST}, "
                f"Member must have length greater than or equal to {_LEAST}, "
                f"Member must satisfy regular expression pattern: {NAME_PATTERN}]"
            )
        ]


NamedTable = Annotated[str, IsTableNameOrArn()]
