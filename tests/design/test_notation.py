"""A plan writes arguments by name, and everything else as it is."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest

from sortkey import Page
from sortkey.design.notation import filled, plain, shown, type_text, whole


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
            (date(2001, 2, 3), "2001-02-03"),
            (datetime(2001, 2, 3, tzinfo=UTC), "2001-02-03T00:00:00+00:00"),
            (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
            (("a", {"b": Color.RED}), ["a", {"b": "red"}]),
        ],
    )
    def test_a_constant_is_plain_json(self, value: Any, shown: Any) -> None:
        assert plain(value) == shown

    @pytest.mark.parametrize(
        ("template", "arguments", "text"),
        [
            ("USER#{user_id}", {"user_id": "$who"}, "USER#{who}"),
            ("N#{number:06d}", {"number": "$n"}, "N#{n:06d}"),
            ("N#{number:06d}", {"number": 7}, "N#000007"),
            ("N#{number:unordered}", {"number": 7}, "N#7"),
            ("S#{status}", {"status": "open"}, "S#open"),
            ("S#{status}", {"status": "$$x"}, "S#$$x"),
            ("S#{status}", {}, "S#{status}"),
        ],
    )
    def test_a_template_is_shown_with_what_fills_it(
        self, template: str, arguments: dict[str, Any], text: str
    ) -> None:
        assert filled({"template": template, "bound": arguments}) == text

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ({"value": "open"}, '"open"'),
            ({"value": "$status"}, "$status"),
            ({"template": "S#{s}", "bound": {"s": "$status"}}, '"S#{status}"'),
            ({"value": {"a": 1, "b": ["x", None]}}, '{a: 1, b: ["x", null]}'),
            (True, "true"),
            (False, "false"),
        ],
    )
    def test_a_value_is_shown_as_within_an_expression(self, value: Any, text: str) -> None:
        assert shown(value) == text

    @pytest.mark.parametrize(("text", "number"), [("7", 7), ("-7", -7), ("1.10", "1.10")])
    def test_a_number_that_is_not_whole_keeps_its_digits(
        self, text: str, number: int | str
    ) -> None:
        assert whole(text) == number
