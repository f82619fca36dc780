"""What a source depends on, and whether it is the same for all calls."""

import pytest

from sortkey.design.plans.sources import (
    Argument,
    Constant,
    Derived,
    Elements,
    Generated,
    Members,
    Now,
    Planned,
    Range,
    Source,
    Text,
    Variant,
    arguments_in,
    is_shared,
    leaves,
    source_of,
)
from sortkey.expressions.tree import Compare, Path, Value

RANGED = Text("A#{a}#{b}", {"a": Argument("x")}, Range("ge", "b", (Argument("y"),)))


@pytest.mark.parametrize(
    ("source", "names", "shared"),
    [
        (Constant(1), set[str](), True),
        (Argument("user.email"), {"user.email"}, False),
        (Now(), set[str](), True),
        (Derived(("now()",)), set[str](), True),
        (Derived(("token", "now()")), {"token"}, False),
        (Derived(()), set[str](), False),
        (Generated(), set[str](), False),
        (Variant((Argument("a"), Constant(1)), ("flag",)), {"a", "flag"}, False),
        (Variant((Constant(1), Constant(2)), ("flag",)), {"flag"}, False),
        (RANGED, {"x", "y"}, False),
        (Text("A", {}), set[str](), True),
        (Text("A#{a}", {"a": Variant((Now(), Constant(2)), ("b",))}), {"b"}, False),
        (Members({"a": Argument("x"), "b": Elements((Constant(1), Now()))}), {"x"}, False),
    ],
)
def test_a_source_depends_on_the_arguments_in_it(
    source: Source, names: set[str], shared: bool
) -> None:
    assert arguments_in(source) == names
    assert is_shared(source) is shared


def test_the_leaves_of_a_source_are_what_holds_no_others() -> None:
    assert list(leaves(RANGED)) == [Argument("x"), Argument("y")]


def test_planned_values_are_equal_where_their_sources_are() -> None:
    one, two = (Planned({"S": text}, source=Argument("a")) for text in "xy")
    other = Planned({"S": "x"}, source=Argument("b"))

    assert one == two != other
    assert Compare("=", Path(("p",)), one) == Compare("=", Path(("p",)), two)
    assert source_of(one) == Argument("a")
    assert source_of(Value({"S": "x"})) == Constant({"S": "x"})
