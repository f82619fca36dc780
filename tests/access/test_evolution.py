"""Earlier shapes of a record are read as the current one, and no write mixes two shapes."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field
from tests.access.executors import put_item, stored_items

from sortkey import (
    DB,
    TTL,
    AlreadyExists,
    DesignError,
    Entity,
    NotUnique,
    Outdated,
    Refused,
    Stored,
    Table,
    TransactionFailed,
    Unreadable,
    Version,
    VersionConflict,
    gsi,
    unique,
)


class App(Table, name="{environment}-Evolution", ttl="expires"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    names = gsi("GSI2PK", project=["first"])
    shaped = gsi("GSI3PK", project=["first", "expires", "_shape"])


def split_name(item: dict[str, Any]) -> dict[str, Any]:
    """Shape 1 had one name."""
    item["first"], _, item["last"] = item.pop("name").partition(" ")
    return item


def count_visits(item: dict[str, Any]) -> dict[str, Any]:
    """Shape 2 stored every visit."""
    return item | {"visits": len(item["seen"]), "seen": item["seen"][-1:]}


class User(Entity, table=App, upcasts=(split_name, count_visits)):
    user_id: str
    first: str
    last: str
    visits: int = 0
    seen: list[int] = Field(default_factory=list[int])
    expires: TTL | None = None

    primary = App.primary.key("USER#{user_id}", "USER")
    by_last = App.gsi1.key("LAST#{last}", "{first}")
    by_first = App.names.key("FIRST#{first}")
    by_shape = App.shaped.key("FIRST#{first}")


class Account(Entity, table=App, upcasts=(lambda item: item | {"plan": "free"},)):
    """A version and a unique field, and a plan that shape 1 did not have."""

    account_id: str
    email: Annotated[str | None, unique] = None
    plan: str
    rev: Version = 0

    primary = App.primary.key("ACCOUNT#{account_id}", "ACCOUNT")


class Counter(Entity, table=App, upcasts=(dict,)):
    name: str
    count: int = 0
    expires: TTL | None = None

    primary = App.primary.key("COUNTER#{name}", "COUNTER")


class Plain(Entity, table=App):
    """Always had one shape."""

    plain_id: str
    primary = App.primary.key("PLAIN#{plain_id}", "PLAIN")


class First(BaseModel):
    first: str


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    return opened(App)


def store_user(db: DB, shape: int | None = None, **attributes: Any) -> None:
    """A user as an earlier program stored it."""
    item: dict[str, Any] = {
        "PK": {"S": "USER#u"},
        "SK": {"S": "USER"},
        "_type": {"S": "User"},
        "user_id": {"S": "u"},
        "seen": {"L": [{"N": "3"}, {"N": "5"}]},
    }
    if shape is None:
        item["name"] = {"S": "Ann Lee"}
    else:
        item |= {"first": {"S": "Ann"}, "last": {"S": "Lee"}, "_shape": {"N": str(shape)}}
    put_item(db, App, item | attributes)


def store_account(db: DB, **attributes: Any) -> None:
    item = {
        "PK": {"S": "ACCOUNT#a"},
        "SK": {"S": "ACCOUNT"},
        "_type": {"S": "Account"},
        "account_id": {"S": "a"},
        "rev": {"N": "3"},
    }
    put_item(db, App, item | attributes)


def user(db: DB) -> User:
    return db(User.get(user_id="u").required())


def account(db: DB) -> Account:
    return db(Account.get(account_id="a").required())


def stored(db: DB) -> dict[str, Any]:
    [item] = stored_items(db, App)
    return item


def test_a_record_is_stored_with_the_number_of_its_shape(db: DB) -> None:
    db(User(user_id="u", first="Ann", last="Lee").create())

    assert stored(db)["_shape"] == {"N": "3"}
    assert user(db).first == "Ann"


def test_an_entity_that_never_changed_stores_no_shape() -> None:
    assert "_shape" not in Plain(plain_id="p").create().params()["Item"]
    assert "_shape" not in str(Plain.upsert(plain_id="p").params())


@pytest.mark.parametrize("shape", [None, 2])
def test_a_record_of_an_earlier_shape_is_read_as_the_present_one(db: DB, shape: int | None) -> None:
    store_user(db, shape)

    assert user(db) == User(user_id="u", first="Ann", last="Lee", visits=2, seen=[5])
    assert db(User.scan()) == [user(db)]
    assert db(User.query(user_id="u")) == [user(db)]
    assert db.snapshot(User.get(user_id="u")) == (user(db),)
    assert db.get_many([User.get(user_id="u")]) == [user(db)]


def test_what_is_read_is_not_written(db: DB) -> None:
    store_user(db)
    before = stored(db)

    user(db)

    assert stored(db) == before


def test_a_part_of_an_earlier_shape_is_upcast_from_the_whole(db: DB) -> None:
    store_user(db)

    assert db(User.get(user_id="u").select(First)) == First(first="Ann")
    assert db(User.query(user_id="u").select(First)) == [First(first="Ann")]


def test_an_index_without_the_shape_is_not_read(db: DB) -> None:
    with pytest.raises(Refused, match="does not project _shape"):
        db(User.query(User.by_first, first="Ann").select(First))


def test_an_index_with_too_little_to_upcast_from_says_so(db: DB) -> None:
    store_user(db, 2, GSI3PK={"S": "FIRST#Ann"})

    with pytest.raises(Unreadable, match="too few attributes to upcast"):
        db(User.query(User.by_shape, first="Ann").select(First))
    db(user(db).replace())
    assert db(User.query(User.by_shape, first="Ann").select(First)) == [First(first="Ann")]


def test_a_record_of_a_later_shape_is_not_read(db: DB) -> None:
    store_user(db, 4)

    with pytest.raises(Unreadable, match=r"in shape 4.*the program is older than the record"):
        user(db)


def test_an_entity_that_never_changed_does_not_read_a_later_shape(db: DB) -> None:
    db(Plain(plain_id="p").create())
    put_item(db, App, stored(db) | {"_shape": {"N": "2"}})

    with pytest.raises(Unreadable, match="the program is older"):
        db(Plain.get(plain_id="p"))


def test_a_replaced_record_is_in_the_present_shape_with_every_key(db: DB) -> None:
    store_user(db)

    db(user(db).replace())

    assert stored(db)["_shape"] == {"N": "3"}
    assert "name" not in stored(db)
    assert [found.user_id for found in db(User.query(User.by_last, last="Lee"))] == ["u"]


def test_a_change_by_key_to_an_earlier_shape_is_refused_and_changes_nothing(db: DB) -> None:
    store_user(db)
    before = stored(db)

    with pytest.raises(Outdated, match=r"replace\(\) it, or run `sortkey backfill`") as outdated:
        db(User.update(user_id="u").add(lambda u: u.visits).by(1))

    assert outdated.value.key == {"PK": "USER#u", "SK": "USER"}
    assert stored(db) == before


def test_a_change_to_a_loaded_record_of_an_earlier_shape_is_refused(db: DB) -> None:
    store_user(db)
    loaded = user(db)

    with pytest.raises(Outdated):
        db(loaded.update().set(lambda u: u.first).to("Bea"))

    db(loaded.replace())
    assert db(loaded.update().set(lambda u: u.first).to("Bea")).first == "Bea"


def test_a_change_in_a_transaction_to_an_earlier_shape_is_refused(db: DB) -> None:
    store_user(db)
    change = User.update(user_id="u").add(lambda u: u.visits).by(1)

    with pytest.raises(TransactionFailed) as failed:
        db.transact(change, Counter(name="c").create())

    assert isinstance(failed.value.of(change), Outdated)
    assert len(stored_items(db, App)) == 1


def test_an_upsert_makes_a_record_in_the_present_shape(db: DB) -> None:
    db(Counter.upsert(name="c").add(lambda c: c.count).by(1))
    db(Counter.upsert(name="c").add(lambda c: c.count).by(1))

    assert stored(db)["_shape"] == {"N": "2"}
    assert db(Counter.get(name="c").required()).count == 2


def test_an_upsert_of_an_earlier_shape_is_refused(db: DB) -> None:
    db(Counter(name="c").create())
    item = stored(db)
    del item["_shape"]
    put_item(db, App, item)

    with pytest.raises(Outdated):
        db(Counter.upsert(name="c").add(lambda c: c.count).by(1))


def test_an_upsert_over_an_expired_earlier_shape_makes_a_new_record(db: DB) -> None:
    db(Counter(name="c", count=7).create())
    item = stored(db)
    del item["_shape"]
    put_item(db, App, item | {"expires": {"N": "1000"}})

    made = db(Counter.upsert(name="c").add(lambda c: c.count).by(1))

    assert made.count == 1
    assert stored(db)["_shape"] == {"N": "2"}


def test_a_create_over_an_earlier_shape_is_refused(db: DB) -> None:
    store_user(db)

    with pytest.raises(AlreadyExists):
        db(User(user_id="u", first="Bea", last="Lee").create())


def test_a_version_guards_what_was_upcast(db: DB) -> None:
    store_account(db)
    one, other = account(db), account(db)

    assert db(one.replace(before=one)).rev == 4
    with pytest.raises(VersionConflict):
        db(other.replace(before=other))


def test_a_record_from_before_there_was_a_version_gets_one(db: DB) -> None:
    store_account(db)
    item = stored(db)
    del item["rev"]
    put_item(db, App, item)
    one, other = account(db), account(db)

    assert db(one.replace(before=one)).rev == 1
    with pytest.raises(VersionConflict):
        db(other.replace(before=other))


def test_a_unique_field_is_held_through_a_change_of_shape(db: DB) -> None:
    db(Account(account_id="a", email="a@x", plan="pro").create())
    item = next(item for item in stored_items(db, App) if item["SK"] == {"S": "ACCOUNT"})
    del item["_shape"], item["plan"]
    put_item(db, App, item)

    before = account(db)
    db(before.model_copy(update={"email": "b@x"}).replace(before=before))

    locks = [i["PK"]["S"] for i in stored_items(db, App) if i["SK"] == {"S": "UNIQUE"}]
    assert locks == ["UNIQUE#Account#email#b@x"]


def test_replacing_an_earlier_shape_locks_its_unique_value(db: DB) -> None:
    store_account(db, email={"S": "a@x"})  # stored when the field was not unique

    before = account(db)
    db(before.replace(before=before))

    assert db(Account.get_by(email="a@x")) == account(db)
    with pytest.raises(NotUnique):
        db(Account(account_id="b", email="a@x", plan="pro").create())


def test_a_deleted_record_is_returned_in_the_current_shape(db: DB) -> None:
    store_user(db)

    deleted = db(User.delete(user_id="u"))

    assert deleted
    assert deleted.first == "Ann"


def test_an_upcast_that_fails_names_the_record_and_the_shape(db: DB) -> None:
    store_user(db, name={"N": "7"})

    with pytest.raises(Unreadable, match=r"USER#u.*upcasting from shape 1 raised AttributeError"):
        user(db)


def forgets_to_return(_: dict[str, Any]) -> Any:
    return None


def leaves_an_object(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"when": object()}


def changes_the_key(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"thing_id": "other"}


@pytest.mark.parametrize(
    ("upcast", "message"),
    [
        (forgets_to_return, "returned None, not the item"),
        (leaves_an_object, "left a value that"),
        (changes_the_key, "a record keeps its primary key"),
    ],
)
def test_an_upcast_that_makes_no_record_says_so(db: DB, upcast: Any, message: str) -> None:
    class Thing(Entity, table=App, upcasts=(upcast,)):
        thing_id: str
        primary = App.primary.key("THING#{thing_id}", "THING")

    db(Thing(thing_id="t").create())
    item = stored(db)
    del item["_shape"]
    put_item(db, App, item)

    with pytest.raises(Unreadable, match=message):
        db(Thing.get(thing_id="t"))


def test_a_field_under_the_name_of_the_shape_is_refused() -> None:
    with pytest.raises(DesignError, match="SK118 shape-clash"):

        class Clash(Entity, table=App):  # pyright: ignore[reportUnusedClass]
            clash_id: str
            shape: Annotated[int, Stored("_shape")]
            primary = App.primary.key("CLASH#{clash_id}", "CLASH")
