"""Updates change fields of an existing record; an upsert creates a complete one if necessary."""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Annotated, Any

import pytest
from tests.access.design import (
    Account,
    Address,
    App,
    Event,
    Member,
    Order,
    Player,
    Ticket,
    Users,
    Visit,
)
from tests.access.executors import stored_items

from sortkey import (
    CREATED,
    DB,
    UPDATED,
    ConditionFailed,
    Entity,
    NotFound,
    Refused,
    Table,
    WholeSeconds,
    auto,
    missing,
)
from sortkey.clock import clock

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)
KEY: dict[str, Any] = {"org_id": "o", "member_id": "m"}


@pytest.fixture
def member(db: DB) -> Member:
    one = Member(**KEY, name="Ann", log=["in"], tags={"a"}, address=Address(city="Bern", zip="3"))
    return db(one.create())


def stored(db: DB) -> Member:
    return db(Member.get(**KEY).consistently().required())


def order(**fields: object) -> Order:
    return Order.model_validate({"org_id": "o", "order_id": 1, "placed": NOON} | fields)


# Changes.


def test_every_kind_of_change_is_made_in_one_update(db: DB, member: Member) -> None:
    after = db(
        member.update()
        .set(lambda m: m.name)
        .to("Bob")
        .add(lambda m: m.logins)
        .by(2)
        .append(lambda m: m.log)
        .items("out", "in")
        .include(lambda m: m.tags)
        .items("b", "c")
        .remove(lambda m: m.badge)
    )

    assert after == stored(db)
    assert (after.name, after.logins, after.log) == ("Bob", 2, ["in", "out", "in"])
    assert after.tags == {"a", "b", "c"}
    assert after.address == member.address
    assert db(after.update().exclude(lambda m: m.tags).items("a", "c")).tags == {"b"}


def test_a_place_inside_a_record_is_changed_alone(db: DB, member: Member) -> None:
    after = db(member.update().set(lambda m: m.address.city).to("Basel"))  # pyright: ignore[reportOptionalMemberAccess]
    assert after.address == Address(city="Basel", zip="3")


def test_an_optional_field_is_removed_and_set_again(db: DB, member: Member) -> None:
    after = db(member.update().remove(lambda m: m.address))
    assert after.address is None
    assert "address" not in stored_items(db, App)[0]
    assert db(after.update().set(lambda m: m.address).to(Address(city="Chur"))).address


def test_an_empty_set_is_left_out_and_comes_back_empty(db: DB, member: Member) -> None:
    assert db(member.update().exclude(lambda m: m.tags).items("a")).tags == set()
    after = db(stored(db).update().set(lambda m: m.tags).to(set()))
    assert (after.tags, stored(db).tags) == (set(), set())


def test_numbers_are_added_exactly(db: DB) -> None:
    db(order(total=Decimal("0.1")).create())
    by_key = Order.update(org_id="o", order_id=1).add(lambda o: o.total)
    assert db(by_key.by(Decimal("0.2"))).total == Decimal("0.3")
    assert db(by_key.by(Decimal("-12345678901234567890.3"))).total == Decimal(-12345678901234567890)


def test_an_update_keeps_the_time_of_its_building_and_leaves_that_of_creation(db: DB) -> None:
    start = int(time.time())
    with clock(lambda: start):
        created = db(Member(**KEY).create())
    with clock(lambda: start + 60):
        update = created.update().set(lambda m: m.name).to("x")
    with clock(lambda: start + 120):
        after = db(update)

    assert after.created == datetime.fromtimestamp(start, UTC)
    assert after.updated == datetime.fromtimestamp(start + 60, UTC)


def test_a_time_that_is_kept_in_whole_seconds_loses_the_rest(opened: Callable[..., DB]) -> None:
    class Diary(Table):
        """Times as another program stores them."""

    class Page(Entity, table=Diary):
        page_id: str
        text: str = ""
        created: Annotated[WholeSeconds, CREATED] = auto()
        updated: Annotated[WholeSeconds, UPDATED] = auto()

        primary = Diary.primary.key("PAGE#{page_id}", "PAGE")

    db = opened(Diary)
    with clock(lambda: NOON.timestamp() + 0.25):
        made = db(Page(page_id="1").create())
        db(Page.upsert(page_id="2").set(lambda p: p.text).to("x"))
    with clock(lambda: NOON.timestamp() + 60.75):
        changed = db(made.update().set(lambda p: p.text).to("y"))

    assert (changed.created, changed.updated) == (NOON, NOON + timedelta(seconds=60))
    items = {item["page_id"]["S"]: item for item in stored_items(db, Diary)}
    assert items["1"]["updated"] == {"S": "2024-05-06T12:01:00Z"}
    assert items["2"]["created"] == items["2"]["updated"] == {"S": "2024-05-06T12:00:00Z"}


