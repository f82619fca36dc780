"""Whether conditions hold."""

from base64 import b64encode
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.expressions import evaluate
from sortkey.expressions.evaluate import condition_names, condition_paths, holds
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.tree import And, Path
from sortkey.wire.numbers import canonical_number
from sortkey.wire.values import hashable, same_value

ITEM: dict[str, Any] = {
    "n": {"N": "10"},
    "s": {"S": "hello"},
    "b": {"B": b64encode(b"\x7f\x80").decode()},
    "t": {"BOOL": True},
    "z": {"NULL": True},
    "ss": {"SS": ["x", "y"]},
    "ns": {"NS": ["1", "2"]},
    "bs": {"BS": ["AA==", "/w=="]},
    "l": {"L": [{"N": "1"}, {"L": [{"S": "deep"}]}]},
    "m": {"M": {"k": {"N": "7"}, "e": {"S": ""}}},
    "emoji": {"S": "aé😀"},
}


def true(text: str, item: dict[str, Any] = ITEM, **values: Any) -> bool:
    given = {f":{name}": value for name, value in values.items()} or None
    return holds(Placeholders(None, given).condition(text), item)


@pytest.mark.parametrize("name", list(ITEM))
def test_a_value_of_any_type_equals_itself_only(name: str) -> None:
    for other, value in ITEM.items():
        assert true(f"{name} = :v", v=value) == (name == other)
        assert true(f"{name} <> :v", v=value) == (name != other)


def test_sets_are_equal_in_any_order_at_any_depth() -> None:
    assert true("ss = :v", v={"SS": ["y", "x"]})
    assert not true("ss <> :v", v={"SS": ["y", "x"]})
    assert true(
        "a = :v",
        {"a": {"M": {"l": {"L": [{"NS": ["1", "2"]}]}}}},
        v={"M": {"l": {"L": [{"NS": ["2", "1"]}]}}},
    )


def test_lists_are_equal_in_order_only() -> None:
    assert not true(
        "a = :v", {"a": {"L": [{"N": "1"}, {"N": "2"}]}}, v={"L": [{"N": "2"}, {"N": "1"}]}
    )


@pytest.mark.parametrize("op", ["=", "<", "<=", ">", ">="])
def test_what_is_not_there_compares_with_nothing(op: str) -> None:
    assert not true(f"q {op} :v", v={"N": "1"})
    assert not true(f":v {op} q", v={"N": "1"})
    assert not true(f"q {op} r")
    assert not true(f"q {op} r", {})


def test_what_is_not_there_is_unequal_to_everything() -> None:
    assert true("q <> :v", v={"N": "1"})
    assert true("q <> r")
    assert true("q <> r", {})


def test_numbers_compare_as_numbers() -> None:
    assert true("n > :v", v={"N": "9"})
    assert true("n < :v", v={"N": "10.0000000000000000000000000001"})
    assert true("n = :v", v={"N": "1e1"})


def test_texts_compare_by_their_utf_8_bytes() -> None:
    assert true("a < :v", {"a": {"S": "\uffff"}}, v={"S": "\U0001f600"})
    assert true("a > :v", {"a": {"S": "a"}}, v={"S": "Z"})


def test_binaries_compare_as_unsigned_bytes() -> None:
    assert true("b > :v", v={"B": b64encode(b"\x7f\x7f").decode()})


def test_different_types_have_no_order() -> None:
    assert not true("n < :v", v={"S": "zzz"})
    assert not true("n > :v", v={"S": ""})
    assert not true("m < :v", v={"S": "a"})
    assert not true("l <= m")


def test_between_includes_its_bounds() -> None:
    assert true("n BETWEEN :l AND :h", l={"N": "10"}, h={"N": "10"})
    assert not true("n BETWEEN :l AND :h", l={"N": "11"}, h={"N": "12"})
    assert not true("q BETWEEN :l AND :h", l={"N": "1"}, h={"N": "12"})
    assert not true("n BETWEEN s AND :h", h={"N": "12"})


def test_in_is_equality_with_one_of_several_types() -> None:
    assert true("n IN (:x, :y)", x={"S": "10"}, y={"N": "10"})
    assert true("ss IN (:x)", x={"SS": ["y", "x"]})
    assert not true("q IN (:x)", x={"N": "10"})
    assert not true("n IN (q, :x)", x={"N": "11"})


