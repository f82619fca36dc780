"""Values as they come in."""

from base64 import b64encode
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.wire.errors import SerializationException, ServiceError, ValidationException
from sortkey.wire.values import item_size, read_item, read_value, same_value, sort_token, value_size

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
binaries = st.binary(max_size=6).map(lambda raw: b64encode(raw).decode())
integers = st.integers(-(10**37), 10**37).map(str)


def tagged(kind: str, raws: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    def tag(raw: Any) -> dict[str, Any]:
        return {kind: raw}

    return raws.map(tag)


def sets(members: st.SearchStrategy[str]) -> st.SearchStrategy[list[str]]:
    return st.lists(members, min_size=1, max_size=4, unique=True)


def nested(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return tagged("L", st.lists(inner, max_size=3)) | tagged(
        "M", st.dictionaries(names, inner, max_size=3)
    )


scalars = st.one_of(
    tagged("S", texts),
    tagged("N", integers),
    tagged("B", binaries),
    tagged("BOOL", st.booleans()),
    tagged("NULL", st.just(value=True)),
    tagged("SS", sets(texts)),
    tagged("NS", sets(integers)),
    tagged("BS", sets(binaries)),
)
values = st.recursive(scalars, nested, max_leaves=6)


@given(st.dictionaries(names, values, max_size=4))
def test_what_is_read_is_what_was_given_and_measures_the_same_again(item: dict[str, Any]) -> None:
    read, size = read_item(item)

    assert read == item
    assert size == item_size(read)
    assert read_item(read) == (read, size)


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": "abc"}, 3),
        ({"S": "é"}, 2),
        ({"B": "AAEC"}, 3),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["ab", "c"]}, 3),
        ({"NS": ["1", "22"]}, 4),
        ({"L": []}, 3),
        ({"L": [{"S": "a"}]}, 5),
        ({"M": {}}, 3),
        ({"M": {"ab": {"S": "c"}}}, 7),
    ],
)
def test_sizes_are_those_that_dynamodb_documents(value: dict[str, Any], size: int) -> None:
    assert read_value(value)[1] == size
    assert value_size(value) == size


def test_numbers_are_spelt_canonically_also_deep_inside() -> None:
    read, _ = read_value({"M": {"a": {"L": [{"N": "1.0"}, {"NS": ["2e0", "+3"]}]}}})

    assert read == {"M": {"a": {"L": [{"N": "1"}, {"NS": ["2", "3"]}]}}}


def test_the_callers_value_is_left_as_it_is() -> None:
    value = {"L": [{"N": "1.0"}]}

    read_value(value)

    assert value == {"L": [{"N": "1.0"}]}


