"""Table names in requests about several tables: inside actions, or as the keys of a map."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any

_PATTERN = "[a-zA-Z0-9_.-]+"
_LEAST, _MOST = 3, 255
_NAME = re.compile(rf"[a-zA-Z0-9_.-]{{{_LEAST},{_MOST}}}")


def _bare(name: str) -> str:
    return name.rpartition("table/")[2] if name.startswith("arn:") else name


@dataclass(frozen=True, slots=True)
class Named:
    """A text is a table's name or its ARN."""

    def complaints(self, value: str) -> list[str]:
        """What DynamoDB says of another text."""
        name = _bare(value)
        if _NAME.fullmatch(name):
            return []
        said: list[str] = []
        if not re.fullmatch(_PATTERN, name):
            said.append(f"Member must satisfy regular expression pattern: {_PATTERN}")
        if len(name) < _LEAST:
            said.append(f"Member must have length greater than or equal to {_LEAST}")
        if len(name) > _MOST:
            said.append(f"Member must have length less than or equal to {_MOST}")
        return said


@dataclass(frozen=True, slots=True)
class ByTable:
    """Every key of a map is a table's name or its ARN."""

    def complaints(self, value: Iterable[Any]) -> list[str]:
        """What DynamoDB says of a map with another key."""
        if all(_NAME.fullmatch(_bare(name)) for name in value):
            return []
        return [
            (
                "Map keys must satisfy constraint: "
                f"[Member must have length less than or equal to {_MOST}, "
                f"Member must have length greater than or equal to {_LEAST}, "
                f"Member must satisfy regular expression pattern: {_PATTERN}]"
            )
        ]


NamedTable = Annotated[str, Named()]
