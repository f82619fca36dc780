"""Disorder: whether an order can be observed, and what to change if the order is wrong."""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, cast

from sortkey.design.declaring.entity import Entity
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.kind import EntityKind
from sortkey.expressions.conjuncts import equalities
from sortkey.operations.plan import Step
from sortkey.prove.fields import plain
from sortkey.prove.meaning import Order
from sortkey.prove.neighbours import is_single
from sortkey.prove.twins import names_read

_AFTERWARDS = "or sort the records after the read"


def can_differ(order: Order, step: Step, kinds: Sequence[EntityKind[Any]]) -> bool:
    """Return whether a step may return two records that an order distinguishes.

    It cannot if it reads at most one item, or if its key fixes every field of the order.
    """
    if step.verb != "Query" or is_single(step):
        return step.verb == "Scan"
    fixed = {name for name, _ in equalities(step.key_condition)}
    read = {*names_read(order)}
    return not all(read <= _fields_of(kind, step, fixed) for kind in kinds)


def _fields_of(kind: EntityKind[Any], step: Step, attributes: AbstractSet[str]) -> set[str]:
    """Return the fields that make up these key attributes of the table or index."""
    keys = [key for key in kind.keys.values() if key.index == step.index]
    parts = [part for key in keys for part in key.parts if part.attribute.name in attributes]
    return {name for part in parts for name in part.fields}


def order_change(
    first: Entity, second: Entity, step: Step, order: Callable[[Any], Any] | None, *, is_raw: bool
) -> str:
    """Return what to change if the first of two records should be returned second."""
    slots = list(_sort_slots(first, step))
    differing = [slot for slot in slots if _value(first, slot) != _value(second, slot)]
    by = differing
    if order is not None:
        stated = _stated(order(first), order(second))
        by = [slot for slot in slots if (_value(first, slot), _value(second, slot)) == stated]
    if not by:
        return f"Start the sort key with the values that order= returns, {_AFTERWARDS}"
    slot = by[0]
    if differing[0] is not slot:
        return f"Put {slot.field} before {differing[0].field} in the sort key, {_AFTERWARDS}"
    rises = _rises(first, second, slot)
    turned = "" if rises is step.forward else _turned(step, is_raw=is_raw)
    if slot.ordered or (slot.is_text and len(slots) == 1):
        # In a longer key, a text of variable length sorts together with the text after it.
        return turned or f"Start the sort key with {slot.field} at a fixed length, {_AFTERWARDS}"
    written = (
        f"pad the number, as {slot.padded}: keys sort as text"
        if slot.is_number
        else f"write {slot.field} in a format that sorts like its values"
    )
    return f"{turned}, and {written}" if turned else written[0].upper() + written[1:]


def _turned(step: Step, *, is_raw: bool) -> str:
    if is_raw:
        return f"Read in the other direction, with scan_forward={not step.forward}"
    return "Read in the other direction, with reverse()" if step.forward else "Remove reverse()"


def _stated(one: Any, other: Any) -> tuple[Any, Any]:
    """Return the values that two records are sorted by; in tuples, the first that differ."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        ones, others = cast("tuple[Any, ...]", one), cast("tuple[Any, ...]", other)
        pairs = zip(ones, others, strict=False)
        return next(((plain(a), plain(b)) for a, b in pairs if a != b), (None, None))
    return plain(one), plain(other)


def _sort_slots(record: Entity, step: Step) -> Iterator[Slot]:
    for key in record.__kind__.keys.values():
        if key.index == step.index:
            yield from (slot for part in key.sort for slot in part.template.slots)


def _value(record: Entity, slot: Slot) -> Any:
    return plain(getattr(record, slot.field))


def _rises(first: Entity, second: Entity, slot: Slot) -> bool:
    """Return whether the values should be in ascending order."""
    return _value(second, slot) < _value(first, slot)
