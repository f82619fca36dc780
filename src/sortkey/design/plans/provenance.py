"""Provenance: where each value of several calls of one function comes from.

The calls took the same path, so that their values correspond one to one. A value that is equal to
an argument in every call is that argument; one that never changes is a constant; one that differs
between two calls with the same arguments was generated. A text is compared piece by piece. What is
left is derived: calls that differ in one argument only say from which.
"""

import re
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache, cached_property
from typing import Any, TypeAlias, TypeVar, cast

from pydantic import BaseModel

from sortkey.design.plans.comparing import (
    PYTHON,
    SCALARS,
    STORED,
    TEXT,
    Form,
    as_text,
    have_one_type,
    is_encoded,
    is_never,
    is_offset,
    is_same,
    is_text,
    number_of,
    plain_constant,
    text_in,
    whole_seconds,
)
from sortkey.design.plans.drawn import Drawn
from sortkey.design.plans.sources import (
    NOW,
    Argument,
    Constant,
    Derived,
    Elements,
    Generated,
    Members,
    Now,
    Planned,
    PlannedPart,
    Range,
    Source,
    Text,
    Variant,
    slot_name,
    slots_of,
)
from sortkey.design.records.codecs import FieldCodec
from sortkey.design.records.codecs.dynamic import decode_any
from sortkey.expressions.tree import Path, Value
from sortkey.operations.origin import FieldValue, Filled
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
        return self._value(values, self._named(values, is_same))

    def _value(self, values: Values, names: Sequence[str]) -> Source:
        first = values[0]
        if self._is_alone and not names:
            return self._unknown()
        is_fixed = all(is_same(value, first) for value in values)
        if is_fixed and not self._is_alone and not self._held.intersection(names):
            return Constant(first)
        if names:
            return self._argument(names)
        if isinstance(first, str):
            if all(isinstance(value, str) for value in values):
                return self._text(list(map(as_text, values)))
        elif (parts := self._parts(values)) is not None:
            return parts
        return self._computed(values, PYTHON)

    def _parts(self, values: Values) -> Source | None:
        """Return the source of a value that holds others, where all have the same form."""
        first = values[0]
        if isinstance(first, BaseModel) and all(type(v) is type(first) for v in values):
            return Members(
                {n: self.value([getattr(v, n) for v in values]) for n in type(first).model_fields}
            )
        if isinstance(first, Mapping):
            maps = cast("Sequence[Mapping[Any, Any]]", values)
            if all(have_one_type(m, first) and m.keys() == maps[0].keys() for m in maps):
                return Members({str(n): self.value([m[n] for m in maps]) for n in maps[0]})
        if isinstance(first, list | tuple | set | frozenset):
            alike = [v for v in values if have_one_type(v, first)]
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
            return self._computed(values, Form(is_never, decode_any))
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
            return Constant(plain_constant(kind, contents[0]))
        form = STORED.get(kind, is_same)
        names = self._named(contents, form)
        if names:
            return self._argument(names)
        if self._is_alone:
            return self._unknown()
        if kind == "S":
            return self._text(contents)
        return self._computed(contents, Form(form, lambda content: plain_constant(kind, content)))

    def stored_in(self, field: FieldCodec, values: Sequence[AttributeValue]) -> Source:
        """Return the source of a field's value, compared through the field's codec."""
        with self._about(field.name):
            try:
                decoded = [field.decode(value) for value in values]
            except Exception:  # noqa: BLE001 - a raw request may store what its field does not hold
                return self.stored(values)
            names = self._named(decoded, is_same)
            if not names and values[0].keys() & {"M", "L"}:
                names = self._named(values, lambda part, value: is_encoded(field, part, value))
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
            case FieldValue():
                if all(isinstance(origin, FieldValue) for origin in origins):
                    return self.value([cast("FieldValue", origin).value for origin in origins])
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
            if isinstance(part, SCALARS):
                found.setdefault((type(part), part), []).append(name)
            if isinstance(part, datetime) and part.microsecond:
                found.setdefault((type(part), whole_seconds(part)), []).append(name)
        return found

    def _named(self, values: Values, form: Callable[[Any, Any], bool]) -> list[str]:
        """Return the arguments that are the value in every call, the first one named first."""
        first = values[0]
        if form is is_same and isinstance(first, SCALARS):
            names = self._by_value.get((type(first), first), ())
        else:
            parts = self.calls[0].parts
            names = [name for name, part in parts.items() if form(part, first)]
        pairs = list(zip(self.calls[1:], values[1:], strict=True))
        return [
            name
            for name in names
            if all(name in c.parts and form(c.parts[name], v) for c, v in pairs)
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
        names = self._named(texts, is_text)
        if names:
            return self._argument(names)
        contained = self._contained(texts)
        columns = self._columns(texts, contained)
        if columns is None:
            return self._computed(texts, TEXT)
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
            name: self._forms(name, texts)
            for name in self.calls[0].parts
            if self._is_contained(name, texts)
        }
        if not forms:
            return []
        base = self._unambiguous(texts, list(forms.values()))[0]
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

    def _is_contained(self, name: str, texts: Sequence[str]) -> bool:
        """Whether an argument stands in the text of every call, and not by accident in the first.

        Most do not, and the first call says so.
        """
        pairs = zip(self.calls, texts, strict=True)
        forms = ((text_in(call.parts.get(name), text), text) for call, text in pairs)
        form, text = next(forms)
        return (
            len(form) >= _TELLING
            and form in text
            and all(form and form in text for form, text in forms)
        )

    def _unambiguous(self, texts: Sequence[str], forms: Sequence[Sequence[str]]) -> list[int]:
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
        telling = self._unambiguous(texts, forms)
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
        return [text_in(call.parts.get(name), text) for call, text in pairs]

    def _piece(self, texts: Sequence[str]) -> Source:
        names = self._named(texts, is_text)
        return self._argument(names) if names else self._computed(texts, TEXT)

    # What arguments do not explain as they are.

    def _computed(self, values: Values, form: "Form") -> Source:
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
        first = number_of(values[0])
        if first is None:
            return None
        for name, part in self.calls[0].parts.items():
            number = number_of(part, first)
            if number is None or name in self._choices:
                continue
            added = first - number
            pairs = zip(self.calls[1:], values[1:], strict=True)
            if all(is_offset(call.parts.get(name), value, added) for call, value in pairs):
                return name
        return None

    def _variant(self, values: Values, form: "Form") -> Variant | None:
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
    return tuple(field.name for field in fields(kind) if field.init)


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


def columns(rows: Sequence[Mapping[str, T]]) -> Iterator[tuple[str, list[T]]]:
    """Yield each member of several mappings; `OtherPath` where one has others."""
    for row in rows:
        if row.keys() != rows[0].keys():
            raise OtherPath
    for name in rows[0]:
        yield name, [row[name] for row in rows]