def test_existence_reaches_into_documents() -> None:
    assert true("attribute_exists(l[1][0]) AND attribute_exists(m.k)")
    assert true("attribute_not_exists(l[2]) AND attribute_not_exists(m.q)")
    assert true("attribute_not_exists(m[0]) AND attribute_not_exists(l.k)")
    assert true("attribute_not_exists(s.k) AND attribute_not_exists(q.k.z[1])")
    assert true("attribute_exists(z)")


def test_attribute_type_tells_the_type() -> None:
    assert true("attribute_type(m, :t)", t={"S": "M"})
    assert not true("attribute_type(m, :t)", t={"S": "L"})
    assert not true("attribute_type(q, :t)", t={"S": "NULL"})
    assert true("attribute_type(:v, :t)", v={"N": "1"}, t={"S": "N"})


def test_begins_with_takes_texts_or_binaries() -> None:
    assert true("begins_with(s, :v)", v={"S": "he"})
    assert true("begins_with(s, :v)", v={"S": ""})
    assert not true("begins_with(s, :v)", v={"S": "ello"})
    assert true("begins_with(b, :v)", v={"B": b64encode(b"\x7f").decode()})
    assert not true("begins_with(b, :v)", v={"S": "f4"})
    assert not true("begins_with(n, :v)", v={"S": "1"})
    assert not true("begins_with(q, :v)", v={"S": ""})
    assert true("begins_with(:v, s)", v={"S": "hello, world"})


@pytest.mark.parametrize(
    ("name", "element"),
    [
        ("s", {"S": "ell"}),
        ("b", {"B": b64encode(b"\x80").decode()}),
        ("ss", {"S": "x"}),
        ("ns", {"N": "2.0"}),
        ("bs", {"B": "/w=="}),
        ("l", {"N": "1"}),
        ("l", {"L": [{"S": "deep"}]}),
    ],
)
def test_contains_looks_for_a_part_or_a_member(name: str, element: dict[str, Any]) -> None:
    assert true(f"contains({name}, :v)", v=element)
    assert not true(f"NOT contains({name}, :v)", v=element)


@pytest.mark.parametrize(
    ("name", "element"),
    [
        ("s", {"N": "1"}),
        ("ss", {"S": "z"}),
        ("ss", {"SS": ["x"]}),
        ("ns", {"S": "1"}),
        ("n", {"N": "1"}),
        ("m", {"S": "k"}),
        ("q", {"S": "k"}),
    ],
)
def test_contains_is_false_where_there_is_nothing_to_find(
    name: str, element: dict[str, Any]
) -> None:
    assert not true(f"contains({name}, :v)", v=element)


@pytest.mark.parametrize(
    ("name", "size"),
    [("s", 5), ("emoji", 4), ("b", 2), ("ss", 2), ("l", 2), ("m", 2), ("m.e", 0), ("bs", 2)],
)
def test_size_is_a_length_or_a_count(name: str, size: int) -> None:
    assert true(f"size({name}) = :v", v={"N": str(size)})


@pytest.mark.parametrize("name", ["n", "t", "z", "q"])
def test_what_has_no_size_compares_with_nothing(name: str) -> None:
    assert not true(f"size({name}) >= :v", v={"N": "0"})


def test_the_size_of_a_literal_is_known() -> None:
    assert true("size(:v) > size(ss)", v={"S": "abc"})


def test_and_or_and_not_join_conditions() -> None:
    assert true("n = :v AND (s = :v OR NOT s = :v)", v={"N": "10"})
    assert not true("n = :v AND s = :v", v={"N": "10"})
    assert not true("n <> :v OR s = :v", v={"N": "10"})


def test_no_conditions_at_all_hold() -> None:
    assert holds(And(()), {})


def test_300_nested_negations_are_evaluated() -> None:
    assert true("NOT (" * 298 + "n = :v" + ")" * 298, v={"N": "10"})


@given(
    # Wider ones have more digits than DynamoDB stores.
    st.decimals(-(10**30), 10**30, places=3),
    st.decimals(-(10**30), 10**30, places=3),
)
def test_order_is_that_of_the_numbers(left: Any, right: Any) -> None:
    item = {"a": {"N": canonical_number(f"{left:f}")}}
    value = {"N": f"{right:f}"}

    assert true("a < :v", item, v=value) == (left < right)
    assert true("a <= :v", item, v=value) == (left <= right)
    assert true("a > :v", item, v=value) == (left > right)
    assert true("a >= :v", item, v=value) == (left >= right)
    assert true("a = :v", item, v=value) == (left == right)


