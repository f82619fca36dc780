"""A range over key texts selects what the same comparison over the typed values selects."""

import operator
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.design.records.keys.ranges import Comparison, SortRange, sort_range
from sortkey.design.records.keys.templates import KeyBindingError, Template, parse_template

M = "\U0010ffff"


class Size(StrEnum):
    SMALL = "\ud7ff"
    LARGE = "\ue000"


class Phase(StrEnum):
    NEW = "new"
    NEWER = "newer"


TYPES: dict[str, Any] = {
    "org": str,
    "name": str,
    "n": int,
    "at": datetime,
    "day": date,
    "price": Decimal,
    "size": Size,
    "phase": Phase,
}
_NOON = datetime(2024, 2, 29, 12, tzinfo=UTC)
TIMES = st.integers(-6, 6).map(lambda step: _NOON + timedelta(hours=6 * step)) | st.timedeltas(
    timedelta(days=-2), timedelta(days=2)
).map(lambda distance: _NOON + distance)
# The ends of the alphabet and of the surrogate gap are where a successor would go wrong.
TEXTS = st.text("\0\x01!#$ab\ud7ff\ue000\U0010fffe", min_size=1, max_size=3)
PLAIN_TEXTS = TEXTS.map(lambda text: text.replace("#", "c"))
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "name": PLAIN_TEXTS,
    "n": st.integers(0, 30) | st.sampled_from([98, 99, 100, 999]),
    "at": TIMES,
    "day": TIMES.map(datetime.date),
    "price": st.decimals(0, 20, places=2),
    "size": st.sampled_from(Size),
    "phase": st.sampled_from(Phase),
}
_COMPARED = {
    "{name}": "name",
    "P#{name}": "name",
    "{n:03d}": "n",
    "P#{n:03d}": "n",
    "P#{n:03d}#{org}": "n",
    "{n:03d}#{org}": "n",
    "{n:03d}{org}": "n",
    "P{n:03d}X": "n",
    "{org}#{at}": "at",
    "{at}#{org}": "at",
    "P#{day}": "day",
    "{day:%Y%j}#X": "day",
    "P#{price:06.2f}#{org}": "price",
    "{size}": "size",
    "P#{size}": "size",
    "P#{size}#{org}": "size",
    "P#{phase}": "phase",
    "P#{at:%Y-%m-%d}": "at",
    "P#{at:%Y-%m-%d}#{org}": "at",
    "{at:%Y-%m-%dT%H}": "at",
}
_MEANING: dict[str, Callable[[Any, Any], bool]] = {
    "ge": operator.ge,
    "gt": operator.gt,
    "le": operator.le,
    "lt": operator.lt,
}


def template(text: str) -> Template:
    return parse_template(text, TYPES)


def selected(asked: SortRange, text: str) -> bool:
    """What DynamoDB does with the range, on the bytes it compares."""
    key = text.encode()
    low = (asked.low or "").encode()
    high = (asked.high or "").encode()
    match asked.op:
        case "all":
            return True
        case "none":
            return False
        case "=":
            return key == low
        case "begins_with":
            return key.startswith(low)
        case "between":
            assert low <= high
            return low <= key <= high
        case ">=":
            return key >= low
        case ">":
            return key > low
        case "<=":
            return key <= high
        case "<":
            return key < high


def _holds(op: str, value: Any, bounds: tuple[Any, ...]) -> bool:
    if op == "between":
        return bounds[0] <= value <= bounds[1]
    return _MEANING[op](value, bounds[0])


