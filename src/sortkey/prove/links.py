"""The fields that each argument is compared with, from the pattern's plan or the same name."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from enum import Enum
from string import Formatter
from typing import Any, Literal, cast, get_args, get_origin

from sortkey.design.declaring.entity import Entity
from sortkey.design.plans.plan import Compared, PatternPlan, PlannedStep
from sortkey.design.plans.sources import (
    Argument,
    Constant,
    Elements,
    Source,
    Text,
    Variant,
    source_of,
)
from sortkey.design.plans.stated import literals
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.kind import EntityKind
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
from sortkey.prove.fields import plain
from sortkey.prove.values import around

# Parts of a field's text that an argument fills in: random texts would hardly match it.
_PARTS = ("a", "ab", "b")
# The lengths of a text's beginning that an argument may be: a month, a day or a year of a time.
_BEGINNINGS = (7, 10, 4, 1)
# The end of a range that includes all texts; no text is expected to sort after it.
END = "~"
_END = Text(END, {})
# Replaces a slot while a text is compared with a template: no key has such characters.
_FIRST_MARK = 0xE000


@dataclass(frozen=True, slots=True)
class FieldLink:
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
        """Yield the values of a record for the argument, if it has the entity and field."""
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
        """Yield beginnings of a value's text and the whole of it; for a collection, its members."""
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


def _field_of(link: FieldLink) -> FieldLink:
    return FieldLink(link.entity, link.field)


def _text_of(value: Any) -> str:
    return value.isoformat() if isinstance(value, date) else str(plain(value))


class FieldLinks:
    """The arguments and constants that the fields of records are compared with."""

    def __init__(self) -> None:
        self._compared: dict[str, list[FieldLink]] = {}
        self._constants: dict[FieldLink, list[Any]] = {}
        self._in_conditions: set[FieldLink] = set()
        self._capped: set[FieldLink] = set()
        self._beginnings: dict[str, tuple[str, ...]] = {}

    def of_argument(self, name: str) -> list[FieldLink]:
        """Return the fields that an argument or a part of it is compared with, likeliest first."""
        return list(dict.fromkeys(self._compared.get(name, ())))

    def fields_of(self, name: str) -> set[str]:
        """Return the fields that are compared with the whole of an argument."""
        return {link.field for link in self.of_argument(name) if link.text is None}

    def beginnings_of(self, name: str) -> tuple[str, ...]:
        """Return the texts for an argument that stands for the beginning of a value."""
        return self._beginnings.get(name, ())

    def settle(self, name: str, texts: Iterable[str]) -> None:
        """Limit an argument to these beginnings of values, such as the month of a date."""
        self._beginnings[name] = tuple(dict.fromkeys(texts))

    def is_in_condition(self, entity: str, field: str) -> bool:
        """Return whether a condition reads a field, so that records with and without it matter."""
        return FieldLink(entity, field) in self._in_conditions

    def is_capped(self, entity: str, field: str) -> bool:
        """Return whether a range ends with ``~`` in place of a field, which must sort before it."""
        return FieldLink(entity, field) in self._capped

    def of_field(self, entity: str, field: str) -> tuple[Any, ...]:
        """Return the constants that the pattern compares a field with."""
        return tuple(self._constants.get(FieldLink(entity, field), ()))

    def constants_of(self, kind: EntityKind[Any]) -> dict[str, Any]:
        """Return the first constant of each field that the pattern compares with one."""
        found = {name: self.of_field(kind.name, name) for name in kind.model.model_fields}
        return {name: constants[0] for name, constants in found.items() if constants}

    def learn(self, plan: PatternPlan, kinds: Sequence[EntityKind[Any]]) -> None:
        """Collect the comparisons of a pattern's plan with the fields of these entities."""
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
                self._constants.setdefault(FieldLink(kind.name, field), []).append(value)
        for field, literal in literals(pattern.where) if pattern.where is not None else ():
            for link in [FieldLink(name, field) for step in plan.steps for name in step.entities]:
                self._constants.setdefault(link, [literal])
        for parameter in pattern.parameters:
            few = _few(parameter.type)
            for link in self._compared[parameter.name]:
                self._constants.setdefault(_field_of(link), []).extend(few)
        for name, links in self._compared.items():
            links += [
                FieldLink(kind.name, name) for kind in kinds if name in kind.model.model_fields
            ]

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
                link = FieldLink(kind.name, fields[path.name])
                self._in_conditions.add(link)
                if value is not None:
                    self._note(source_of(value), replace(link, begins=begins))

    def _note(self, source: Source, link: FieldLink) -> None:
        """Record that a field is compared with an argument or a constant."""
        field = _field_of(link)
        match source:
            case Argument(name):
                self._compared.setdefault(name, []).append(link)
            case Constant(value) if value is not None:
                self._constants.setdefault(field, []).extend(_sought(plain(value)))
            case Text(template, slots) if not slots:
                self._constants.setdefault(field, []).append(_unescaped(template))
            case Text(template, slots) if len(slots) == 1:
                # A text that the pattern builds from its argument, such as "USER#{user_id}".
                [(name, slot)] = slots.items()
                before, _, after = map(_unescaped, template.partition(f"{{{name}}}"))
                within = re.compile(f"{re.escape(before)}(.*){re.escape(after)}", re.DOTALL)
                if isinstance(slot, Argument):
                    inner = FieldLink(link.entity, link.field, within)
                    self._compared.setdefault(slot.name, []).append(inner)
                made = [f"{before}{part}{after}" for part in _PARTS]
                self._constants.setdefault(field, []).extend(made)
            case Variant(several) | Elements(several):
                for one in several:
                    self._note(one, link)
            case _:
                pass


