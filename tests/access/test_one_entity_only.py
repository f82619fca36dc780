"""A read returns only records of its entity, whatever else is stored beside them."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel
from tests.access.design import Address, App, Award, Member, Milestone, Order, Ticket
from tests.access.executors import Raw, put_item, stored_items

from sortkey import DB, Entity, NotFound, Table, Unreadable

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)


@pytest.fixture
def crowded(db: DB) -> DB:
    """A partition with records of three entities, and items that are not records."""
    for n in range(3):
        db(Member(org_id="o", member_id=f"m{n}", email=f"{n}@x").create())
        db(Order(org_id="o", order_id=n, placed=NOON).create())
        db(Ticket(org_id="o", ticket_id=f"t{n}").create())
    for sort in ("MEMBER", "MEMBER#", "MEMBER#m1#more", "ORDER#1", "ORDER#00000a", "ZZZ", "ORDER#"):
        put_item(db, App, {"PK": {"S": "ORG#o"}, "SK": {"S": sort}, "org_id": {"N": "1"}})
    return db


def test_a_query_returns_only_its_entity(crowded: DB) -> None:
    assert [m.member_id for m in crowded(Member.query(org_id="o"))] == ["m0", "m1", "m2"]
    assert [o.order_id for o in crowded(Order.query(org_id="o").reverse())] == [2, 1, 0]
    assert [t.ticket_id for t in crowded(Ticket.query(org_id="o"))] == ["t0", "t1", "t2"]


def test_so_do_counts_pages_scans_and_streams(crowded: DB) -> None:
    assert crowded(Order.query(org_id="o").count()) == 3
    assert len(crowded(Order.query(org_id="o").page(2))) == 2
    assert len(crowded(Order.query(org_id="o").page(9))) == 3
    assert len(crowded(Member.scan())) == 3
    assert len(list(crowded.each(Ticket.scan()))) == 3
    assert sum(len(part) for part in crowded.all(*Order.scan().segments(4))) == 3
    assert crowded(Order.query(org_id="o").limit(5)) == crowded(Order.query(org_id="o"))


def test_a_range_of_a_key_stays_within_the_entity(crowded: DB) -> None:
    assert [o.order_id for o in crowded(Order.query(org_id="o").ge(order_id=1))] == [1, 2]
    assert [o.order_id for o in crowded(Order.query(org_id="o").lt(order_id=1))] == [0]
    assert crowded(Order.query(org_id="o").gt(order_id=2)) == []
    assert [m.member_id for m in crowded(Member.query(org_id="o").le(member_id="m1"))] == [
        "m0",
        "m1",
    ]


def test_user1_never_returns_user12(db: DB) -> None:
    for org in ("o", "o1"):
        for name in ("1", "12", "123", "2"):
            db(Member(org_id=org, member_id=name).create())

    assert [m.member_id for m in db(Member.query(org_id="o", member_id="1"))] == ["1"]
    assert [m.org_id for m in db(Member.query(org_id="o"))] == ["o"] * 4
    begun = db(Member.query(org_id="o").begins_with(member_id="1"))
    assert [m.member_id for m in begun] == ["1", "12", "123"]


def test_a_key_that_begins_as_another_entitys_whole_key_is_not_taken_for_it(db: DB) -> None:
    for name in ("run", "runner"):
        db(Milestone(goal_id="g", name=name).create())
        for rank in (1, 2):
            db(Award(goal_id="g", name=name, rank=rank).create())

    assert [m.name for m in db(Milestone.query(goal_id="g"))] == ["run", "runner"]
    assert [m.name for m in db(Milestone.query(goal_id="g", name="run"))] == ["run"]
    awards = db(Award.query(goal_id="g", name="run"))
    assert [(a.name, a.rank) for a in awards] == [("run", 1), ("run", 2)]
    assert len(db(Award.query(goal_id="g"))) == 4


class Days(Table, name="Days"):
    pass


class Visit(Entity, table=Days):
    place: str
    at: datetime

    primary = Days.primary.key("PLACE#{place}", "DAY#{at:%Y-%m-%d}")


class VisitKey(BaseModel):
    place: str
    at: datetime


def _without_types(db: DB) -> None:
    for item in stored_items(db, App):
        put_item(db, App, {name: value for name, value in item.items() if name != "_type"})


def test_records_of_another_program_are_known_by_their_keys(crowded: DB) -> None:
    crowded(Milestone(goal_id="g", name="run").create())
    crowded(Award(goal_id="g", name="run", rank=1).create())
    _without_types(crowded)

    assert [m.member_id for m in crowded(Member.query(org_id="o"))] == ["m0", "m1", "m2"]
    assert [o.order_id for o in crowded(Order.query(org_id="o"))] == [0, 1, 2]
    assert len(crowded(Milestone.query(goal_id="g"))) == 1
    assert len(crowded(Award.scan())) == 1
    assert len(crowded(Milestone.scan())) == 1
    assert crowded(Member.scan().where(lambda m: m.name == "")) is not None


def test_fields_that_another_program_stored_only_in_the_key_are_read_from_it(db: DB) -> None:
    put_item(
        db,
        App,
        {
            "PK": {"S": "ORG#o"},
            "SK": {"S": "ORDER#000007"},
            "placed": {"S": "2024-05-06T12:00:00.000000Z"},
        },
    )
    [found] = db(Order.query(org_id="o"))
    assert (found.org_id, found.order_id, found.placed) == ("o", 7, NOON)


class OrderNumber(BaseModel):
    order_id: int
    org_id: str


def test_select_reads_such_fields_from_the_key_too(db: DB) -> None:
    key = {"PK": {"S": "ORG#o"}, "SK": {"S": "ORDER#000007"}}
    entry = {"GSI1PK": {"S": "STATUS#open"}, "GSI1SK": {"S": "2024-05-06T12:00:00.000000Z#000007"}}
    put_item(db, App, key | entry)
    reads: list[Any] = [
        Order.query(org_id="o").select(OrderNumber),
        Order.query(Order.by_status, status="open").select(OrderNumber).limit(1),
        Order.query(org_id="o").select(OrderNumber).page(1),
    ]
    for read in reads:
        assert list(db(read)) == [OrderNumber(order_id=7, org_id="o")]
    found = Order.get(org_id="o", order_id=7).select(OrderNumber)
    assert db(found) == OrderNumber(order_id=7, org_id="o")
    assert db.get_many([found]) == [OrderNumber(order_id=7, org_id="o")]
    assert db.snapshot(found) == (OrderNumber(order_id=7, org_id="o"),)


def test_a_select_of_the_key_needs_no_other_attribute(db: DB) -> None:
    key = {"PK": {"S": "ORG#o"}, "SK": {"S": "ORDER#000007"}}
    put_item(db, App, key | {"order_id": {"S": "seven"}, "org_id": {"N": "1"}})

    with pytest.raises(Unreadable):
        db(Order.query(org_id="o"))
    assert db(Order.query(org_id="o").select(OrderNumber)) == [OrderNumber(order_id=7, org_id="o")]
    found = Order.get(org_id="o", order_id=7).select(OrderNumber)
    assert db(found) == OrderNumber(order_id=7, org_id="o")


def test_a_select_of_a_part_of_a_time_in_the_key_reads_the_attribute() -> None:
    db = DB.memory(Days)
    db(Visit(place="p", at=NOON).create())

    assert db(Visit.query(place="p").select(VisitKey)) == [VisitKey(place="p", at=NOON)]


class Visits(BaseModel):
    logins: int
    tags: set[str]
    name: str | None
    address: Address | None


def test_select_gives_an_absent_attribute_the_value_that_a_whole_read_gives_it(db: DB) -> None:
    put_item(db, App, {"PK": {"S": "ORG#o"}, "SK": {"S": "MEMBER#m"}})
    whole = db(Member.get(org_id="o", member_id="m").required())
    part = db(Member.get(org_id="o", member_id="m").select(Visits).required())
    assert part.model_dump() == {
        "logins": whole.logins,
        "tags": whole.tags,
        "name": whole.name,
        "address": None,
    }


def test_a_query_of_a_shared_index_returns_only_its_own_entity(db: DB) -> None:
    db(Order(org_id="o", order_id=1, placed=NOON).create())
    put_item(
        db,
        App,
        {
            "PK": {"S": "X"},
            "SK": {"S": "X"},
            "GSI1PK": {"S": "STATUS#open"},
            "GSI1SK": {"S": "2024-05-06T12:00:00.000000Z#000001"},
        },
    )
    put_item(
        db,
        App,
        {
            "PK": {"S": "ORG#o"},
            "SK": {"S": "MEMBER#m"},
            "_type": {"S": "Member"},
            "GSI1PK": {"S": "STATUS#open"},
            "GSI1SK": {"S": "A"},
        },
    )
    assert [o.order_id for o in db(Order.query(Order.by_status, status="open"))] == [1]
    assert db(Order.query(Order.by_status, status="open").count()) == 1
    assert db(Order.query(Order.by_status, status="ope")) == []


def test_what_another_entity_stored_at_a_key_is_not_returned_for_it(db: DB) -> None:
    key = {"PK": {"S": "ORG#o"}, "SK": {"S": "ORDER#000001"}}
    put_item(db, App, {**key, "_type": {"S": "Draft"}})
    assert db(Order.get(org_id="o", order_id=1)) is None
    assert db.get_many([Order.get(org_id="o", order_id=1)]) == [None]
    assert db.snapshot(Order.get(org_id="o", order_id=1)) == (None,)
    with pytest.raises(NotFound):
        db(Order.get(org_id="o", order_id=1).required())


@pytest.mark.parametrize("way", ["by key", "loaded", "transact", "upsert"])
def test_unknown_attributes_survive_an_update(db: DB, way: str) -> None:
    db(Ticket(org_id="o", ticket_id="t", queue="red").create())
    [item] = stored_items(db, App)
    legacy: dict[str, Any] = {
        "legacy": {"M": {"deep": {"L": [{"NULL": True}, {"SS": ["a"]}]}}},
        "big": {"N": "12345678901234567890123456789012345678"},
    }
    put_item(db, App, item | legacy)

    loaded = db(Ticket.get(org_id="o", ticket_id="t").required())
    match way:
        case "by key":
            db(Ticket.update(org_id="o", ticket_id="t").add(lambda t: t.votes).by(1))
        case "loaded":
            db(loaded.update().set(lambda t: t.queue).to("blue"))
        case "transact":
            db.transact(loaded.update().set(lambda t: t.rank).to(4))
        case _:
            db(Ticket.upsert(org_id="o", ticket_id="t").add(lambda t: t.votes).by(1))

    [after] = stored_items(db, App)
    assert {name: after[name] for name in legacy} == legacy
    assert db(Ticket.get(org_id="o", ticket_id="t").required()).rev == 2


def test_invalid_values_are_reported_with_key_and_field(db: DB) -> None:
    db(Ticket(org_id="o", ticket_id="t").create())
    [item] = stored_items(db, App)
    reads: list[Any] = [
        Ticket.get(org_id="o", ticket_id="t"),
        Ticket.query(org_id="o"),
        Ticket.query(org_id="o").page(5),
        Ticket.scan(),
        Ticket.update(org_id="o", ticket_id="t").append(lambda t: t.log).items("x"),
    ]
    put_item(db, App, item | {"votes": {"S": "many"}})
    for read in reads:
        with pytest.raises(Unreadable, match="votes") as unreadable:
            db(read)
        assert unreadable.value.entity == "Ticket"
        assert unreadable.value.key == {"PK": "ORG#o", "SK": "TICKET#t"}
        assert list(unreadable.value.faults) == ["votes"]
    with pytest.raises(Unreadable, match="votes"):
        db.get_many([Ticket.get(org_id="o", ticket_id="t")])
    with pytest.raises(Unreadable, match="votes"):
        db.snapshot(Ticket.get(org_id="o", ticket_id="t"))


def test_a_required_field_that_is_missing_is_reported(db: DB) -> None:
    key = {"PK": {"S": "ORG#o"}, "SK": {"S": "ORDER#000001"}}
    put_item(db, App, {**key, "_type": {"S": "Order"}})
    with pytest.raises(Unreadable, match="placed: Field required"):
        db(Order.get(org_id="o", order_id=1))


def test_a_fault_inside_a_nested_model_is_reported_with_its_path(db: DB) -> None:
    key = {"PK": {"S": "ORG#o"}, "SK": {"S": "MEMBER#m"}, "_type": {"S": "Member"}}
    put_item(db, App, {**key, "address": {"M": {"city": {"BOOL": True}}}})
    with pytest.raises(Unreadable, match=r"address\.city"):
        db(Member.get(org_id="o", member_id="m"))


def test_a_raw_request_of_these_tests_reaches_the_same_table(crowded: DB) -> None:
    key = {"PK": {"S": "ORG#o"}, "SK": {"S": "TICKET#t0"}}
    assert crowded(Raw("GetItem", App, {"Key": key}))["Item"]["_type"] == {"S": "Ticket"}