@given(
    text=st.sampled_from(sorted(_COMPARED)),
    op=st.sampled_from(["ge", "gt", "le", "lt", "between"]),
    data=st.data(),
)
def test_a_range_selects_the_keys_whose_values_satisfy_the_comparison(
    text: str, op: Any, data: st.DataObject
) -> None:
    made = template(text)
    field = _COMPARED[text]
    slot = next(slot for slot in made.slots if slot.field == field)
    bounds = tuple(data.draw(VALUES[field]) for _ in range(2 if op == "between" else 1))
    bound = {"org": "acme"} if text.startswith("{org}") else {}
    asked = sort_range(made, bound, Comparison(op, field, bounds))
    assert asked.exact or slot.lossy

    for value in data.draw(st.lists(VALUES[field], min_size=1, max_size=8)) + list(bounds):
        org = "acme" if bound else data.draw(PLAIN_TEXTS)
        found = selected(asked, made.build({field: value, "org": org}))
        if asked.exact:
            assert found == _holds(op, value, bounds)
        elif found:
            # Only what the key writes as a bound is written may be too much.
            assert _holds(op, value, bounds) or slot.write(value) in map(slot.write, bounds)
        else:
            assert not _holds(op, value, bounds)


@given(
    text=st.sampled_from([t for t in sorted(_COMPARED) if t.startswith(("P", "{org}"))]),
    op=st.sampled_from(["ge", "gt", "le", "lt", "between"]),
    other=st.text("OPQ#abc\0", min_size=1),
    data=st.data(),
)
def test_a_range_stays_among_the_keys_that_begin_with_what_is_bound(
    text: str, op: Any, other: str, data: st.DataObject
) -> None:
    made = template(text)
    field = _COMPARED[text]
    bounds = tuple(data.draw(VALUES[field]) for _ in range(2 if op == "between" else 1))
    bound = {"org": "b"} if text.startswith("{org}") else {}
    prefix, _ = made.prefix(bound)
    if selected(sort_range(made, bound, Comparison(op, field, bounds)), other):
        assert other.startswith(prefix)


@given(st.sampled_from(["{name}", "P#{name}", "P#{name}#{org}"]), PLAIN_TEXTS, PLAIN_TEXTS)
def test_begins_with_selects_the_values_that_begin_so(text: str, start: str, name: str) -> None:
    made = template(text)
    asked = sort_range(made, {}, Comparison("begins_with", "name", (start,)))
    assert selected(asked, made.build({"name": name, "org": "o"})) == name.startswith(start)


def test_without_a_comparison_what_is_bound_decides() -> None:
    made = template("P#{org}#{n:03d}")
    assert sort_range(made, {}, None) == SortRange("begins_with", "P#")
    assert sort_range(made, {"org": "a"}) == SortRange("begins_with", "P#a#")
    assert sort_range(made, {"org": "a", "n": 1}) == SortRange("=", "P#a#001")
    assert sort_range(template("{n:03d}"), {}) == SortRange("all")
    assert sort_range(template("META"), {}) == SortRange("=", "META")


@pytest.mark.parametrize(
    ("text", "op", "values", "asked"),
    [
        ("P#{n:03d}", "ge", (5,), SortRange("between", "P#005", f"P#{M}")),
        ("P#{n:03d}", "gt", (5,), SortRange("between", "P#005\0", f"P#{M}")),
        ("P#{n:03d}", "le", (5,), SortRange("between", "P#", "P#005")),
        ("P#{n:03d}", "lt", (5,), SortRange("between", "P#", f"P#004{M}")),
        ("P#{n:03d}", "between", (5, 7), SortRange("between", "P#005", "P#007")),
        ("P#{n:03d}", "between", (7, 5), SortRange("none")),
        ("P#{n:03d}#X", "gt", (5,), SortRange("between", f"P#005{M}", f"P#{M}")),
        ("P#{n:03d}#X", "le", (5,), SortRange("between", "P#", f"P#005{M}")),
        ("P#{n:03d}#X", "lt", (5,), SortRange("between", "P#", "P#005")),
        ("{n:03d}", "ge", (5,), SortRange(">=", "005")),
        ("{n:03d}", "gt", (5,), SortRange(">", "005")),
        ("{n:03d}", "le", (5,), SortRange("<=", high="005")),
        ("{n:03d}", "lt", (5,), SortRange("<", high="005")),
        ("{n:03d}#X", "gt", (5,), SortRange(">=", f"005{M}")),
    ],
)
def test_the_condition_for_a_number(
    text: str, op: Any, values: tuple[int, ...], asked: SortRange
) -> None:
    assert sort_range(template(text), {}, Comparison(op, "n", values)) == asked


