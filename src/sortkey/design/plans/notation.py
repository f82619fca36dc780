"""The notation of plans: types, sources and expressions as text, and sources as JSON."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from enum import Enum
from string import Formatter
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from sortkey.design.plans.sources import (
    Argument,
    Constant,
    Derived,
    Elements,
    Generated,
    Members,
    Now,
    PlannedPart,
    Source,
    Text,
    Variant,
    slot_name,
    source_of,
)
from sortkey.design.records.keys.slots import UNORDERED
from sortkey.expressions.render import Renderer
from sortkey.expressions.tree import Condition, Operand, Update, Value


def present(members: Mapping[str, Any]) -> dict[str, Any]:
    """Return the members that say something."""
    return {name: value for name, value in members.items() if value is not None}


# Sources as JSON.


def json_of(source: Source) -> Any:
    """Return a source as a plan's JSON has it: ``"$name"`` for an argument."""
    match source:
        case Constant(value):
            return plain(value)
        case Variant(options, by):
            return {"variant": [json_of(option) for option in options], "by": list(by)}
        case Text():
            return {"template": source.template, "bound": _bound(source)} | present(
                {"shards": source.shards}
            )
        case Members(members):
            return {name: json_of(member) for name, member in members.items()}
        case Elements(elements):
            return [json_of(element) for element in elements]
        case Argument() | Now() | Generated() | Derived():
            return f"${slot_name(source)}"


def _bound(text: Text) -> dict[str, Any]:
    return {name: json_of(source) for name, source in text.slots.items()}


def plain(value: Any) -> Any:
    """Return a Python value in JSON; a text that begins with $ has it doubled."""
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        return f"${value}" if value.startswith("$") else str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, Decimal):
        # A JSON number would not keep all digits of one that is not whole.
        return int(value) if value == value.to_integral_value() else str(value)
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


def bare(value: Any) -> str:
    """Return a constant as it is read: a text without quotes."""
    held = value.value if isinstance(value, Enum) else value
    return str.__str__(held) if isinstance(held, str) else str(plain(held))


# Sources as text.


def shown(source: Source) -> str:
    """Return a source as an expression has it: ``$name`` for an argument, texts in quotes."""
    match source:
        case Constant(value):
            return _constant(plain(value))
        case Text():
            return f'"{filled(source)}"'
        case Variant(options):
            return f"({' or '.join(map(shown, options))})"
        case Members(members):
            return f"{{{', '.join(f'{name}: {shown(m)}' for name, m in members.items())}}}"
        case Elements(elements):
            return f"[{', '.join(map(shown, elements))}]"
        case _:
            return f"${slot_name(source)}"


def _constant(value: Any) -> str:
    match value:
        case dict():
            members = cast("dict[str, Any]", value).items()
            return f"{{{', '.join(f'{name}: {_constant(member)}' for name, member in members)}}}"
        case list():
            return f"[{', '.join(map(_constant, cast('list[Any]', value)))}]"
        case str():
            return f'"{value}"'
        case bool() | None:
            return {True: "true", False: "false", None: "null"}[value]
        case _:
            return str(value)


def filled(text: Text) -> str:
    """Return a template with arguments in its slots, and constants written out."""
    made = ""
    for before, name, spec, _ in Formatter().parse(text.template):
        made += before
        if name is not None:
            made += _in_slot(name, spec or "", text.slots.get(name, Argument(name)))
    return made


def _in_slot(name: str, spec: str, source: Source) -> str:
    match source:
        case Constant(value):
            is_padded = isinstance(value, int) and spec and spec != UNORDERED
            return f"{value:{spec}}" if is_padded else bare(value)
        case Text():
            return filled(source)
        case Variant(options):
            return f"({' or '.join(_in_slot(name, spec, option) for option in options)})"
        case Members() | Elements():
            return f"{{{name}}}"
        case _:
            return f"{{{slot_name(source)}:{spec}}}" if spec else f"{{{slot_name(source)}}}"


# Expressions as text.


class _PlannedRenderer(Renderer):
    """Renders expressions for people: attributes by their names, values by their sources."""

    def operand(self, operand: Operand) -> str:
        """Return the text of a path, value or size."""
        if isinstance(operand, Value):
            return shown(source_of(operand))
        return super().operand(operand)

    def name(self, name: str) -> str:
        """Return an attribute's name, or where a map's key comes from."""
        return f"${slot_name(name.source)}" if isinstance(name, PlannedPart) else name


def condition_text(condition: Condition | None) -> str | None:
    """Return a condition of a plan as text."""
    return None if condition is None else _PlannedRenderer().condition(condition)


def update_text(update: Update | None) -> str | None:
    """Return the changes of a plan as text."""
    return None if update is None else _PlannedRenderer().update(update)


def type_text(annotation: Any) -> str:
    """Return a type as it is written in code."""
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