@pytest.mark.parametrize(
    ("value", "error", "complaint"),
    [
        ({}, ValidationException, "is empty, must contain exactly one"),
        ({"S": None}, ValidationException, "is empty, must contain exactly one"),
        ({"X": "a"}, ValidationException, "is empty, must contain exactly one"),
        ({"S": "a", "N": "1"}, ValidationException, "more than one datatypes"),
        ({"NULL": False}, ValidationException, "must have the value of true"),
        ({"SS": []}, ValidationException, "An string set  may not be empty"),
        ({"NS": []}, ValidationException, "An number set  may not be empty"),
        ({"BS": []}, ValidationException, "Binary sets should not be empty"),
        ({"SS": ["a", "a"]}, ValidationException, r"\[a, a\] contains duplicates"),
        ({"NS": ["1", "1.0"]}, ValidationException, "contains duplicates"),
        ({"S": 1}, SerializationException, "NUMBER_VALUE cannot be converted to String"),
        ({"N": 1.5}, SerializationException, "DECIMAL_VALUE cannot be converted to String"),
        ({"S": True}, SerializationException, "TRUE_VALUE cannot be converted to String"),
        ({"B": "a"}, SerializationException, "multiple of 4"),
        ({"B": "YR=="}, SerializationException, "Invalid last non-pad"),
        ({"B": "!!!!"}, SerializationException, "Invalid last non-pad"),
        ({"L": "a"}, SerializationException, "Unexpected field type"),
        ({"M": []}, SerializationException, "Unrecognized collection type"),
        ("a", SerializationException, "Unexpected value type in payload"),
        ([], SerializationException, "Unrecognized collection type"),
        ({"X": 1, "S": None}, ValidationException, "is empty, must contain exactly one"),
        ({"S": []}, SerializationException, "Unrecognized collection type class java.lang.String"),
        ({"B": []}, SerializationException, "Unrecognized collection type class java.nio"),
        ({"S": {}}, SerializationException, "Start of structure or map found"),
        ({"B": 1}, SerializationException, "only base-64-encoded strings"),
        ({"BOOL": "maybe"}, SerializationException, "Unexpected token received from parser"),
        ({"BOOL": 1}, SerializationException, "NUMBER_VALUE cannot be converted to Boolean"),
        ({"L": {}}, SerializationException, "Start of structure or map found"),
        ({"SS": [1]}, SerializationException, "NUMBER_VALUE cannot be converted to String"),
        ({"SS": [None]}, ValidationException, "is empty, must contain exactly one"),
        ({"NS": [1]}, SerializationException, "NUMBER_VALUE cannot be converted to String"),
        ({"BS": ["AAEC", "AAEC"]}, ValidationException, "of type BS contains duplicates"),
    ],
)
def test_what_dynamodb_refuses_is_refused_in_its_words(
    value: Any, error: type[ServiceError], complaint: str
) -> None:
    with pytest.raises(error, match=complaint):
        read_value(value)


@pytest.mark.parametrize(
    ("text", "truth"), [("true", True), ("Yes", True), ("1", True), ("FALSE", False), ("no", False)]
)
def test_a_truth_may_be_written_as_a_word(text: str, *, truth: bool) -> None:
    assert read_value({"BOOL": text})[0] == {"BOOL": truth}


def test_a_type_with_nothing_beside_a_value_is_left_out() -> None:
    assert read_value({"S": "a", "N": None, "X": 1})[0] == {"S": "a"}


@pytest.mark.parametrize(
    ("name", "complaint"), [("", "Empty attribute name"), ("é" * 40_000, "name is too large")]
)
def test_a_name_that_dynamodb_cannot_hold_is_refused(name: str, complaint: str) -> None:
    with pytest.raises(ValidationException, match=complaint):
        read_item({name: {"S": "a"}})


def test_only_texts_numbers_and_bytes_have_an_order() -> None:
    assert sort_token({"S": "é"}) == "é".encode()
    assert sort_token({"N": "1.5"}) == Decimal("1.5")
    assert sort_token({"B": "AAEC"}) == b"\0\1\2"
    assert sort_token({"BOOL": True}) is None


def test_nesting_is_limited_to_32_levels_of_which_the_item_is_one() -> None:
    value: dict[str, Any] = {"S": "deep"}
    for _ in range(31):
        value = {"L": [value]}
    read_value(value)

    with pytest.raises(ValidationException, match="Nesting Levels"):
        read_value({"L": [value]})


def test_sets_are_equal_in_any_order_but_lists_are_not() -> None:
    assert same_value({"SS": ["a", "b"]}, {"SS": ["b", "a"]})
    assert not same_value({"L": [{"S": "a"}, {"S": "b"}]}, {"L": [{"S": "b"}, {"S": "a"}]})
    assert same_value({"M": {"x": {"NS": ["1", "2"]}}}, {"M": {"x": {"NS": ["2", "1"]}}})


_NOT_A_VALUE: dict[str, Any] = {"X": "never read"}
_LONG_LIST: list[dict[str, Any]] = [*[{"NULL": True}] * 1_000_000, _NOT_A_VALUE]


@pytest.mark.parametrize(
    "value",
    [{"L": _LONG_LIST}, {"M": {f"a{at}": each for at, each in enumerate(_LONG_LIST)}}],
    ids=["list", "map"],
)
def test_a_value_that_no_item_can_contain_is_not_read_to_its_end(value: dict[str, Any]) -> None:
    with pytest.raises(ValidationException, match="Item size has exceeded"):
        read_value(value)