def test_a_condition_is_checked_on_the_stored_record(db: DB) -> None:
    db(order(total=Decimal(5)).create())
    cheaper = Order.update(org_id="o", order_id=1).set(lambda o: o.note).to("cheap")
    with pytest.raises(ConditionFailed):
        db(cheaper.where(lambda o: o.total < 5))
    assert db(cheaper.where(lambda o: (o.total <= 5) & missing(o.courier))).note == "cheap"


# A record must exist.


@pytest.mark.parametrize("way", ["by key", "by key under a condition", "loaded"])
def test_an_update_of_nothing_creates_nothing(db: DB, way: str) -> None:
    by_key = Ticket.update(org_id="o", ticket_id="t").add(lambda t: t.votes).by(1)
    gone = db(Ticket(org_id="o", ticket_id="gone").create())
    db(gone.delete())
    update = {
        "by key": by_key,
        "by key under a condition": by_key.where(lambda t: missing(t.queue)),
        "loaded": gone.update().set(lambda t: t.votes).to(1),
    }[way]

    with pytest.raises(NotFound, match=r"Ticket ORG#o / TICKET#.* does not exist") as missed:
        db(update)
    assert missed.value.entity == "Ticket"
    assert stored_items(db, App) == []


# Refusals.


def test_an_update_that_changes_nothing_is_refused(db: DB, member: Member) -> None:
    with pytest.raises(Refused, match="changes nothing"):
        db(member.update())


def test_a_field_that_no_update_may_change_is_refused(opened: Callable[..., DB]) -> None:
    db = opened(Users)
    account = db(Account(user_id="u").create())
    with pytest.raises(Refused, match=r"Account\.birthplace is immutable"):
        db(account.update().set(lambda a: a.birthplace).to("mars"))
    with pytest.raises(Refused, match="Event is immutable"):
        Event.update(stream_id="s", number=1).set(lambda e: e.what)
    with pytest.raises(Refused, match=r"Member\.created is set by sortkey"):
        Member(**KEY).update().set(lambda m: m.created)
    with pytest.raises(Refused, match=r"Member\.org_id is part of the primary key"):
        Member(**KEY).update().set(lambda m: m.org_id)


def test_a_required_field_cannot_be_removed() -> None:
    with pytest.raises(Refused, match=r"Order\.placed is required and cannot be removed"):
        order().update().remove(lambda o: o.placed)


def test_a_value_of_the_wrong_type_is_refused_by_its_field(db: DB) -> None:
    wrong: Any = "many"
    with pytest.raises(Refused, match=r"Ticket\.votes"):
        db(Ticket(org_id="o", ticket_id="t", rev=1).update().set(lambda t: t.votes).to(wrong))


def test_one_place_is_changed_once(db: DB, member: Member) -> None:
    twice = member.update().set(lambda m: m.name).to("a").set(lambda m: m.name).to("b")
    with pytest.raises(Refused, match=r"one update changes both Member\.name and Member\.name"):
        db(twice)


@pytest.mark.parametrize("verb", ["set", "remove", "add"])
def test_an_update_that_needs_an_old_value_requires_the_loaded_record(
    db: DB, member: Member, verb: str
) -> None:
    by_key = Member.update(**KEY).where(lambda m: m.rev == 1)
    update = {
        "set": by_key.set(lambda m: m.email).to("x"),
        "remove": by_key.remove(lambda m: m.email),
        "add": by_key.add(lambda m: m.badge).by(1),
    }[verb]
    with pytest.raises(Refused, match=r"belongs to a unique lock.*use loaded\.update\(\)"):
        db(update)
    assert stored(db) == member


def test_a_key_of_which_a_part_is_unknown_asks_for_the_loaded_record(db: DB) -> None:
    db(order(courier="c").create())
    with pytest.raises(Refused, match=r"by_status is made from placed.*use loaded\.update\(\)"):
        db(Order.update(org_id="o", order_id=1).set(lambda o: o.status).to("sent"))


