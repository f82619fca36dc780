"""The cost of one request, from the sizes and counts that a design expects."""

from datetime import date, datetime
from enum import Enum
from math import ceil
from typing import Any, Literal, get_args, get_origin

from sortkey.design.declaring.pattern import Pattern
from sortkey.design.plans.plan import PlannedStep
from sortkey.design.plans.sources import Constant
from sortkey.design.records.key_compiler import field_type
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.kind import EntityKind
from sortkey.design.tables.expectations import Expected
from sortkey.wire.limits import KB, READ_UNIT_BYTES, WRITE_UNIT_BYTES

# How many times the units of a request are charged.
IN_TRANSACTION = 2


def choices_of(held: Any) -> int | None:
    """Return the number of values of a type, if they are few."""
    if get_origin(held) is Literal:
        return len(get_args(held))
    if isinstance(held, type) and issubclass(held, Enum):
        return len(held)
    return 2 if held is bool else None


def is_any_text(held: Any) -> bool:
    """Whether a type holds any text."""
    return isinstance(held, type) and issubclass(held, str) and not issubclass(held, Enum)


def is_day(held: Any) -> bool:
    """Whether a type holds dates without a time of day."""
    return isinstance(held, type) and issubclass(held, date) and not issubclass(held, datetime)


def is_span(kind: EntityKind[Any], slot: Slot) -> bool:
    """Whether all that is written now falls into one value of a slot: a day, a month."""
    # Not the slot's own type: that of a field which is a key attribute itself is a text.
    return is_day(field_type(kind.model, slot.field)) or (slot.is_time and slot.lossy)


def write_units(kind: EntityKind[Any], key: EntityKey | None = None) -> int:
    """Return the units of writing one record, in the table or in the index of a key."""
    return max(1, ceil(_size(kind.expected_by(key)) / WRITE_UNIT_BYTES))


def read_units(pattern: Pattern[..., Any], kind: EntityKind[Any], step: PlannedStep) -> float:
    """Return the units of one read of a pattern."""
    units = max(1, ceil(_bytes_read(pattern, kind, step) / READ_UNIT_BYTES))
    return units if step.consistent else units / 2


def _bytes_read(pattern: Pattern[..., Any], kind: EntityKind[Any], step: PlannedStep) -> int:
    """Return the bytes that are read: one record, as many as the limit, or the whole partition."""
    expected = kind.expected_by(kind.key_in(step.index))
    if step.verb == "GetItem":
        return _size(expected)
    held = expected.per_partition or 1
    match step.limit:
        case None:
            return _size(expected) * (pattern.page or held)
        case Constant(int() as limit):
            return _size(expected) * limit
        case _:
            return _size(expected) * held


def _size(expected: Expected) -> int:
    return expected.size_bytes or KB
