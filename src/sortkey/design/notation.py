"""How a plan writes values, templates and types: arguments by name, everything else as it is."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import date
from enum import Enum
from string import Formatter
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from sortkey.design.slots import UNORDERED


def present(members: Mapping[str, Any]) -> dict[str, Any]:
    """The members that say something."""
    return {name: value for name, value in members.items() if value is not None}


def plain(value: Any) -> Any:
    """A Python value in JSON; a text that begins with $ has it doubled, to be no argument."""
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        return f"${value}" if value.startswith("$") else str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, bytes):
        return b64encode(value).decode()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        members = cast("Mapping[Any, Any]", value)
        return {str(name): plain(member) for name, member in members.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(member) for member in cast("Sequence[Any]", value)]
    return str(value)


def whole(text: str) -> int | str:
    """A whole number as one; any other as its digits, which JSON numbers would not keep."""
    return int(text) if text.lstrip("-").isdigit() else text


def filled(made: Mapping[str, Any]) -> str:
    """A template of a plan as text: arguments in its slots, constants written out."""
    bound: Mapping[str, Any] = made["bound"]
    text = ""
    for before, name, spec, _ in Formatter().parse(made["template"]):
        text += before
        if name is None:
            continue
        value = bound.get(name, f"${name}")
        is_argument = isinstance(value, str) and value.startswith("$") and value[1:2] != "$"
        if is_argument:
            text += f"{{{value[1:]}:{spec}}}" if spec else f"{{{value[1:]}}}"
        else:
            padded = isinstance(value, int) and spec and spec != UNORDERED
            text += f"{value:{spec}}" if padded else str(value)
    return text


def shown(value: Any) -> str:
    """A value of a plan as it is written within an expression."""
    match value:
        case {"template": _, "bound": _}:
            return f'"{filled(cast("Mapping[str, Any]", value))}"'
        case {"value": held}:
            return shown(held)
        case dict():
            members = cast("dict[str, Any]", value).items()
            return f"{{{', '.join(f'{name}: {shown(member)}' for name, member in members)}}}"
        case list():
            return f"[{', '.join(map(shown, cast('list[Any]', value)))}]"
        case str() if not value.startswith("$"):
            return f'"{value}"'
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
        case _:
            return str(value)


def type_text(annotation: Any) -> str:
    """A type as it is written in code."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if annotation is None or annotation is type(None):
        return "None"
    if origin is Annotated:
        return type_text(arguments[0])
    if origin in {Union, UnionType}:
        return " | ".join(map(type_text, arguments))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, arguments))}]"
    if annotation is Ellipsis:
        return "..."
    name = getattr(origin or annotation, "__name__", None) or str(annotation)
    return f"{name}[{', '.join(map(type_text, arguments))}]" if arguments else str(name)
