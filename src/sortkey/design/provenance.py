"""Provenance: where each value of several calls of one function comes from.

The calls took the same path, so that their values correspond one to one. A value that is equal to
an argument in every call is that argument; one that never changes is a constant; one that differs
between two calls with the same arguments was generated. A text is compared piece by piece. What is
left is derived: calls that differ in one argument only say from which.
"""

import re
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from enum import Enum
from functools import cache, cached_property
from typing import Any, Self, TypeAlias, TypeVar, cast
from uuid import UUID

from pydantic import BaseModel

from sortkey.design.codecs import FieldCodec
from sortkey.design.codecs.dynamic import decode_any
from sortkey.design.drawing import Drawn
from sortkey.design.sources import (
    NOW,
    Argument,
    Constant,
    Derived,
    Elements,
    Generated,
    Members,
    Now,
    Planned,
    Range,
    Source,
    Text,
    Variant,
)
from sortkey.expressions.tree import Path, Value
from sortkey.operations.origin import Filled, Given
from sortkey.wire.values import AttributeValue, Item

T = TypeVar("T")
Values: TypeAlias = Sequence[Any]

# Texts of arguments that no other text contains by accident.
_TELLING = 4
# So many calls with independent arguments show that something is a constant.
_PROOF = 2
_DELIMITER = re.compile(r"[^0-9A-Za-z]")


class OtherPath(Exception):  # noqa: N818 - says what was found
    """A call that sends something else than the first, so that their values do not correspond."""


