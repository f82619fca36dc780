"""A back-fill updates records to what the design would write now, and loses no other change."""

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path as File
from typing import Annotated, Any
from unittest.mock import patch

import pytest
from tests.access import design
from tests.access.executors import put_item, stored_items

from sortkey import (
    DB,
    TTL,
    Entity,
    Keyring,
    LocalKey,
    Refused,
    Table,
    Version,
    gsi,
    secret,
    unique,
)
from sortkey.access.backfill import Backfill, Limiter, OtherState
from sortkey.access.observing import Call, Exchange
from sortkey.access.rewriting import Progress
from sortkey.expressions.tree import AttributeExists, Path
from sortkey.operations import rewrite
from sortkey.testing import ExplorationFailed, Outcome, explore


class App(Table, name="{environment}-Backfill", ttl="expires"):
    gsi1 = gsi("GSI1PK", "GSI1SK")
    gsi2 = gsi("GSI2PK", "GSI2SK")


def split_name(item: dict[str, Any]) -> dict[str, Any]:
    item["first"], _, item["last"] = item.pop("name").partition(" ")
    return item


class User(Entity, table=App, upcasts=(split_name,)):
    user_id: str
    first: str
    last: str
    nick: str | None = None
    logins: int = 0
    expires: TTL | None = None

    primary = App.primary.key("USER#{user_id}", "USER")
    by_last = App.gsi1.key("LAST#{last}", "{first}")


def lower_email(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"email": item["email"].lower()}


class Account(Entity, table=App, upcasts=(lower_email,)):
    account_id: str
    email: Annotated[str, unique]
    plan: str = "free"
    rev: Version = 0

    primary = App.primary.key("ACCOUNT#{account_id}", "ACCOUNT")


class Order(Entity, table=App):
    """Always had this shape; its index is new, and sharded."""

    order_id: int
    status: str = "open"

    primary = App.primary.key("ORDER#{order_id:06d}", "ORDER")
    by_status = App.gsi2.key("STATUS#{status}", "{order_id:06d}", shards=4)


MOMENT = datetime(2026, 1, 2, 3, 4, 5, 600, UTC)
ALL: tuple[type[Entity], ...] = (User, Account, Order)


@pytest.fixture
def db(opened: Callable[..., DB]) -> DB:
    return opened(App)


def old_user(user_id: str = "u", name: str = "Ann Lee", **attributes: Any) -> dict[str, Any]:
    """A user as the first program stored it, with a key of an index that no longer exists."""
    return {
        "PK": {"S": f"USER#{user_id}"},
        "SK": {"S": "USER"},
        "GSI2PK": {"S": f"NAME#{name}"},
        "_type": {"S": "User"},
        "user_id": {"S": user_id},
        "name": {"S": name},
    } | attributes


def old_account(account_id: str = "a", email: str = "Ann@X") -> dict[str, Any]:
    return {
        "PK": {"S": f"ACCOUNT#{account_id}"},
        "SK": {"S": "ACCOUNT"},
        "_type": {"S": "Account"},
        "account_id": {"S": account_id},
        "email": {"S": email},
        "rev": {"N": "3"},
    }


def lock_of(account_id: str, email: str) -> dict[str, Any]:
    owner = {"PK": {"S": f"ACCOUNT#{account_id}"}, "SK": {"S": "ACCOUNT"}}
    return {
        "PK": {"S": f"UNIQUE#Account#email#{email}"},
        "SK": {"S": "UNIQUE"},
        "_type": {"S": "unique lock"},
        "_owner": {"M": owner},
    }


def old_order(number: int) -> dict[str, Any]:
    return {
        "PK": {"S": f"ORDER#{number:06d}"},
        "SK": {"S": "ORDER"},
        "_type": {"S": "Order"},
        "order_id": {"N": str(number)},
        "status": {"S": "open"},
    }


def run(db: DB, *entities: type[Entity], **settings: Any) -> Progress:
    *_, last = Backfill(db, entities or ALL, **settings).run()
    return last


