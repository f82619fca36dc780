"""Arguments in the place of a field or a key: written as the design writes it there.

A raw request says ``"ORDER#{number}"`` or ``"{placed}"``. An application writes an argument there
by the codec of the field, or by the slot of the key's template, in whose place it stands.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from string import Formatter
from typing import Any

from sortkey.design.raw.values import written as plainly
from sortkey.design.records.codecs import Codec, Unstorable
from sortkey.design.records.keys.slots import KeyValueError, Slot
from sortkey.design.records.keys.templates import Template
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.table import Index
from sortkey.expressions.tree import Value
from sortkey.operations.origin import Filled


class Fitting:
    """Fits values into the attributes of these entities, as an index or the table has them."""

    def __init__(self, kinds: Sequence[EntityKind[Any]], index: Index | None) -> None:
        self._kinds = kinds
        self._index = index

    def fit(self, attribute: str, value: Value, written: str) -> Value:
        """Return the value as the attribute has it; unchanged where nothing is known of it.

        ``written`` is the text that the request has for it.
        """
        match value.origin:
            case Filled(_, bound) if bound:
                made = self._as_key(attribute, written, bound)
                if made is not None:
                    text, template = made
                    return Value({"S": text}, Filled(template, bound), value.varies)
                stored = self._as_field(attribute, written, bound)
                return value if stored is None else Value(stored, value.origin, value.varies)
            case _:
                return value

    def _as_key(self, attribute: str, written: str, bound: Any) -> tuple[str, str] | None:
        """Return the text of a key attribute, and the template that makes it."""
        templates = [
            (key.definition is not self._index, part.template)
            for kind in self._kinds
            for key in kind.keys.values()
            for part in key.parts
            if part.attribute.name == attribute and not part.is_natural
        ]
        # The same attribute may be in the key of several entities: the form that is meant is first.
        made = [_filled(written, template, bound) for _, template in sorted(templates, key=_first)]
        return next((one for one in made if one is not None), None)

    def _as_field(self, attribute: str, written: str, bound: Any) -> dict[str, Any] | None:
        """Return the stored form of an argument that stands alone."""
        pieces = list(Formatter().parse(written))
        if len(pieces) != 1 or pieces[0][0] or pieces[0][2]:
            return None
        value = bound[pieces[0][1]]
        for kind in self._kinds:
            for field in kind.codec.fields.values():
                if field.stored == attribute and value is not None:
                    stored = _encoded(field.present, value)
                    if stored is not None:
                        return stored
        return None


def _encoded(codec: Codec, value: Any) -> dict[str, Any] | None:
    """Return the stored form; of a time in whole seconds where it is stored so.

    None where the value is of another type: it is judged as it is.
    """
    forms = [value]
    if isinstance(value, datetime) and value.microsecond:
        forms.append(value.replace(microsecond=0))
    for form in forms:
        with suppress(Unstorable, AttributeError, TypeError, ValueError):
            return codec.encode(form)
    return None


def _first(ranked: tuple[bool, Template]) -> bool:
    return ranked[0]


def _filled(written: str, template: Template, bound: Any) -> tuple[str, str] | None:
    """Return the text, with arguments as the slots in whose place they stand write them.

    The second is the template with the formats of these slots. None where the text does not begin
    as the template does.
    """
    text, made, is_aligned = "", "", True
    slots = list(_slots(template))
    for number, (before, name, spec, _) in enumerate(Formatter().parse(written)):
        literal, slot = slots[number] if number < len(slots) else ("", None)
        is_aligned = is_aligned and before == literal
        if number == 0 and not is_aligned:
            return None
        text += before
        made += before.replace("{", "{{").replace("}", "}}")
        if name is not None:
            own = slot if is_aligned and not spec else None
            value, form = _written(bound[name], spec or "", own)
            text += value
            made += f"{{{name}:{form}}}" if form else f"{{{name}}}"
    return text, made


def _slots(template: Template) -> Iterator[tuple[str, Slot | None]]:
    """Yield each slot of a template with the text before it."""
    literal = ""
    for part in template.parts:
        if isinstance(part, Slot):
            yield literal, part
            literal = ""
        else:
            literal += part
    yield literal, None


def _written(value: Any, spec: str, slot: Slot | None) -> tuple[str, str]:
    """Return an argument within a text, and the format that wrote it."""
    if slot is not None:
        try:
            return slot.write(value), slot.spec
        except KeyValueError:
            # It is of another type, and judged as it is.
            pass
    return plainly(value, spec), spec
