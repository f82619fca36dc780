"""Sessions expire in time, and are read from the former store while it is in use."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.access.executors import stored_items
from tests.systems.shuttle.conftest import CAFE, MORNING, Watch, installed, queued
from tests.systems.shuttle.former import filled, row

from sortkey import DB, Done, Op, TransactionFailed
from sortkey.wire.errors import TransactionConflictException
from sortkey_systems.shuttle import signing_in
from sortkey_systems.shuttle.defining import define
from sortkey_systems.shuttle.design.erasing import StoredSession
from sortkey_systems.shuttle.design.sessions import SignedOut, session_by_id, sessions_of_shop
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.errors import (
    BadInput,
    SessionOfAnotherShop,
    ShopNotActive,
    ShopNotFound,
)
from sortkey_systems.shuttle.former_sessions import FormerSession
from sortkey_systems.shuttle.installing import install, uninstall
from sortkey_systems.shuttle.relational_sessions import RelationalSessions
from sortkey_systems.shuttle.signing_in import (
    SignIn,
    list_sessions,
    load_session,
    session_from,
    sign_out,
    store_session,
)

ONLINE: dict[str, Any] = {"is_online": True, "user_id": 4_000_000_000}


def signed_in(session_id: str = "s1", shop: str = CAFE, **given: Any) -> SignIn:
    return SignIn(session_id, shop, state="xyz", access_token="shpua_1", **given)


def test_a_session_is_stored_and_found_by_its_id_and_its_shop(db: DB) -> None:
    installed(db)

    session = store_session(db, signed_in(scope="read_products", **ONLINE))

    assert db(session_by_id("s1")) == session
    assert db(sessions_of_shop(CAFE)) == [session]
    assert (session.access_token, session.user_id) == ("shpua_1", 4_000_000_000)


def test_it_has_the_keys_and_attributes_of_the_document(db: DB) -> None:
    installed(db)
    person = {"first_name": "Ann", "last_name": "Lee", "email": "ann@a.com"}
    store_session(db, signed_in(scope="s", expires=MORNING, **ONLINE, **person))

    [item] = [item for item in stored_items(db, Shuttle) if item["_type"] == {"S": "Session"}]
    assert (item["PK"], item["SK"]) == ({"S": "SESSION#s1"}, {"S": "METADATA"})
    assert (item["GSI3PK"], item["GSI3SK"]) == ({"S": f"SHOP#{CAFE}"}, {"S": "SESSION#s1"})
    assert item["ExpiresAt"] == {"N": str(int(MORNING.timestamp()) + 86_400)}
    assert {"shop", "state", "isOnline", "scope", "expires", "userId"} < item.keys()
    for name in ("accessToken", "firstName", "lastName", "email"):
        assert list(item[name]) == ["B"]
    for value in ("shpua_1", *person.values()):
        assert value not in str(item)


def test_an_online_session_is_gone_after_a_day_however_much_it_is_used(
    db: DB, watch: Watch
) -> None:
    installed(db)
    store_session(db, signed_in(**ONLINE))
    watch.wait(hours=24, seconds=-1)
    assert load_session(db, "s1") is not None

    watch.wait(seconds=1)

    assert load_session(db, "s1") is None
    assert db(session_by_id("s1")) is None
    assert db(sessions_of_shop(CAFE)) == []


def test_an_offline_session_lives_for_a_year_from_its_last_use(db: DB, watch: Watch) -> None:
    installed(db)
    store_session(db, signed_in())
    watch.wait(days=364)

    used = load_session(db, "s1")

    assert used is not None
    assert used.expires_at == watch.now + timedelta(days=365)
    watch.wait(days=364)
    assert load_session(db, "s1") is not None
    watch.wait(days=365)
    assert load_session(db, "s1") is None


def test_an_offline_session_is_written_once_a_day_however_much_it_is_used(
    db: DB, watch: Watch
) -> None:
    installed(db)
    store_session(db, signed_in())
    before = stored_items(db, Shuttle)
    watch.wait(days=1, seconds=-1)
    load_session(db, "s1")
    assert stored_items(db, Shuttle) == before

    watch.wait(seconds=1)
    used = load_session(db, "s1")

    assert used is not None
    assert used.expires_at == watch.now + timedelta(days=365)
    assert db(session_by_id("s1")) == used


def test_a_session_ends_and_stays_ended(db: DB) -> None:
    installed(db)
    store_session(db, signed_in())

    for _ in range(2):
        sign_out(db, "s1")
        assert load_session(db, "s1") is None


def test_a_session_of_another_shop_is_not_overwritten(db: DB) -> None:
    installed(db)
    installed(db, "other.com")
    mine = store_session(db, signed_in())

    with pytest.raises(SessionOfAnotherShop):
        store_session(db, signed_in(shop="other.com"))

    assert db(session_by_id("s1")) == mine
    assert store_session(db, signed_in(scope="more")).scope == "more"


def test_a_session_needs_its_shop(db: DB) -> None:
    with pytest.raises(ShopNotFound):
        store_session(db, signed_in())
    assert stored_items(db, Shuttle) == []


def test_the_longest_id_in_any_script_fits_a_key(db: DB) -> None:
    installed(db)

    store_session(db, signed_in("🧶" * 250))

    assert load_session(db, "🧶" * 250) is not None
    with pytest.raises(BadInput) as refused:
        store_session(db, signed_in("s" * 251))
    assert refused.value.field == "session_id"


@pytest.mark.parametrize("session_id", ["", "a#b", "a" * 5_000])
def test_an_id_that_does_not_fit_a_key_is_rejected_by_field(db: DB, session_id: str) -> None:
    installed(db)

    for ask in (
        lambda: store_session(db, signed_in(session_id)),
        lambda: load_session(db, session_id),
        lambda: sign_out(db, session_id),
    ):
        with pytest.raises(BadInput) as refused:
            ask()
        assert refused.value.field == "session_id"


def test_a_time_without_a_zone_is_rejected_by_field_and_nothing_is_written(db: DB) -> None:
    installed(db)
    before = stored_items(db, Shuttle)

    with pytest.raises(BadInput) as refused:
        store_session(db, signed_in(expires=MORNING.replace(tzinfo=None)))

    assert refused.value.field == "expires"
    assert stored_items(db, Shuttle) == before


@pytest.fixture
def former(tmp_path: Path) -> Iterator[RelationalSessions]:
    rows = [row("s1"), row("s2", expires=MORNING)]
    with filled(f"sqlite:///{tmp_path}/former.db", rows) as former:
        yield former


def test_a_session_that_was_not_moved_yet_is_read_from_the_former_store(
    db: DB, former: RelationalSessions
) -> None:
    found = load_session(db, "s1", former=former)

    assert found is not None
    assert (found.session_id, found.shop, found.access_token) == ("s1", CAFE, "shpat_s1")
    assert load_session(db, "s1") is None
    assert load_session(db, "s3", former=former) is None


def test_one_that_has_expired_there_is_gone(db: DB, former: RelationalSessions) -> None:
    assert load_session(db, "s2", former=former) is None


def test_one_that_was_stored_since_is_read_from_the_table(
    db: DB, former: RelationalSessions
) -> None:
    installed(db)
    store_session(db, signed_in())

    found = load_session(db, "s1", former=former)

    assert found is not None
    assert found.access_token == "shpua_1"


def test_one_that_is_ended_is_ended_in_both(db: DB, former: RelationalSessions) -> None:
    installed(db)
    store_session(db, signed_in())

    sign_out(db, "s1", former=former)

    assert load_session(db, "s1", former=former) is None
    assert former.get("s1") is None


def test_a_session_in_the_table_and_its_shop_are_read_once(
    memory: DB, former: RelationalSessions
) -> None:
    installed(memory)
    store_session(memory, signed_in())

    with memory.budget() as calls:
        load_session(memory, "s1", former=former)

    assert sum(len(call.exchanges) for call in calls) == 2


def test_the_mark_of_an_ended_session_is_kept_for_a_day_in_its_partition(
    memory: DB, former: RelationalSessions, watch: Watch
) -> None:
    installed(memory)
    store_session(memory, signed_in())
    [session] = [
        item for item in stored_items(memory, Shuttle) if item["_type"] == {"S": "Session"}
    ]

    sign_out(memory, "s1", former=former)

    [mark] = [item for item in stored_items(memory, Shuttle) if item["_type"] == {"S": "SignedOut"}]
    assert mark["PK"] == session["PK"]
    watch.wait(days=1, seconds=-1)
    assert memory(SignedOut.get(session_id="s1")) is not None
    watch.wait(seconds=1)
    assert memory(SignedOut.get(session_id="s1")) is None


@pytest.mark.parametrize("is_online", [True, False])
def test_a_session_is_not_served_after_its_own_expiry(
    db: DB, watch: Watch, *, is_online: bool
) -> None:
    installed(db)
    ends = watch.now + timedelta(hours=1)
    store_session(db, SignIn("s1", CAFE, "xyz", "t", is_online=is_online, expires=ends))
    assert load_session(db, "s1") is not None
    assert len(list_sessions(db, CAFE)) == 1

    watch.wait(seconds=3600)

    assert load_session(db, "s1") is None
    assert list_sessions(db, CAFE) == []


def test_sessions_end_when_their_shop_is_uninstalled_and_new_ones_are_refused(
    db: DB, watch: Watch
) -> None:
    installed(db)
    store_session(db, SignIn("s1", CAFE, "xyz", "token"))
    define(db, CAFE, after=0, metafields=[], metaobjects=[])

    uninstall(db, CAFE)

    assert load_session(db, "s1") is None
    assert list_sessions(db, CAFE) == []
    for refused in (
        lambda: store_session(db, SignIn("s2", CAFE, "xyz", "token")),
        lambda: define(db, CAFE, after=1, metafields=[], metaobjects=[]),
        lambda: queued(db),
    ):
        with pytest.raises(ShopNotActive):
            refused()
    watch.wait(seconds=1)
    install(db, CAFE, shop_name="x", access_token="t")
    assert load_session(db, "s1") is None
    store_session(db, SignIn("s2", CAFE, "xyz", "token"))
    assert load_session(db, "s2") is not None


def moved(db: DB) -> None:
    """Store a session as the move from the former store does: it names no installation."""
    former = FormerSession("s1", CAFE, "xyz", False, None, None, "token", None)
    session = session_from(former)
    assert session is not None
    db(session.create())


def stored_here(db: DB) -> None:
    store_session(db, SignIn("s1", CAFE, "xyz", "token"))


@pytest.mark.parametrize("stored", [stored_here, moved])
def test_a_session_that_an_uninstall_did_not_find_is_not_valid_after_the_next_installation(
    stored: Callable[[DB], None], memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(memory)
    stored(memory)
    assert load_session(memory, "s1") is not None

    def missed(_shop: str) -> Op[list[StoredSession]]:
        return Done([])

    with monkeypatch.context() as patch:
        patch.setattr(signing_in, "stored_session_ids", missed)
        uninstall(memory, CAFE)
    assert memory(session_by_id("s1")) is not None
    assert load_session(memory, "s1") is None
    watch.wait(seconds=1)

    install(memory, CAFE, shop_name="x", access_token="t")

    assert load_session(memory, "s1") is None
    assert list_sessions(memory, CAFE) == []


def test_a_session_that_could_not_be_extended_is_not_reported_as_ended(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(memory)
    store_session(memory, SignIn("s1", CAFE, "xyz", "token"))
    watch.wait(days=100)

    def meets_another(*_: object) -> Any:
        raise TransactionFailed([None, TransactionConflictException("another")])

    monkeypatch.setattr(signing_in, "extend_session", meets_another)
    with pytest.raises(TransactionFailed):
        load_session(memory, "s1")
