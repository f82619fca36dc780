"""Updates carried out on items."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sortkey.expressions import legacy
from sortkey.expressions.placeholders import Placeholders
from sortkey.expressions.update import Updated, apply_update
from sortkey.wire.errors import ValidationException

WRONG_TYPE = "An operand in the update expression has an incorrect data type"
MISSING = "The provided expression refers to an attribute that does not exist in the item"
INVALID_PATH = "The document path provided in the update expression is invalid for update"


def numbers(*counts: int) -> dict[str, Any]:
    return {"L": [{"N": str(count)} for count in counts]}


ITEM: dict[str, Any] = {
    "pk": {"S": "key"},
    "n": {"N": "5"},
    "s": {"S": "text"},
    "l": numbers(0, 1, 2, 3, 4),
    "ss": {"SS": ["a", "b"]},
    "m": {"M": {"x": {"N": "1"}, "y": {"M": {"z": {"S": "deep"}}}, "ns": {"NS": ["1"]}}},
}


def updated(text: str, item: dict[str, Any] = ITEM, **values: Any) -> Updated:
    given = {f":{name}": value for name, value in values.items()} or None
    before = deepcopy(item)
    result = apply_update(Placeholders(None, given).update(text), item)
    assert item == before, "the item given is left as it is"
    return result


def changed(text: str, item: dict[str, Any] = ITEM, **values: Any) -> dict[str, Any]:
    new = updated(text, item, **values).item
    names = item.keys() | new.keys()
    return {name: new.get(name) for name in names if item.get(name) != new.get(name)}


def refusal(text: str, item: dict[str, Any] = ITEM, **values: Any) -> str:
    with pytest.raises(ValidationException) as caught:
        updated(text, item, **values)
    return caught.value.message


def test_set_replaces_and_creates() -> None:
    assert changed("SET n = :v, q = :v", v={"S": "x"}) == {"n": {"S": "x"}, "q": {"S": "x"}}


def test_operands_are_read_before_anything_is_written() -> None:
    assert changed("SET n = s, s = n") == {"n": {"S": "text"}, "s": {"N": "5"}}
    assert changed("REMOVE n SET q = n") == {"n": None, "q": {"N": "5"}}
    assert refusal("SET q = :v, r = q", v={"N": "1"}) == MISSING


def test_numbers_are_added_and_subtracted_exactly() -> None:
    assert changed("SET n = n + :v", v={"N": "0.1"}) == {"n": {"N": "5.1"}}
    assert changed("SET n = :v - n", v={"N": "3"}) == {"n": {"N": "-2"}}


def test_if_not_exists_yields_what_is_there() -> None:
    assert changed("SET q = if_not_exists(n, :v)", v={"N": "0"}) == {"q": {"N": "5"}}
    assert changed("SET q = if_not_exists(q, :v) + :v", v={"N": "1"}) == {"q": {"N": "2"}}
    assert changed("SET q = if_not_exists(r, if_not_exists(m.x, :v))", v={"N": "0"}) == {
        "q": {"N": "1"}
    }


def test_what_if_not_exists_falls_back_on_must_be_there() -> None:
    assert refusal("SET q = if_not_exists(n, r)") == MISSING


def test_lists_are_joined_in_either_order() -> None:
    assert changed("SET l = list_append(l, :v)", v=numbers(9)) == {"l": numbers(0, 1, 2, 3, 4, 9)}
    assert changed("SET l = list_append(:v, l)", v=numbers(9)) == {"l": numbers(9, 0, 1, 2, 3, 4)}


@pytest.mark.parametrize(
    "text",
    [
        "SET q = s + :n",
        "SET q = :n - l",
        "SET q = list_append(n, :l)",
        "SET q = list_append(:l, if_not_exists(n, :l))",
        "ADD s :n",
        "ADD l :set",
        "ADD ss :n",
        "ADD m.ns :set",
        "DELETE m.ns :set",
        "DELETE n :set",
    ],
)
def test_an_attribute_of_the_wrong_type_is_refused(text: str) -> None:
    used = {
        name: value
        for name, value in (("n", {"N": "1"}), ("l", numbers()), ("set", {"SS": ["a"]}))
        if f":{name}" in text
    }
    assert refusal(text, **used) == WRONG_TYPE


@pytest.mark.parametrize("text", ["SET q = r", "SET q = m.q", "SET q = l[9]", "SET n = n + r"])
def test_an_attribute_that_is_read_must_be_there(text: str) -> None:
    assert refusal(text) == MISSING


@pytest.mark.parametrize(
    "text",
    [
        "SET q.x = :v",
        "SET s.x = :v",
        "SET l.x = :v",
        "SET m[0] = :v",
        "SET q[0] = :v",
        "SET m.q.x = :v",
        "ADD q.x :v",
        "REMOVE q.x",
        "REMOVE s[0]",
        "REMOVE l.x",
    ],
)
def test_the_place_written_must_lie_in_a_map_or_list_that_is_there(text: str) -> None:
    values = {"v": {"N": "1"}} if ":v" in text else {}
    assert refusal(text, **values) == INVALID_PATH


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SET a = q, q.x = :v", INVALID_PATH),
        ("SET q.x = :v, a = q", MISSING),
        ("SET a = q, b = s + :v", WRONG_TYPE),
        ("SET a = s + :v, b = q", MISSING),
        ("SET q.x = r, a = :v", INVALID_PATH),
        ("SET a = q REMOVE q.x ADD s :v", WRONG_TYPE),
        ("ADD s :v REMOVE q.x", WRONG_TYPE),
    ],
)
def test_the_last_fault_is_reported_but_wrong_additions_first(text: str, message: str) -> None:
    assert refusal(text, v={"N": "1"}) == message


def test_removing_from_what_is_there_may_find_nothing() -> None:
    assert changed("REMOVE q, m.q, l[17]") == {}


def test_an_item_that_was_not_there_has_nothing_to_remove() -> None:
    update = Placeholders(None, None).update("REMOVE x.y, z[0]")

    assert apply_update(update, {"pk": {"S": "k"}}, created=True).item == {"pk": {"S": "k"}}


def test_documents_are_written_along_the_path_only() -> None:
    new = updated("SET m.y.z = :v, m.q = m.x REMOVE m.ns", v={"N": "2"}).item

    assert new["m"] == {"M": {"x": {"N": "1"}, "y": {"M": {"z": {"N": "2"}}}, "q": {"N": "1"}}}
    assert new["l"] is ITEM["l"]
    assert new["m"]["M"]["x"] is ITEM["m"]["M"]["x"]


def test_list_indexes_mean_the_positions_before_the_update() -> None:
    expected = {"l": {"L": [{"N": "0"}, {"N": "2"}, {"S": "x"}, {"N": "4"}]}}

    assert changed("REMOVE l[1] SET l[3] = :v", v={"S": "x"}) == expected
    assert changed("SET l[3] = :v REMOVE l[1]", v={"S": "x"}) == expected
    assert changed("REMOVE l[0], l[2], l[1]") == {"l": numbers(3, 4)}


def test_elements_beyond_the_end_are_appended_in_the_order_of_their_indexes() -> None:
    assert changed(
        "SET l[84] = :a, l[37] = :b ADD l[50] :c", a={"N": "7"}, b={"N": "8"}, c={"N": "9"}
    ) == {"l": numbers(0, 1, 2, 3, 4, 8, 9, 7)}
    assert changed("SET l[9] = :v REMOVE l[5], l[0]", v={"N": "9"}) == {"l": numbers(1, 2, 3, 4, 9)}


def test_removals_in_nested_lists_do_not_disturb_each_other() -> None:
    item = {"l": {"L": [numbers(0, 1, 2), numbers(3, 4), {"M": {"x": numbers(5, 6)}}]}}

    assert updated("REMOVE l[0], l[1][0], l[2].x[1]", item).item == {
        "l": {"L": [numbers(4), {"M": {"x": numbers(5)}}]}
    }


def test_the_last_entry_leaves_an_empty_map_or_list() -> None:
    item = {"m": {"M": {"x": {"N": "1"}}}, "l": numbers(1)}

    assert updated("REMOVE m.x, l[0]", item).item == {"m": {"M": {}}, "l": {"L": []}}


def test_add_creates_a_number_or_a_set() -> None:
    assert changed("ADD q :n, r :s, m.c :n", n={"N": "7"}, s={"SS": ["x"]}) == {
        "q": {"N": "7"},
        "r": {"SS": ["x"]},
        "m": {"M": {**ITEM["m"]["M"], "c": {"N": "7"}}},
    }


def test_add_joins_sets_without_repetition() -> None:
    assert changed("ADD ss :v", v={"SS": ["b", "c"]}) == {"ss": {"SS": ["a", "b", "c"]}}


def test_delete_takes_members_away_and_an_empty_set_with_them() -> None:
    assert changed("DELETE ss :v", v={"SS": ["a", "z"]}) == {"ss": {"SS": ["b"]}}
    assert changed("DELETE ss :v, q :v", v={"SS": ["a", "b"]}) == {"ss": None}
    assert updated("DELETE m.ns :v", v={"NS": ["1.0"]}).item["m"]["M"].keys() == {"x", "y"}


def test_deleting_from_nowhere_is_refused() -> None:
    assert refusal("DELETE q.x :v", v={"SS": ["a"]}) == INVALID_PATH


def test_updated_values_are_returned_at_their_paths() -> None:
    result = updated("SET m.x = :v, l[1] = :v, q = :v REMOVE s", v={"N": "8"})

    assert result.updated_old(ITEM) == {
        "m": {"M": {"x": {"N": "1"}}},
        "l": numbers(1),
        "s": {"S": "text"},
    }
    assert result.updated_new() == {
        "m": {"M": {"x": {"N": "8"}}},
        "l": numbers(8),
        "q": {"N": "8"},
    }


def test_updated_new_shows_what_now_stands_at_the_index() -> None:
    assert updated("SET l[100] = :v", v={"N": "8"}).updated_new() == {}
    assert updated("REMOVE l[1]").updated_new() == {"l": numbers(2)}


def test_an_update_knows_what_it_writes() -> None:
    update = Placeholders(None, {":v": {"N": "1"}}).update("SET b.x = :v, a = :v REMOVE b.y, c[1]")

    assert update.targets == ("b", "a", "c")
    assert update.nested_names == {"b", "c"}


def test_an_update_knows_of_what_it_reads_a_part() -> None:
    update = Placeholders(None, {":v": {"L": []}}).update(
        "SET q = list_append(if_not_exists(a.x, b[0]), :v), r = c.x + d, s = e - f[1] REMOVE g"
    )

    assert update.nested_names == {"a", "b", "c", "f"}
    assert update.creates


def test_removals_alone_create_no_item() -> None:
    assert not Placeholders(None, {":v": {"SS": ["x"]}}).update("REMOVE a DELETE b :v").creates


def test_old_style_additions_append_to_lists() -> None:
    update = legacy.attribute_updates({"l": {"Action": "ADD", "Value": numbers(3, 4)}})

    assert apply_update(update, ITEM).item["l"] == numbers(0, 1, 2, 3, 4, 3, 4)
    assert apply_update(update, {}).item["l"] == numbers(3, 4)


def test_old_style_updates_have_their_own_words_for_a_wrong_type() -> None:
    update = legacy.attribute_updates({"l": {"Action": "ADD", "Value": {"N": "1"}}})

    with pytest.raises(ValidationException, match=r"^Type mismatch for attribute to update$"):
        apply_update(update, ITEM)


@given(
    st.integers(0, 8),
    st.dictionaries(st.integers(0, 11), st.booleans(), min_size=1, max_size=6),
)
def test_lists_end_up_as_a_simple_model_says(length: int, writes: dict[int, bool]) -> None:
    item = {"l": numbers(*range(length))}
    sets = [index for index, is_set in writes.items() if is_set]
    removes = [index for index, is_set in writes.items() if not is_set]
    text = ""
    if sets:
        text += "SET " + ", ".join(f"l[{index}] = :v" for index in sets)
    if removes:
        text += " REMOVE " + ", ".join(f"l[{index}]" for index in removes)

    slots = {index: {"N": str(index)} for index in range(length)}
    slots |= {index: {"S": "set"} for index in sets}
    for index in removes:
        slots.pop(index, None)
    model = {"L": [slots[index] for index in sorted(slots)]}

    values = {"v": {"S": "set"}} if sets else {}
    assert updated(text, item, **values).item == {"l": model}
