"""Sources: where a value in a plan comes from.

A value is a constant of the design, an argument, the time, something that the function computes
from arguments, something that it generates, or one of several of these. Texts, maps and lists hold
other sources.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, TypeAlias

from sortkey.expressions.tree import Value
from sortkey.wire.values import AttributeValue

NOW = "now()"


@dataclass(frozen=True, slots=True)
class Constant:
    """A value that is the same in every call."""

    value: Any


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument, or a part of one: ``user``, ``user.email``, ``ids[]``."""

    name: str


@dataclass(frozen=True, slots=True)
class Now:
    """The time at which the operation is built."""


@dataclass(frozen=True, slots=True)
class Generated:
    """A value that differs in every call, such as an id or a token."""


@dataclass(frozen=True, slots=True)
class Derived:
    """A value that the function computes from these arguments; empty where they are not known."""

    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Variant:
    """One of several sources; the arguments in ``by`` decide which."""

    options: tuple["Source", ...]
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Range:
    """A comparison over one slot of a key: ``ge``, its field, and one or two bounds."""

    op: str
    field: str
    bounds: tuple["Source", ...]


@dataclass(frozen=True, slots=True)
class Text:
    """A text made from a template; slots without a source are left open.

    ``shards`` is the number of partitions over which a key with this template is spread.
    """

    template: str
    slots: Mapping[str, "Source"]
    range: Range | None = None
    shards: int | None = None


@dataclass(frozen=True, slots=True)
class Members:
    """A map whose members have sources of their own."""

    members: Mapping[str, "Source"]


@dataclass(frozen=True, slots=True)
class Elements:
    """A list or set whose elements have sources of their own."""

    elements: tuple["Source", ...]


Source: TypeAlias = (
    Constant | Argument | Now | Generated | Derived | Variant | Text | Members | Elements
)


@dataclass(frozen=True, slots=True)
class Planned(Value):
    """A value of an expression in a plan: equal to another that has the same source.

    ``value`` is what one of the calls sent.
    """

    value: AttributeValue = field(compare=False)
    source: Source = field(kw_only=True)


def source_of(value: Value) -> Source:
    """Return where a value of a planned expression comes from."""
    return value.source if isinstance(value, Planned) else Constant(value.value)


class PlannedPart(str):
    """The key of a map in a path that is not the same in every call."""

    __slots__ = ("source",)
    source: Source

    def __new__(cls, source: Source) -> Self:
        """Make the part, with a text that says where it comes from."""
        made = super().__new__(cls, f"{{{slot_name(source)}}}")
        made.source = source
        return made


def slots_of(template: str) -> tuple[str, ...]:
    """Return the names of a template's slots, each once."""
    return tuple(dict.fromkeys(_SLOT.findall(template.replace("{{", "").replace("}}", ""))))


_SLOT = re.compile(r"\{([^{}:]*)")


def slot_name(source: Source) -> str:
    """Return what a slot is called that no template of the design has."""
    match source:
        case Argument(name):
            return name
        case Now():
            return NOW
        case Derived(names):
            return f"derived({', '.join(names) or '?'})"
        case Generated():
            return "generated()"
        case _:
            return "value"


def leaves(source: Source) -> Iterator[Source]:
    """Yield every source that holds no others, at any depth."""
    return (one for one in _within(source) if not isinstance(one, _WHOLES))


def arguments_in(source: Source) -> frozenset[str]:
    """Return the arguments that a value depends on; the time is none of them."""
    found: set[str] = set()
    for one in _within(source):
        match one:
            case Argument(name):
                found.add(name)
            case Derived(names) | Variant(_, names):
                found.update(names)
            case _:
                pass
    return frozenset(found - {NOW})


def constant_text(source: Source) -> str | None:
    """The text that a source is in every call; None where it is another thing."""
    match source:
        case Constant(str() as text) | Constant({"S": str() as text}):
            return text
        case Text(template, slots, None) if not slots:
            return template
        case _:
            return None


def is_shared(source: Source) -> bool:
    """Return whether the value is the same in all calls at one time, whatever their arguments."""
    is_varying = any(isinstance(one, Variant) for one in _within(source))
    return not is_varying and all(
        isinstance(leaf, Constant | Now) or leaf == Derived((NOW,)) for leaf in leaves(source)
    )


_WHOLES = (Variant, Text, Members, Elements)


def _within(source: Source) -> Iterator[Source]:
    """Yield a source and all that it holds, at any depth."""
    yield source
    for part in _parts(source):
        yield from _within(part)


def _parts(source: Source) -> tuple[Source, ...]:
    match source:
        case Variant(options):
            return options
        case Text(_, slots, compared):
            return (*slots.values(), *(() if compared is None else compared.bounds))
        case Members(members):
            return tuple(members.values())
        case Elements(elements):
            return elements
        case _:
            return ()
