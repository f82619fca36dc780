"""The sort condition of a query: what a comparison over a field means for a key's text.

DynamoDB compares strings by their UTF-8 bytes, which is the order of their code points. Every
range stays among the keys that begin with what is bound, because no key contains the greatest
character: `P + GREATEST` follows all that begin with `P` and precedes what follows those.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sortkey.design.records.keys.characters import GREATEST
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.keys.templates import KeyBindingError, Template

_BEFORE_SURROGATES = "\ud7ff"
_AFTER_SURROGATES = "\ue000"


@dataclass(frozen=True, slots=True)
class Comparison:
    """A condition on one field of a key: `between` has two values, the others one."""

    op: Literal["ge", "gt", "le", "lt", "between", "begins_with"]
    field: str
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class SortRange:
    """The texts that a query asks for, as DynamoDB's key condition has it.

    `low` is the operand of `=`, `begins_with`, `>=` and `>`, `high` that of `<=` and `<`. With
    `none` there can be no such text, and DynamoDB need not be asked. Where it is not `exact`, the
    key keeps less than the whole time: the range then holds all that was asked for and also other
    records of the day (or hour, ...) that a bound falls in, which only their own values
    distinguish.
    """

    op: Literal["all", "none", "=", "begins_with", "between", ">=", ">", "<=", "<"]
    low: str | None = None
    high: str | None = None
    exact: bool = True


def sort_range(
    template: Template, bound: Mapping[str, Any], comparison: Comparison | None = None
) -> SortRange:
    """The range of the template's texts in which the bound fields and the comparison hold."""
    prefix, complete = template.prefix(bound)
    if comparison is not None:
        slot = _compared(template, bound, comparison)
        _refuse_open_end(template, slot)
        return _comparison_range(template, prefix, slot, comparison)
    if complete:
        return SortRange("=", low=prefix)
    unbound = template.first_unbound(bound)
    if unbound is not None:
        _refuse_open_end(template, unbound)
    return _beginning(prefix)


def _comparison_range(
    template: Template, prefix: str, slot: Slot, comparison: Comparison
) -> SortRange:
    if comparison.op == "begins_with":
        return _begins_with(template, prefix, slot, comparison)
    _refuse_unordered(template, slot, comparison)
    bounds = _Bounds(prefix, slot, last=template.parts[-1] is slot)
    values = comparison.values
    match comparison.op:
        case "ge":
            return bounds.between(bounds.from_(values[0]), None)
        case "gt":
            return bounds.between(bounds.above(values[0]), None)
        case "le":
            return bounds.between(None, bounds.to(values[0]))
        case "lt":
            return bounds.between(None, bounds.below(values[0]))
        case "between":
            return bounds.between(bounds.from_(values[0]), bounds.to(values[1]))


@dataclass(frozen=True, slots=True)
class _RangeEnd:
    """One end of a range."""

    text: str
    inclusive: bool = True
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _Bounds:
    """The ends of ranges over one slot, which is the last part or of fixed width."""

    prefix: str
    slot: Slot
    last: bool

    def from_(self, value: Any) -> _RangeEnd:
        """Where the texts of the value and those greater begin."""
        return _RangeEnd(self._text(value), exact=self._is_earliest(value))

    def above(self, value: Any) -> _RangeEnd:
        """Where the texts of greater values begin."""
        text = self._text(value)
        if self.slot.lossy:
            return _RangeEnd(text, exact=False)
        # A key of the value itself goes on after its text, but never with the greatest character;
        # a greater value differs within the width.
        return _RangeEnd(text, inclusive=False) if self.last else _RangeEnd(text + GREATEST)

    def to(self, value: Any) -> _RangeEnd:
        """Where the texts of smaller values and of the value end."""
        text = self._text(value)
        return _RangeEnd(text if self.last else text + GREATEST, exact=not self.slot.lossy)

    def below(self, value: Any) -> _RangeEnd:
        """Where the texts of smaller values end."""
        if not self._is_earliest(value):
            return self.to(value)
        # Where more text follows, the value's text alone is no key, so it may be in the range.
        return _RangeEnd(self._text(value), inclusive=not self.last)

    def between(self, low: _RangeEnd | None, high: _RangeEnd | None) -> SortRange:
        """The range from end to end, within the prefix where an end is missing."""
        exact = (low is None or low.exact) and (high is None or high.exact)
        if not self.prefix and high is None and low is not None:
            return SortRange(">=" if low.inclusive else ">", low=low.text, exact=exact)
        if not self.prefix and low is None and high is not None:
            return SortRange("<=" if high.inclusive else "<", high=high.text, exact=exact)
        least = _least(low) if low else self.prefix
        greatest = _greatest(high) if high else self.prefix + GREATEST
        if least > greatest:
            # DynamoDB refuses a BETWEEN whose ends are the wrong way round.
            return SortRange("none")
        return SortRange("between", least, greatest, exact)

    def _text(self, value: Any) -> str:
        return self.prefix + self.slot.write(value)

    def _is_earliest(self, value: Any) -> bool:
        """Whether no smaller value is written as the same text."""
        return not self.slot.lossy or self.slot.read(self.slot.write(value)) == value


