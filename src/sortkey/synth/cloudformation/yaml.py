"""YAML with blocks, comments, and CloudFormation's short functions."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sortkey.synth.comments import comment

# Texts that need no quotes; most others are quoted as in JSON, which is valid YAML.
_PLAIN = re.compile(r"[A-Za-z/][\w./:,()-]*(?: [\w./(][\w./:,()-]*)*", re.ASCII)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


@dataclass(frozen=True, slots=True)
class IntrinsicFunction:
    """One of CloudFormation's functions of a text: ``!Ref``, ``!GetAtt`` or ``!Sub``."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Lines:
    """A text of several lines under ``!Sub``."""

    text: str


@dataclass(frozen=True, slots=True)
class Noted:
    """A value with a comment above it."""

    comment: str
    value: Any


def ref(name: str) -> IntrinsicFunction:
    """Return a reference to a resource."""
    return IntrinsicFunction("Ref", name)


def arn(name: str, attribute: str = "Arn") -> IntrinsicFunction:
    """Return a reference to the ARN of a resource, or to another attribute."""
    return IntrinsicFunction("GetAtt", f"{name}.{attribute}")


def sub(text: str) -> IntrinsicFunction:
    """Return a text with placeholders."""
    return IntrinsicFunction("Sub", text)


def document(sections: Mapping[str, Any]) -> str:
    """Return the whole text, with a blank line between the members of each section."""
    parts: list[str] = []
    for name, section in sections.items():
        if isinstance(section, Mapping):
            named = cast("Mapping[str, Any]", section)
            members = ["\n".join(_members({n: m}, "  ")) for n, m in named.items()]
            parts.append("\n".join([f"\n{name}:", "\n\n".join(members)]))
        else:
            parts.append("\n".join(_members({name: section}, "")))
    return "\n".join(parts) + "\n"


def _members(value: Mapping[str, Any], indent: str) -> Iterator[str]:
    for name, member in value.items():
        content: Any = member
        if isinstance(member, Noted):
            yield from comment(member.comment, indent)
            content = member.value
        yield from _placed(f"{indent}{_text(name)}:", content, indent)


def _items(values: list[Any], indent: str) -> Iterator[str]:
    for item in values:
        content: Any = item
        if isinstance(item, Noted):
            yield from comment(item.comment, indent)
            content = item.value
        if isinstance(content, Mapping) and content:
            first, *rest = _members(cast("Mapping[str, Any]", content), f"{indent}  ")
            # A comment on the first member goes above the dash.
            yield f"{indent}- {first.lstrip()}"
            yield from rest
        else:
            yield from _placed(f"{indent}-", content, indent)


def _placed(start: str, content: Any, indent: str) -> Iterator[str]:
    """Yield a value after its key, on the same line or below it."""
    match content:
        case Lines(text):
            yield f"{start} !Sub |-"
            yield from (f"{indent}  {line}" for line in text.splitlines())
        case Mapping() if content:
            yield start
            yield from _members(cast("Mapping[str, Any]", content), f"{indent}  ")
        case list() if content:
            yield start
            yield from _items(cast("list[Any]", content), f"{indent}  ")
        case _:
            yield f"{start} {_scalar(content)}"


def _scalar(value: Any) -> str:
    match value:
        case IntrinsicFunction(name, text):
            return f"!{name} {_text(text) if name != 'Sub' else json.dumps(text)}"
        case str():
            return _text(value)
        case _:
            return json.dumps(value)


def _text(text: str) -> str:
    is_plain = _PLAIN.fullmatch(text) and text.lower() not in _WORDS
    if is_plain and ": " not in text and not text.endswith(":"):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    # JSON within a text is easier to read in single quotes, which escape nothing.
    is_json = quoted == '"' + text.replace('"', '\\"') + '"' and '"' in text and "'" not in text
    return f"'{text}'" if is_json else quoted


def unless_empty(name: str, value: Any) -> dict[str, Any]:
    """Return a map with the member, or an empty map if the member would be empty."""
    return {name: value} if value else {}
