"""Which fields an argument is held against: read from the pattern's plan, else from its name."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import Enum
from string import Formatter
from typing import Any, Literal, cast, get_args, get_origin

from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.plan import Compared, PatternPlan, PlannedStep
from sortkey.design.slots import Slot
from sortkey.design.sources import (
    Argument,
    Constant,
    Elements,
    Source,
    Text,
    Variant,
    source_of,
)
from sortkey.design.stated import literals
from sortkey.errors import SortkeyError
from sortkey.expressions.tree import (
    And,
    AttributeExists,
    AttributeNotExists,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Contains,
    In,
    Not,
    Or,
    Path,
    Value,
)
from sortkey.prove.values import around

# What an argument is within the texts of fields, since chance would hardly make such a text.
_PARTS = ("a", "ab", "b")
# How much of a text an argument is that may be its beginning: a month, a day or a year of a time.
_BEGINNINGS = (7, 10, 4, 1)
# What ends a range behind all texts: those that begin with a character behind it are not expected.
END = "~"
_END = Text(END, {})
# In place of a slot while a text is compared with a template: no key has such characters.
_FIRST_MARK = 0xE000


@dataclass(frozen=True, slots=True)
class Link:
    """A field that an argument is compared with, perhaps within a longer text.

    ``slot`` is the place in a key where the argument is written instead of the field. With
    ``begins`` it may be only the beginning of the field's text.
    """

    entity: str
    field: str
    text: re.Pattern[str] | None = None
    slot: Slot | None = None
    begins: bool = False

    def values_in(self, record: Entity) -> Iterator[Any]:
        """What a record has there, if it is one of those."""
        if self.entity and record.__kind__.name != self.entity:
            return
        value = getattr(record, self.field, None)
        if value is None:
            return
        if self.text is None:
            yield value
            yield from self.texts_of(value)
            return
        found = self.text.fullmatch(str(value))
        if found is not None:
            yield found[1]

    def texts_of(self, value: Any) -> Iterator[Any]:
        """What a value's text begins with, and all of it; of a collection its members."""
        if self.slot is None and not self.begins:
            return
        if isinstance(value, Collection) and not isinstance(value, str | bytes):
            yield from cast("Collection[Any]", value)
            return
        try:
            text = _text_of(value) if self.slot is None else self.slot.write(value)
        except SortkeyError:
            return
        if self.begins:
            yield from (text[:length] for length in _BEGINNINGS if length < len(text))
        yield text


def _field_of(link: Link) -> Link:
    return Link(link.entity, link.field)


def _text_of(value: Any) -> str:
    return value.isoformat() if isinstance(value, date) else str(_written(value))


class Links:
    """What is known of arguments and fields from what they are held against."""

    def __init__(self) -> None:
        self._compared: dict[str, list[Link]] = {}
        self._constants: dict[Link, list[Any]] = {}
        self._asked: set[Link] = set()
        self._capped: set[Link] = set()
        self._beginnings: dict[str, tuple[str, ...]] = {}

    def of_argument(self, name: str) -> list[Link]:
        """The fields that an argument, or a part of one, is compared with, the likeliest first."""
        return list(dict.fromkeys(self._compared.get(name, ())))

    def fields_of(self, name: str) -> set[str]:
        """The fields that are compared with the whole of an argument."""
        return {link.field for link in self.of_argument(name) if link.text is None}

    def beginnings_of(self, name: str) -> tuple[str, ...]:
        """The texts that an argument is one of, where it stands for the beginning of a value."""
        return self._beginnings.get(name, ())

    def settle(self, name: str, texts: Iterable[str]) -> None:
        """Take an argument for one of these beginnings of a value, such as the month of a day."""
        self._beginnings[name] = tuple(dict.fromkeys(texts))

    def is_asked(self, entity: str, field: str) -> bool:
        """Whether a condition looks at a field, so that records with and without it matter."""
        return Link(entity, field) in self._asked

    def is_capped(self, entity: str, field: str) -> bool:
        """Whether a range ends with ``~`` in the place of a field, which then sorts before it."""
        return Link(entity, field) in self._capped

    def of_field(self, entity: str, field: str) -> tuple[Any, ...]:
        """The values that the pattern looks for in a field, as far as it names them."""
        return tuple(self._constants.get(Link(entity, field), ()))

    def constants_of(self, kind: EntityKind[Any]) -> dict[str, Any]:
        """The fields of an entity in which the pattern looks for a constant, and the first one."""
        found = {name: self.of_field(kind.name, name) for name in kind.model.model_fields}
        return {name: constants[0] for name, constants in found.items() if constants}

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
        for field, literal in literals(pattern.where) if pattern.where is not None else ():
            for link in [Link(name, field) for step in plan.steps for name in step.entities]:
                self._constants.setdefault(link, [literal])
        for parameter in pattern.parameters:
            few = _few(parameter.type)
            for link in self._compared[parameter.name]:
                self._constants.setdefault(_field_of(link), []).extend(few)
        for name, links in self._compared.items():
            links += [Link(kind.name, name) for kind in kinds if name in kind.model.model_fields]

    def _take(self, step: PlannedStep, kind: EntityKind[Any]) -> None:
        fields = {stored: name for name, stored in kind.stored_names.items()}
        for attribute, compared in step.key.items():
            for value, link in _in_key(attribute, compared, step, kind):
                if value == _END:
                    self._capped.add(_field_of(link))
                else:
                    self._note(value, link)
        for condition in (step.filter, step.condition):
            for path, value, begins in _comparisons(condition):
                if path.name not in fields:
                    continue
                link = Link(kind.name, fields[path.name])
                self._asked.add(link)
                if value is not None:
                    self._note(source_of(value), replace(link, begins=begins))

    def _note(self, source: Source, link: Link) -> None:
        """Keep that a field is held against an argument, or against a constant."""
        field = _field_of(link)
        match source:
            case Argument(name):
                self._compared.setdefault(name, []).append(link)
            case Constant(value) if value is not None:
                self._constants.setdefault(field, []).extend(_sought(_written(value)))
            case Text(template, slots) if not slots:
                self._constants.setdefault(field, []).append(_unescaped(template))
            case Text(template, slots) if len(slots) == 1:
                # A text that the pattern makes of its argument, such as "USER#{user_id}".
                [(name, slot)] = slots.items()
                before, _, after = map(_unescaped, template.partition(f"{{{name}}}"))
                within = re.compile(f"{re.escape(before)}(.*){re.escape(after)}", re.DOTALL)
                if isinstance(slot, Argument):
                    inner = Link(link.entity, link.field, within)
                    self._compared.setdefault(slot.name, []).append(inner)
                made = [f"{before}{part}{after}" for part in _PARTS]
                self._constants.setdefault(field, []).extend(made)
            case Variant(several) | Elements(several):
                for one in several:
                    self._note(one, link)
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
    attribute: str, compared: Compared, step: PlannedStep, kind: EntityKind[Any]
) -> Iterator[tuple[Source, Link]]:
    """Yield what each field of a key is compared with, and the field."""
    begins = compared.op == "begins_with"
    is_range = not begins and compared.op != "="
    parts = [
        part
        for key in kind.keys.values()
        for part in key.parts
        if part.attribute.name == attribute and key.index == step.index
    ]
    for source in compared.sources:
        if not isinstance(source, Text):
            fields = [name for part in parts if part.is_natural for name in part.fields]
            yield from ((source, Link(kind.name, name, begins=begins)) for name in fields)
            continue
        for part in parts:
            for slot, text, is_open in facing(source.template, part.template.parts):
                # Only a raw request writes an argument of another type in its place.
                is_other = kind.table.raw and not (part.is_natural or slot.is_text)
                place = slot if is_other else None
                link = Link(kind.name, slot.field, None, place, begins and is_open)
                # The end of a range may go on behind the value, as "{day}~" does.
                is_slot = text.startswith("{") and not text.startswith("{{")
                said = text[: text.find("}") + 1] if is_range and is_slot else text
                # A range of a template begins before the slots that it leaves open.
                if all(name in source.slots for _, name in _slots(said)):
                    yield _within(said, source), link
        if source.range is not None:
            for bound in source.range.bounds:
                yield bound, Link(kind.name, source.range.field)


