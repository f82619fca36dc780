"""Key templates: the text of one string key attribute, such as `ORDER#{order_id:012d}`.

A template writes typed values as text and reads them back. This is unambiguous because a text slot
rejects `#` in a template that has any literal text, and the first character of the next literal to
its right; all other values have a distinct shape.
"""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from string import Formatter
from typing import Any, NewType

from sortkey.design.records.keys.characters import GREATEST, Shape, shape_pattern, shape_within
from sortkey.design.records.keys.formats import FormatError
from sortkey.design.records.keys.slots import (
    UNBOUNDED,
    Bounds,
    KeyValueError,
    Slot,
    choice_bounds,
    slot_format,
)
from sortkey.errors import Refused, SortkeyError

DELIMITER = "#"

_NOT_IN_KEYS = re.compile(f"[\ud800-\udfff{GREATEST}]")
_BETWEEN_TEXTS = " "
# The similarity from which a name was probably meant; the most fields that are listed.
_NEAR = 0.75
_LISTED = 12


class TemplateError(SortkeyError):
    """A template is invalid; the message says where, and what to write instead."""


class KeyBindingError(Refused):
    """The arguments do not make a key, or the part of one that a query can use."""


@dataclass(frozen=True, slots=True)
class _SlotReader:
    """The position of a field in a key's text, and the slot that reads it."""

    slot: Slot
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Template:
    """The literal texts and the slots of a string key attribute, from left to right."""

    text: str
    parts: tuple[str | Slot, ...]
    slots: tuple[Slot, ...] = field(repr=False, compare=False)
    fields: tuple[str, ...] = field(repr=False, compare=False)
    _pattern: re.Pattern[str] = field(repr=False, compare=False)
    _readers: Mapping[str, _SlotReader] = field(repr=False, compare=False)

    def build(self, values: Mapping[str, Any]) -> str:
        """Return the whole key's text; every slot must have a value."""
        try:
            return self._write(self.parts, values)
        except KeyError:
            missing = [name for name in self.fields if name not in values]
            raise KeyBindingError(
                f'the key "{self}" also needs {_names(missing)}: pass every field of the key'
            ) from None

    def prefix(self, values: Mapping[str, Any]) -> tuple[str, bool]:
        """Return the text up to the first slot without a value, and whether it is the whole key."""
        unbound = self.first_unbound(values)
        if unbound is None:
            return self.build(values), True
        place = self.parts.index(unbound)
        leading = self.parts[:place]
        given = {part.field for part in leading if isinstance(part, Slot)}
        for part in self.parts[place:]:
            if isinstance(part, Slot) and part.field in values and part.field not in given:
                raise KeyBindingError(
                    f'"{part.field}" comes after "{unbound.field}" in the key "{self}", '
                    f'and a key is specified from the left: pass "{unbound.field}" too, or remove '
                    f'"{part.field}"'
                )
        return self._write(leading, values), False

    def first_unbound(self, values: Mapping[str, Any]) -> Slot | None:
        """Return the leftmost slot without a value."""
        return next((slot for slot in self.slots if slot.field not in values), None)

    def takes(self, values: Mapping[str, Any]) -> bool:
        """Whether each slot can contain its value, if it has one."""
        try:
            self._write([slot for slot in self.slots if slot.field in values], values)
        except KeyValueError:
            return False
        return True

    def parse(self, text: str) -> dict[str, Any] | None:
        """Return the typed values that produce this text, or None if the template never does."""
        match = self._pattern.fullmatch(text)
        if match is None:
            return None
        values: dict[str, Any] = {}
        for name, reader in self._readers.items():
            written = _BETWEEN_TEXTS.join([match[place] for place in reader.places])
            try:
                values[name] = reader.slot.read(written)
            except ValueError:
                return None
        # A field that appears twice must have one value.
        if len(self.slots) > len(self.fields) and self.build(values) != text:
            return None
        return values

    @staticmethod
    def _write(parts: Iterable[str | Slot], values: Mapping[str, Any]) -> str:
        return "".join([p if isinstance(p, str) else p.write(values[p.field]) for p in parts])

    def __str__(self) -> str:
        return self.text


