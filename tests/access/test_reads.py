"""Reads: one record or many, whole or in part, eventually or strongly consistent."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel
from tests.access.design import Account, Address, App, Member, Order, Player, Users, Visit
from tests.access.executors import Counted, put_item, stored_items

from sortkey import (
    DB,
    Collection,
    Entity,
    NotFound,
    Refused,
    Table,
    TooMany,
    Unreadable,
    gsi,
    number,
)

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)


def order(number: int, **fields: object) -> Order:
    whole = {"org_id": "o", "order_id": number, "placed": NOON + timedelta(minutes=number)}
    return Order.model_validate(whole | fields)


def numbers(orders: list[Order]) -> list[int]:
    return [one.order_id for one in orders]


@pytest.fixture
def stored(db: DB) -> DB:
    """Ten orders of one organisation: even ones open, odd ones sent."""
    db.write_many(
        [
            order(
                n, status="sent" if n % 2 else "open", total=Decimal(n), courier=f"c{n % 3}"
            ).put()
            for n in range(10)
        ]
    )
    return db


# One.


def test_a_get_is_the_record_or_none(stored: DB) -> None:
    assert stored(Order.get(org_id="o", order_id=3).consistently()) == order(
        3, status="sent", total=Decimal(3), courier="c0"
    )
    assert stored(Order.get(org_id="o", order_id=33)) is None
    with pytest.raises(NotFound, match="Order ORG#o / ORDER#000033 does not exist") as missed:
        stored(Order.get(org_id="o", order_id=33).required())
    assert missed.value.key == {"PK": "ORG#o", "SK": "ORDER#000033"}


def test_first_is_the_first_in_order_or_none(stored: DB) -> None:
    sent = Order.query(Order.by_status, status="sent")
    first, last = stored(sent.first()), stored(sent.reverse().first())
    assert (first and first.order_id, last and last.order_id) == (1, 9)
    matching = stored(sent.where(lambda o: o.total > 4).first())
    assert matching
    assert matching.order_id == 5
    assert stored(Order.query(Order.by_status, status="lost").first()) is None
    assert stored(sent.where(lambda o: o.total > 99).first()) is None


def test_one_is_the_only_one_or_none(stored: DB) -> None:
    sent = Order.query(Order.by_status, status="sent")
    only = stored(sent.where(lambda o: o.total == 5).one())
    assert only
    assert only.order_id == 5
    assert stored(sent.where(lambda o: o.total == 99).one()) is None
    with pytest.raises(TooMany, match="at most one record, and found a second Order in gsi1"):
        stored(sent.one())


# Many.


def test_a_range_of_the_key_is_exact_at_both_ends(stored: DB) -> None:
    query = Order.query(org_id="o")
    assert numbers(stored(query.ge(order_id=7))) == [7, 8, 9]
    assert numbers(stored(query.gt(order_id=7))) == [8, 9]
    assert numbers(stored(query.le(order_id=2))) == [0, 1, 2]
    assert numbers(stored(query.lt(order_id=2))) == [0, 1]
    assert numbers(stored(query.between(order_id=(3, 5)))) == [3, 4, 5]
    assert numbers(stored(query.between(order_id=(5, 3)))) == []
    by_time = Order.query(Order.by_status, status="open")
    assert numbers(stored(by_time.ge(placed=NOON + timedelta(minutes=4)))) == [4, 6, 8]


def test_a_text_is_found_by_its_beginning(db: DB) -> None:
    db.write_many([order(n, note=note).put() for n, note in enumerate(["ab", "abc", "b", "a"])])
    query = Order.query(Order.by_note, org_id="o")
    assert numbers(db(query.begins_with(note="ab"))) == [0, 1]
    assert numbers(db(query)) == [3, 0, 1, 2]


def test_a_filter_takes_what_meets_all_of_it(stored: DB) -> None:
    query = (
        Order.query(org_id="o").where(lambda o: o.total >= 3).where(lambda o: o.status == "open")
    )
    assert numbers(stored(query)) == [4, 6, 8]
    assert numbers(stored(query.limit(2))) == [4, 6]
    assert sorted(numbers(stored(Order.scan().where(lambda o: o.courier == "c1")))) == [1, 4, 7]


def test_a_count_is_that_of_the_records(stored: DB) -> None:
    stored(Member(org_id="o", member_id="m").create())
    assert stored(Order.query(org_id="o").count()) == 10
    assert stored(Order.query(org_id="o").where(lambda o: o.total > 7).count()) == 2
    assert stored(Order.query(Order.by_status, status="sent").ge(placed=NOON).count()) == 5
    assert stored(Order.query(Order.by_status, status="lost").count()) == 0
    assert stored(Order.scan().count()) == 10
    assert stored(Order.scan().where(lambda o: o.total > 7).count()) == 2


def test_a_count_goes_over_many_requests(db: DB) -> None:
    """A Query reads at most a megabyte, whatever is projected."""
    db.write_many([Visit(user_id="u", visit_id=f"{n}", memo="x" * 390_000).put() for n in range(8)])
    found, requests = db(Counted(Visit.query(user_id="u").count()))
    assert found == 8
    assert requests > 1


# In part.


class Summary(BaseModel):
    order_id: int
    total: Decimal


def test_only_the_fields_of_a_shape_are_read(stored: DB) -> None:
    three = Summary(order_id=3, total=Decimal(3))
    get = Order.get(org_id="o", order_id=3).select(Summary)
    assert stored(get) == three
    assert stored(Order.get(org_id="o", order_id=33).select(Summary)) is None
    query = Order.query(org_id="o").ge(order_id=8).select(Summary)
    assert stored(query) == [Summary(order_id=n, total=Decimal(n)) for n in (8, 9)]
    filtered = Order.query(org_id="o").where(lambda o: o.courier == "c0").select(Summary)
    assert [one.order_id for one in stored(filtered)] == [0, 3, 6, 9]
    assert "placed" not in str(get.params())


class Shown(BaseModel):
    name: str
    address: Address | None


def test_a_shape_may_hold_what_is_inside(db: DB) -> None:
    home = Address(city="Bern")
    db(Member(org_id="o", member_id="m", name="Ann", address=home).create())
    get = Member.get(org_id="o", member_id="m").select(Shown)
    assert db(get) == Shown(name="Ann", address=home)


class Level(BaseModel):
    user_id: str
    level: int


def test_a_shape_uses_the_names_of_the_entity_not_of_what_is_stored(
    opened: Callable[..., DB],
) -> None:
    db = opened(Users)
    db(Account(user_id="u", team="red", level=3).create())
    assert db(Account.get(user_id="u").select(Level)) == Level(user_id="u", level=3)
    assert db(Account.query(Account.teams, team="red").select(Level)) == [
        Level(user_id="u", level=3)
    ]


class Narrow(Table, name="{environment}-Narrow"):
    some = gsi("GSI1PK", number("rank"), project=["title"])


class Film(Entity, table=Narrow):
    film_id: str
    genre: str
    rank: int
    title: str
    script: str = ""

    primary = Narrow.primary.key("FILM#{film_id}", "FILM")
    by_rank = Narrow.some.key("GENRE#{genre}", "{rank}")


class Title(BaseModel):
    title: str


def test_an_index_that_holds_some_fields_is_read_for_those(opened: Callable[..., DB]) -> None:
    db = opened(Narrow)
    for rank in (2, 1):
        film = Film(film_id=f"f{rank}", genre="g", rank=rank, title=f"T{rank}", script="long")
        db(film.create())
    query = Film.query(Film.by_rank, genre="g")

    assert db(query.select(Title)) == [Title(title="T1"), Title(title="T2")]
    assert db(query.reverse().select(Title).first()) == Title(title="T2")
    assert db(query.where(lambda f: f.title == "T2").select(Title)) == [Title(title="T2")]
    assert db(query.ge(rank=2).count()) == 1
    with pytest.raises(Refused, match="does not contain whole Film records"):
        db(query)
    with pytest.raises(
        Refused, match="does not project script, so to this filter every record lacks it"
    ):
        query.where(lambda f: f.script == "long")


# Together.


class Organisation(Collection):
    members: list[Member]
    orders: list[Order]


def test_a_collection_has_each_record_in_its_place(stored: DB) -> None:
    member = stored(Member(org_id="o", member_id="m").create())
    stored(Member(org_id="other", member_id="m").create())
    found = stored(Organisation.load(org_id="o").consistently())
    assert found.members == [member]
    assert numbers(found.orders) == [*range(10)]


def test_operations_run_together_and_answer_in_order(stored: DB) -> None:
    gets = [Order.get(org_id="o", order_id=n) for n in (4, 44, 2)]
    assert [one and one.order_id for one in stored.all(*gets)] == [4, None, 2]


def test_operations_of_several_kinds_run_together(stored: DB) -> None:
    order, orders = stored.all(
        Order.get(org_id="o", order_id=4).required(), Order.query(org_id="o").limit(2)
    )
    assert order.order_id == 4
    assert numbers(orders) == [0, 1]
    assert stored.all(Order.get(org_id="o", order_id=44)) == (None,)
    assert stored.all() == ()


@pytest.mark.parametrize("segments", [1, 2, 5])
def test_a_scan_in_parts_finds_every_record_once(db: DB, segments: int) -> None:
    db.write_many([Player(player_id=f"{n}", game="g").put() for n in range(40)])
    parts = db.all(*Player.scan().segments(segments))
    assert len(parts) == segments
    found = [one.player_id for part in parts for one in part]
    assert sorted(found) == sorted(f"{n}" for n in range(40))


# Consistent reads.


def test_a_consistent_read_is_requested_consistently(stored: DB) -> None:
    reads: list[Any] = [
        Order.get(org_id="o", order_id=1),
        Order.query(org_id="o"),
        Order.query(Order.by_note, org_id="o"),
        Order.scan(),
    ]
    for read in reads:
        assert "ConsistentRead" not in read.params()
        assert read.consistently().params()["ConsistentRead"] is True
        assert stored(read.consistently()) == stored(read)


def test_a_global_index_cannot_be_read_consistently() -> None:
    with pytest.raises(Refused, match="is a global index, which has no consistent reads"):
        Order.query(Order.by_status, status="open").consistently()


# Unreadable items.


def test_a_selected_model_too_reports_invalid_values_with_key_and_field(stored: DB) -> None:
    [item] = [i for i in stored_items(stored, App) if i["SK"]["S"] == "ORDER#000003"]
    put_item(stored, App, item | {"total": {"BOOL": True}})
    reads: list[Any] = [
        Order.get(org_id="o", order_id=3).select(Summary),
        Order.query(org_id="o").select(Summary),
        Order.query(Order.by_status, status="sent"),
        Order.query(Order.by_status, status="sent").page(3),
        Organisation.load(org_id="o"),
    ]
    for read in reads:
        with pytest.raises(Unreadable, match="total") as unreadable:
            stored(read)
        assert unreadable.value.key == {"PK": "ORG#o", "SK": "ORDER#000003"}
        assert list(unreadable.value.faults) == ["total"]
    with pytest.raises(Unreadable, match="total"):
        list(stored.each(Order.scan()))
    assert stored(Order.query(org_id="o").count()) == 10