@pytest.mark.parametrize(
    ("name", "high"),
    [("b", f"P#a{M}"), ("a\0", "P#a"), ("\ue000", f"P#\ud7ff{M}"), ("\U00010000", f"P#\uffff{M}")],
)
def test_a_text_below_another_ends_where_no_key_lies_between(name: str, high: str) -> None:
    asked = sort_range(template("P#{name}"), {}, Comparison("lt", "name", (name,)))
    assert asked == SortRange("between", "P#", high)


def test_the_last_day_is_in_a_range_over_times_cut_to_days() -> None:
    made = template("{at:%Y-%m-%d}#{org}")
    asked = sort_range(made, {}, Comparison("between", "at", (_NOON, _NOON)))
    assert asked == SortRange("between", "2024-02-29", f"2024-02-29{M}", exact=False)


def test_a_bound_at_the_start_of_a_day_is_exact_where_it_can_be() -> None:
    made = template("P#{at:%Y-%m-%d}")
    midnight = _NOON.replace(hour=0)
    exact = {
        op: sort_range(made, {}, Comparison(op, "at", (midnight,))).exact
        for op in ("ge", "gt", "le", "lt")
    }
    assert exact == {"ge": True, "gt": False, "le": False, "lt": True}


def test_an_empty_beginning_asks_for_all_that_is_bound() -> None:
    comparison = Comparison("begins_with", "name", ("",))
    assert sort_range(template("P#{name}"), {}, comparison) == SortRange("begins_with", "P#")
    assert sort_range(template("{name}"), {}, comparison) == SortRange("all")


@pytest.mark.parametrize(
    ("text", "bound", "comparison", "why"),
    [
        ("{org}#{n:03d}", {}, Comparison("ge", "n", (1,)), 'over "n" needs "org" first'),
        ("{org}#{n:03d}", {"org": "a"}, Comparison("ge", "day", (1,)), 'no "day" to compare'),
        ("{n:03d}", {"n": 1}, Comparison("ge", "n", (1,)), "both passed and compared"),
        ("{n:03d}", {}, Comparison("between", "n", (1,)), "takes 2 values, not 1"),
        ("{n:03d}", {}, Comparison("ge", "n", ()), "takes 1 value, not 0"),
        ("P#{n}", {}, Comparison("ge", "n", (1,)), 'in the key "P#{n}" would not .* {n:020d}'),
        ("{n:unordered}", {}, Comparison("ge", "n", (1,)), "pad it, as {n:020d}"),
        ("{at:%d.%m}", {}, Comparison("ge", "at", (_NOON,)), "from coarse to fine"),
        ("{name}#X", {}, Comparison("ge", "name", ("a",)), "put it last in the key"),
        ("{phase}#X", {}, Comparison("ge", "phase", (Phase.NEW,)), "put it last in the key"),
        ("{n:03d}", {}, Comparison("begins_with", "n", (1,)), "begins_with is for text"),
        ("{name}{n:03d}", {}, Comparison("begins_with", "name", ("a",)), "put a delimiter"),
        ("{name}{n:03d}", {"name": "a"}, Comparison("ge", "n", (1,)), "meet longer values"),
        ("{name}{n:03d}", {"name": "a"}, None, "meet longer values"),
        ("{org}#{n:03d}", {"n": 1}, None, '"n" comes after "org"'),
    ],
)
def test_a_range_that_a_key_cannot_answer_is_refused_with_advice(
    text: str, bound: dict[str, Any], comparison: Comparison | None, why: str
) -> None:
    with pytest.raises(KeyBindingError, match=why.replace("{", r"\{")):
        sort_range(template(text), bound, comparison)