# For records that belong to no pattern.
NO_LINKS = FieldLinks()


def _collisions(
    kind: EntityKind[Any], kinds: Sequence[EntityKind[Any]]
) -> Iterator[tuple[str, Any]]:
    """Yield fields and values that make a key of another entity, which only a raw table allows."""
    for part in kind.primary.parts if kind.table.raw else ():
        for other in kinds if part.fields and not part.is_natural else ():
            same = [p for p in other.primary.parts if p.attribute == part.attribute]
            for held in same if other is not kind and other.table is kind.table else ():
                if not held.fields:
                    yield from (part.parse(held.template.text) or {}).items()


def _few(annotation: Any) -> list[Any]:
    """Return the stored values of a Literal or an Enum, else an empty list."""
    if get_origin(annotation) is Literal:
        return list(get_args(annotation))
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return [member.value for member in annotation]
    return []


def _sought(value: Any) -> list[Any]:
    """Return a constant; for a number also its neighbours, since it may be the end of a range."""
    is_number = isinstance(value, int | Decimal)
    return [value, *(around(value) if is_number else ())]


def _in_key(
    attribute: str, compared: Compared, step: PlannedStep, kind: EntityKind[Any]
) -> Iterator[tuple[Source, FieldLink]]:
    """Yield the source that each field of a key is compared with, and the field."""
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
            yield from ((source, FieldLink(kind.name, name, begins=begins)) for name in fields)
            continue
        for part in parts:
            for slot, text, is_open in facing(source.template, part.template.parts):
                # Only a raw request writes an argument of another type into a slot.
                is_other = kind.table.raw and not (part.is_natural or slot.is_text)
                place = slot if is_other else None
                link = FieldLink(kind.name, slot.field, None, place, begins and is_open)
                # The end of a range may continue after the value, as in "{day}~".
                is_slot = text.startswith("{") and not text.startswith("{{")
                written = text[: text.find("}") + 1] if is_range and is_slot else text
                # A range of a template begins before the slots that it leaves open.
                if all(name in source.slots for _, name in _slots(written)):
                    yield _within(written, source), link
        if source.range is not None:
            for bound in source.range.bounds:
                yield bound, FieldLink(kind.name, source.range.field)


def _within(template: str, source: Text) -> Source:
    """Return a part of a text as a source of its own."""
    slots = {name: source.slots[name] for _, name in _slots(template)}
    sole = [slot for name, slot in slots.items() if template.startswith(f"{{{name}")]
    is_slot = len(sole) == 1 and template.find("}") == len(template) - 1
    return sole[0] if is_slot else Text(template, slots)


def facing(template: str, parts: Sequence[str | Slot]) -> Iterator[tuple[Slot, str, bool]]:
    """Yield each slot of a key, from the left, with the part of a request's text that fills it.

    The third member says whether the text ends there, so that a key may continue within the slot.
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
    """Return where a value ends in a text: before the literal after it, or the start of that."""
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
    """Yield each path of a condition with the value it is compared with; None if there is none.

    The third member says whether a beginning or a part of the value is enough.
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