class Evidence:
    """Calls of one path: their arguments, and which of them differ in one argument only.

    ``choices`` are arguments with few values, ``held`` those that no call on the path can change.
    The first calls are ``independent`` of each other. ``repeats`` are pairs of calls with the same
    arguments; ``singles`` has for each argument the pairs that differ in it alone.
    """

    def __init__(
        self,
        calls: Sequence[Drawn],
        *,
        choices: frozenset[str] = frozenset(),
        held: frozenset[str] = frozenset(),
        repeats: Sequence[tuple[int, int]] = (),
        singles: Mapping[str, Sequence[tuple[int, int]]] | None = None,
        independent: int | None = None,
    ) -> None:
        self.calls = calls
        self.is_open = False
        self.changing: set[str] = set()
        self._choices = choices
        self._held = held
        self._field = ""
        self.is_key = False
        # Reads the attributes that templates of keys made; of a known kind of records only.
        self.keys_in: Callable[[Sequence[Item]], Mapping[str, Source]] = lambda _: {}
        self._repeats = repeats
        self._singles = singles or {}
        self._independent = len(calls) if independent is None else independent

    @cached_property
    def _is_alone(self) -> bool:
        """Whether a single call shows nothing, since another might have shown a difference."""
        return len(self.calls) == 1 and len(self.calls[0].parts) > 1

    def _unknown(self) -> Source:
        self.is_open = True
        return Derived(())

    # Python values.

    def value(self, values: Values) -> Source:
        """Return the source of a Python value."""
        return self._value(values, self._named(values, _is_same))

    def _value(self, values: Values, names: Sequence[str]) -> Source:
        first = values[0]
        if self._is_alone and not names:
            return self._unknown()
        is_fixed = all(_is_same(value, first) for value in values)
        if is_fixed and not self._is_alone and not self._held.intersection(names):
            return Constant(first)
        if names:
            return self._argument(names)
        if isinstance(first, str):
            if all(isinstance(value, str) for value in values):
                return self._text(list(map(_as_text, values)))
        elif (parts := self._parts(values)) is not None:
            return parts
        return self._computed(values, _PYTHON)

    def _parts(self, values: Values) -> Source | None:
        """Return the source of a value that holds others, where all have the same form."""
        first = values[0]
        if isinstance(first, BaseModel) and all(type(v) is type(first) for v in values):
            return Members(
                {n: self.value([getattr(v, n) for v in values]) for n in type(first).model_fields}
            )
        if isinstance(first, Mapping):
            maps = cast("Sequence[Mapping[Any, Any]]", values)
            if all(_have_one_type(m, first) and m.keys() == maps[0].keys() for m in maps):
                return Members({str(n): self.value([m[n] for m in maps]) for n in maps[0]})
        if isinstance(first, list | tuple | set | frozenset):
            alike = [v for v in values if _have_one_type(v, first)]
            lists = [list(cast("Sequence[Any]", v)) for v in alike]
            sizes = {len(one) for one in lists}
            is_set = isinstance(first, set | frozenset)
            if len(lists) == len(values) and len(sizes) == 1 and (not is_set or sizes == {1}):
                return Elements(tuple(self.value(column) for column in zip(*lists, strict=True)))
        return None

    # Values as they are stored.

    def stored(self, values: Sequence[AttributeValue]) -> Source:
        """Return the source of a value as DynamoDB stores it."""
        kinds = {next(iter(value)) for value in values}
        if len(kinds) > 1:
            return self._computed(values, _Form(_is_never, decode_any))
        [kind] = kinds
        contents = [value[kind] for value in values]
        match kind:
            case "M":
                if all(content.keys() == contents[0].keys() for content in contents):
                    # A lock holds the key of its owner.
                    keys = self.keys_in(contents)
                    others = [name for name in contents[0] if name not in keys]
                    found = {name: self.stored([c[name] for c in contents]) for name in others}
                    return Members({n: found[n] if n in found else keys[n] for n in contents[0]})
            case "L":
                if all(len(content) == len(contents[0]) for content in contents):
                    return Elements(tuple(map(self.stored, zip(*contents, strict=True))))
            case "SS" | "NS" | "BS":
                if all(len(content) == 1 for content in contents):
                    return Elements((self.stored([{kind[0]: c[0]} for c in contents]),))
            case _:
                pass
        if not self._is_alone and all(content == contents[0] for content in contents):
            return Constant(_plain(kind, contents[0]))
        is_same = _FORMS.get(kind, _is_same)
        names = self._named(contents, is_same)
        if names:
            return self._argument(names)
        if self._is_alone:
            return self._unknown()
        if kind == "S":
            return self._text(contents)
        return self._computed(contents, _Form(is_same, lambda content: _plain(kind, content)))

    def stored_in(self, field: FieldCodec, values: Sequence[AttributeValue]) -> Source:
        """Return the source of a field's value, compared through the field's codec."""
        with self._about(field.name):
            try:
                decoded = [field.decode(value) for value in values]
            except Exception:  # noqa: BLE001 - a raw request may store what its field does not hold
                return self.stored(values)
            names = self._named(decoded, _is_same)
            if not names and values[0].keys() & {"M", "L"}:
                names = self._named(values, lambda part, value: _is_encoded(field, part, value))
                # Within it, attributes have the names under which they are stored.
                return self._argument(names) if names else self.stored(values)
            return self._value(decoded, names)

    # Expressions.

    def expression(self, trees: Sequence[T]) -> T:
        """Return one expression for those of all calls; `OtherPath` where they differ in form."""
        first = trees[0]
        if isinstance(first, Value):
            if not all(isinstance(tree, Value) for tree in trees):
                raise OtherPath
            made = Planned(first.value, source=self.origin(cast("Sequence[Value]", trees)))
            return cast("T", made)
        if isinstance(first, Path):
            return cast("T", self._path(cast("Sequence[Path]", trees)))
        if isinstance(first, tuple):
            rows = cast("Sequence[tuple[Any, ...]]", trees)
            if any(len(row) != len(rows[0]) for row in rows):
                raise OtherPath
            return cast("T", tuple(map(self.expression, zip(*rows, strict=True))))
        if is_dataclass(first) and not isinstance(first, type):
            if any(type(tree) is not type(first) for tree in trees):
                raise OtherPath
            with self._about(_place_in(first)):
                parts = {
                    name: self.expression([getattr(tree, name) for tree in trees])
                    for name in field_names(type(first))
                }
            return type(first)(**parts)
        if any(tree != first for tree in trees):
            raise OtherPath
        return first

    def origin(self, values: Sequence[Value]) -> Source:
        """Return the source of a value that notes what it was made from."""
        origins = [value.origin for value in values]
        match origins[0]:
            case Given():
                if all(isinstance(origin, Given) for origin in origins):
                    return self.value([cast("Given", origin).value for origin in origins])
            case Filled():
                if all(isinstance(origin, Filled) for origin in origins):
                    text = self._filled(cast("Sequence[Filled]", origins))
                    # Anything but a text fills its template alone; a key keeps its template.
                    is_text = "S" in values[0].value and (self.is_key or not _is_alone(text))
                    return text if is_text else next(iter(text.slots.values()))
            case _:
                pass
        return self.stored([value.value for value in values])

    def _filled(self, filled: Sequence[Filled]) -> Text:
        first = filled[0]
        if any(one.template != first.template for one in filled):
            raise OtherPath
        slots = {
            name: self.value([one.bound[name] for one in filled])
            for name in slots_of(first.template)
            if name in first.bound
        }
        return Text(first.template, slots, self._range([one.compared for one in filled]))

    def _range(self, compared: Sequence[tuple[str, str, tuple[Any, ...]] | None]) -> Range | None:
        if compared[0] is None:
            return None
        op, field, _ = compared[0]
        rows = [one[2] for one in compared if one is not None and one[:2] == (op, field)]
        if len(rows) != len(compared):
            raise OtherPath
        return Range(op, field, tuple(map(self.value, zip(*rows, strict=True))))

    def _path(self, paths: Sequence[Path]) -> Path:
        """Return the place that all calls name; an argument may be the key of a map in it."""
        rows = [path.parts for path in paths]
        if all(row == rows[0] for row in rows):
            return paths[0]
        if any(len(row) != len(rows[0]) or row[0] != rows[0][0] for row in rows):
            raise OtherPath
        return Path(tuple(map(self._part, zip(*rows, strict=True))))

    def _part(self, parts: Sequence[str | int]) -> str | int:
        source = self.value(parts)
        return parts[0] if isinstance(source, Constant) else PlannedPart(source)

    # Arguments.

    @cached_property
    def _by_value(self) -> Mapping[Hashable, Sequence[str]]:
        """The arguments of the first call by their values, where these can be looked up."""
        found: dict[Hashable, list[str]] = {}
        for name, part in self.calls[0].parts.items():
            if isinstance(part, _SCALARS):
                found.setdefault((type(part), part), []).append(name)
            if isinstance(part, datetime) and part.microsecond:
                found.setdefault((type(part), _seconds(part)), []).append(name)
        return found

    def _named(self, values: Values, is_same: Callable[[Any, Any], bool]) -> list[str]:
        """Return the arguments that are the value in every call, the first one named first."""
        first = values[0]
        if is_same is _is_same and isinstance(first, _SCALARS):
            names = self._by_value.get((type(first), first), ())
        else:
            parts = self.calls[0].parts
            names = [name for name, part in parts.items() if is_same(part, first)]
        pairs = list(zip(self.calls[1:], values[1:], strict=True))
        return [
            name
            for name in names
            if all(name in c.parts and is_same(c.parts[name], v) for c, v in pairs)
        ]

    def _argument(self, names: Sequence[str]) -> Source:
        # Several arguments with few values may agree by chance.
        if len(names) > 1 and any(name in self._choices for name in names):
            self.is_open = True
        # Where two are equal in every call, the one that is named like the field is meant.
        name = next((n for n in names if _normal(n.split(".")[-1]) == self._field), names[0])
        return Now() if name == NOW else Argument(name)

    @contextmanager
    def _about(self, field: str) -> Generator[None]:
        """Within the block, values are those of a field, or are compared with it."""
        outer = self._field
        self._field = _normal(field) or outer
        try:
            yield
        finally:
            self._field = outer

    # Texts.

    def _text(self, texts: Sequence[str]) -> Source:
        """Return the source of a text: arguments in it are slots, and so is what else varies."""
        names = self._named(texts, _is_text)
        if names:
            return self._argument(names)
        contained = self._contained(texts)
        columns = self._columns(texts, contained)
        if columns is None:
            return self._computed(texts, _TEXT)
        pieces: list[str] = []
        slots: dict[str, Source] = {}
        for number, column in enumerate(columns):
            if all(piece == column[0] for piece in column):
                pieces.append(_escaped(column[0]))
            else:
                before, middles, after = _varying(column)
                pieces += [_escaped(before), _slot(self._piece(middles), slots), _escaped(after)]
            if number < len(contained):
                pieces.append(_slot(self._argument([contained[number]]), slots))
        template = "".join(pieces)
        if len(slots) == 1 and template == f"{{{next(iter(slots))}}}":
            return next(iter(slots.values()))
        return Text(template, slots)

    def _contained(self, texts: Sequence[str]) -> list[str]:
        """Return the arguments that stand in the text, in their order."""
        forms = {
            name: forms
            for name in self.calls[0].parts
            if len((forms := self._forms(name, texts))[0]) >= _TELLING
            and all(form and form in text for form, text in zip(forms, texts, strict=True))
        }
        if not forms:
            return []
        base = self._telling(texts, list(forms.values()))[0]
        found = sorted(
            (found.start(), -len(form[base]), name)
            for name, form in forms.items()
            for found in re.finditer(re.escape(form[base]), texts[base])
        )
        contained: list[str] = []
        end = 0
        for place, length, name in found:
            if place >= end:
                contained.append(name)
                end = place - length
        return contained

    def _telling(self, texts: Sequence[str], forms: Sequence[Sequence[str]]) -> list[int]:
        """Return the calls in whose texts no argument stands by accident, if there are such."""
        calls = range(len(texts))
        long = [n for n in calls if all(len(form[n]) >= _TELLING for form in forms)]
        # A constant may be equal to an argument in one call.
        times = [min(texts[n].count(form[n]) for n in long) for form in forms if long]
        return [
            n
            for n in long
            if all(texts[n].count(form[n]) == t for form, t in zip(forms, times, strict=True))
        ] or long

    def _columns(self, texts: Sequence[str], names: Sequence[str]) -> Any:
        """Return what stands before, between and after the arguments, for all calls; or None."""
        forms = [self._forms(name, texts) for name in names]
        telling = self._telling(texts, forms)
        rows = {n: _around(texts[n], [form[n] for form in forms]) for n in telling}
        wanted = [
            re.escape(column[0]) if all(piece == column[0] for piece in column) else ".*?"
            for column in zip(*rows.values(), strict=True)
        ]
        for n in range(len(texts)):
            if n not in rows:
                slots = [re.escape(form[n]) for form in forms]
                parts = [f"({part})" for part in wanted]
                pattern = "".join(p + s for p, s in zip(parts, [*slots, ""], strict=True))
                match = re.fullmatch(pattern, texts[n], re.DOTALL)
                if match is None:
                    return None
                rows[n] = list(match.groups())
        return list(zip(*(rows[n] for n in range(len(texts))), strict=True))

    def _forms(self, name: str, texts: Sequence[str]) -> list[str]:
        pairs = zip(self.calls, texts, strict=True)
        return [_text_in(call.parts.get(name), text) for call, text in pairs]

    def _piece(self, texts: Sequence[str]) -> Source:
        names = self._named(texts, _is_text)
        return self._argument(names) if names else self._computed(texts, _TEXT)

    # What arguments do not explain as they are.

    def _computed(self, values: Values, form: "_Form") -> Source:
        if any(values[one] != values[other] for one, other in self._repeats):
            return Generated()
        if (name := self._offset(values)) is not None:
            return Derived((name,))
        if (variant := self._variant(values, form)) is not None:
            return variant
        names = self._changing(lambda one, other: values[one] != values[other])
        self.is_open |= not names
        return Derived(names)

    def _changing(self, differs: Callable[[int, int], bool]) -> tuple[str, ...]:
        """Return the arguments whose change alone makes a difference."""
        changing = [
            name
            for name, pairs in self._singles.items()
            if any(differs(one, other) for one, other in pairs)
        ]
        self.changing.update(changing)
        # A record is not named beside the fields of it that make the difference.
        return tuple(
            name
            for name in changing
            if not any(n.startswith((f"{name}.", f"{name}[")) for n in changing)
        )

    def _offset(self, values: Values) -> str | None:
        """Return the argument to which every call adds the same, if there is one."""
        first = _number(values[0])
        if first is None:
            return None
        for name, part in self.calls[0].parts.items():
            number = _number(part, first)
            if number is None or name in self._choices:
                continue
            added = first - number
            pairs = zip(self.calls[1:], values[1:], strict=True)
            if all(_is_offset(call.parts.get(name), value, added) for call, value in pairs):
                return name
        return None

    def _variant(self, values: Values, form: "_Form") -> Variant | None:
        """Return what a value is in some calls: one of a few arguments, or a constant."""
        pairs = list(enumerate(zip(self.calls, values, strict=True)))
        equal = {
            name: {
                n
                for n, (call, v) in pairs
                if name in call.parts and form.is_same(call.parts[name], v)
            }
            for name in self.calls[0].parts
            if name not in self._choices
        }
        left = set(range(len(values)))
        groups: dict[Source, set[int]] = {}
        while left and any(calls & left for calls in equal.values()):
            name = max(equal, key=lambda name: len(equal[name] & left))
            groups[Now() if name == NOW else Argument(name)] = equal[name] & left
            left -= equal[name]
        others = [values[n] for n in left]
        if not groups or any(value != others[0] for value in others):
            return None
        # A constant is the same in calls that have nothing in common.
        if others and len([n for n in left if n < self._independent]) < _PROOF:
            return None
        groups |= {Constant(form.plain(others[0])): left} if others else {}
        decides = self._changing(
            lambda one, other: any((one in calls) != (other in calls) for calls in groups.values())
        )
        self.is_open |= not decides
        return Variant(tuple(groups), decides)


