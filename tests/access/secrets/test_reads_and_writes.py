"""Every write encrypts a secret and every read decrypts it; without keys, neither is possible."""

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from typing import Annotated

import pytest
from pydantic import BaseModel, Field
from tests.access.executors import stored_items
from tests.access.secrets.design import (
    HUSH,
    OLD,
    Login,
    Member,
    Numbered,
    Person,
    Price,
    Safe,
    User,
    WithKeys,
    user,
)

from sortkey import (
    DB,
    TTL,
    Entity,
    Keyring,
    Refused,
    Table,
    merged,
    reencrypt,
    secret,
)
from sortkey.operations.batch import BatchWrite


def test_every_read_opens_it(db: DB) -> None:
    db(user("u1", name="ann").create())
    db(user("u2", name="ann").create())
    db(Login(user_id="u1", at=1).create())
    by_name = User.query(User.by_name, name="ann")

    assert db(User.get(user_id="u1").required()).token == HUSH
    assert [u.token for u in db(by_name)] == [HUSH, HUSH]
    assert [u.token for u in db(by_name.page(1))] == [HUSH]
    assert [u.token for u in db(by_name.ge(user_id="u2"))] == [HUSH]
    assert [u.token for u in db(merged(by_name, by_name, by=lambda u: u.user_id))] == [HUSH, HUSH]
    assert [u.token for u in db(User.scan())] == [HUSH, HUSH]
    assert [u.token for u in db.each(User.scan())] == [HUSH, HUSH]
    assert [u.token for u in db.all(*User.scan().segments(1))[0]] == [HUSH, HUSH]
    assert [u and u.token for u in db.get_many([User.get(user_id=u) for u in ("u2", "u3")])] == [
        HUSH,
        None,
    ]
    both = db.snapshot(User.get(user_id="u1"), Login.get(user_id="u1", at=1))
    assert [found and found.token for found in both] == [HUSH, "public"]
    person = db(Person.load(user_id="u1"))
    assert person.user is not None
    assert (person.user.token, person.logins[0].token) == (HUSH, "public")
    assert db(by_name.count()) == 2


def test_every_write_seals_it_and_returns_it_open(db: DB) -> None:
    assert db(user("create").create()).token == HUSH
    assert db(user("put").put()).token == HUSH
    assert db(user("put", token="replaced").replace()).token == "replaced"
    loaded = db(User.get(user_id="create").required())
    assert db(loaded.update().set(lambda u: u.token).to("updated")).token == "updated"
    assert db(User.upsert(user_id="new").set(lambda u: u.token).to("upserted")).token == "upserted"
    assert db(User.update(user_id="new").set(lambda u: u.name).to("n")).token == "upserted"
    deleted = db(User.delete(user_id="new"))
    assert deleted is not None
    assert deleted.token == "upserted"
    db.write_many([user("batch").put(), User.delete(user_id="put")])
    db.transact(
        user("together").create(), User.update(user_id="batch").set(lambda u: u.token).to("t---")
    )

    assert {u.user_id: u.token for u in db(User.scan())} == {
        "create": "updated",
        "batch": "t---",
        "together": HUSH,
    }
    assert all(item["token"].keys() == {"B"} for item in stored_items(db, Safe))


def test_a_record_whose_writes_are_transactions_keeps_its_secret(db: DB) -> None:
    member = db(Member(member_id="m", email="a@x", token=HUSH).create())

    moved = db(member.update().set(lambda m: m.email).to("b@x"))
    changed = db(moved.update().set(lambda m: m.token).to("changed"))

    assert (moved.token, changed.token) == (HUSH, "changed")
    assert db(changed.delete()) == changed


def test_an_upsert_seals_a_default(db: DB) -> None:
    class Box(Entity, table=Safe):
        box_id: str
        code: Annotated[str, secret] = "0000"
        opened: int = 0

        primary = Safe.primary.key("BOX#{box_id}", "BOX")

    box = db(Box.upsert(box_id="b").add(lambda b: b.opened).by(1))

    assert box.code == "0000"
    assert [item["code"].keys() for item in stored_items(db, Safe)] == [{"B"}]


