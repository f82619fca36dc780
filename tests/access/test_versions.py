"""Every write checks and increments the version, so that no change is lost."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.access.design import Account, App, Member, Ticket, Users
from tests.access.executors import THREADED, stored_items

from sortkey import (
    DB,
    AlreadyExists,
    ConditionFailed,
    NotFound,
    Refused,
    TransactionFailed,
    VersionConflict,
)


def ticket(**fields: object) -> Ticket:
    return Ticket.model_validate({"org_id": "acme", "ticket_id": "t"} | fields)


def loaded(db: DB) -> Ticket:
    return db(Ticket.get(org_id="acme", ticket_id="t").required())


def test_a_record_is_created_with_version_1(db: DB) -> None:
    assert ticket().rev == 0
    assert db(ticket().create()).rev == 1
    assert loaded(db).rev == 1


def test_create_begins_at_1_whatever_the_record_says(db: DB) -> None:
    assert db(ticket(rev=7).create()).rev == 1


def test_a_put_of_a_new_record_does_not_overwrite_one(db: DB) -> None:
    assert db(ticket().put()).rev == 1
    with pytest.raises(AlreadyExists):
        db(ticket(queue="blue").put())
    assert loaded(db).queue is None


def test_a_put_of_a_loaded_record_checks_and_raises_its_version(db: DB) -> None:
    first = db(ticket().create())
    stale = loaded(db)
    second = db(first.model_copy(update={"queue": "red"}).put())

    assert (second.rev, loaded(db).rev) == (2, 2)
    with pytest.raises(VersionConflict, match="changed after it was loaded"):
        db(stale.model_copy(update={"queue": "blue"}).put())
    assert loaded(db).queue == "red"


def test_a_replace_checks_and_raises_the_version(db: DB) -> None:
    first = db(ticket().create())
    stale = loaded(db)
    assert db(first.model_copy(update={"queue": "red"}).replace()).rev == 2
    with pytest.raises(VersionConflict):
        db(stale.replace())
    assert db(ticket(queue="blue").replace(before=loaded(db))).rev == 3
    with pytest.raises(VersionConflict):
        db(ticket(queue="green").replace(before=stale))
    assert loaded(db).queue == "blue"


def test_a_replace_of_nothing_is_refused_by_the_target(db: DB) -> None:
    with pytest.raises(NotFound):
        db(ticket(rev=1).replace())


def test_an_update_of_a_loaded_record_checks_and_raises_the_version(db: DB) -> None:
    one = db(ticket().create())
    other = loaded(db)

    assert db(one.update().set(lambda t: t.queue).to("red")).rev == 2
    with pytest.raises(VersionConflict) as conflict:
        db(other.update().set(lambda t: t.queue).to("blue"))

    assert loaded(db).queue == "red"
    assert conflict.value.entity == "Ticket"
    assert conflict.value.key == {"PK": "ORG#acme", "SK": "TICKET#t"}
    assert conflict.value.stored
    assert conflict.value.stored["queue"] == {"S": "red"}


def test_an_add_to_a_loaded_record_checks_the_version_too(db: DB) -> None:
    one = db(ticket().create())
    stale = loaded(db)
    db(one.update().add(lambda t: t.votes).by(1))

    with pytest.raises(VersionConflict):
        db(stale.update().add(lambda t: t.votes).by(1))


def test_a_delete_of_a_loaded_record_checks_the_version(db: DB) -> None:
    stale = db(ticket().create())
    fresh = db(stale.update().set(lambda t: t.queue).to("red"))

    with pytest.raises(VersionConflict):
        db(stale.delete())
    deleted = db(fresh.delete())

    assert deleted == fresh
    assert db(Ticket.get(org_id="acme", ticket_id="t")) is None


def test_a_delete_of_a_loaded_record_that_is_gone_says_so(db: DB) -> None:
    one = db(ticket().create())
    db(one.delete())
    with pytest.raises(NotFound):
        db(one.delete())


def test_every_write_of_a_transaction_checks_and_raises_the_version(db: DB) -> None:
    one = db(ticket().create())
    other = db(ticket(ticket_id="u").create())
    third = db(ticket(ticket_id="v").create())
    db.transact(
        one.update().set(lambda t: t.queue).to("red"),
        other.model_copy(update={"queue": "red"}).put(),
        third.delete(),
    )

    assert loaded(db).rev == 2
    assert db(Ticket.get(org_id="acme", ticket_id="u").required()).rev == 2

    for stale in (
        one.update().set(lambda t: t.queue).to("blue"),
        one.model_copy(update={"queue": "blue"}).put(),
        one.replace(),
        one.delete(),
        one.check(),
    ):
        with pytest.raises(TransactionFailed) as failed:
            db.transact(stale, ticket(ticket_id="w").create())
        assert isinstance(failed.value.failures[0], VersionConflict)
        assert failed.value.failures[1] is None
    assert loaded(db).queue == "red"
    assert db(Ticket.get(org_id="acme", ticket_id="w")) is None


def test_two_loaded_copies_never_overwrite_each_other(db: DB) -> None:
    db(ticket().create())
    for n in range(5):
        one, other = loaded(db), loaded(db)
        db(one.update().set(lambda t: t.votes).to(one.votes + 1))
        with pytest.raises(VersionConflict):
            db(other.update().set(lambda t: t.votes).to(other.votes + 1))
        assert loaded(db).votes == n + 1


@pytest.mark.parametrize("place", THREADED, indirect=True)
def test_no_update_is_lost_among_threads(db: DB) -> None:
    db(ticket().create())

    def vote(_: int) -> None:
        while True:
            one = loaded(db)
            try:
                db(one.update().set(lambda t: t.votes).to(one.votes + 1))
            except VersionConflict:
                continue
            return

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(vote, range(40)))

    assert (loaded(db).votes, loaded(db).rev) == (40, 41)


def test_by_key_alone_add_and_append_raise_the_version(db: DB) -> None:
    stale = db(ticket().create())
    by_key = Ticket.update(org_id="acme", ticket_id="t")
    assert db(by_key.add(lambda t: t.votes).by(2)).rev == 2
    assert db(by_key.append(lambda t: t.log).items("seen")).rev == 3

    assert (loaded(db).votes, loaded(db).log) == (2, ["seen"])
    with pytest.raises(VersionConflict):
        db(stale.update().set(lambda t: t.queue).to("red"))


def test_by_key_alone_members_of_a_set_come_and_go(db: DB) -> None:
    db(Member(org_id="acme", member_id="m").create())
    by_key = Member.update(org_id="acme", member_id="m")
    assert db(by_key.include(lambda m: m.tags).items("a", "b")).tags == {"a", "b"}
    assert db(by_key.exclude(lambda m: m.tags).items("a")).rev == 3


def test_by_key_alone_set_asks_for_the_loaded_record(db: DB) -> None:
    db(ticket().create())
    by_key = Ticket.update(org_id="acme", ticket_id="t")

    with pytest.raises(Refused, match=r"Ticket has a version.*loaded\.update\(\).*where\(\)"):
        db(by_key.set(lambda t: t.votes).to(3))
    with pytest.raises(Refused, match="has a version"):
        db.transact(by_key.remove(lambda t: t.queue))
    with pytest.raises(Refused, match="has a version"):
        db(by_key.add(lambda t: t.votes).by(1).set(lambda t: t.log).to([]))
    assert loaded(db).rev == 1


def test_by_key_under_a_condition_set_is_allowed_and_raises_the_version(db: DB) -> None:
    db(ticket().create())
    by_key = Ticket.update(org_id="acme", ticket_id="t").set(lambda t: t.votes).to(3)

    with pytest.raises(ConditionFailed):
        db(by_key.where(lambda t: t.votes == 1))
    assert db(by_key.where(lambda t: t.votes == 0)).rev == 2


def test_by_key_alone_a_delete_is_refused_and_erase_is_not(db: DB) -> None:
    db(ticket().create())
    key = {"org_id": "acme", "ticket_id": "t"}

    with pytest.raises(Refused, match=r"Ticket has a version.*erase\(\)"):
        db(Ticket.delete(**key))
    with pytest.raises(ConditionFailed):
        db(Ticket.delete(**key).where(lambda t: t.votes > 3))
    erased = db(Ticket.erase(**key))

    assert erased
    assert erased.rev == 1
    assert stored_items(db, App) == []
    assert db(Ticket.erase(**key)) is None


def test_a_stale_copy_erases_all_the_same(db: DB) -> None:
    stale = db(ticket().create())
    db(stale.update().set(lambda t: t.votes).to(1))
    db(stale.erase())
    assert stored_items(db, App) == []


def test_an_upsert_of_a_versioned_record_changes_nothing_blindly(db: DB) -> None:
    upsert = Ticket.upsert(org_id="acme", ticket_id="t")
    with pytest.raises(Refused, match="has a version"):
        db(upsert.set(lambda t: t.votes).to(9))

    assert db(upsert.add(lambda t: t.votes).by(1)).rev == 1
    assert db(upsert.add(lambda t: t.votes).by(1)).rev == 2
    with pytest.raises(ConditionFailed):
        db(upsert.set(lambda t: t.votes).to(9).where(lambda t: t.votes == 1))
    assert db(upsert.set(lambda t: t.votes).to(9).where(lambda t: t.votes == 2)).rev == 3


def test_the_version_itself_is_not_to_be_changed() -> None:
    with pytest.raises(Refused, match="set by sortkey"):
        ticket().update().set(lambda t: t.rev)


def test_versions_hold_in_a_table_with_natural_keys(opened: Callable[..., DB]) -> None:
    db = opened(Users)
    stale = db(Account(user_id="u").create())
    db(stale.update().set(lambda a: a.owner).to("x"))
    with pytest.raises(VersionConflict):
        db(stale.update().set(lambda a: a.owner).to("y"))
