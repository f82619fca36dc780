"""A plan writes arguments by name, and everything else as it is."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest

from sortkey import Page
from sortkey.design.plans.notation import filled, json_of, plain, shown, type_text
from sortkey.design.plans.sources import (
    Argument,
    Constant,
    Derived,
    Elements,
    Generated,
    Members,
    Now,
    Source,
    Text,
    Variant,
)


class Color(Enum):
    RED = "red"


class TestTexts:
    @pytest.mark.parametrize(
        ("annotation", "text"),
        [
            (int, "int"),
            (None, "None"),
            (int | None, "int | None"),
            (list[Color], "list[Color]"),
            (dict[str, int], "dict[str, int]"),
            (tuple[int, ...], "tuple[int, ...]"),
            (Annotated[int | None, "mark"], "int | None"),
            (Literal["a", "b"], "Literal['a', 'b']"),
            (Page[Any], "Page[Any]"),
        ],
    )
    def test_a_type_is_written_as_in_code(self, annotation: Any, text: str) -> None:
        assert type_text(annotation) == text

    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            ("a", "a"),
            ("$a", "$$a"),
            (Color.RED, "red"),
            (1, 1),
            (True, True),
            (None, None),
            (b"a", "YQ=="),
            (Decimal("1.10"), "1.10"),
            (Decimal("7.00"), 7),
            (date(2001, 2, 3), "2001-02-03"),
            (datetime(2001, 2, 3, tzinfo=UTC), "2001-02-03T00:00:00+00:00"),
            (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            (("a", {"b": Color.RED}), ["a", {"b": "red"}]),
        ],
    )
    def test_a_constant_is_plain_json(self, value: Any, shown: Any) -> None:
        assert plain(value) == shown

    @pytest.mark.parametrize(
        ("template", "slots", "text"),
        [
            ("USER#{user_id}", {"user_id": Argument("who")}, "USER#{who}"),
            ("N#{number:06d}", {"number": Argument("n")}, "N#{n:06d}"),
            ("N#{number:06d}", {"number": Constant(7)}, "N#000007"),
            ("N#{number:unordered}", {"number": Constant(7)}, "N#7"),
            ("S#{status}", {"status": Constant("open")}, "S#open"),
            ("S#{status}", {"status": Constant("$x")}, "S#$x"),
            ("S#{status}", {}, "S#{status}"),
            ("T#{hash}", {"hash": Derived(("token",))}, "T#{derived(token)}"),
            ("A#{who}", {"who": Text("U#{id}", {"id": Argument("id")})}, "A#U#{id}"),
            ("A#{who}", {"who": Variant((Argument("a"), Constant("x")), ())}, "A#({a} or x)"),
        ],
    )
    def test_a_template_is_shown_with_what_fills_it(
        self, template: str, slots: dict[str, Source], text: str
    ) -> None:
        assert filled(Text(template, slots)) == text


EITHER = Variant((Argument("limit"), Constant(50)), ("limit",))


@pytest.mark.parametrize(
    ("source", "text", "value"),
    [
        (Constant("open"), '"open"', "open"),
        (Constant("$a"), '"$$a"', "$$a"),
        (Constant(True), "true", True),
        (
            Constant({"a": 1, "b": ["x", None]}),
            '{a: 1, b: ["x", null]}',
            {"a": 1, "b": ["x", None]},
        ),
        (Argument("status"), "$status", "$status"),
        (Now(), "$now()", "$now()"),
        (Generated(), "$generated()", "$generated()"),
        (Derived(("a", "b.c")), "$derived(a, b.c)", "$derived(a, b.c)"),
        (Derived(()), "$derived(?)", "$derived(?)"),
        (EITHER, "($limit or 50)", {"variant": ["$limit", 50], "by": ["limit"]}),
        (
            Text("S#{s}", {"s": Argument("status")}),
            '"S#{status}"',
            {"template": "S#{s}", "bound": {"s": "$status"}},
        ),
        (
            Members({"a": Argument("x"), "b": Elements((Constant(1), Argument("y")))}),
            "{a: $x, b: [1, $y]}",
            {"a": "$x", "b": [1, "$y"]},
        ),
    ],
)
def test_a_source_is_written_for_people_and_for_programs(
    source: Source, text: str, value: Any
) -> None:
    assert shown(source) == text
    assert json_of(source) == value
