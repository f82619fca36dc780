"""Where the values of several calls come from, when nothing but the calls is known."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import BaseModel

from sortkey.design.plans.drawn import Drawn
from sortkey.design.plans.provenance import Evidence, OtherPath, columns
from sortkey.design.plans.sources import (
    NOW,
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
from sortkey.expressions.tree import And, AttributeExists, Compare, Path, Value
from sortkey.operations.origin import FieldValue, Filled

AT = datetime(2032, 1, 2, 3, 4, 5, 678_900, tzinfo=UTC)


class Point(BaseModel):
    x: int
    name: str = "a"


def called(**arguments: Any) -> Drawn:
    return Drawn(AT, arguments, {**arguments, NOW: AT})


ONE, TWO = (
    called(user="ann-ann", other="xyz-uvw", n=7),
    called(user="bob-bob", other="rst-opq", n=9),
)
BOTH = Evidence([ONE, TWO])


@pytest.mark.parametrize(
    ("values", "source"),
    [
        ((5, 5), Constant(5)),
        ((7, 9), Argument("n")),
        (("ann-ann", "bob-bob"), Argument("user")),
        (("U#ann-ann", "U#bob-bob"), Text("U#{user}", {"user": Argument("user")})),
        (([7, "k"], [9, "k"]), Elements((Argument("n"), Constant("k")))),
        (({"a": 7}, {"a": 9}), Members({"a": Argument("n")})),
        ((Point(x=7), Point(x=9)), Members({"x": Argument("n"), "name": Constant("a")})),
        (({7}, {9}), Elements((Argument("n"),))),
        # Sets have no order, so their members do not correspond.
        (({7, 1}, {9, 1}), Derived(())),
        (([7], [9, 9]), Derived(())),
        (({"a": 7}, {"b": 9}), Derived(())),
        (("a", 5), Derived(())),
        ((8, 10), Derived(("n",))),
    ],
)
def test_a_value_is_what_it_is_in_every_call(values: tuple[Any, Any], source: Source) -> None:
    assert BOTH.value(values) == source


@pytest.mark.parametrize(
    ("values", "source"),
    [
        (({"S": "k"}, {"S": "k"}), Constant("k")),
        (({"N": "7"}, {"N": "9"}), Argument("n")),
        (({"S": "x"}, {"N": "9"}), Derived(())),
        (({"M": {"a": {"N": "7"}}}, {"M": {"a": {"N": "9"}}}), Members({"a": Argument("n")})),
        (({"M": {"a": {"N": "7"}}}, {"M": {"b": {"N": "9"}}}), Derived(())),
        (({"L": [{"N": "7"}]}, {"L": [{"N": "9"}]}), Elements((Argument("n"),))),
        (({"L": [{"N": "7"}]}, {"L": [{"N": "9"}, {"N": "1"}]}), Derived(())),
        (({"NS": ["7"]}, {"NS": ["9"]}), Elements((Argument("n"),))),
        (({"NS": ["7", "1"]}, {"NS": ["9", "1"]}), Derived(())),
        (({"NULL": True}, {"NULL": True}), Constant(None)),
    ],
)
def test_so_is_a_value_as_it_is_stored(values: tuple[Any, Any], source: Source) -> None:
    assert BOTH.stored(values) == source


def test_a_single_call_shows_arguments_and_nothing_else() -> None:
    alone = Evidence([ONE])

    assert alone.value([7]) == Argument("n")
    assert alone.value([5]) == Derived(())
    assert alone.stored([{"S": "else"}]) == Derived(())
    assert alone.is_open


def test_what_differs_between_equal_calls_is_generated() -> None:
    repeated = Evidence([ONE, TWO, ONE], repeats=[(0, 2)])

    assert repeated.value([1, 2, 3]) == Generated()


def test_the_arguments_that_change_it_alone_are_named() -> None:
    other = called(user="ann-ann", other="xyz-uvw", n=9)
    known = Evidence([ONE, TWO, other], singles={"n": [(0, 2)]}, independent=2)

    assert known.value(["a", "b", "c"]) == Derived(("n",))


def test_a_value_that_is_one_of_two_arguments_is_a_variant() -> None:
    assert BOTH.value(["ann-ann", "rst-opq"]) == Variant((Argument("user"), Argument("other")), ())


def test_the_time_of_a_call_is_no_argument() -> None:
    later = Drawn(AT + timedelta(days=1), {}, {NOW: AT + timedelta(days=1), "x": 1})
    known = Evidence([Drawn(AT, {}, {NOW: AT, "x": 2}), later])

    assert known.value([AT, AT + timedelta(days=1)]) == Now()
    assert known.value(["on 2032-01-02T03:04:05Z", "on 2032-01-03T03:04:05Z"]) == Text(
        "on {now()}", {"now()": Now()}
    )


class TestExpressions:
    def test_values_become_sources(self) -> None:
        trees = [Compare("=", Path(("a",)), Value({"N": str(n)})) for n in (7, 9)]
        made = BOTH.expression(trees)

        assert isinstance(made.right, Value)
        assert getattr(made.right, "source", None) == Argument("n")

    @pytest.mark.parametrize(
        "trees",
        [
            (Value({"N": "1"}), Path(("a",))),
            (And((AttributeExists(Path(("a",))),)), And(())),
            (AttributeExists(Path(("a",))), And(())),
            (Path(("a",)), Path(("b",))),
            (Path(("a", "b")), Path(("a",))),
            ("=", "<"),
        ],
    )
    def test_trees_of_another_form_take_another_path(self, trees: tuple[Any, Any]) -> None:
        with pytest.raises(OtherPath):
            BOTH.expression(trees)

    def test_a_value_that_was_given_is_compared_as_it_was(self) -> None:
        values = [Value({"S": str(n)}, FieldValue(n)) for n in (7, 9)]

        assert BOTH.origin(values) == Argument("n")

    def test_values_of_several_origins_are_compared_as_they_are_stored(self) -> None:
        given, filled = FieldValue(7), Filled("U#{n}", {"n": 7})

        for origins in ((given, filled), (filled, given)):
            pairs = zip("79", origins, strict=True)
            values = [Value({"N": number}, origin) for number, origin in pairs]
            assert BOTH.origin(values) == Argument("n")

    def test_texts_of_two_templates_take_another_path(self) -> None:
        values = [Value({"S": "x"}, Filled(template, {"n": 7})) for template in ("A{n}", "B{n}")]

        with pytest.raises(OtherPath):
            BOTH.origin(values)

    def test_a_range_in_some_calls_only_takes_another_path(self) -> None:
        ranged = Filled("A#{n}", {"n": 7}, ("ge", "day", (1,)))
        other = Filled("A#{n}", {"n": 9}, ("le", "day", (1,)))

        with pytest.raises(OtherPath):
            BOTH.origin([Value({"S": "x"}, ranged), Value({"S": "y"}, other)])


def test_members_that_some_calls_lack_take_another_path() -> None:
    assert list(columns([{"a": 1}, {"a": 2}])) == [("a", [1, 2])]
    with pytest.raises(OtherPath):
        list(columns([{"a": 1}, {"b": 2}]))
