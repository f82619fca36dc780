"""Which fields an argument is held against: read from the pattern's plan, else from its name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import Enum
from string import Formatter
from typing import Any, Literal, get_args, get_origin

from sortkey.design.design import Design
from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.pattern import Pattern
from sortkey.design.plans import TracedStep, trace
from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    Between,
    Compare,
    Condition,
    In,
    Not,
    Or,
    Path,
    Value,
)
from sortkey.operations.origin import Given
from sortkey.prove.values import around

# An argument, or a part of one: $user, $user.email.
_ARGUMENT = re.compile(r"\$([A-Za-z_][\w.]*)")
_SAMPLE = re.compile(r"«([A-Za-z_]\w*)»")
# What an argument is within the texts of fields, since chance would hardly make such a text.
_PARTS = ("a", "ab", "b")


@dataclass(frozen=True, slots=True)
class Link:
    """A field that an argument is compared with, perhaps within a longer text."""

    entity: str
    field: str
    text: re.Pattern[str] | None = None

    def values_in(self, record: Entity) -> Iterator[Any]:
        """What a record has there, if it is one of those."""
        if self.entity and record.__kind__.name != self.entity:
            return
        value = getattr(record, self.field, None)
        if value is None:
            return
        if self.text is None:
            yield value
            return
        found = self.text.fullmatch(str(value))
        if found is not None:
            yield found[1]


class Links:
    """What is known of arguments and fields from what they are held against."""

    def __init__(self) -> None:
        self._compared: dict[str, list[Link]] = {}
        self._constants: dict[Link, list[Any]] = {}
        self._asked: set[Link] = set()

    def of_argument(self, name: str) -> list[Link]:
        """The fields that an argument, or a part of one, is compared with, the likeliest first."""
        return list(dict.fromkeys(self._compared.get(name, ())))

    def is_asked(self, entity: str, field: str) -> bool:
        """Whether a condition looks at a field, so that records with and without it matter."""
        return Link(entity, field) in self._asked

    def of_field(self, entity: str, field: str) -> tuple[Any, ...]:
        """The values that the pattern looks for in a field, as far as it names them."""
        return tuple(self._constants.get(Link(entity, field), ()))

    def learn(
        self, pattern: Pattern[..., Any], design: Design, kinds: Sequence[EntityKind[Any]]
    ) -> None:
        """Take in what a pattern's plan says of its arguments, and of these entities' fields."""
        self._compared |= {parameter.name: [] for parameter in pattern.parameters}
        by_name = {(kind.name, str(kind.table)): kind for kind in kinds}
        for traced in trace(pattern, design).steps:
            for name in traced.sent.entity.split(", "):
                kind = by_name.get((name, str(traced.sent.table)))
                if kind is not None:
                    self._take(traced, kind)
        for parameter in pattern.parameters:
            few = _few(parameter.type)
            for link in self._compared[parameter.name]:
                self._constants.setdefault(link, []).extend(few)
        for name, links in self._compared.items():
            links += [Link(kind.name, name) for kind in kinds if name in kind.model.model_fields]

    def _take(self, traced: TracedStep, kind: EntityKind[Any]) -> None:
        fields = {stored: name for name, stored in kind.stored_names.items()}
        parts: Mapping[str, Any] = traced.plan.get("key") or {}
        for attribute, part in parts.items():
            for value, link in _in_key(part, kind, fields.get(attribute)):
                self._note(value, link)
        for condition in (traced.sent.filter, traced.sent.condition):
            for path, value in _comparisons(condition):
                if path.name not in fields:
                    continue
                link = Link(kind.name, fields[path.name])
                self._asked.add(link)
                if value is not None:
                    self._hold(link, value, traced.text_of(value))

    def _hold(self, link: Link, value: Value, text: str) -> None:
        """Keep what a condition holds a field against."""
        if arguments := _ARGUMENT.findall(text):
            self._compared.setdefault(arguments[0], []).append(link)
        # A time is likely one that was made of an argument.
        elif isinstance(value.origin, Given) and not isinstance(value.origin.value, date):
            self._constants.setdefault(link, []).extend(_sought(value.origin.value))

    def _note(self, value: Any, link: Link) -> None:
        """Keep that a field is held against an argument, or against a constant."""
        text = value if isinstance(value, str) else ""
        if alone := _ARGUMENT.fullmatch(text):
            self._compared.setdefault(alone[1], []).append(link)
        elif len(names := _SAMPLE.findall(text)) == 1:
            # A text that the pattern makes of its argument, such as "USER#«user_id»".
            before, _, after = _SAMPLE.split(text)
            within = re.compile(f"{re.escape(before)}(.*){re.escape(after)}", re.DOTALL)
            self._compared.setdefault(names[0], []).append(Link(link.entity, link.field, within))
            made = [f"{before}{part}{after}" for part in _PARTS]
            self._constants.setdefault(link, []).extend(made)
        elif not text.startswith("$") and value is not None:
            self._constants.setdefault(link, []).append(value)


# For records that no pattern asks for.
NO_LINKS = Links()


def _few(annotation: Any) -> list[Any]:
    """The values of a type that has only a few, as they are written."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [member.value for member in annotation]
    return []


def _sought(value: Any) -> list[Any]:
    """A constant; and of a number those beside it, since it may be the end of a range."""
    is_number = isinstance(value, int | Decimal)
    return [value, *(around(value) if is_number else ())]


def _in_key(
    part: Mapping[str, Any], kind: EntityKind[Any], natural: str | None
) -> Iterator[tuple[Any, Link]]:
    """What each field of a key is bound to or compared with, as the plan writes it."""
    for bounds in part.get("bounds", (part,)):
        for field, value in bounds.get("bound", {}).items():
            if field in kind.model.model_fields:
                yield value, Link(kind.name, field)
            yield from _by_place(field, bounds["template"], kind)
        ranged = bounds.get("range")
        for value in ranged["values"] if ranged else ():
            yield value, Link(kind.name, ranged["field"])
    if natural is not None:
        for value in (*part.get("values", ()), part.get("value")):
            yield value, Link(kind.name, natural)


def _by_place(slot: str, template: str, kind: EntityKind[Any]) -> Iterator[tuple[Any, Link]]:
    """The field that stands in an entity's key where a raw request writes this argument."""
    asked = _slots(template)
    for key in kind.keys.values():
        for part in key.parts:
            own = _slots(part.template.text)
            for (before, name), (literal, field) in zip(asked, own, strict=False):
                if before != literal:
                    break
                if name == slot and name != field:
                    yield f"${name}", Link(kind.name, field)


def _slots(template: str) -> list[tuple[str, str]]:
    return [(before, name) for before, name, _, _ in Formatter().parse(template) if name]


def _comparisons(condition: Condition | None) -> Iterator[tuple[Path, Value | None]]:
    """Each place that a condition looks at, with what it is compared with: None for nothing."""
    match condition:
        case And(conditions) | Or(conditions):
            for part in conditions:
                yield from _comparisons(part)
        case Not(inner):
            yield from _comparisons(inner)
        case Compare(_, left, right):
            yield from _pairs((left, right))
        case Between(operand, low, high):
            yield from _pairs((operand, low, high))
        case In(operand, choices):
            yield from _pairs((operand, *choices))
        case AttributeExists(path) | AttributeNotExists(path):
            yield path, None
        case _:
            return


def _pairs(operands: Sequence[Any]) -> Iterator[tuple[Path, Value]]:
    paths = [operand for operand in operands if isinstance(operand, Path)]
    values = [operand for operand in operands if isinstance(operand, Value)]
    yield from ((path, value) for path in paths for value in values)