def test_a_condition_knows_the_attributes_it_looks_at() -> None:
    condition = Placeholders(None, {":v": {"S": "S"}}).condition(
        "NOT (a.x = :v OR size(b[1]) > c) AND d BETWEEN e AND :v AND f IN (:v, g) "
        "AND attribute_exists(h.z) AND attribute_type(i, :v) AND begins_with(j, k) "
        "AND contains(:v, l) AND attribute_not_exists(m)"
    )

    assert condition_names(condition) == set("abcdefghijklm")
    assert next(iter(condition_paths(condition))) == Path(("a", "x"))


# -- many members and choices ---------------------------------------------------------------------

numbers = st.integers(0, 30).map(lambda number: {"N": str(number)})
texts = st.sampled_from("abc").map(lambda text: {"S": text})
text_sets = st.sets(st.sampled_from("abcdefghijklm"), min_size=1).map(lambda s: {"SS": list(s)})
values = st.recursive(
    numbers | texts | text_sets | st.booleans().map(lambda flag: {"BOOL": flag}),
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda members: {"L": members})
        | st.dictionaries(st.sampled_from("xy"), inner, max_size=2).map(
            lambda entries: {"M": entries}
        )
    ),
    max_leaves=6,
)


@given(values, values)
def test_values_are_equal_if_and_only_if_what_is_hashed_is(one: Any, other: Any) -> None:
    assert (hashable(one) == hashable(other)) == same_value(one, other)
    assert true("a = :v", {"a": one}, v=other) == same_value(one, other)
    assert true("a <> :v", {"a": one}, v=other) != same_value(one, other)


@given(values, st.lists(values, min_size=1, max_size=40))
def test_however_many_choices_there_are_a_value_equals_one_of_them(
    value: Any, choices: list[Any]
) -> None:
    named = {f"v{number}": choice for number, choice in enumerate(choices)}
    text = f"a IN ({', '.join(f':{name}' for name in named)})"

    assert true(text, {"a": value}, **named) == any(same_value(value, each) for each in choices)


@given(values, st.lists(values, min_size=1, max_size=40), st.integers(0, 39))
def test_choices_may_be_other_attributes(value: Any, others: list[Any], missing: int) -> None:
    item = {f"b{number}": other for number, other in enumerate(others)}
    choices = [f"b{number}" for number in range(len(others) + missing)]

    assert true(f"a IN ({', '.join(choices)})", item | {"a": value}) == any(
        same_value(value, other) for other in others
    )


def test_sizes_may_be_among_many_choices() -> None:
    choices = ", ".join([*(f"b{number}" for number in range(20)), "size(s)", "size(:v)"])
    item = {"s": {"S": "hello"}}

    assert true(f"a IN ({choices})", item | {"a": {"N": "5"}}, v={"S": "abc"})
    assert true(f"a IN ({choices})", item | {"a": {"N": "3"}}, v={"S": "abc"})
    assert not true(f"a IN ({choices})", item | {"a": {"N": "4"}}, v={"S": "abc"})


@given(st.lists(values, max_size=40), values)
def test_however_long_a_list_is_it_contains_its_members(members: list[Any], element: Any) -> None:
    assert true("contains(a, :v)", {"a": {"L": members}}, v=element) == any(
        same_value(member, element) for member in members
    )


@given(st.sets(st.integers(0, 30), min_size=1), st.integers(0, 30))
def test_however_large_a_set_is_it_contains_its_members(members: set[int], element: int) -> None:
    numbers = {"NS": [str(member) for member in members]}

    assert true("contains(a, :v)", {"a": numbers}, v={"N": str(element)}) == (element in members)


def test_a_large_set_is_prepared_once_for_a_condition_and_then_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepared: list[Any] = []

    def prepare(value: Any) -> Any:
        prepared.append(value)
        return hashable(value)

    monkeypatch.setattr(evaluate, "hashable", prepare)
    item = {"a": {"SS": [str(number) for number in range(100)]}}
    other = {"SS": [str(number) for number in range(1, 101)]}
    given = Placeholders(None, {":v": other})
    condition = given.condition(" OR ".join(["a = :v", "NOT a <> :v", "a IN (:v)"] * 30))

    assert not holds(condition, item)
    assert prepared == [item["a"]]
    assert not holds(condition, item)
    assert prepared == [item["a"]] * 2
