"""An erased shop leaves no records."""

from pathlib import Path

import pytest
from tests.access.executors import stored_items
from tests.systems.shuttle.conftest import CAFE, Watch, installed, job_id, queued
from tests.systems.shuttle.former import filled, row
from tests.systems.shuttle.test_defining import defined

from sortkey import DB, Op
from sortkey_systems.shuttle import erasing
from sortkey_systems.shuttle.design.erasing import erase_shop
from sortkey_systems.shuttle.design.sessions import session_by_id
from sortkey_systems.shuttle.design.shops import Shop, shop_by_domain
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.erasing import erase, purge, purge_due
from sortkey_systems.shuttle.errors import (
    BadInput,
    NotDueForPurge,
    ShopBeingErased,
    ShopNotFound,
)
from sortkey_systems.shuttle.installing import find_shop, install, uninstall
from sortkey_systems.shuttle.metering import record_storage
from sortkey_systems.shuttle.moving_sessions import move_sessions
from sortkey_systems.shuttle.signing_in import SignIn, sign_out, store_session
from sortkey_systems.shuttle.working import complete, record_batch, start

OTHER = "cafe.myshopify.company"


def lived(db: DB, domain: str = CAFE) -> None:
    """Store a shop with records of every kind."""
    installed(db, domain)
    queued(db, job_id(1), domain)
    start(db, domain, job_id(1))
    record_batch(db, domain, job_id(1), 0, successful=1, errors={"X": 1})
    complete(db, domain, job_id(1))
    queued(db, job_id(2), domain)
    record_storage(db, domain, 100)
    defined(db, 0, "a", domain=domain)
    for name in ("s1", "s2"):
        online = name == "s1"
        store_session(db, SignIn(f"{domain}_{name}", domain, "xyz", "token", is_online=online))


def test_an_erased_shop_leaves_nothing_and_others_keep_everything(db: DB) -> None:
    lived(db, OTHER)
    before = stored_items(db, Shuttle)
    lived(db)

    erase(db, CAFE)

    after = stored_items(db, Shuttle)
    assert sorted(map(str, after)) == sorted(map(str, before))


def test_what_has_expired_and_is_still_stored_goes_too(db: DB, watch: Watch) -> None:
    lived(db)
    watch.wait(days=400)

    erase(db, CAFE)

    assert stored_items(db, Shuttle) == []


def test_its_sessions_in_the_former_store_are_ended_too(db: DB, tmp_path: Path) -> None:
    lived(db)
    rows = [row("old"), row("kept", shop=OTHER)]
    with filled(f"sqlite:///{tmp_path}/former.db", rows) as former:
        erase(db, CAFE, former=former)

        assert former.get("old") is None
        assert former.get("kept") is not None
    # These marks prevent a move in progress from copying the sessions again.
    kinds = {item["_type"]["S"] for item in stored_items(db, Shuttle)}
    assert kinds == {"SignedOut"}


def test_sessions_that_were_moved_before_their_shop_was_installed_are_erased_too(
    memory: DB, tmp_path: Path
) -> None:
    rows = [row("old"), row("kept", shop=OTHER)]
    with filled(f"sqlite:///{tmp_path}/former.memory", rows) as former:
        list(move_sessions(memory, former))

    erase(memory, CAFE)

    assert memory(session_by_id("old")) is None
    assert memory(session_by_id("kept")) is not None


def test_erasing_may_be_repeated(db: DB) -> None:
    lived(db)
    erase(db, CAFE)

    erase(db, CAFE)

    assert stored_items(db, Shuttle) == []
    assert install(db, CAFE, shop_name="x", access_token="t").active_jobs == 0


def test_a_shop_is_purged_thirty_days_after_it_left_and_not_before(db: DB, watch: Watch) -> None:
    lived(db)
    uninstall(db, CAFE)
    watch.wait(days=30, seconds=-1)
    with pytest.raises(NotDueForPurge):
        purge(db, CAFE)
    assert list(purge_due(db)) == []

    watch.wait(seconds=1)

    assert list(purge_due(db)) == [CAFE]
    assert stored_items(db, Shuttle) == []


def test_a_shop_that_is_installed_is_not_purged(db: DB, watch: Watch) -> None:
    lived(db)
    uninstall(db, CAFE)
    watch.wait(days=31)
    install(db, CAFE, shop_name="x", access_token="t")
    before = stored_items(db, Shuttle)

    with pytest.raises(NotDueForPurge):
        purge(db, CAFE)

    assert stored_items(db, Shuttle) == before


def test_all_shops_that_are_due_are_purged(db: DB, watch: Watch) -> None:
    for number in range(51):
        installed(db, f"shop{number}.com")
        uninstall(db, f"shop{number}.com")
    watch.wait(days=30)
    installed(db)

    assert len(list(purge_due(db))) == 51
    assert len(stored_items(db, Shuttle)) == 1


def test_a_search_for_due_shops_reads_no_other_shops(memory: DB, watch: Watch) -> None:
    installed(memory)
    uninstall(memory, CAFE)
    watch.wait(days=29)

    with memory.budget() as calls:
        assert list(purge_due(memory)) == []

    assert sum(call.items_read for call in calls) == 0


def test_while_it_is_erased_nothing_is_written_for_it(
    db: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(db)
    sign_out(db, f"{CAFE}_s1")

    def died(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("sortkey_systems.shuttle.erasing._end_sessions", died)
        with pytest.raises(KeyboardInterrupt):
            erase(db, CAFE)

    for write in (
        lambda: install(db, CAFE, shop_name="x", access_token="t"),
        lambda: uninstall(db, CAFE),
        lambda: queued(db),
        lambda: record_storage(db, CAFE, 1),
        lambda: defined(db, 0, "a"),
        lambda: store_session(db, SignIn("new", CAFE, "xyz", "token")),
    ):
        with pytest.raises(ShopBeingErased):
            write()
    assert db(shop_by_domain(CAFE)) is not None
    erase(db, CAFE)
    assert stored_items(db, Shuttle) == []


def test_a_new_installation_outlives_an_erasure_that_another_call_has_finished(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(memory)

    def after_another(domain: str) -> Op[Shop | None]:
        memory(erase_shop(domain))
        install(memory, domain, shop_name="x", access_token="t")
        return erase_shop(domain)

    monkeypatch.setattr(erasing, "erase_shop", after_another)

    erase(memory, CAFE)

    assert find_shop(memory, CAFE).shop_name == "x"


def test_an_unknown_shop_cannot_be_purged(db: DB) -> None:
    erase(db, CAFE)
    with pytest.raises(ShopNotFound):
        purge(db, CAFE)
    for ask in (erase, purge):
        with pytest.raises(BadInput) as refused:
            ask(db, "a#b")
        assert refused.value.field == "domain"
    assert stored_items(db, Shuttle) == []