def stored(db: DB, key: str) -> dict[str, Any]:
    [item] = [item for item in stored_items(db, App) if item["PK"] == {"S": key}]
    return item


def test_an_earlier_shape_becomes_the_present_one_with_every_key(db: DB) -> None:
    put_item(db, App, old_user())

    assert run(db).rewritten == 1

    fresh = User(user_id="u", first="Ann", last="Lee")
    assert stored(db, "USER#u") == fresh.create().params()["Item"]
    assert [user.user_id for user in db(User.query(User.by_last, last="Lee"))] == ["u"]
    assert db(User.update(user_id="u").add(lambda u: u.logins).by(1)).logins == 1


def test_a_second_run_finds_nothing_to_do(db: DB) -> None:
    put_item(db, App, old_user())
    put_item(db, App, old_account())
    put_item(db, App, old_order(1))
    db(User(user_id="v", first="Bea", last="Lee", nick="b").create())

    first, second = run(db), run(db)

    assert (first.rewritten, first.current) == (3, 1)
    assert (second.rewritten, second.current, second.failed) == (0, 4, 0)


def test_a_record_that_was_just_written_is_as_it_should_be(opened: Callable[..., DB]) -> None:
    db = opened(design.App)
    address = design.Address(city="Oslo")
    records: list[Any] = [
        design.Member(
            org_id="o", member_id="m", email="a@x", badge=7, tags={"b", "a"}, address=address
        ),
        design.Order(org_id="o", order_id=1, placed=MOMENT, total=Decimal("1.50"), note="n"),
        design.Player(player_id="p", game="g", score=10**20),
        design.Visit(user_id="u", visit_id="v", expires=MOMENT + timedelta(days=36500)),
        design.Event(stream_id="s", number=1, what="it"),
    ]
    for record in records:
        db(record.create())

    done = run(db, *map(type, records))

    assert (done.current, done.rewritten, done.failed) == (5, 0, 0)


def test_a_new_index_and_its_shards_are_filled(db: DB) -> None:
    for number in range(40):
        put_item(db, App, old_order(number))
    assert db(Order.query(Order.by_status, status="open")) == []

    assert run(db, segments=3).rewritten == 40

    found = db(Order.query(Order.by_status, status="open"))
    assert [order.order_id for order in found] == list(range(40))
    assert len({item["GSI2PK"]["S"] for item in stored_items(db, App, "gsi2")}) == 4


def test_what_the_design_knows_nothing_of_is_kept(db: DB) -> None:
    put_item(db, App, old_user(comment={"S": "by hand"}))

    run(db)

    assert stored(db, "USER#u")["comment"] == {"S": "by hand"}


def test_only_the_chosen_entities_are_rewritten(db: DB) -> None:
    put_item(db, App, old_user())
    put_item(db, App, old_order(1))

    done = run(db, Order)

    assert (done.read, done.rewritten, done.other) == (2, 1, 1)
    assert "name" in stored(db, "USER#u")


def test_a_dry_run_writes_nothing(db: DB, tmp_path: File) -> None:
    put_item(db, App, old_user())
    before = stored_items(db, App)

    assert run(db, dry_run=True, state=tmp_path / "state").rewritten == 1

    assert stored_items(db, App) == before
    assert list(tmp_path.iterdir()) == []


def test_a_version_is_incremented_so_that_writers_with_the_earlier_shape_fail(db: DB) -> None:
    put_item(db, App, old_account())

    run(db)

    assert stored(db, "ACCOUNT#a")["rev"] == {"N": "4"}


def test_a_unique_field_s_lock_moves_with_its_value(db: DB) -> None:
    put_item(db, App, old_account())
    put_item(db, App, lock_of("a", "Ann@X"))

    assert run(db).rewritten == 1

    locks = [item for item in stored_items(db, App) if item["SK"] == {"S": "UNIQUE"}]
    assert locks == [lock_of("a", "ann@x")]