def parse_template(
    text: str,
    types: Mapping[str, Any],
    bounds: Mapping[str, Bounds] | None = None,
    shapes: Mapping[str, Shape | None] | None = None,
) -> Template:
    """Return the template of a text, for fields of these types, bounds and shapes."""
    written = _split(text)
    known = bounds or {}
    parts = tuple(
        part
        if isinstance(part, str)
        else _narrowed(_slot(text, part, written[place + 1 :], types, known), shapes or {})
        for place, part in enumerate(written)
    )
    slots = tuple(part for part in parts if isinstance(part, Slot))
    pattern = "".join(
        re.escape(part) if isinstance(part, str) else f"({shape_pattern(part.format.shape)})"
        for part in parts
    )
    fields = tuple(dict.fromkeys(slot.field for slot in slots))
    readers = {name: _reader(name, slots) for name in fields}
    return Template(text, parts, slots, fields, re.compile(pattern), readers)


def slot_names(text: str) -> list[str]:
    """Return the names of a template's slots, each once; none if it is invalid."""
    try:
        return list(dict.fromkeys(p.field for p in _split(text) if isinstance(p, _Written)))
    except TemplateError:
        return []


def unknown_field(text: str, name: str, types: Mapping[str, Any]) -> str:
    """Return the message for a template that names an unknown field, with a suggestion."""
    near = difflib.get_close_matches(name, types, n=1, cutoff=_NEAR)
    hint = f': did you mean "{near[0]}"?' if near else ""
    if not near and len(types) <= _LISTED:
        hint = f": its fields are {_names(list(types))}"
    return f'template "{text}" names "{name}", which is not a field{hint}'


@dataclass(frozen=True, slots=True)
class _Written:
    """A slot as the template's text has it."""

    field: str
    spec: str
    delimiter: str


def _split(text: str) -> list[str | _Written]:
    """Return the literal texts and slots of a template's text."""
    if not text:
        raise TemplateError("a key template is empty, but a key must have text: write a constant")
    if unfit := _NOT_IN_KEYS.search(text):
        raise TemplateError(
            f"template {text!r} contains {unfit[0]!r}, which is not allowed in a key: remove it"
        )
    parts: list[str | _Written] = []
    literal = ""
    try:
        pieces = list(Formatter().parse(text))
    except ValueError as fault:
        raise TemplateError(
            f'template "{text}" cannot be read: {fault}. '
            "Write {field} or {field:format}, and {{ or }} for a brace itself"
        ) from None
    has_text = any(piece[0] for piece in pieces)
    for before, name, spec, conversion in pieces:
        literal += before
        if name is None:
            continue
        if not name.isidentifier() or conversion or "{" in (spec or ""):
            raise TemplateError(
                f'template "{text}" has a slot that is not a field with an optional format: '
                "write {field} or {field:format}"
            )
        if literal:
            parts.append(literal)
            literal = ""
        parts.append(_Written(name, spec or "", DELIMITER if has_text else ""))
    if literal:
        parts.append(literal)
    return parts


def _slot(
    text: str,
    written: _Written,
    right: list[str | _Written],
    types: Mapping[str, Any],
    bounds: Mapping[str, Bounds],
) -> Slot:
    if written.field not in types:
        raise TemplateError(unknown_field(text, written.field, types))
    kind = types[written.field]
    while isinstance(kind, NewType):
        kind = kind.__supertype__
    next_literal = next((part for part in right if isinstance(part, str)), "")
    delimiters = "".join(dict.fromkeys(written.delimiter + next_literal[:1]))
    try:
        own = choice_bounds(kind) or bounds.get(written.field, UNBOUNDED)
        form = slot_format(written.field, kind, written.spec, delimiters, own)
    except FormatError as refusal:
        raise TemplateError(f'template "{text}": {refusal}') from None
    return Slot(written.field, written.spec, kind, form, own)


def _narrowed(slot: Slot, shapes: Mapping[str, Shape | None]) -> Slot:
    """Return the slot, restricted to the texts that the declaration of its field allows."""
    shape = shapes.get(slot.field)
    if shape is None or not slot.is_text:
        return slot
    [[run]] = slot.format.shape
    return replace(slot, allowed=shape_within(shape, run.characters) or None)


def _reader(name: str, slots: tuple[Slot, ...]) -> _SlotReader:
    """Return the slot that reads a field from a text.

    If every slot has only a part of a time, as in `{at:%Y}/{at:%m}`, they are read as one.
    """
    own = {place: slot for place, slot in enumerate(slots, start=1) if slot.field == name}
    first = next(iter(own.values()))
    for place, slot in own.items():
        if not slot.lossy:
            return _SlotReader(slot, (place,))
    spec = _BETWEEN_TEXTS.join(slot.spec for slot in own.values())
    return _SlotReader(
        Slot(name, spec, first.type, slot_format(name, first.type, spec, "")), tuple(own)
    )


def _names(fields: list[str]) -> str:
    return ", ".join(f'"{name}"' for name in fields)
