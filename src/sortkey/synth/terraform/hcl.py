"""Terraform's language, laid out as ``terraform fmt`` would."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeAlias, cast

from sortkey.design.plans.notation import present
from sortkey.synth.comments import comment

# Narrower than a line, since the name of an argument comes before its list.
_LIST_WIDTH = 80
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class Expression:
    """A text that Terraform evaluates."""

    text: str


@dataclass(frozen=True, slots=True)
class HclBlock:
    """A block with its labels; arguments come first, then blocks within it."""

    kind: str
    labels: tuple[str, ...]
    arguments: Mapping[str, Any]
    blocks: "Sequence[HclBlock]" = ()
    comment: str = ""


Value: TypeAlias = Any


def block(
    kind: str, arguments: Mapping[str, Any], *blocks: HclBlock, comment: str = ""
) -> HclBlock:
    """Return a block without labels; arguments that are None are left out."""
    return HclBlock(kind, (), present(arguments), blocks, comment)


def resource(
    kind: str, name: str, arguments: Mapping[str, Any], *blocks: HclBlock, comment: str = ""
) -> HclBlock:
    """Return a resource; arguments that are None are left out."""
    return HclBlock("resource", (kind, name), present(arguments), blocks, comment)


def document(blocks: Iterable[HclBlock]) -> str:
    """Return the text of a whole file."""
    return "\n".join("\n".join([*_block(one, ""), ""]) for one in blocks)


def _block(block: HclBlock, indent: str) -> Iterator[str]:
    yield from comment(block.comment, indent)
    labels = "".join(f' "{label}"' for label in block.labels)
    if not block.arguments and not block.blocks:
        yield f"{indent}{block.kind}{labels} {{}}"
        return
    yield f"{indent}{block.kind}{labels} {{"
    yield from _arguments(block.arguments, f"{indent}  ")
    for number, inner in enumerate(block.blocks):
        if number or block.arguments:
            yield ""
        yield from _block(inner, f"{indent}  ")
    yield f"{indent}}}"


def _arguments(arguments: Mapping[str, Any], indent: str) -> Iterator[str]:
    """Yield arguments in lines; the equals signs of single-line arguments are aligned."""
    written = {name: _value(value, indent) for name, value in arguments.items()}
    for is_long, group in groupby(written.items(), lambda item: len(item[1]) > 1):
        members = list(group)
        width = 0 if is_long else max(len(name) for name, _ in members)
        for name, (first, *rest) in members:
            yield f"{indent}{name:<{width}} = {first}"
            yield from rest


def _value(value: Value, indent: str) -> list[str]:
    """Return the lines of a value; the first follows its name."""
    match value:
        case Expression(text):
            return text.splitlines()
        case bool() | int():
            return [json.dumps(value)]
        case str():
            return [quoted(value)]
        case Mapping():
            return _object(cast("Mapping[str, Any]", value), indent)
        case _:
            return _list(cast("Sequence[Any]", value), indent)


def _object(members: Mapping[str, Any], indent: str) -> list[str]:
    inner = {_key(name): value for name, value in members.items()}
    lines = list(_arguments(inner, f"{indent}  "))
    if len(lines) == 1:
        return [f"{{ {lines[0].strip()} }}"]
    return ["{", *lines, f"{indent}}}"] if lines else ["{}"]


def _list(values: Sequence[Any], indent: str) -> list[str]:
    written = [_value(value, f"{indent}  ") for value in values]
    one_line = f"[{', '.join(lines[0] for lines in written)}]"
    if all(len(lines) == 1 for lines in written) and len(indent) + len(one_line) <= _LIST_WIDTH:
        return [one_line]
    items = [f"{indent}  {line}" if n == 0 else line for ls in written for n, line in enumerate(ls)]
    ends = {sum(len(ls) for ls in written[: n + 1]) - 1 for n in range(len(written))}
    return ["[", *(f"{line}," if n in ends else line for n, line in enumerate(items)), f"{indent}]"]


def _key(name: str) -> str:
    return name if _NAME.fullmatch(name) else quoted(name)


def quoted(text: str) -> str:
    """Return a quoted text, with Terraform's placeholders escaped."""
    return json.dumps(text, ensure_ascii=False).replace("${", "$${").replace("%{", "%%{")


def call(function: str, value: Any, indent: str = "  ") -> Expression:
    """Return a call of a function with one argument."""
    text = "\n".join(_value(value, indent))
    return Expression(f"{function}({text})")
