"""Records that shared a value when its field became unique: one owns the lock, the other can go."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Any, TypeAlias

import pytest
from tests.access.executors import Raw, stored_items

from sortkey import (
    DB,
    TTL,
    Call,
    Entity,
    NotUnique,
    Op,
    Table,
    TransactionFailed,
    VersionConflict,
    observe,
    ulid,
    unique,
)
from sortkey.expressions.tree import AttributeNotExists, Condition, Path
from sortkey.testing import ExplorationFailed, Outcome, explore

Change: TypeAlias = Callable[["Guest"], Op[Any]]


class Club(Table, name="{environment}-Club", ttl="expires"):
    """A separate table."""


class Guest(Entity, table=Club, upcasts=(dict,)):
    """No version: only its locks and its values are compared."""

    guest_id: str
    email: Annotated[str | None, unique] = None
    note: str = ""
    expires: TTL | None = None

    primary = Club.primary.key("GUEST#{guest_id}", "GUEST")


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    db = opened(Club)
    store(db)
    return db


def store(db: DB) -> None:
    """Store two guests with one email, whose lock the guest named owner has."""
    db(Guest(guest_id="owner", email="x").create())
    db(Guest(guest_id="other").create())
    key = {"PK": {"S": "GUEST#other"}, "SK": {"S": "GUEST"}}
    change = {
        "UpdateExpression": "SET email = :x",
        "ExpressionAttributeValues": {":x": {"S": "x"}},
    }
    db(Raw("UpdateItem", Club, {"Key": key, **change}))


def load(db: DB, guest_id: str = "other") -> Guest:
    return db(Guest.get(guest_id=guest_id).consistently().required())


def values(db: DB) -> dict[str, str]:
    """Return the email of each guest."""
    return {
        item["guest_id"]["S"]: item["email"]["S"]
        for item in stored_items(db, Club)
        if "guest_id" in item and "email" in item
    }


def locks(db: DB) -> dict[str, str]:
    """Return the owner of each lock, by email."""
    return {
        item["PK"]["S"].rpartition("#")[2]: item["_owner"]["M"]["PK"]["S"].removeprefix("GUEST#")
        for item in stored_items(db, Club)
        if "_owner" in item
    }


def replaced(email: str | None) -> Change:
    return lambda guest: guest.model_copy(update={"email": email}).replace(before=guest)


DELETING: dict[str, Change] = {
    "delete": lambda guest: guest.delete(),
    "required delete": lambda guest: guest.delete().required(),
    "erase": lambda guest: guest.erase(),
}
CHANGING: dict[str, tuple[Change, str | None]] = {
    "update": (lambda guest: guest.update().set(email="y"), "y"),
    "update to nothing": (lambda guest: guest.update().set(email=None), None),
    "replace": (replaced("y"), "y"),
    "replace with nothing": (replaced(None), None),
}

KEEPING: dict[str, Change] = {
    "replace": replaced("x"),
    "another expiry": lambda guest: guest.update().set(expires=datetime(2100, 1, 1, tzinfo=UTC)),
}


@pytest.mark.parametrize("way", DELETING)
def test_the_other_record_can_be_deleted(db: DB, way: str) -> None:
    other = load(db)

    assert db(DELETING[way](other)) == other

    assert values(db) == {"owner": "x"}
    assert locks(db) == {"x": "owner"}


@pytest.mark.parametrize("way", CHANGING)
def test_the_other_record_can_get_another_value(db: DB, way: str) -> None:
    change, email = CHANGING[way]

    assert db(change(load(db))).email == email

    theirs = {} if email is None else {email: "other"}
    assert locks(db) == {"x": "owner", **theirs}
    db(load(db).delete())
    assert locks(db) == {"x": "owner"}


@pytest.mark.parametrize("way", KEEPING)
def test_the_other_record_cannot_keep_the_value(db: DB, way: str) -> None:
    other = load(db)

    with pytest.raises(NotUnique, match="another Guest already has this email") as failed:
        db(KEEPING[way](other))

    assert failed.value.field == "email"
    assert load(db) == other
    assert locks(db) == {"x": "owner"}


def test_the_other_record_cannot_get_a_value_that_is_taken(db: DB) -> None:
    db(Guest(guest_id="third", email="y").create())

    with pytest.raises(NotUnique):
        db(load(db).update().set(email="y"))

    assert locks(db) == {"x": "owner", "y": "third"}


@pytest.mark.parametrize("way", ["delete", "update"])
def test_the_owner_releases_its_lock_in_one_request(db: DB, way: str) -> None:
    owner = load(db, "owner")
    calls: list[Call] = []

    with observe(calls.append):
        db(owner.delete() if way == "delete" else owner.update().set(email=None))

    sent = [exchange.operation for call in calls for exchange in call.exchanges]
    assert sent == ["TransactWriteItems", "GetItem"][: 1 if way == "delete" else 2]
    assert locks(db) == {}


def test_the_plan_has_the_second_transaction(db: DB) -> None:
    plan = load(db).delete()._plan()

    assert [step.verb for step in plan.steps] == ["DeleteItem", "DeleteItem"]
    assert [(step.verb, step.key) for step in plan.later] == [("ConditionCheck", plan.steps[1].key)]


def test_it_works_in_a_transaction_which_a_token_repeats(db: DB) -> None:
    other, third = load(db), Guest(guest_id="third", email="y")
    token = ulid()  # other tests may use the same server

    # Built once: the condition on the expiry has the second in which it was built.
    writes = (other.delete(), third.create())
    for _ in range(2):
        db.transact(*writes, token=token)

    assert locks(db) == {"x": "owner", "y": "third"}
    with pytest.raises(TransactionFailed):
        db.transact(other.delete(), token=ulid())


def test_a_record_that_was_changed_since_is_neither_deleted_nor_changed(db: DB) -> None:
    stale = load(db)
    db(stale.update().set(email="y"))

    for change in (*DELETING.values(), replaced("z")):
        with pytest.raises(VersionConflict, match="a different email"):
            db(change(stale))

    assert locks(db) == {"x": "owner", "y": "other"}


# -- races ------------------------------------------------------------------------------------


def deleting(guest_id: str) -> Callable[[DB], Any]:
    return lambda db: db(load(db, guest_id).delete())


def changing(guest_id: str, email: str | None) -> Callable[[DB], Any]:
    return lambda db: db(load(db, guest_id).update().set(email=email))


def rewriting(guest_id: str) -> Callable[[DB], Any]:
    """Replace the guest with its own value, which claims the lock if it is free."""
    return lambda db: db(load(db, guest_id).replace(before=load(db, guest_id)))


RACES: dict[str, tuple[Callable[[DB], Any], ...]] = {
    "two deletes": (deleting("other"), deleting("owner")),
    "a delete and a change": (deleting("other"), changing("other", "y")),
    "two changes": (changing("other", "y"), changing("owner", "y")),
    "the other one becomes the owner": (
        deleting("other"),
        changing("owner", None),
        rewriting("other"),
    ),
}


def run(*calls: Callable[[DB], Any], mishaps: bool = False) -> None:
    with DB.memory(Club) as db:
        store(db)

        def invariant(_outcomes: list[Outcome]) -> None:
            """Every lock belongs to a guest that has the email."""
            assert {(owner, email) for email, owner in locks(db).items()} <= values(db).items()

        explored = explore(
            *(partial(call, db) for call in calls),
            db=db,
            invariant=invariant,
            crashes=mishaps,
            lost_responses=mishaps,
        )
        assert explored.schedules > 1


@pytest.mark.parametrize("name", RACES)
def test_no_order_leaves_a_lock_without_its_record(name: str) -> None:
    run(*RACES[name])


@pytest.mark.parametrize("name", RACES)
def test_no_crash_and_no_lost_response_leaves_one_either(name: str) -> None:
    run(*RACES[name][:2], mishaps=True)


def test_without_the_check_of_the_owner_one_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    def always(_key: object) -> Condition:
        return AttributeNotExists(Path(("no such attribute",)))

    monkeypatch.setattr("sortkey.operations.lock._is_not_owner", always)

    with pytest.raises(ExplorationFailed):
        run(*RACES["the other one becomes the owner"])


def test_a_delete_whose_answer_was_lost_succeeds() -> None:
    with DB.memory(Club) as db:
        store(db)
        other = load(db)

        def invariant(outcomes: list[Outcome]) -> None:
            assert [outcome.result for outcome in outcomes] == [other]
            assert locks(db) == {"x": "owner"}

        explore(
            lambda: db.decide(lambda: other.delete().required()),
            db=db,
            invariant=invariant,
            crashes=False,
        )
