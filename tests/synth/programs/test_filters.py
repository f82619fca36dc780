"""No record that the handler of a function would handle is kept from it by a filter."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any, TypeVar, cast, get_args

import pytest
from tests.synth.programs.deployed import programs

from sortkey import Entity, OnChange, Table
from sortkey.access.streams import entity_of, read_record
from sortkey.design.declaring.functions import Event
from sortkey.design.tables.settings import StreamView
from sortkey.synth.programs.filters import filters_of

T = TypeVar("T")

VIEWS: tuple[StreamView, ...] = get_args(StreamView)
EVENTS: tuple[Event, ...] = get_args(Event)


class Shop(Table):
    pass


class Order(Entity, table=Shop):
    customer_id: str
    order_id: str
    primary = Shop.primary.key("CUSTOMER#{customer_id}", "ORDER#{order_id}")


class Profile(Entity, table=Shop):
    customer_id: str
    primary = Shop.primary.key("CUSTOMER#{customer_id}", "PROFILE")


class Entry(Entity, table=Shop):
    log_id: str
    entry_id: str
    primary = Shop.primary.key("LOG#{log_id}", "ENTRY#{entry_id}", shards=3, was=2)


class Anything(Entity, table=Shop):
    key: str
    primary = Shop.primary.key("{key}", "ANYTHING")


class Plain(Table, partition="sku", type_attribute=None):
    pass


class Thing(Entity, table=Plain):
    sku: str


class Mixed(Table, type_attribute=None):
    pass


class Left(Entity, table=Mixed):
    key: str
    primary = Mixed.primary.key("LEFT#{key}", "LEFT")


class Right(Entity, table=Mixed):
    key: str
    primary = Mixed.primary.key("RIGHT#{key}", "RIGHT")


TABLES: dict[type[Table], tuple[type[Entity], ...]] = {
    Shop: (Order, Profile, Entry, Anything),
    Plain: (Thing,),
    Mixed: (Left, Right),
}
KEYS: dict[type[Table], list[tuple[str, ...]]] = {
    Shop: [
        *(("CUSTOMER#c1", "ORDER#o1"), ("CUSTOMER#c1", "PROFILE"), ("LOG#l1", "ENTRY#e1")),
        *(("LOG#l1#2", "ENTRY#e1"), ("UNIQUE#Order#code#7", "UNIQUE"), ("", "ANYTHING")),
        *(("CUSTOMER#c1", "ANYTHING"), ("elsewhere", "x")),
    ],
    Plain: [("a",), ("LEFT#a",)],
    Mixed: [("LEFT#a", "LEFT"), ("RIGHT#a", "RIGHT"), ("RIGHT#a", "LEFT"), ("x", "y")],
}


def matches(pattern: Mapping[str, Any], event: Mapping[str, Any]) -> bool:
    """Decide as "Lambda event filtering" documents it: all members, and any value of a list."""
    return all(
        matches(cast("Mapping[str, Any]", wanted), event.get(name) or {})
        if isinstance(wanted, dict)
        else any(fits(each, event.get(name)) for each in wanted)
        for name, wanted in pattern.items()
    )


def fits(wanted: Any, found: Any) -> bool:
    match wanted:
        case {"exists": bool() as exists}:
            return (found is not None) is exists
        case {"prefix": str() as start}:
            return isinstance(found, str) and found.startswith(start)
        case _:
            return bool(wanted == found)


def passes(filters: tuple[str, ...], event: Mapping[str, Any]) -> bool:
    return not filters or any(matches(json.loads(each), event) for each in filters)


def images(table: type[Table], keys: dict[str, Any]) -> list[dict[str, Any]]:
    """A record with each type that it may have, and with none."""
    names = [*(one.__name__ for one in TABLES[table][:2]), "Other"]
    types = [None, *({"S": name} for name in names), {"N": "1"}]
    return [keys | ({} if each is None else {"_type": each}) for each in types]


def records(table: type[Table], view: StreamView) -> Iterator[dict[str, Any]]:
    """Every record of a stream with this view: each event, key and image."""
    names = [each.name for each in table.definition.primary.attributes]
    for event, texts in product(EVENTS, KEYS[table]):
        keys = {name: {"S": text} for name, text in zip(names, texts, strict=True)}
        shown = images(table, keys)
        news = shown if "NEW" in view and event != "REMOVE" else [None]
        olds = shown if "OLD" in view and event != "INSERT" else [None]
        for new, old in product(news, olds):
            content: dict[str, Any] = {"Keys": keys, "SequenceNumber": "1"}
            content |= {} if new is None else {"NewImage": new}
            content |= {} if old is None else {"OldImage": old}
            yield {"eventName": event, "dynamodb": content}


def subsets(values: Sequence[T]) -> list[tuple[T, ...]]:
    return [each for size in range(len(values) + 1) for each in combinations(values, size)]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("table", TABLES)
def test_each_record_that_the_handler_would_handle_passes(
    table: type[Table], view: StreamView
) -> None:
    definition = table.definition
    known = [
        (one, entity_of(read_record(one, definition), definition)) for one in records(table, view)
    ]

    for entities, events in product(subsets(TABLES[table]), subsets(EVENTS)):
        filters = filters_of(OnChange(table, entities=entities, events=events), view)
        patterns = [json.loads(each) for each in filters]
        assert len(filters) <= 5  # Lambda takes no more
        assert all(len(each) <= 4096 for each in filters)
        for record, kind in known:
            is_of = not entities or (kind is not None and kind.model in entities)
            happened = not events or record["eventName"] in events
            passed = not patterns or any(matches(each, record) for each in patterns)
            assert passed or not (is_of and happened), (filters, record)
            assert happened or not passed, (filters, record)


def changed(name: str, keys: tuple[str, str] = ("CUSTOMER#c1", "ORDER#o1")) -> dict[str, Any]:
    image = {"PK": {"S": keys[0]}, "SK": {"S": keys[1]}, "_type": {"S": name}}
    content = {"Keys": {name: image[name] for name in ("PK", "SK")}, "NewImage": image}
    return {"eventName": "INSERT", "dynamodb": content}


def test_records_of_other_entities_do_not_call_a_function() -> None:
    filters = filters_of(OnChange(Shop, entities=[Order]), "NEW_AND_OLD_IMAGES")

    assert passes(filters, changed("Order"))
    assert not passes(filters, changed("Profile"))


def test_a_record_without_a_type_is_told_by_its_key() -> None:
    filters = filters_of(OnChange(Shop, entities=[Order]), "NEW_AND_OLD_IMAGES")
    untyped, elsewhere = changed("Order"), changed("Order", ("LOG#l1", "ENTRY#e1"))
    for event in (untyped, elsewhere):
        del event["dynamodb"]["NewImage"]["_type"]

    assert passes(filters, untyped)
    assert not passes(filters, elsewhere)


@pytest.mark.parametrize(
    ("trigger", "view"),
    [
        (OnChange(Shop), "NEW_AND_OLD_IMAGES"),
        (OnChange(Shop, events=EVENTS), "NEW_AND_OLD_IMAGES"),
        (OnChange(Shop, entities=[Anything]), "KEYS_ONLY"),
        (OnChange(Plain, entities=[Thing]), "NEW_AND_OLD_IMAGES"),
    ],
)
def test_there_is_no_filter_where_every_record_may_be_wanted(
    trigger: OnChange, view: StreamView
) -> None:
    assert filters_of(trigger, view) == ()


def test_entities_without_a_type_are_told_by_the_beginning_of_their_keys() -> None:
    [only] = filters_of(OnChange(Mixed, entities=[Left]), "NEW_IMAGE")

    assert json.loads(only) == {"dynamodb": {"Keys": {"PK": {"S": [{"prefix": "LEFT#"}]}}}}


def test_the_sources_of_the_design_have_their_filters() -> None:
    filters = {source.table.name: source.filters for source in programs().changes}

    assert [len(each) for each in filters.values()] == [2, 1]
    assert filters["stock-prod"] == ('{"eventName": ["MODIFY"]}',)