def _normal(name: str) -> str:
    """Return a name as it is the same in snake and camel case."""
    return name.replace("_", "").lower()


def _place_in(node: Any) -> str:
    """Return the attribute that a node of an expression sets or compares, if any."""
    place = getattr(node, "path", None) or getattr(node, "left", None)
    return place.name if isinstance(place, Path) else ""


@cache
def field_names(kind: type[Any]) -> tuple[str, ...]:
    """Return the members of a node of an expression."""
    return tuple(field.name for field in fields(kind))


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


def _slot(source: Source, slots: dict[str, Source]) -> str:
    """Return the slot of a source, and note it among those of its text."""
    name = wanted = slot_name(source)
    number = 1
    while slots.get(name, source) != source or (name in slots and isinstance(source, Generated)):
        number += 1
        name = f"{wanted} {number}"
    slots[name] = source
    return f"{{{name}}}"


def _is_alone(text: Text) -> bool:
    """Whether a text is nothing but one slot."""
    return text.range is None and [f"{{{name}}}" for name in text.slots] == [text.template]


def _escaped(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _around(text: str, forms: Sequence[str]) -> list[str]:
    """Return the pieces of a text before, between and after these texts in it."""
    rest, pieces = text, list[str]()
    for form in forms:
        before, _, rest = rest.partition(form)
        pieces.append(before)
    return [*pieces, rest]


def _varying(column: Sequence[str]) -> tuple[str, list[str], str]:
    """Return what the texts begin and end with, up to a delimiter, and what lies between."""
    first = column[0]
    shortest = min(map(len, column))
    same = 0
    while same < shortest and all(text[same] == first[same] for text in column):
        same += 1
    start = max((m.end() for m in _DELIMITER.finditer(first, 0, same)), default=0)
    alike = 0
    while alike < shortest - start and all(
        text[-1 - alike] == first[-1 - alike] for text in column
    ):
        alike += 1
    tail = first[len(first) - alike :] if alike else ""
    cut = _DELIMITER.search(tail)
    after = tail[cut.start() :] if cut else ""
    middles = [text[start : len(text) - len(after)] for text in column]
    return first[:start], middles, after


# How an argument is compared with a value.

_SCALARS = (str, int, float, Decimal, bytes, date, UUID, Enum)


def _have_one_type(one: Any, other: Any) -> bool:
    return type(one) is type(other)


def _is_same(part: Any, value: Any) -> bool:
    if part is value:
        return True
    if type(part) is not type(value):
        return False
    # A field may hold whole seconds only.
    return part == value or (
        isinstance(part, datetime) and not value.microsecond and _seconds(part) == value
    )


def _seconds(time: datetime) -> datetime:
    return time.replace(microsecond=0)


def _is_encoded(field: FieldCodec, part: Any, value: AttributeValue) -> bool:
    if not isinstance(part, BaseModel | dict | list | tuple):
        return False
    try:
        return field.encode(part) == value
    except Exception:  # noqa: BLE001 - what the field does not take is not this value
        return False


def _is_never(part: Any, value: Any) -> bool:  # noqa: ARG001 - compares as the others do
    return False


def _as_text(part: Any) -> str:
    """Return an argument as a text has it, or nothing where it has no such form."""
    if isinstance(part, Enum):
        return _as_text(part.value)
    if isinstance(part, str):
        return str.__str__(part)
    if isinstance(part, bool | datetime) or not isinstance(part, int | Decimal | UUID | date):
        return ""
    return str(part)


def _is_text(part: Any, text: str) -> bool:
    if isinstance(part, datetime):
        return text in _times(part)
    return bool(text) and _as_text(part) == text


def _times(time: datetime) -> list[str]:
    """Return the texts of a time, the longest first: however finely, with its zone or with Z."""
    forms = [time.isoformat(timespec=spec) for spec in _FINE]
    return [text for form in forms for text in (form, form.removesuffix("+00:00") + "Z")]


_FINE = ("microseconds", "milliseconds", "seconds")


def _text_in(part: Any, text: str) -> str:
    """Return an argument as a text has it, or nothing where it does not."""
    if isinstance(part, datetime):
        return next((form for form in _times(part) if form in text), "")
    return _as_text(part)


def _is_number(part: Any, text: str) -> bool:
    if isinstance(part, Enum):
        return _is_number(part.value, text)
    if isinstance(part, bool) or not isinstance(part, int | float | Decimal | datetime):
        return False
    try:
        number = Decimal(text)
    except InvalidOperation:
        return False
    if isinstance(part, datetime):
        seconds = part.timestamp()
        return number in {Decimal(int(seconds)), Decimal(int(seconds * 1000))}
    return Decimal(str(part)) == number


def _is_binary(part: Any, text: str) -> bool:
    return isinstance(part, bytes) and decode_any({"B": text}) == part


@dataclass(frozen=True, slots=True)
class _Form:
    """How values are compared with arguments, and what they are as constants of a plan."""

    is_same: Callable[[Any, Any], bool]
    plain: Callable[[Any], Any] = lambda value: value


_PYTHON = _Form(_is_same)
_TEXT = _Form(_is_text)
_FORMS: Mapping[str, Callable[[Any, Any], bool]] = {
    "S": _is_text,
    "N": _is_number,
    "B": _is_binary,
}


def _number(value: Any, like: Any = None) -> Any:
    """Return a value that something can be added to: a number as a Decimal, or a time.

    A time that is compared with a number is one too.
    """
    if isinstance(value, datetime):
        return Decimal(int(value.timestamp())) if isinstance(like, Decimal) else value
    if isinstance(like, datetime) or isinstance(value, bool):
        return None
    if not isinstance(value, int | float | Decimal | str):
        return None
    try:
        return Decimal(str(value))
    except InvalidOperation:
        return None


def _is_offset(part: Any, value: Any, added: Any) -> bool:
    number = _number(value)
    base = _number(part, number)
    return base is not None and number is not None and number - base == added


def _plain(kind: str, content: Any) -> Any:
    """Return a stored constant as a plan has it."""
    match kind:
        case "N":
            return int(content) if content.lstrip("-").isdigit() else content
        case "NULL":
            return None
        case _:
            return content


def columns(rows: Sequence[Mapping[str, T]]) -> Iterator[tuple[str, list[T]]]:
    """Yield each member of several mappings; `OtherPath` where one has others."""
    for row in rows:
        if row.keys() != rows[0].keys():
            raise OtherPath
    for name in rows[0]:
        yield name, [row[name] for row in rows]
