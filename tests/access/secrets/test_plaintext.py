"""A secret that was stored in plain text is read if its field says so, and then encrypted."""

from collections.abc import Callable
from typing import Annotated, Any

import pytest
from pydantic import BaseModel, Field
from tests.access.executors import Raw, put_item
from tests.access.secrets.design import NEW, OLD, WithKeys

from sortkey import (
    DB,
    Entity,
    Keyring,
    Refused,
    SecretUnreadable,
    Table,
    Version,
    VersionConflict,
    accepts_plaintext,
    reencrypt,
    secret,
)
from sortkey.access.backfill import Backfill
from sortkey.access.rewriting import Progress
from sortkey.testing import Outcome, explore


class Drawer(Table, name="{environment}-Drawer"):
    pass


class Injury(BaseModel):
    part: str
    since: int


class Device(Entity, table=Drawer):
    device_id: str
    token: Annotated[str, secret, accepts_plaintext]
    injuries: Annotated[list[Injury] | None, secret, accepts_plaintext] = None
    pin: Annotated[str | None, secret] = None
    uses: int = 0
    rev: Version = 0

    primary = Drawer.primary.key("DEVICE#{device_id}", "DEVICE")


class OnlyToken(BaseModel):
    token: str = Field(repr=False)


CLEAR: dict[str, Any] = {
    "PK": {"S": "DEVICE#d"},
    "SK": {"S": "DEVICE"},
    "token": {"S": "in clear"},
    "injuries": {"L": [{"M": {"part": {"S": "knee"}, "since": {"N": "2020"}}}]},
}
INJURIES = [Injury(part="knee", since=2020)]


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    db = opened(Drawer, secrets=Keyring(OLD))
    put_item(db, Drawer, CLEAR)
    return db


def stored(db: DB) -> dict[str, Any]:
    key = {name: CLEAR[name] for name in ("PK", "SK")}
    return db(Raw("GetItem", Drawer, {"Key": key, "ConsistentRead": True}))["Item"]


def run(db: DB, **settings: Any) -> Progress:
    [*_, last] = Backfill(db, [Device], **settings).run()
    return last


def test_a_value_in_plain_text_is_read_as_it_is(db: DB) -> None:
    device = db(Device.get(device_id="d").required())

    assert (device.token, device.injuries) == ("in clear", INJURIES)
    assert db(Device.query(device_id="d")) == db(Device.scan()) == [device]
    assert db(Device.get(device_id="d").select(OnlyToken).required()).token == "in clear"
    assert "in clear" not in repr(device)


def test_without_the_mark_it_is_refused(db: DB) -> None:
    put_item(db, Drawer, CLEAR | {"pin": {"S": "1234"}})

    with pytest.raises(SecretUnreadable, match="pin: is not encrypted"):
        db(Device.get(device_id="d"))


def test_an_encrypted_value_that_was_changed_is_refused_despite_the_mark(db: DB) -> None:
    db(Device(device_id="e", token="other").create())
    [other] = [d for d in db(Raw("Scan", Drawer, {}))["Items"] if d["PK"]["S"] == "DEVICE#e"]
    put_item(db, Drawer, CLEAR | {"token": other["token"]})

    with pytest.raises(SecretUnreadable, match="was not encrypted with the key"):
        db(Device.get(device_id="d"))


def test_every_write_of_the_field_encrypts(db: DB) -> None:
    device = db(Device.get(device_id="d").required())
    updated = db(device.update().set(lambda d: d.token).to("new"))
    assert (updated.token, updated.injuries) == ("new", INJURIES)
    assert (stored(db)["token"].keys(), stored(db)["injuries"].keys()) == ({"B"}, {"L"})

    db(updated.replace())
    assert (stored(db)["token"].keys(), stored(db)["injuries"].keys()) == ({"B"}, {"B"})
    assert db(Device.get(device_id="d").required()).injuries == INJURIES


def test_an_update_of_another_field_returns_the_value_in_plain_text(db: DB) -> None:
    assert db(Device.update(device_id="d").add(uses=1)).token == "in clear"


def test_a_database_without_keys_refuses_it(db: DB) -> None:
    with pytest.raises(Refused, match="opened without its keys"):
        WithKeys(db, None)(Device.get(device_id="d"))


def test_a_back_fill_encrypts_and_counts_it(db: DB) -> None:
    db(Device(device_id="e", token="other").create())
    assert (run(db, dry_run=True).encrypted, stored(db)) == (1, CLEAR)

    first, second = run(db), run(db)

    assert (first.rewritten, first.encrypted, first.current, first.failed) == (1, 1, 1, 0)
    assert (second.rewritten, second.encrypted, second.current) == (0, 0, 2)
    after = stored(db)
    assert (after["token"].keys(), after["injuries"].keys()) == ({"B"}, {"B"})
    device = db(Device.get(device_id="d").required())
    assert (device.token, device.injuries, device.rev) == ("in clear", INJURIES, 1)


def test_a_back_fill_encrypts_what_is_otherwise_current(db: DB) -> None:
    run(db)
    put_item(db, Drawer, stored(db) | {"token": {"S": "again"}})

    assert (run(db).encrypted, stored(db)["token"].keys()) == (1, {"B"})


def test_rotation_encrypts_it_too(db: DB) -> None:
    assert WithKeys(db, Keyring(NEW, OLD))(reencrypt(Device)).rewritten == 1
    assert stored(db)["token"].keys() == {"B"}


def test_a_back_fill_undoes_no_write_that_it_meets() -> None:
    db = DB.memory(Drawer, secrets=Keyring(OLD))
    put_item(db, Drawer, CLEAR)

    def change() -> None:
        device = db(Device.get(device_id="d").consistently().required())
        db(device.update().set(lambda d: d.token).to("changed"))

    def holds(outcomes: list[Outcome]) -> None:
        filled, changed = outcomes
        device = db(Device.get(device_id="d").required())
        assert device.token == ("changed" if changed.succeeded else "in clear")
        if filled.succeeded:
            assert stored(db)["token"].keys() == stored(db)["injuries"].keys() == {"B"}

    explored = explore(
        lambda: run(db),
        change,
        db=db,
        invariant=holds,
        errors=(VersionConflict,),
        lost_responses=False,
        crashes=False,
    )
    assert explored.schedules > 3