def test_an_upsert_over_an_expired_record_encrypts_the_new_one(opened: Callable[..., DB]) -> None:
    class Rooms(Table, name="{environment}-Rooms", ttl="expires"):
        pass

    class Room(Entity, table=Rooms):
        room_id: str
        code: Annotated[str, secret] = "0000"
        guests: int = 0
        expires: TTL | None = None

        primary = Rooms.primary.key("ROOM#{room_id}", "ROOM")

    db = opened(Rooms, secrets=Keyring(OLD))
    db(Room(room_id="r", code="1234", expires=datetime(2020, 1, 1, tzinfo=UTC)).put())

    room = db(Room.upsert(room_id="r").add(lambda r: r.guests).by(1))

    assert (room.code, room.guests) == ("0000", 1)
    assert db(Room.get(room_id="r")) == room


def test_bytes_sets_and_null_come_back(opened: Callable[..., DB]) -> None:
    class Parts(Table, name="{environment}-Parts"):
        pass

    class Part(Entity, table=Parts):
        part_id: str
        content: Annotated[bytes, secret]
        sizes: Annotated[set[Decimal], secret]
        note: Annotated[str | None, secret] = "none yet"

        primary = Parts.primary.key("PART#{part_id}", "PART")

    db = opened(Parts, secrets=Keyring(OLD))
    part = Part(part_id="p", content=b"\x00\x01", sizes={Decimal("1.5"), Decimal(-3)}, note=None)
    db(part.create())

    assert db(Part.get(part_id="p")) == part
    assert db(Part.scan().where(lambda p: p.note == None)) == [part]  # noqa: E711


def test_select_reads_a_secret_that_its_model_does_not_show(db: DB) -> None:
    class Token(BaseModel):
        token: str = Field(repr=False)

    db(user(name="ann").create())

    found = db(User.get(user_id="u1").select(Token))
    queried = db(User.query(User.by_name, name="ann").select(Token))

    assert found is not None
    assert [found.token, queried[0].token] == [HUSH, HUSH]
    assert HUSH not in repr(found)


def test_select_refuses_a_model_that_would_show_it() -> None:
    class Shown(BaseModel):
        token: str

    with pytest.raises(Refused, match=r"Shown.token is secret: declare it .* Field\(repr=False\)"):
        User.get(user_id="u1").select(Shown)


def test_a_key_that_is_a_number_binds_by_its_value(opened: Callable[..., DB]) -> None:
    db = opened(Numbered, secrets=Keyring(OLD))
    db(Price(amount=Decimal("1.50"), token=HUSH).create())

    assert [price.token for price in db(Price.scan())] == [HUSH]


def test_a_database_without_keys_refuses_before_it_sends_anything(
    opened: Callable[..., DB],
) -> None:
    db = opened(Safe)
    refused = pytest.raises(Refused, match=r"User.token is secret.*secrets=Keyring")

    for operation in (
        user().create(),
        User.get(user_id="u1"),
        User.query(user_id="u1"),
        User.scan(),
        Person.load(user_id="u1"),
        User.delete(user_id="u1"),
        User.update(user_id="u1").set(lambda u: u.name).to("x"),
        reencrypt(User),
    ):
        with refused:
            db(operation)
    with refused:
        db.transact(user().create())
    with refused:
        db.write_many([user().put()])
    with refused:
        db.get_many([User.get(user_id="u1")])
    with refused:
        db.snapshot(User.get(user_id="u1"))
    assert stored_items(db, Safe) == []


def test_the_other_fields_can_be_read_and_the_record_removed_without_keys(
    opened: Callable[..., DB],
) -> None:
    class Name(BaseModel):
        name: str

    db = opened(Safe, environment="shared", secrets=Keyring(OLD))
    db(user(name="ann").create())
    keyless = WithKeys(db, None)

    assert keyless(User.get(user_id="u1").select(Name)) == Name(name="ann")
    keyless(BatchWrite((User.delete(user_id="u1"),)))
    assert db(User.get(user_id="u1")) is None
