"""Limits of values, of their annotation and of the slot of a key."""

from decimal import Decimal
from typing import Annotated, Any

import pytest
from pydantic import Field

from sortkey.design.records.keys.slots import Slot
from sortkey.design.records.keys.templates import parse_template
from sortkey.design.records.limits import Limits, whole_bounds

FIELDS = {
    "text": str,
    "number": int,
    "rank": Annotated[int, Field(ge=-5, le=5)],
    "price": Decimal,
}


def slot_of(template: str) -> Slot:
    [slot] = parse_template(template, FIELDS).slots
    return slot


@pytest.mark.parametrize(
    ("template", "least", "most"),
    [
        ("N#{number:04d}", 0, 9999),
        ("N#{price:08.2f}", Decimal(0), Decimal(99999)),
        ("N#{text}", None, None),
    ],
)
def test_a_value_fits_into_the_slot_of_a_key(template: str, least: Any, most: Any) -> None:
    limits = Limits().within(slot_of(template))

    assert (limits.least, limits.most) == (least, most)


def test_the_narrower_of_two_limits_holds() -> None:
    limits = Limits(7, 8).within(slot_of("N#{number:04d}"))

    assert (limits.least, limits.most) == (7, 8)


@pytest.mark.parametrize(
    ("annotation", "bounds"),
    [
        (Annotated[int, Field(ge=1, le=9)], (1, 9)),
        (Annotated[int, Field(gt=1, lt=9)], (2, 8)),
        (int, (None, None)),
        (Annotated[float, Field(ge=0.5)], (None, None)),
    ],
)
def test_whole_numbers_have_whole_bounds(annotation: Any, bounds: tuple[Any, Any]) -> None:
    assert whole_bounds(annotation) == bounds