def _least(end: _RangeEnd) -> str:
    """The first text at or after the end."""
    # Nothing sorts between a text and the same text with the least character after it.
    return end.text if end.inclusive else end.text + "\0"


def _greatest(end: _RangeEnd) -> str:
    """A text that no key lies between and the end."""
    if end.inclusive:
        return end.text
    start, last = end.text[:-1], end.text[-1]
    if last == "\0":
        return start
    # What sorts below the end and above this has the greatest character in it, as no key has.
    before = _BEFORE_SURROGATES if last == _AFTER_SURROGATES else chr(ord(last) - 1)
    return start + before + GREATEST


def _begins_with(template: Template, prefix: str, slot: Slot, comparison: Comparison) -> SortRange:
    if not slot.is_text:
        raise KeyBindingError(
            f'begins_with is for text, but "{slot.field}" in the key "{template}" is not: '
            "use between, ge or le"
        )
    following = template.parts[template.parts.index(slot) + 1 :]
    if following and isinstance(following[0], Slot):
        raise KeyBindingError(
            f'begins_with over "{slot.field}" could run on into {following[0]} in the key '
            f'"{template}": put a delimiter between them'
        )
    value = comparison.values[0]
    return _beginning(prefix if value == "" else prefix + slot.write(value))


def _beginning(prefix: str) -> SortRange:
    return SortRange("begins_with", low=prefix) if prefix else SortRange("all")


def _compared(template: Template, bound: Mapping[str, Any], comparison: Comparison) -> Slot:
    """The slot that the comparison is about: the first that is not bound."""
    name = comparison.field
    if name not in template.fields:
        raise KeyBindingError(
            f'the key "{template}" has no "{name}" to compare: use a filter, or a key that has it'
        )
    if name in bound:
        raise KeyBindingError(
            f'"{name}" of the key "{template}" is both passed and compared: do one of the two'
        )
    unbound = template.first_unbound(bound)
    if unbound is None or unbound.field != name:
        before = unbound.field if unbound else name
        raise KeyBindingError(
            f'a range over "{name}" needs "{before}" first, because the key "{template}" sorts by '
            f'it before: give "{before}", or compare that'
        )
    wanted = 2 if comparison.op == "between" else 1
    if len(comparison.values) != wanted:
        raise KeyBindingError(
            f'{comparison.op} over "{name}" takes {wanted} value{"s"[: wanted - 1]}, '
            f"not {len(comparison.values)}"
        )
    return unbound


def _refuse_open_end(template: Template, slot: Slot) -> None:
    """Refuse a prefix that ends within a value: `1` is also the beginning of `12`."""
    place = template.parts.index(slot)
    before = template.parts[place - 1] if place else ""
    if isinstance(before, Slot) and before.width is None:
        raise KeyBindingError(
            f'a query of the key "{template}" by {before} alone would meet longer values too, '
            f"because {slot} follows at once: put a delimiter between them, or give every field"
        )


def _refuse_unordered(template: Template, slot: Slot, comparison: Comparison) -> None:
    what = f'{comparison.op} over "{slot.field}" in the key "{template}"'
    if not slot.ordered:
        advice = (
            f"write it from coarse to fine, as {{{slot.field}:%Y-%m-%d}}"
            if slot.is_time
            else f"pad it, as {slot.padded}"
        )
        raise KeyBindingError(f"{what} would not follow its values, which do not sort: {advice}")
    if slot.width is None and template.parts[-1] is not slot:
        raise KeyBindingError(
            f"{what} would not follow its values, because they differ in length and more text "
            "follows: put it last in the key, or filter on it"
        )