@pytest.mark.parametrize("held", [True, False])
def test_a_value_that_stays_is_locked_whether_or_not_it_was(db: DB, held: bool) -> None:
    put_item(db, App, old_account(email="ann@x"))
    if held:
        put_item(db, App, lock_of("a", "ann@x"))

    assert run(db).rewritten == 1

    assert stored(db, "UNIQUE#Account#email#ann@x") == lock_of("a", "ann@x")


def test_a_field_that_becomes_unique_is_locked_only_by_another_shape(
    opened: Callable[..., DB],
) -> None:
    """Records that are up to date are not written, and so take no lock."""

    class Members(Table, name="{environment}-Members"):
        pass

    class Stored(Entity, table=Members, name="Member"):
        member_id: str
        email: str
        primary = Members.primary.key("MEMBER#{member_id}", "MEMBER")

    class Marked(Table, name="{environment}-Members"):
        pass

    class Member(Entity, table=Marked):
        member_id: str
        email: Annotated[str, unique]
        primary = Marked.primary.key("MEMBER#{member_id}", "MEMBER")

    class Upcast(Table, name="{environment}-Members"):
        pass

    class UpcastMember(Entity, table=Upcast, name="Member", upcasts=(dict,)):
        member_id: str
        email: Annotated[str, unique]
        primary = Upcast.primary.key("MEMBER#{member_id}", "MEMBER")

    db = opened(Members)
    db(Stored(member_id="a", email="ann@x").create())

    assert run(db, Member).current == 1
    assert len(stored_items(db, Members)) == 1
    assert run(db, UpcastMember).rewritten == 1
    assert len(stored_items(db, Members)) == 2


def test_a_value_that_another_record_holds_is_reported_and_left(db: DB) -> None:
    put_item(db, App, old_account(email="ANN@x"))
    put_item(db, App, lock_of("b", "ann@x"))

    done = run(db)

    assert (done.rewritten, done.failed) == (0, 1)
    assert done.failures[0].key == "ACCOUNT#a / ACCOUNT"
    assert "another Account already has this email" in done.failures[0].reason
    assert stored(db, "ACCOUNT#a") == old_account(email="ANN@x")


def test_a_lock_of_another_record_is_not_released(db: DB) -> None:
    put_item(db, App, old_account())
    put_item(db, App, lock_of("b", "Ann@X"))

    done = run(db)

    assert (done.rewritten, done.failed) == (1, 0)
    assert stored(db, "UNIQUE#Account#email#Ann@X") == lock_of("b", "Ann@X")
    assert stored(db, "UNIQUE#Account#email#ann@x") == lock_of("a", "ann@x")


def test_a_record_that_cannot_be_upcast_is_reported_and_the_others_are_rewritten(db: DB) -> None:
    broken = old_user("broken")
    del broken["name"]
    put_item(db, App, broken)
    put_item(db, App, old_user("fine"))

    done = run(db)

    assert (done.rewritten, done.failed) == (1, 1)
    assert done.failures[0].key == "USER#broken / USER"
    assert done.failures[0].reason.startswith("it cannot be read: _shape: upcasting from shape 1")
    assert stored(db, "USER#broken") == broken


@pytest.mark.parametrize("dry_run", [False, True])
def test_a_record_whose_key_cannot_be_built_is_reported_and_the_others_are_rewritten(
    db: DB, dry_run: bool
) -> None:
    put_item(db, App, old_user("solo", name="Solo"))
    put_item(db, App, old_user("fine"))

    done = run(db, dry_run=dry_run)

    assert (done.rewritten, done.failed) == (1, 1)
    assert done.failures[0].key == "USER#solo / USER"
    assert done.failures[0].reason.startswith("\"last\" = '' cannot be written as {last}")
    assert stored(db, "USER#solo") == old_user("solo", name="Solo")


def test_locks_are_not_taken_for_items_of_other_entities(db: DB) -> None:
    put_item(db, App, old_account(email="ann@x"))
    put_item(db, App, lock_of("a", "ann@x"))
    put_item(db, App, old_user())

    done = run(db, Account)

    assert (done.read, done.rewritten, done.locks, done.other) == (3, 1, 1, 1)


