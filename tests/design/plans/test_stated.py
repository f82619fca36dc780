"""Literals are seen in whatever way where= compares a field with them."""

from collections.abc import Callable
from typing import Any

import pytest

from sortkey.design.plans.stated import fields_in, literals

One = Callable[[Any], Any]
Two = Callable[[Any, Any], Any]

# A function, and what is seen in it.
ONE: list[tuple[One, list[tuple[str, str]]]] = [
    (lambda o: o.status == "PENDING", [("status", "PENDING")]),
    (lambda o: not o.deleted and o.status == "PENDING", [("status", "PENDING")]),
    (lambda o: o.deleted and o.status == "PENDING", [("status", "PENDING")]),
    (lambda o: "PENDING" == o.status, [("status", "PENDING")]),  # noqa: SIM300
    (lambda o: o.status in ("PENDING", "OPEN"), [("status", "PENDING")]),
    (lambda o: o.status != "DONE", [("status", "DONE")]),
    (lambda o: o.status.lower() == "pending", []),
    (lambda o: o.number == 5, []),
    (lambda o: all(tag for tag in o.tags) and o.status == "PENDING", [("status", "PENDING")]),
    (lambda o: set(o.tags) and o.status == "PENDING", [("status", "PENDING")]),
    (lambda o: 1 / 0, []),
]
TWO: list[tuple[Two, list[tuple[str, str]]]] = [
    (lambda o, shop: o.shop == shop and o.status == "PENDING", [("status", "PENDING")]),
    (lambda o, shop: (o.shop, o.status) == (shop, "PENDING"), [("status", "PENDING")]),
    (lambda o, day: o.day.isoformat()[:7] == day and o.kind == "a", [("kind", "a")]),
]


@pytest.mark.parametrize(("where", "found"), [*ONE, *TWO])
def test_the_literals_of_a_meaning(where: One | Two, found: list[tuple[str, str]]) -> None:
    assert list(literals(where)) == found


def test_what_is_no_function_of_a_record_has_none() -> None:
    assert list(literals(lambda: True)) == list(literals("no function")) == []


def test_the_fields_that_a_function_looks_at_are_found() -> None:
    def where(record: Any, city: str) -> bool:
        return record.city == city and (record.open or record.day > "2")

    assert fields_in(where) == {"city", "open", "day"}
