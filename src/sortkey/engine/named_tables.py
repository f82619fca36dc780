"""Table names in requests: as a member, inside actions, as the keys of a map, in a statement."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Any, cast

from sortkey.engine.shapes import NAME_PATTERN
from sortkey.wire.limits import STATEMENT_CHARACTERS

_LEAST, _MOST = 3, 255
_NAME = re.compile(rf"[a-zA-Z0-9_.-]{{{_LEAST},{_MOST}}}")
# The name of a statement's table follows one of these words, which are nothing in quotes.
_IN_STATEMENT = re.compile(
    r"""'(?:[^']|'')*+'"""
    r"""|\b(?:FROM|INTO|UPDATE)\s*+(?:"(?P<quoted>(?:[^"]|"")++)"|(?P<word>\b[A-Za-z_$][\w$]*))"""
    r"""|"(?:[^"]|"")*+\"""",
    re.IGNORECASE | re.ASCII,
)


def bare_name(name: str) -> str:
    """Return the name of a table from its name or its ARN."""
    return name.rpartition("table/")[2] if name.startswith("arn:") else name


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


def tables_in(body: Any) -> list[str]:
    """Return the tables that a request names, one for each action if it has several."""
    match body:
        case {"TableName": str(name)}:
            return [bare_name(name)]
        case {"RequestItems": dict()}:
            return [bare_name(str(name)) for name in body["RequestItems"]]
        case {"TransactItems": list()}:
            actions: list[Any] = body["TransactItems"]
            requests = [request for action in actions for request in _values_of(action)]
            return [name for request in requests for name in tables_in(request)]
        case {"Statement": str(statement)}:
            return _tables_of(statement)
        case {"Statements": list()}:
            return [name for request in body["Statements"] for name in tables_in(request)]
        case {"TransactStatements": list()}:
            return [name for request in body["TransactStatements"] for name in tables_in(request)]
        case _:
            return []


def _tables_of(statement: str) -> list[str]:
    """Return the table that a statement names, if there is one, without reading all of it."""
    for match in _IN_STATEMENT.finditer(statement, 0, STATEMENT_CHARACTERS):
        name = match["quoted"] or match["word"]
        if name:
            return [bare_name(name)]
    return []


def _values_of(action: Any) -> list[Any]:
    return [*cast("dict[str, Any]", action).values()] if isinstance(action, dict) else []
