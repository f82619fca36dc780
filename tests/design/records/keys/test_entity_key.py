"""An entity's key: values from fields, and conditions from what a query binds and compares."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from itertools import permutations
from typing import Any

import pytest

from sortkey import DB, Entity, Refused, Table, ValueRefused, gsi, number
from sortkey.design.declaring.entity import kind_of
from sortkey.design.records.keys.entity_key import EntityKey
from sortkey.design.records.keys.templates import KeyBindingError
from sortkey.expressions.tree import And, BeginsWith, Between, Compare, Condition, Value
from sortkey.operations.query import Query


class Log(Table):
    by_place = gsi(["country", "city"], [number("zip"), "street"])
    by_name = gsi("team", "name")
    by_day = gsi("GSI1PK", "GSI1SK")
    by_month = gsi("GSI2PK", "GSI2SK")


class Entry(Entity, table=Log):
    entry_id: str
    country: str = "no"
    city: str = "oslo"
    zip: int = 1
    street: str = "a"
    team: str = "t"
    name: str = "n"
    at: datetime = datetime(2024, 1, 1, tzinfo=UTC)
    primary = Log.primary.key("ENTRY#{entry_id}", "ENTRY")
    by_place = Log.by_place.key()
    by_name = Log.by_name.key()
    by_day = Log.by_day.key("TEAM#{team}", "{at:%Y-%m-%d}")
    by_month = Log.by_month.key("TEAM#{team}#{at:%Y%m}", "{at:%s}#{entry_id}")


def place(**more: Any) -> Query[Entry]:
    return Entry.query(Entry.by_place, country="no", city="oslo", **more)


def sort_conditions(query: Query[Entry]) -> list[Condition]:
    """What a query says about the sort key."""
    match query._plan().steps[0].key_condition:
        case And(conditions):
            kept = [*conditions]
        case condition:
            kept = [condition] if condition else []
    names = {"country", "city", "team", "GSI1PK"}
    return [c for c in kept if getattr(getattr(c, "left", None), "name", "") not in names]


def test_attributes_are_bound_from_the_left() -> None:
    assert sort_conditions(place()) == []
    assert len(sort_conditions(place(zip=1))) == 1
    assert len(sort_conditions(place(zip=1, street="a"))) == 2


@pytest.mark.parametrize(
    "ask", [lambda: place(street="a"), lambda: place().begins_with(street="a")]
)
def test_an_attribute_is_not_skipped(ask: Callable[[], object]) -> None:
    with pytest.raises(
        Refused, match=r"Entry\.by_place is specified from the left: pass zip before street"
    ):
        ask()


RANGES: list[tuple[Callable[[], Query[Entry]], str]] = [
    (lambda: place().ge(zip=3), ">="),
    (lambda: place().gt(zip=3), ">"),
    (lambda: place().le(zip=3), "<="),
    (lambda: place().lt(zip=3), "<"),
]


@pytest.mark.parametrize(("ranged", "op"), RANGES)
def test_a_field_that_is_a_key_is_compared_as_it_is(
    ranged: Callable[[], Query[Entry]], op: str
) -> None:
    [condition] = sort_conditions(ranged())

    assert isinstance(condition, Compare)
    assert condition.op == op


def test_a_range_of_it_may_have_two_ends_and_is_empty_where_they_cross() -> None:
    [condition] = sort_conditions(place().between(zip=(1, 3)))
    assert isinstance(condition, Between)
    assert place().between(zip=(3, 1))._plan().steps == ()


def test_a_text_may_be_known_by_its_beginning_and_a_number_may_not() -> None:
    [condition] = sort_conditions(Entry.query(Entry.by_name, team="t").begins_with(name="a"))
    assert isinstance(condition, BeginsWith)
    with pytest.raises(Refused, match=r"zip is a number, but begins_with\(\) is for text"):
        place().begins_with(zip=1)  # pyright: ignore[reportArgumentType]


def test_a_field_is_given_or_compared_and_not_both() -> None:
    with pytest.raises(Refused, match="zip is both passed and compared: do one of the two"):
        place(zip=1).ge(zip=1)


def test_a_query_takes_only_the_fields_of_its_key() -> None:
    with pytest.raises(Refused, match=r'Entry\.by_name takes team and name, but got "city"$'):
        Entry.query(Entry.by_name, team="t", city="oslo")
    with pytest.raises(Refused, match=r"is not sorted by at but by name"):
        Entry.query(Entry.by_name, team="t").ge(at=datetime.now(UTC))
    with pytest.raises(KeyBindingError, match='also needs "country"'):
        Entry.query(Entry.by_place, city="oslo")


class Order(Entity, table=Log):
    shop_id: str
    number: int
    title: str = ""
    primary = Log.primary.key("SHOP#{shop_id}", "ORDER#{number:06d}")


BY_KEY: list[Callable[..., object]] = [
    Order.get,
    Order.update,
    Order.upsert,
    Order.delete,
    Order.erase,
    Order.check,
]


@pytest.mark.parametrize("operation", BY_KEY)
def test_a_misspelt_argument_is_rejected_with_the_name_it_is_near(
    operation: Callable[..., object],
) -> None:
    message = 'Order.primary takes shop_id and number, but got "nmber": did you mean "number"?'
    with pytest.raises(Refused, match=f"^{re.escape(message)}$"):
        operation(shop_id="s1", nmber=7)


@pytest.mark.parametrize("operation", BY_KEY)
def test_an_argument_that_is_near_no_other_is_rejected_without_a_guess(
    operation: Callable[..., object],
) -> None:
    with pytest.raises(Refused, match=r'takes shop_id and number, but got "title"$'):
        operation(shop_id="s1", number=7, title="Dune")


@pytest.mark.parametrize("operation", BY_KEY)
def test_a_missing_argument_is_named(operation: Callable[..., object]) -> None:
    with pytest.raises(KeyBindingError, match=r"takes shop_id and number, but got no shop_id$"):
        operation(number=7)


def test_a_name_is_not_proposed_that_is_passed_already() -> None:
    with pytest.raises(Refused, match=r'but got "numbers"$'):
        Order.get(shop_id="s1", number=7, numbers=8)


def days() -> Query[Entry]:
    return Entry.query(Entry.by_day, team="t")


HALVES: list[tuple[Callable[[datetime], Query[Entry]], str]] = [
    (lambda noon: days().ge(at=noon), "12 18"),
    (lambda noon: days().gt(at=noon), "18"),
    (lambda noon: days().le(at=noon), "06 12"),
    (lambda noon: days().lt(at=noon), "06"),
    (lambda noon: days().between(at=(noon, noon.replace(hour=18))), "12 18"),
]


@pytest.mark.parametrize(("ranged", "found"), HALVES)
def test_a_bound_finer_than_the_key_is_kept_by_the_records_own_values(
    ranged: Callable[[datetime], Query[Entry]], found: str
) -> None:
    noon = datetime(2024, 5, 1, 12, tzinfo=UTC)
    with DB.memory(Log) as db:
        for hour in (6, 12, 18):
            db(Entry(entry_id=f"{hour:02}", at=noon.replace(hour=hour)).create())

        assert " ".join(sorted(entry.entry_id for entry in db(ranged(noon)))) == found


def test_a_time_chooses_a_partition_by_month_and_leaves_its_order_open() -> None:
    may = datetime(2024, 5, 1, tzinfo=UTC)
    with DB.memory(Log) as db:
        for name, at in (
            ("april", may.replace(month=4)),
            ("early", may),
            ("late", may.replace(day=9)),
        ):
            db(Entry(entry_id=name, at=at).create())
        month = Entry.query(Entry.by_month, team="t", at=may)

        assert [entry.entry_id for entry in db(month)] == ["early", "late"]
        assert [entry.entry_id for entry in db(month.ge(at=may.replace(day=2)))] == ["late"]


def test_a_key_as_long_as_dynamodb_takes_is_taken() -> None:
    assert Entry.get(entry_id="x" * 2042).params()["Key"]["PK"]["S"] == "ENTRY#" + "x" * 2042


@pytest.mark.parametrize("entry_id", ["x" * 2043, "\u00e9" * 1022])
def test_a_longer_key_is_refused_by_its_field(entry_id: str) -> None:
    with pytest.raises(ValueRefused, match=r"entry_id makes PK .* bytes long") as refused:
        Entry.get(entry_id=entry_id)

    assert refused.value.field == "entry_id"


def test_a_longer_key_of_an_index_is_refused_by_its_field() -> None:
    with pytest.raises(ValueRefused, match=r"at, entry_id makes GSI2SK 1,025 bytes long"):
        Entry(entry_id="x" * 1014).put().params()


VALUES: dict[str, list[Any]] = {
    "entry_id": ["e", "f"],
    "country": ["no", "se"],
    "city": ["oslo", "bergen"],
    "zip": [1, 2],
    "street": ["a", "b"],
    "team": ["t", "u"],
    "name": ["n", "m"],
    "at": [datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 2, 1, tzinfo=UTC)],
}


@pytest.mark.parametrize(
    "key", [None, Entry.by_place, Entry.by_name, Entry.by_day, Entry.by_month], ids=str
)
def test_a_condition_does_not_depend_on_earlier_ones(key: Any) -> None:
    used = replace(kind_of(Entry).access(key))

    for count in range(len(used.all_fields) + 1):
        for names in permutations(used.all_fields, count):
            for place in (0, 1):
                bound = {name: VALUES[name][place] for name in names}
                assert outcome(used, bound) == outcome(replace(used), bound)
    for name in {"country", "team"} - set(used.all_fields):
        with pytest.raises(Refused, match=name):
            used.condition({name: "x"}, None)


def outcome(key: EntityKey, bound: dict[str, Any]) -> object:
    try:
        condition = key.condition(bound, None)
    except Refused as refused:
        return str(refused)
    return condition, [value.origin for value in condition_values(condition)]


def condition_values(condition: Condition | None) -> list[Value]:
    match condition:
        case And(conditions):
            return [value for each in conditions for value in condition_values(each)]
        case Compare(_, _, Value() as right):
            return [right]
        case BeginsWith(_, prefix):
            return [prefix] if isinstance(prefix, Value) else []
        case _:
            return []