def _within(template: str, source: Text) -> Source:
    """A part of a text as a source of its own."""
    slots = {name: source.slots[name] for _, name in _slots(template)}
    sole = [slot for name, slot in slots.items() if template.startswith(f"{{{name}")]
    is_slot = len(sole) == 1 and template.find("}") == len(template) - 1
    return sole[0] if is_slot else Text(template, slots)


def facing(template: str, parts: Sequence[str | Slot]) -> Iterator[tuple[Slot, str, bool]]:
    """Yield the part of a request's text that stands in each slot of a key, from the left.

    The last one says whether the text ends there, so that a key may go on within the slot.
    """
    marks: dict[str, str] = {}
    left = ""
    for literal, name, spec, _ in Formatter().parse(template):
        left += literal
        if name is not None:
            mark = chr(_FIRST_MARK + len(marks))
            marks[mark] = f"{{{name}:{spec}}}" if spec else f"{{{name}}}"
            left += mark
    for part, after in zip(parts, (*parts[1:], ""), strict=True):
        if isinstance(part, str):
            if not left.startswith(part):
                return
            left = left[len(part) :]
            continue
        end = _end(left, after) if isinstance(after, str) else 1
        if not left:
            return
        text = "".join(marks.get(c) or c.replace("{", "{{").replace("}", "}}") for c in left[:end])
        left = left[end:]
        if text:
            yield part, text, not left


def _end(text: str, literal: str) -> int:
    """Where a value ends in a text: before the literal that follows it, or before its beginning."""
    found = text.find(literal) if literal else -1
    if found >= 0:
        return found
    begun = (n for n in range(len(literal), 0, -1) if text.endswith(literal[:n]))
    return next((len(text) - n for n in begun), len(text))


def _slots(template: str) -> list[tuple[str, str]]:
    return [(before, name) for before, name, _, _ in Formatter().parse(template) if name]


def _unescaped(template: str) -> str:
    return template.replace("{{", "{").replace("}}", "}")


def _comparisons(condition: Condition | None) -> Iterator[tuple[Path, Value | None, bool]]:
    """Each place that a condition looks at, with what it is compared with: None for nothing.

    The last one says whether a beginning or a part of what is there is enough.
    """
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
        case BeginsWith(operand, sought) | Contains(operand, sought):
            yield from _pairs((operand, sought), begins=True)
        case AttributeExists(path) | AttributeNotExists(path):
            yield path, None, False
        case _:
            return


def _pairs(operands: Sequence[Any], *, begins: bool = False) -> Iterator[tuple[Path, Value, bool]]:
    paths = [operand for operand in operands if isinstance(operand, Path)]
    values = [operand for operand in operands if isinstance(operand, Value)]
    yield from ((path, value, begins) for path in paths for value in values)
