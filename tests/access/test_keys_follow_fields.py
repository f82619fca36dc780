"""An index key always agrees with the fields it is made from, or the change is refused."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from tests.access.design import Account, App, Member, Order, Player, Ticket, Users
from tests.access.executors import stored_items

from sortkey import DB, Entity, Refused, Table, VersionConflict, gsi

NOON = datetime(2024, 5, 6, 12, tzinfo=UTC)
LATER = datetime(2024, 5, 7, tzinfo=UTC)


def order(**fields: object) -> Order:
    return Order.model_validate(
        {"org_id": "acme", "order_id": 1, "placed": NOON, "courier": "ann"} | fields
    )


def numbers(db: DB, status: str) -> list[int]:
    return [found.order_id for found in db(Order.query(Order.by_status, status=status))]


def carried(db: DB, courier: str) -> list[str]:
    return [found.status for found in db(Order.query(Order.by_courier, courier=courier))]


def test_an_update_of_a_loaded_record_moves_its_index_entry(db: DB) -> None:
    loaded = db(order().create())
    changed = db(loaded.update().set(lambda o: o.status).to("sent"))

    assert changed.status == "sent"
    assert numbers(db, "open") == []
    assert numbers(db, "sent") == [1]
    assert carried(db, "ann") == ["sent"]


def test_an_update_inside_a_transaction_moves_the_index_entry(db: DB) -> None:
    loaded = db(order().create())
    db.transact(
        loaded.update().set(lambda o: o.status).to("sent"),
        order(order_id=2, status="sent").create(),
    )

    assert numbers(db, "open") == []
    assert numbers(db, "sent") == [1, 2]
    assert carried(db, "ann") == ["sent", "sent"]


def test_a_replace_moves_the_index_entry(db: DB) -> None:
    db(order().create())
    db(order(status="sent").replace())

    assert numbers(db, "open") == []
    assert numbers(db, "sent") == [1]


def test_a_constant_beside_a_field_is_an_index_key_too() -> None:
    class Posts(Table):
        by_time = gsi("GSI1PK", "posted")

    class Post(Entity, table=Posts):
        post_id: str
        posted: str | None = None
        title: str = ""
        primary = Posts.primary.key("POST#{post_id}", "POST")
        newest = Posts.by_time.key("POSTS", "{posted}")

    def listed() -> list[str]:
        return [post.post_id for post in db(Post.query(Post.newest))]

    with DB.memory(Posts) as db:
        first = db(Post(post_id="a", posted="2024").create())
        db(Post.upsert(post_id="b").set(lambda post: post.posted).to("2025"))
        db(Post(post_id="draft").create())

        assert listed() == ["a", "b"]

        db(first.update().set(lambda post: post.posted).to("2026"))
        assert listed() == ["b", "a"]


def test_a_put_moves_the_index_entry(db: DB) -> None:
    db(order().create())
    db(order(status="sent", courier=None).put())

    assert numbers(db, "open") == []
    assert numbers(db, "sent") == [1]
    assert stored_items(db, App, "gsi2") == []


def test_a_batch_put_moves_the_index_entry(db: DB) -> None:
    db(order().create())
    db.write_many([order(status="sent").put()])

    assert numbers(db, "open") == []
    assert numbers(db, "sent") == [1]


def test_an_upsert_moves_the_index_entry(db: DB) -> None:
    db(Player(player_id="p", game="go").create())
    db(Player.upsert(player_id="p").set(lambda p: p.game).to("chess"))

    assert db(Player.query(Player.by_score, game="go")) == []
    assert [p.player_id for p in db(Player.query(Player.by_score, game="chess"))] == ["p"]


def test_setting_a_field_to_none_removes_the_index_entry(db: DB) -> None:
    loaded = db(order().create())
    db(loaded.update().set(lambda o: o.courier).to(None))

    assert stored_items(db, App, "gsi2") == []
    assert numbers(db, "open") == [1]


def test_removing_a_field_removes_the_index_entry(db: DB) -> None:
    loaded = db(order().create())
    db(loaded.update().remove(lambda o: o.courier))

    assert stored_items(db, App, "gsi2") == []


def test_a_field_that_is_given_a_value_makes_the_index_entry(db: DB) -> None:
    loaded = db(order(courier=None).create())
    assert stored_items(db, App, "gsi2") == []

    db(loaded.update().set(lambda o: o.courier).to("bob"))

    assert carried(db, "bob") == ["open"]


def test_a_local_index_follows_too(db: DB) -> None:
    loaded = db(order(note="a").create())
    changed = db(loaded.update().set(lambda o: o.note).to("b"))
    by_note = Order.query(Order.by_note, org_id="acme", note="b").consistently()
    assert [found.order_id for found in db(by_note)] == [1]

    db(changed.update().remove(lambda o: o.note))
    assert stored_items(db, App, "lsi1") == []


def test_an_update_by_key_that_does_not_know_the_other_field_is_refused(db: DB) -> None:
    db(order().create())
    update = Order.update(org_id="acme", order_id=1).set(lambda o: o.status).to("sent")

    with pytest.raises(Refused, match=r"Order\.by_\w+ is made from .*load the Order"):
        db(update)
    with pytest.raises(Refused, match="load the Order"):
        db.transact(update)
    assert numbers(db, "open") == [1]


def test_an_update_by_key_that_gives_every_field_moves_the_entry(db: DB) -> None:
    db(order(courier=None).create())
    db(
        Order.update(org_id="acme", order_id=1)
        .set(lambda o: o.status)
        .to("sent")
        .set(lambda o: o.placed)
        .to(LATER)
        .set(lambda o: o.courier)
        .to("bob")
    )

    assert numbers(db, "open") == []
    assert numbers(db, "sent") == [1]
    assert carried(db, "bob") == ["sent"]


def test_a_number_in_a_template_is_not_added_to_blindly(db: DB) -> None:
    loaded = db(Ticket(org_id="acme", ticket_id="t", queue="red").create())

    with pytest.raises(Refused, match=r"Ticket\.by_queue is made from rank"):
        db(loaded.update().add(lambda t: t.rank).by(1))
    with pytest.raises(Refused, match=r"Ticket\.by_queue is made from"):
        db(Ticket.update(org_id="acme", ticket_id="t").add(lambda t: t.rank).by(1))


def test_a_number_that_is_itself_the_sort_key_moves_the_entry_when_it_is_added_to(db: DB) -> None:
    for name in "ab":
        db(Player(player_id=name, game="go", score=5).create())
    db(Player.update(player_id="a").add(lambda p: p.score).by(10))

    ranked = db(Player.query(Player.by_score, game="go").reverse())
    assert [(p.player_id, p.score) for p in ranked] == [("a", 15), ("b", 5)]
    assert [p.player_id for p in db(Player.query(Player.by_score, game="go").gt(score=5))] == ["a"]


def test_a_natural_key_is_sparse_and_follows(opened: Callable[..., DB]) -> None:
    db = opened(Users)
    loaded = db(Account(user_id="u").create())
    assert stored_items(db, Users, "by_team") == []

    joined = db(loaded.update().set(lambda a: a.team).to("red").set(lambda a: a.level).to(3))
    assert [a.level for a in db(Account.query(Account.teams, team="red").ge(level=3))] == [3]

    db(joined.update().remove(lambda a: a.team))
    assert stored_items(db, Users, "by_team") == []


def test_another_field_of_the_key_that_changed_since_the_load_stops_the_update(db: DB) -> None:
    loaded = db(order().create())
    db(db(Order.get(org_id="acme", order_id=1).required()).update().set(lambda o: o.status).to("x"))

    with pytest.raises(VersionConflict, match="status"):
        db(loaded.update().set(lambda o: o.courier).to("bob"))

    assert carried(db, "ann") == ["x"]
    assert carried(db, "bob") == []


def test_two_updates_of_two_fields_of_one_key_cannot_both_win_with_half_a_key(db: DB) -> None:
    one, other = (db(order().put()) for _ in range(2))
    db(one.update().set(lambda o: o.status).to("sent"))
    with pytest.raises(VersionConflict):
        db(other.update().set(lambda o: o.courier).to("bob"))

    [item] = stored_items(db, App, "gsi2")
    assert item["GSI2PK"] == {"S": "COURIER#ann"}
    assert item["GSI2SK"]["S"].startswith("sent#")


def test_a_field_changed_in_memory_only_does_not_reach_the_key(db: DB) -> None:
    ticket = db(Ticket(org_id="acme", ticket_id="t", queue="red").create())
    ticket.queue = "blue"  # never stored

    with pytest.raises(VersionConflict, match="queue"):
        db(ticket.update().set(lambda t: t.rank).to(7))

    [entry] = stored_items(db, App, "gsi1")
    assert entry["GSI1PK"] == {"S": "QUEUE#red"}
    assert entry["queue"] == {"S": "red"}


def test_a_change_beside_the_key_leaves_the_key_alone(db: DB) -> None:
    loaded = db(order().create())
    before = stored_items(db, App, "gsi2")[0]["GSI2SK"]
    other = db(loaded.update().set(lambda o: o.total).to(loaded.total + 1))

    assert stored_items(db, App, "gsi2")[0]["GSI2SK"] == before
    assert other.total == loaded.total + 1


def test_a_field_of_the_primary_key_is_refused() -> None:
    with pytest.raises(Refused, match=r"Order\.order_id is part of the primary key"):
        Order.update(org_id="acme", order_id=1).set(lambda o: o.order_id)
    with pytest.raises(Refused, match=r"Order\.order_id is part of the primary key"):
        Order.upsert(org_id="acme", order_id=1).add(lambda o: o.order_id)
    with pytest.raises(Refused, match="part of the primary key"):
        order().update().remove(lambda o: o.org_id)


def test_a_record_is_not_replaced_under_another_key() -> None:
    before = Member(org_id="acme", member_id="m")
    with pytest.raises(Refused, match="under another key"):
        Member(org_id="acme", member_id="n").replace(before=before)


def test_a_value_that_would_break_the_key_is_refused_by_its_field(db: DB) -> None:
    loaded = db(order().create())

    with pytest.raises(Exception, match='"courier"') as refusal:
        db(loaded.update().set(lambda o: o.courier).to("ann#open"))
    assert "#" in str(refusal.value)
    assert carried(db, "ann") == ["open"]