# Upserts.


def test_an_upsert_makes_a_whole_record_with_keys_index_keys_and_defaults(db: DB) -> None:
    made = db(
        Order.upsert(org_id="o", order_id=1)
        .set(lambda o: o.placed)
        .to(NOON)
        .set(lambda o: o.courier)
        .to("c")
        .set(lambda o: o.status)
        .to("sent")
    )
    [upserted] = stored_items(db, App)
    db(Order.delete(org_id="o", order_id=1))
    db(order(courier="c", status="sent").create())

    assert made == order(courier="c", status="sent")
    assert stored_items(db, App) == [upserted]


def test_an_upsert_writes_the_index_keys_that_defaults_make(db: DB) -> None:
    db(Player.upsert(player_id="p").set(lambda p: p.game).to("chess"))
    assert db(Player.query(Player.by_score, game="chess")) == [Player(player_id="p", game="chess")]
    db(Visit.upsert(user_id="u", visit_id="v").add(lambda v: v.pages).by(1))
    found = db(Visit.query(Visit.by_device, device="phone"))
    assert found == [Visit(user_id="u", visit_id="v", pages=1)]


def test_an_upsert_of_a_record_that_exists_changes_only_what_it_names(db: DB) -> None:
    first = db(Visit(user_id="u", visit_id="v", pages=3, device="tablet", memo="m").create())
    upsert = Visit.upsert(user_id="u", visit_id="v").add(lambda v: v.pages).by(1)

    assert db(upsert) == first.model_copy(update={"pages": 4})
    assert db(Visit.query(Visit.by_device, device="phone")) == []
    assert len(db(Visit.query(Visit.by_device, device="tablet"))) == 1


def test_an_upsert_counts_from_the_default(db: DB) -> None:
    assert db(Ticket.upsert(org_id="o", ticket_id="t").append(lambda t: t.log).items("a")).rev == 1
    by_key = Ticket.upsert(org_id="o", ticket_id="t")
    after = db(by_key.add(lambda t: t.votes).by(2).append(lambda t: t.log).items("b"))
    assert (after.votes, after.log, after.rev, after.rank) == (2, ["a", "b"], 2, 1)


def test_an_upsert_of_a_record_without_a_change_makes_it_if_it_is_not_there(db: DB) -> None:
    assert db(Visit.upsert(user_id="u", visit_id="v")) == Visit(user_id="u", visit_id="v")
    assert db(Visit.upsert(user_id="u", visit_id="v")) == Visit(user_id="u", visit_id="v")


def test_an_upsert_that_would_leave_half_a_record_is_refused(db: DB) -> None:
    with pytest.raises(Refused, match=r"an upsert of Order must set placed"):
        db(Order.upsert(org_id="o", order_id=1).set(lambda o: o.note).to("x"))
    with pytest.raises(Refused, match=r"made from .*which this upsert does not set"):
        db(
            Order.upsert(org_id="o", order_id=1)
            .set(lambda o: o.placed)
            .to(NOON)
            .set(lambda o: o.courier)
            .to("c")
        )
    with pytest.raises(Refused, match="has a unique field"):
        db(Member.upsert(**KEY).add(lambda m: m.logins).by(1))
    with pytest.raises(Refused, match="is immutable"):
        db(Event.upsert(stream_id="s", number=1))
    assert stored_items(db, App) == []


def test_an_upsert_under_a_condition_changes_only_what_meets_it(db: DB) -> None:
    def once(by: int) -> Any:
        upsert = Visit.upsert(user_id="u", visit_id="v").add(lambda v: v.pages).by(by)
        return upsert.where(lambda v: missing(v.pages) | (v.pages < 3))

    assert db(once(2)).pages == 2
    assert db(once(2)).pages == 4
    with pytest.raises(ConditionFailed):
        db(once(2))


def test_an_upsert_may_be_part_of_a_transaction(db: DB) -> None:
    upsert = Visit.upsert(user_id="u", visit_id="v").add(lambda v: v.pages).by(1)
    for _ in range(2):
        db.transact(upsert, Visit.check(user_id="u", visit_id="other").is_absent())
    assert db(Visit.get(user_id="u", visit_id="v").required()).pages == 2
