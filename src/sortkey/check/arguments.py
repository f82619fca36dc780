"""The inputs of a pattern, wherever its plan or an expression of it mentions them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

# `$name` and its parts in a value, or `{name}` within a text that was made from a template.
_IN_TEXT = re.compile(
    r"(?<!\$)\$([A-Za-z_][\w.\[\]]*)(?!\w*\()|\{([A-Za-z_][\w.\[\]]*)(?::[^}]*)?\}"
)


def arguments_in_text(text: str) -> Iterator[str]:
    """The arguments in a value as an expression of a plan writes it."""
    for alone, within in _IN_TEXT.findall(text):
        yield alone or within


def arguments_in_value(value: Any) -> Iterator[str]:
    """The arguments in a value of a plan, at any depth."""
    match value:
        case str() if value.startswith("$") and not value.startswith("$$"):
            yield from arguments_in_text(value)
        case dict():
            for member in cast("Mapping[str, Any]", value).values():
                yield from arguments_in_value(member)
        case list():
            for member in cast("list[Any]", value):
                yield from arguments_in_value(member)
        case _:
            pass
