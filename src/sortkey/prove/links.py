"""Which fields an argument is held against: read from the pattern's plan, else from its name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from string import Formatter
from typing import Any, Literal, get_args, get_origin

from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.plan import PatternPlan, PlannedStep
from sortkey.design.sources import (
    Argument,
    Constant,
    Source,
    Text,
    Variant,
    leaves,
    source_of,
)
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
from sortkey.prove.values import around

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

    def learn(self, plan: PatternPlan, kinds: Sequence[EntityKind[Any]]) -> None:
        """Take in what a pattern's plan says of its arguments, and of these entities' fields."""
        pattern = plan.pattern
        self._compared |= {parameter.name: [] for parameter in pattern.parameters}
        by_name = {(kind.name, str(kind.table)): kind for kind in kinds}
        for step in plan.steps:
            for name in step.entities:
                kind = by_name.get((name, str(step.table)))
                if kind is not None:
                    self._take(step, kind)
        for kind in kinds:
            for field, value in _collisions(kind, kinds):
                self._constants.setdefault(Link(kind.name, field), []).append(value)
        for parameter in pattern.parameters:
            few = _few(parameter.type)
            for link in self._compared[parameter.name]:
                self._constants.setdefault(link, []).extend(few)
        for name, links in self._compared.items():
            links += [Link(kind.name, name) for kind in kinds if name in kind.model.model_fields]

    def _take(self, step: PlannedStep, kind: EntityKind[Any]) -> None:
        fields = {stored: name for name, stored in kind.stored_names.items()}
        for attribute, compared in step.key.items():
            for source in compared.sources:
                for value, link in _in_key(source, kind, fields.get(attribute)):
                    self._note(value, link)
        for condition in (step.filter, step.condition):
            for path, value in _comparisons(condition):
                if path.name not in fields:
                    continue
                link = Link(kind.name, fields[path.name])
                self._asked.add(link)
                if value is not None:
                    self._hold(link, source_of(value))

    def _hold(self, link: Link, source: Source) -> None:
        """Keep what a condition holds a field against."""
        for leaf in leaves(source):
            # What is computed from an argument is another value than the field's.
            if isinstance(leaf, Argument):
                self._compared.setdefault(leaf.name, []).append(link)
            elif isinstance(leaf, Constant):
                self._constants.setdefault(link, []).extend(_sought(leaf.value))

    def _note(self, source: Source, link: Link) -> None:
        """Keep that a field is held against an argument, or against a constant."""
        match source:
            case Argument(name):
                self._compared.setdefault(name, []).append(link)
            case Constant(value) if value is not None:
                self._constants.setdefault(link, []).append(_written(value))
            case Text(template, slots) if len(slots) == 1:
                # A text that the pattern makes of its argument, such as "USER#{user_id}".
                [(name, slot)] = slots.items()
                before, _, after = template.partition(f"{{{name}}}")
                within = re.compile(f"{re.escape(before)}(.*){re.escape(after)}", re.DOTALL)
                if isinstance(slot, Argument):
                    inner = Link(link.entity, link.field, within)
                    self._compared.setdefault(slot.name, []).append(inner)
                made = [f"{before}{part}{after}" for part in _PARTS]
                self._constants.setdefault(link, []).extend(made)
            case Variant(options):
                for option in options:
                    self._note(option, link)
            case _:
                pass


def _written(value: Any) -> Any:
    return value.value if isinstance(value, Enum) else value


# For records that no pattern asks for.
NO_LINKS = Links()


def _collisions(
    kind: EntityKind[Any], kinds: Sequence[EntityKind[Any]]
) -> Iterator[tuple[str, Any]]:
    """Fields with values that make a key of another entity; only a raw table lets them meet."""
    for part in kind.primary.parts if kind.table.raw else ():
        for other in kinds if part.fields and not part.is_natural else ():
            same = [p for p in other.primary.parts if p.attribute == part.attribute]
            for held in same if other is not kind and other.table is kind.table else ():
                if not held.fields:
                    yield from (part.parse(held.template.text) or {}).items()


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
    source: Source, kind: EntityKind[Any], natural: str | None
) -> Iterator[tuple[Source, Link]]:
    """Yield the source of each field of a key, with the field."""
    if not isinstance(source, Text):
        if natural is not None:
            yield source, Link(kind.name, natural)
        return
    for field, value in source.slots.items():
        if field in kind.model.model_fields:
            yield value, Link(kind.name, field)
        yield from ((value, link) for link in _by_place(field, source.template, kind))
    if source.range is not None:
        for bound in source.range.bounds:
            yield bound, Link(kind.name, source.range.field)


def _by_place(slot: str, template: str, kind: EntityKind[Any]) -> Iterator[Link]:
    """The field that stands in an entity's key where a raw request writes this argument."""
    asked = _slots(template)
    for key in kind.keys.values():
        for part in key.parts:
            own = _slots(part.template.text)
            for (before, name), (literal, field) in zip(asked, own, strict=False):
                if before != literal:
                    break
                if name == slot and name != field:
                    yield Link(kind.name, field)


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