def test_a_record_that_cannot_be_compared_whole_is_left_and_says_what_to_do(db: DB) -> None:
    put_item(db, App, old_user() | {f"extra{n}": {"N": "1"} for n in range(120)})

    done = run(db)

    assert done.failed == 1
    assert (
        "too many to check whether it was changed: add a version to User" in done.failures[0].reason
    )


def test_a_large_record_goes_by_its_version(db: DB) -> None:
    put_item(db, App, old_account() | {f"extra{n}": {"N": "1"} for n in range(120)})

    assert run(db).rewritten == 1
    assert stored(db, "ACCOUNT#a")["rev"] == {"N": "4"}


def swell(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"text": item["text"] * 450_000}


class Note(Entity, table=App, upcasts=(swell,)):
    note_id: str
    text: str

    primary = App.primary.key("NOTE#{note_id}", "NOTE")


def test_a_record_that_would_be_too_large_is_reported_and_left(db: DB) -> None:
    db(Note(note_id="n", text="x").create())
    before = stored(db, "NOTE#n")
    del before["_shape"]
    put_item(db, App, before)

    done = run(db, Note)

    assert (done.failed, done.failures[0].key) == (1, "NOTE#n / NOTE")
    assert "size" in done.failures[0].reason
    assert stored(db, "NOTE#n") == before


def test_an_expired_record_is_left_to_its_fate(db: DB) -> None:
    put_item(db, App, old_user(expires={"N": "1000"}))

    assert (run(db).gone, run(db).rewritten) == (1, 0)


def without_a_dot(item: dict[str, Any]) -> dict[str, Any]:
    return item | {"token": item["token"].rstrip("."), "note": "new"}


class Vaulted(Entity, table=App, upcasts=(without_a_dot,)):
    vault_id: str
    token: Annotated[str, secret]
    note: str

    primary = App.primary.key("VAULT#{vault_id}", "VAULT")


@pytest.mark.parametrize("token", ["hush.", "hush"])
def test_a_secret_is_upcast_in_clear_and_stored_encrypted(
    opened: Callable[..., DB], token: str
) -> None:
    db = opened(App, secrets=Keyring(LocalKey("k", b"1" * 32)))
    db(Vaulted(vault_id="v", token=token, note="old").create())
    before = stored(db, "VAULT#v")
    del before["_shape"]
    put_item(db, App, before)

    first, second = run(db, Vaulted), run(db, Vaulted)

    after = stored(db, "VAULT#v")
    assert (first.rewritten, second.current) == (1, 1)
    assert (after["token"] == before["token"]) == (token == "hush")
    assert after["token"].keys() == before["token"].keys() == {"B"}
    assert db(Vaulted.get(vault_id="v").required()).token == "hush"


def test_a_secret_is_not_touched_without_its_keys(opened: Callable[..., DB]) -> None:
    with pytest.raises(Refused, match=r"Vaulted\.token is secret"):
        Backfill(opened(App), [Vaulted])


class Killed(Exception):  # noqa: N818 - what happens to a process
    pass


@contextmanager
def killed_after(writes: int) -> Generator[None]:
    """The process ends before a given write."""
    send = rewrite.send
    count = 0

    def sent(*arguments: Any, **members: Any) -> Any:
        nonlocal count
        count += 1
        if count > writes:
            raise Killed
        return send(*arguments, **members)

    with patch.object(rewrite, "send", sent), pytest.raises(Killed):
        yield


def test_a_run_that_was_ended_goes_on_where_it_was(db: DB, tmp_path: File) -> None:
    state = tmp_path / "state"
    for number in range(250):
        put_item(db, App, old_order(number))

    with killed_after(130):
        run(db, state=state)
    again = Backfill(db, ALL, state=state)
    *_, last = again.run()

    assert again.resumed
    # The second page was not finished, so it was read again: thirty of its records were up to date.
    assert (last.read, last.rewritten, last.current) == (250, 220, 30)
    assert run(db).current == 250
    assert not state.exists()


