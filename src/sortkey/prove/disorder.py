"""Disorder: where an order can show, and what to change where records are returned in another."""

from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, cast

from sortkey.design.entity import Entity
from sortkey.design.kind import EntityKind
from sortkey.design.slots import Slot
from sortkey.expressions.conjuncts import equalities
from sortkey.operations.plan import Step
from sortkey.prove.fields import plain
from sortkey.prove.meaning import Order
from sortkey.prove.neighbours import is_single
from sortkey.prove.twins import names_read

_AFTERWARDS = "or sort the records after the read"


def can_differ(order: Order, step: Step, kinds: Sequence[EntityKind[Any]]) -> bool:
    """Whether a step may return two records that an order tells apart.

    It may not where it reads one item at most, or where all that is compared is fixed by its key.
    """
    if step.verb != "Query" or is_single(step):
        return step.verb == "Scan"
    fixed = {name for name, _ in equalities(step.key_condition)}
    read = {*names_read(order)}
    return not all(read <= _fields_of(kind, step, fixed) for kind in kinds)


def _fields_of(kind: EntityKind[Any], step: Step, attributes: AbstractSet[str]) -> set[str]:
    """The fields of which key attributes of the table or index that is read consist."""
    keys = [key for key in kind.keys.values() if key.index == step.index]
    parts = [part for key in keys for part in key.parts if part.attribute.name in attributes]
    return {name for part in parts for name in part.fields}


def order_change(
    first: Entity, second: Entity, step: Step, order: Callable[[Any], Any] | None, *, is_raw: bool
) -> str:
    """What to change where the first of two records is returned first, and should be second."""
    slots = list(_sort_slots(first, step))
    differing = [slot for slot in slots if _value(first, slot) != _value(second, slot)]
    by = differing
    if order is not None:
        stated = _stated(order(first), order(second))
        by = [slot for slot in slots if (_value(first, slot), _value(second, slot)) == stated]
    if not by:
        return f"Begin the sort key with what order= states, {_AFTERWARDS}"
    slot = by[0]
    if differing[0] is not slot:
        return f"Write {slot.field} in front of {differing[0].field} in the sort key, {_AFTERWARDS}"
    rises = _rises(first, second, slot)
    turned = "" if rises is step.forward else _turned(step, is_raw=is_raw)
    if slot.ordered or (slot.is_text and len(slots) == 1):
        # A text within a longer key sorts together with what follows it.
        return turned or f"Begin the sort key with {slot.field} at one length, {_AFTERWARDS}"
    written = (
        f"pad the number, as {slot.padded}: keys sort as text"
        if slot.is_number
        else f"write {slot.field} in a format that sorts as its values do"
    )
    return f"{turned}, and {written}" if turned else written[0].upper() + written[1:]


def _turned(step: Step, *, is_raw: bool) -> str:
    if is_raw:
        return f"Read in the other direction, with scan_forward={not step.forward}"
    return "Read in the other direction, with reverse()" if step.forward else "Leave out reverse()"


def _stated(one: Any, other: Any) -> tuple[Any, Any]:
    """What two records are sorted by; of several values the first that tells them apart."""
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
    """Whether the values should be returned from the least to the greatest."""
    return _value(second, slot) < _value(first, slot)
