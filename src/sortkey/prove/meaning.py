"""The meaning of a step of a plan over fields: which records it selects, and in which order.

It is derived from the fields that were bound and compared, never from the text of a key.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from string import Formatter
from typing import Any, TypeAlias

from sortkey.design.records.keys.entity_key import EntityKey, KeyPart
from sortkey.design.records.kind import EntityKind
from sortkey.expressions.tree import And, Between, Compare, Condition, Path, Value
from sortkey.operations.origin import FieldValue, Filled
from sortkey.operations.plan import Step
from sortkey.prove.fields import coarse, compares, holds

Test: TypeAlias = Callable[[Any], bool]
Order: TypeAlias = Callable[[Any], Any]

_NAMES = {">=": "ge", ">": "gt", "<=": "le", "<": "lt"}


class NoMeaning(Exception):  # noqa: N818 - named after the fault
    """The expected result of an operation is neither stated nor derivable."""


@dataclass(frozen=True, slots=True)
class Bound:
    """A field that must have a value, at the precision of the key's time format."""

    field: str
    spec: str
    value: Any

    def holds(self, record: Any) -> bool:
        """Return whether a record has the value."""
        held = getattr(record, self.field)
        return held is not None and coarse(held, self.spec) == coarse(self.value, self.spec)


def belongs(step: Step, kind: EntityKind[Any]) -> Test:
    """Return a test of whether a step selects a record of a kind."""
    key = key_of(step, kind)
    bounds = list(bounds_of(step))
    ranges = list(_ranges(step, kind))
    present = () if key is None else key.all_fields

    def test(record: Any) -> bool:
        return (
            # A record without one of these fields is not in the index.
            all(getattr(record, name) is not None for name in present)
            and all(bound.holds(record) for bound in bounds)
            and all(compares(op, getattr(record, field), ends) for op, field, ends in ranges)
            and (step.filter is None or holds(step.filter, record, kind))
        )

    return test


def belongs_to_collection(key: EntityKey, bound: Mapping[str, Any]) -> Test:
    """Return a test of whether a collection contains a record of one of its entities."""
    bounds = [
        Bound(slot.field, slot.spec, bound[slot.field])
        for part in key.parts
        for slot in part.template.slots
        if slot.field in bound
    ]
    return lambda record: (
        all(getattr(record, name) is not None for name in key.all_fields)
        and all(one.holds(record) for one in bounds)
    )


def bound_of(step: Step) -> Mapping[str, Any]:
    """Return every field that a step binds, with its value."""
    return {
        name: value
        for _, found in _values(step)
        if isinstance(found.origin, Filled)
        for name, value in found.origin.bound.items()
    }


def key_of(step: Step, kind: EntityKind[Any]) -> EntityKey | None:
    """Return the key by which a query finds the records of a kind; None for other steps."""
    if step.verb != "Query":
        return None
    return next((key for key in kind.keys.values() if key.index == step.index), None)


def bounds_of(step: Step) -> Iterator[Bound]:
    """Yield the fields that a step's key binds, from the left up to the first unbound one."""
    for _, value in _values(step):
        match value.origin:
            case Filled(template, bound):
                for field, spec in _slots(template):
                    if field not in bound:
                        break
                    yield Bound(field, spec, bound[field])
            case _:
                pass


def _ranges(step: Step, kind: EntityKind[Any]) -> Iterator[tuple[str, str, Sequence[Any]]]:
    fields = {stored: name for name, stored in kind.stored_names.items()}
    for condition, value in _values(step):
        match value.origin, condition:
            case Filled(_, _, (op, field, ends)), _:
                yield op, field, ends
            case FieldValue(_), Between(Path() as path, low, high):
                yield "between", fields[path.name], [_python_value(low), _python_value(high)]
            case FieldValue(bound), Compare(op, Path() as path, _):
                yield _NAMES[op], fields[path.name], [bound]
            case FieldValue(bound), _:
                [path] = [p for p in _operands(condition) if isinstance(p, Path)]
                yield "begins_with", fields[path.name], [bound]
            case _:
                pass


def _python_value(operand: Any) -> Any:
    return operand.origin.value


def _values(step: Step) -> Iterator[tuple[Any, Value]]:
    """Yield each part of a step's key with the first value that it is compared with."""
    for part in (step.key or {}).values():
        yield None, part
    condition = step.key_condition
    for part in condition.conditions if isinstance(condition, And) else (condition,):
        values = [operand for operand in _operands(part) if isinstance(operand, Value)]
        yield from ((part, value) for value in values[:1])


def _operands(condition: Condition | None) -> tuple[Any, ...]:
    match condition:
        case Compare(_, left, right):
            return left, right
        case Between(operand, low, high):
            return operand, low, high
        case None:
            return ()
        case _:
            return tuple(getattr(condition, name, None) for name in ("operand", "prefix"))


def _slots(template: str) -> Iterator[tuple[str, str]]:
    for _, name, spec, _ in Formatter().parse(template):
        if name:
            yield name, spec or ""


# Order.


def order_of(key: EntityKey, step: Step) -> Order:
    """Return the sort order of a query's records, as far as their key decides it."""
    fixed = {(bound.field, bound.spec) for bound in bounds_of(step)}
    return order_by(key, fixed)


def order_by(key: EntityKey, fixed: set[tuple[str, str]]) -> Order:
    """Return the sort order of records by a key; ``fixed`` slots have the same value in all."""
    slots = list(_deciding(key, fixed))
    return lambda record: tuple(coarse(getattr(record, f), spec) for f, spec in slots)


def _deciding(key: EntityKey, fixed: set[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for part in key.sort:
        if part.is_natural:
            yield part.fields[0], ""
            continue
        for slot in part.template.slots:
            if (slot.field, slot.spec) in fixed:
                continue
            # A text of variable length sorts together with the text that follows it.
            if not slot.ordered or (slot.width is None and not _is_last(slot, part)):
                return
            yield slot.field, slot.spec


def _is_last(slot: Any, part: KeyPart) -> bool:
    return part.template.parts[-1] is slot


def ranked(records: Sequence[Any], order: Order, *, forward: bool) -> list[list[Any]]:
    """Return the records in groups, in their order; equal records are in one group."""
    by_rank = sorted(records, key=order, reverse=not forward)
    return [list(alike) for _, alike in groupby(by_rank, key=order)]