def test_failures_before_an_interruption_are_reported_at_the_end(db: DB, tmp_path: File) -> None:
    state = tmp_path / "state"
    broken = {f"b{n}" for n in range(3)}
    for user_id in broken:
        item = old_user(user_id)
        del item["name"]
        put_item(db, App, item)
    for number in range(200):
        put_item(db, App, old_order(number))

    with killed_after(150):
        run(db, state=state)
    last = run(db, state=state)

    assert (last.read, last.failed) == (203, 3)
    assert {failure.key for failure in last.failures} == {f"USER#{u} / USER" for u in broken}


def test_the_state_is_of_one_design_target_and_choice(db: DB, tmp_path: File) -> None:
    state = tmp_path / "state"
    for number in range(150):
        put_item(db, App, old_order(number))
    with killed_after(120):
        run(db, state=state, segments=1)

    with pytest.raises(OtherState, match="another design, target, environment or choice"):
        Backfill(db, [Order], state=state)
    with pytest.raises(OtherState, match="with 1 segment, not 2"):
        Backfill(db, ALL, state=state, segments=2)


@pytest.mark.parametrize("text", ["", "[]", '{"identity": "x"}'])
def test_a_file_that_is_not_a_state_is_refused(db: DB, tmp_path: File, text: str) -> None:
    state = tmp_path / "state"
    state.write_text(text)

    with pytest.raises(OtherState, match="is not the state of a back-fill"):
        Backfill(db, ALL, state=state)
    assert state.read_text() == text


def test_a_state_of_another_format_is_refused(db: DB, tmp_path: File) -> None:
    state = tmp_path / "state.json"
    next(iter(Backfill(db, ALL, state=state).run()))
    state.write_text(state.read_text().replace('"format": 1', '"format": 2'))

    with pytest.raises(OtherState, match="is not the state of a back-fill"):
        Backfill(db, ALL, state=state)


@pytest.mark.parametrize("settings", [{"segments": 0}, {"segments": -1}, {"rate": 0.0}])
def test_no_segments_and_no_rate_are_refused(db: DB, settings: dict[str, Any]) -> None:
    with pytest.raises(Refused, match="at least one segment, and a rate above 0"):
        Backfill(db, ALL, **settings)


def test_the_state_is_readable_json(db: DB, tmp_path: File) -> None:
    state = tmp_path / "state"
    for number in range(150):
        put_item(db, App, old_order(number))
    with killed_after(120):
        run(db, state=state)

    kept = json.loads(state.read_text())

    assert kept["progress"]["rewritten"] == 100
    assert list(kept["positions"]) == ["App"]


def test_units_are_spent_no_faster_than_the_rate() -> None:
    clock, pauses = [100.0], list[float]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        clock[0] += seconds

    limiter = Limiter(10, lambda: clock[0], pause)
    for units in (5.0, 20.0):
        limiter.spend(call(units))
        limiter.wait()
    clock[0] += 60  # unused units are not saved up
    limiter.spend(call(5.0))
    limiter.wait()

    assert pauses == [0.5, 2.0, 0.5]
    assert limiter.units == 30


def call(units: float) -> Call:
    exchange = Exchange("Scan", (), None, 0, 0, read_units=units)
    return Call("", "Scan", (exchange,), 0, 0)


def test_a_back_fill_keeps_to_its_rate(db: DB) -> None:
    for number in range(30):
        put_item(db, App, old_order(number))
    clock = [0.0]

    def pause(seconds: float) -> None:
        clock[0] += seconds

    limiter = Limiter(5, lambda: clock[0], pause)
    *_, last = Backfill(db, ALL, rate=5, limiter=limiter).run()

    assert last.rewritten == 30
    assert last.units >= 30
    # All but the last page has been paid for.
    assert clock[0] >= (last.units - 15) / 5


def memory() -> DB:
    return DB.memory(App)


def ignore_the_condition() -> Any:
    """The back-fill without its guarantee."""

    def exists(*_: Any) -> Iterator[AttributeExists]:
        yield AttributeExists(Path(("PK",)))

    return patch.object(rewrite.Rewrite, "_unchanged", exists)


