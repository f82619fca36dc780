"""Sources: where a value in a plan comes from.

A value is a constant of the design, an argument, the time, something that the function computes
from arguments, something that it generates, or one of several of these. Texts, maps and lists hold
other sources.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from sortkey.expressions.tree import Value
from sortkey.wire.values import AttributeValue

NOW = "now()"


@dataclass(frozen=True, slots=True)
class Constant:
    """The same value in every call."""

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


def leaves(source: Source) -> Iterator[Source]:
    """Yield every source that holds no others, at any depth."""
    match source:
        case Variant(options):
            parts: Iterator[Source] = iter(options)
        case Text(_, slots, compared):
            parts = iter((*slots.values(), *(() if compared is None else compared.bounds)))
        case Members(members):
            parts = iter(members.values())
        case Elements(elements):
            parts = iter(elements)
        case _:
            yield source
            return
    for part in parts:
        yield from leaves(part)


def arguments_in(source: Source) -> frozenset[str]:
    """Return the arguments that a value depends on; the time is none of them."""
    found: set[str] = set()
    for leaf in leaves(source):
        match leaf:
            case Argument(name):
                found.add(name)
            case Derived(names):
                found.update(name for name in names if name != NOW)
            case _:
                pass
    return frozenset(found | set(_deciders(source)))


def is_fixed(source: Source) -> bool:
    """Return whether the value is the same in every call."""
    return all(isinstance(leaf, Constant) for leaf in leaves(source))


def is_shared(source: Source) -> bool:
    """Return whether the value is the same in all calls at one time, whatever their arguments."""
    return not any(_deciders(source)) and all(
        isinstance(leaf, Constant | Now) or leaf == Derived((NOW,)) for leaf in leaves(source)
    )


def _deciders(source: Source) -> Iterator[str]:
    match source:
        case Variant(options, by):
            yield from by
            for option in options:
                yield from _deciders(option)
        case Text(_, slots):
            for slot in slots.values():
                yield from _deciders(slot)
        case _:
            pass
