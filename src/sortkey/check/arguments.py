"""The inputs of a pattern, wherever its plan or an expression of it mentions them."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

_NAME = r"[A-Za-z_][\w.\[\]]*"
# `$name` and its parts; `{name}` within a text that was made from a template; and where a pattern
# writes an argument into a text of its own, the sample that stands for it.
_IN_TEXT = re.compile(rf"(?<!\$)\$({_NAME})(?!\w*\()|\{{({_NAME})(?::(?! )[^}}$]*)?\}}|«({_NAME})»")
_SAMPLE = re.compile(rf"«({_NAME})»")


def arguments_in_text(text: str) -> Iterator[str]:
    """The arguments in a value as an expression of a plan writes it."""
    for found in _IN_TEXT.findall(text):
        yield next(filter(None, found))


def arguments_in_value(value: Any) -> Iterator[str]:
    """The arguments in a value of a plan, at any depth."""
    match value:
        case str() if value.startswith("$") and not value.startswith("$$"):
            yield from arguments_in_text(value)
        case str():
            yield from _SAMPLE.findall(value)
        case dict():
            for member in cast("Mapping[str, Any]", value).values():
                yield from arguments_in_value(member)
        case list():
            for member in cast("list[Any]", value):
                yield from arguments_in_value(member)
        case _:
            pass