def rename(db: DB) -> None:
    """A newer record, by the newer program."""
    loaded = db(User.get(user_id="u").consistently().required())
    db(loaded.model_copy(update={"last": "Smith"}).replace())


def in_agreement(db: DB) -> bool:
    """No change of a name is lost, and the index agrees with the record."""
    [user] = db(User.scan())
    found = db(User.query(User.by_last, last=user.last))
    return user.last == "Smith" and found == [user]


@pytest.mark.parametrize("guarded", [True, False])
def test_a_newer_record_is_never_overwritten(guarded: bool) -> None:
    with memory() as db:
        put_item(db, App, old_user())
        calls = (lambda: run(db, User), lambda: rename(db))
        if guarded:
            explored = explore(*calls, db=db, invariant=lambda: in_agreement(db), crashes=False)
            assert explored.schedules > 5
            return
        with ignore_the_condition(), pytest.raises(ExplorationFailed):
            explore(*calls, db=db, invariant=lambda: in_agreement(db), crashes=False)


def nickname(db: DB) -> None:
    """An attribute that was not there when the back-fill read the record."""
    loaded = db(User.get(user_id="u").consistently().required())
    db(loaded.model_copy(update={"nick": "annie"}).replace())


def test_what_was_added_meanwhile_is_kept() -> None:
    with memory() as db:
        put_item(db, App, old_user())

        def kept() -> bool:
            [user] = db(User.scan())
            return user.nick == "annie"

        explore(
            lambda: run(db, User),
            lambda: nickname(db),
            db=db,
            invariant=kept,
            crashes=False,
        )


def remove(db: DB) -> None:
    db(User.delete(user_id="u"))


def test_a_record_that_was_deleted_does_not_come_back() -> None:
    with memory() as db:
        put_item(db, App, old_user())
        explore(
            lambda: run(db, User),
            lambda: remove(db),
            db=db,
            invariant=lambda: db(User.scan()) == [],
            crashes=False,
        )


def begin_again(db: DB) -> None:
    """Another record under the same key, whose version is again the first."""
    loaded = db(Account.get(account_id="a").consistently().required())
    db(loaded.delete())
    db(Account(account_id="a", email="bea@x", plan="pro").create())


def test_a_record_that_was_created_again_with_the_same_version_is_not_overwritten() -> None:
    with memory() as db:
        db(Account(account_id="a", email="ann@x").create())
        put_item(db, App, stored(db, "ACCOUNT#a") | {"_shape": {"N": "1"}})

        def whole(outcomes: list[Outcome]) -> bool:
            account = stored(db, "ACCOUNT#a")
            locks = [i for i in stored_items(db, App) if i["SK"] == {"S": "UNIQUE"}]
            begun = (account["email"], account["rev"]) == ({"S": "bea@x"}, {"N": "1"})
            return locks == [lock_of("a", account["email"]["S"])] and (
                begun or outcomes[1].error is not None
            )

        explore(
            lambda: run(db, Account),
            lambda: begin_again(db),
            db=db,
            invariant=whole,
            crashes=False,
            lost_responses=False,
        )


@pytest.mark.acceptance
def test_two_back_fills_at_once_and_crashes_leave_the_record_whole() -> None:
    with memory() as db:
        put_item(db, App, old_account())
        put_item(db, App, lock_of("a", "Ann@X"))

        def whole() -> bool:
            locks = [i for i in stored_items(db, App) if i["SK"] == {"S": "UNIQUE"}]
            account = stored(db, "ACCOUNT#a")
            old = (account, locks) == (old_account(), [lock_of("a", "Ann@X")])
            new = locks == [lock_of("a", account["email"]["S"])] and "_shape" in account
            return old or new

        def once() -> Progress:
            return run(db, Account)

        explore(once, once, db=db, invariant=whole)
        explore(once, once, db=db, then=once, invariant=lambda: run(db).current == 1)
