"""An erased shop leaves no records, except its usage of the month and its suspension by a hash."""

import hmac
import os
from pathlib import Path

import pytest
from tests.access.executors import stored_items
from tests.systems.shuttle.conftest import (
    CAFE,
    MORNING,
    Watch,
    erased,
    installed,
    job_id,
    left_of_shops,
    queued,
)
from tests.systems.shuttle.former import filled, row
from tests.systems.shuttle.test_defining import defined

from sortkey import DB, Done, Op
from sortkey_systems.shuttle import erasing
from sortkey_systems.shuttle.defining import mark_validated
from sortkey_systems.shuttle.design.erasing import (
    Erasure,
    JobKey,
    OtherRecords,
    StoredSession,
    begin_erasure,
    erasure_by_id,
    erasures_under_way,
    other_records,
    stored_jobs,
)
from sortkey_systems.shuttle.design.history import ImportHistory
from sortkey_systems.shuttle.design.jobs import JobStatus
from sortkey_systems.shuttle.design.sessions import session_by_id
from sortkey_systems.shuttle.design.shops import (
    LIMITS,
    BillingStatus,
    JobMode,
    Plan,
    ShopSettings,
    shop_by_domain,
)
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.design.usage import usage_of_days, usage_of_month
from sortkey_systems.shuttle.erasing import (
    SETTLED_AFTER,
    erase,
    finish_erasures,
    purge,
    purge_due,
)
from sortkey_systems.shuttle.errors import (
    BadInput,
    DailyLimitReached,
    NotDueForPurge,
    SettingMissing,
    ShopBeingErased,
    ShopNotFound,
)
from sortkey_systems.shuttle.finding import find_shop
from sortkey_systems.shuttle.installing import (
    change_settings,
    install,
    resume,
    suspend,
    uninstall,
)
from sortkey_systems.shuttle.metering import record_storage
from sortkey_systems.shuttle.moving_sessions import move_sessions
from sortkey_systems.shuttle.retaining import HASH_KEY
from sortkey_systems.shuttle.signing_in import SignIn, load_session, sign_out, store_session
from sortkey_systems.shuttle.working import cancel, complete, find_job, record_batch, start

OTHER = "cafe.myshopify.company"


def lived(db: DB, domain: str = CAFE) -> None:
    """Store a shop with records of every kind."""
    installed(db, domain)
    queued(db, job_id(1), domain)
    start(db, domain, job_id(1))
    record_batch(db, domain, job_id(1), 0, successful=1, errors={"X": 1}, attempt=1)
    complete(db, domain, job_id(1), attempt=1)
    queued(db, job_id(2), domain)
    record_storage(db, domain, 100)
    defined(db, 0, "a", domain=domain)
    for name in ("s1", "s2"):
        online = name == "s1"
        store_session(db, SignIn(f"{domain}_{name}", domain, "xyz", "token", is_online=online))


def test_an_erased_shop_leaves_a_hash_and_others_keep_everything(db: DB, watch: Watch) -> None:
    lived(db, OTHER)
    before = stored_items(db, Shuttle)
    lived(db)

    erased(db, watch)

    after = [item for item in stored_items(db, Shuttle) if item not in before]
    assert len(after) + len(before) == len(stored_items(db, Shuttle))
    kinds = sorted(item["_type"]["S"] for item in after)
    assert kinds == ["Erasure", "RetainedUsage", "SessionIndex"]
    assert "cafe.myshopify.com" not in str(after).replace(OTHER, "")


def test_what_has_expired_and_is_still_stored_goes_too(db: DB, watch: Watch) -> None:
    lived(db)
    watch.wait(days=400)

    erased(db, watch)

    assert left_of_shops(db) == []


def test_its_sessions_in_the_former_store_are_ended_too(db: DB, tmp_path: Path) -> None:
    lived(db)
    rows = [row("old"), row("kept", shop=OTHER)]
    with filled(f"sqlite:///{tmp_path}/former.db", rows) as former:
        erase(db, CAFE, former=former)

        assert former.get("old") is None
        assert former.get("kept") is not None
    # The marks prevent a move in progress from copying the sessions again.
    kinds = {item["_type"]["S"] for item in stored_items(db, Shuttle)}
    assert kinds == {"SignedOut", "Shop", "Erasure", "RetainedUsage"}


def test_sessions_that_were_moved_before_their_shop_was_installed_are_erased_too(
    memory: DB, tmp_path: Path, watch: Watch
) -> None:
    rows = [row("old"), row("kept", shop=OTHER)]
    with filled(f"sqlite:///{tmp_path}/former.memory", rows) as former:
        list(move_sessions(memory, former))

    erased(memory, watch)

    assert memory(session_by_id("old")) is None
    assert memory(session_by_id("kept")) is not None
    assert memory(shop_by_domain(CAFE)) is None


def test_erasing_may_be_repeated(db: DB, watch: Watch) -> None:
    lived(db)
    first = erase(db, CAFE)

    assert erase(db, CAFE) == first
    assert first.retry_at == watch.now + SETTLED_AFTER
    watch.wait(seconds=SETTLED_AFTER.total_seconds())
    assert erase(db, CAFE).is_complete

    assert left_of_shops(db) == []
    assert erase(db, CAFE).erasure_id is None
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
    assert left_of_shops(db) == []


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
    assert len(left_of_shops(db)) == 1


def test_a_search_for_due_shops_reads_no_other_shops(memory: DB, watch: Watch) -> None:
    installed(memory)
    uninstall(memory, CAFE)
    watch.wait(days=29)

    with memory.budget() as calls:
        assert list(purge_due(memory)) == []

    assert sum(call.items_read for call in calls) == 0


def test_while_it_is_erased_nothing_is_written_for_it(db: DB, watch: Watch) -> None:
    lived(db)
    start(db, CAFE, job_id(2))
    mark = Erasure(erasure_id=job_id(7), domain=CAFE, started_at=watch.now)
    db(begin_erasure(CAFE, mark))
    before = stored_items(db, Shuttle)

    for write in (
        lambda: install(db, CAFE, shop_name="x", access_token="t"),
        lambda: uninstall(db, CAFE),
        lambda: change_settings(db, CAFE, ShopSettings()),
        lambda: queued(db),
        lambda: record_batch(db, CAFE, job_id(2), 0, successful=1, attempt=1),
        lambda: complete(db, CAFE, job_id(2), attempt=1),
        lambda: cancel(db, CAFE, job_id(2)),
        lambda: record_storage(db, CAFE, 1),
        lambda: defined(db, 1, "a"),
        lambda: mark_validated(db, CAFE, 1),
        lambda: store_session(db, SignIn("new", CAFE, "xyz", "token")),
    ):
        with pytest.raises(ShopBeingErased):
            write()
    assert load_session(db, f"{CAFE}_s2") is None
    assert stored_items(db, Shuttle) == before
    assert erase(db, CAFE).erasure_id == job_id(7)
    watch.wait(seconds=SETTLED_AFTER.total_seconds())
    assert finish_erasures(db).finished == (job_id(7),)
    assert left_of_shops(db) == []


def test_the_mark_removes_the_name_the_token_and_the_settings(db: DB, watch: Watch) -> None:
    lived(db)
    change_settings(db, CAFE, ShopSettings(notify_email="ann@cafe.org"))

    erase(db, CAFE)

    marked = db(shop_by_domain(CAFE))
    assert marked is not None
    assert (marked.shop_name, marked.access_token) == ("erased", None)
    assert marked.settings == ShopSettings()


def test_the_end_of_an_erasure_is_recorded_without_the_domain(db: DB, watch: Watch) -> None:
    lived(db)
    erasure_id = erase(db, CAFE).erasure_id
    assert erasure_id is not None
    assert [found.domain for found in db(erasures_under_way())] == [CAFE]
    started = watch.now
    watch.wait(seconds=SETTLED_AFTER.total_seconds())

    finish_erasures(db)

    found = db(erasure_by_id(erasure_id))
    assert found == Erasure(erasure_id=erasure_id, started_at=started, finished_at=watch.now)
    assert list(db(erasures_under_way())) == []


def test_the_slower_of_two_erasures_deletes_nothing_of_a_shop_that_is_installed_again(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(memory)
    uninstall(memory, CAFE)
    watch.wait(seconds=SETTLED_AFTER.total_seconds())

    def after_another(domain: str) -> Op[list[JobKey]]:
        monkeypatch.setattr(erasing, "stored_jobs", stored_jobs)
        slow = memory(stored_jobs(domain))
        assert erase(memory, CAFE).is_complete
        install(memory, CAFE, shop_name="x", access_token="t")
        queued(memory, job_id(2))
        return Done(slow)

    monkeypatch.setattr(erasing, "stored_jobs", after_another)

    erase(memory, CAFE)

    assert find_shop(memory, CAFE).shop_name == "x"
    assert find_job(memory, CAFE, job_id(2)).status is JobStatus.QUEUED


def test_a_shop_with_more_records_than_fit_a_transaction_is_erased(
    memory: DB, watch: Watch
) -> None:
    installed(memory)
    for number in range(250):
        row = ImportHistory(
            domain=CAFE,
            job_id=job_id(number),
            completed_at=watch.now,
            products_imported=1,
            error_count=0,
            mode=JobMode.NEW_ONLY,
            duration_ms=1,
        )
        memory(row.create())
        store_session(memory, SignIn(f"s{number}", CAFE, "xyz", "token"))

    erased(memory, watch)

    assert left_of_shops(memory) == []


def test_a_session_that_another_shop_has_meanwhile_is_not_erased(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(memory, OTHER)
    installed(memory)
    for name in ("s1", "s2"):
        store_session(memory, SignIn(name, CAFE, "xyz", "token"))
    sign_out(memory, "s1")
    store_session(memory, SignIn("s1", OTHER, "xyz", "token"))
    late = [StoredSession(session_id="s1"), StoredSession(session_id="s2")]

    def listed(_domain: str) -> Op[list[StoredSession]]:
        return Done(late)

    monkeypatch.setattr(erasing, "stored_session_ids", listed)

    erased(memory, watch)

    assert load_session(memory, "s1") is not None
    assert load_session(memory, "s2") is None


# Limits and suspensions outlive a shop.


def test_an_erased_shop_that_is_installed_again_has_its_usage_of_the_month(
    db: DB, watch: Watch
) -> None:
    lived(db)
    watch.wait(days=1)
    record_storage(db, CAFE, 7)
    days, month = db(usage_of_days(CAFE, MORNING.date(), watch.now.date())), f"{watch.now:%Y-%m}"
    before = db(usage_of_month(CAFE, month))
    assert len(days) == 2
    erased(db, watch)
    assert db(usage_of_month(CAFE, month)) is None

    install(db, CAFE, shop_name="x", access_token="t")

    assert db(usage_of_month(CAFE, month)) == before
    assert db(usage_of_days(CAFE, MORNING.date(), watch.now.date())) == days
    kinds = {item["_type"]["S"] for item in stored_items(db, Shuttle)}
    assert "RetainedUsage" not in kinds


def test_erasing_does_not_reset_the_limit_of_the_day(db: DB, watch: Watch) -> None:
    installed(db)
    for number in range(LIMITS[Plan.FREE].imports_per_day):
        queued(db, job_id(number))
        cancel(db, CAFE, job_id(number))

    erased(db, watch)
    install(db, CAFE, shop_name="x", access_token="t")

    with pytest.raises(DailyLimitReached):
        queued(db)


def test_what_was_used_is_forgotten_at_the_end_of_the_month(db: DB, watch: Watch) -> None:
    lived(db)
    erased(db, watch)
    watch.wait(days=31)

    install(db, CAFE, shop_name="x", access_token="t")

    assert db(usage_of_month(CAFE, "2032-03")) is None
    assert db(usage_of_month(CAFE, "2032-04")) is None


@pytest.mark.parametrize("leave", ["uninstall", "erase", "uninstall and erase"])
def test_a_suspended_shop_that_leaves_and_returns_is_still_suspended(
    db: DB, watch: Watch, leave: str
) -> None:
    installed(db)
    suspend(db, CAFE)
    if "uninstall" in leave:
        uninstall(db, CAFE)
    if "erase" in leave:
        erased(db, watch)

    back = install(db, CAFE, shop_name="x", access_token="t")

    assert back.billing_status is BillingStatus.SUSPENDED
    assert resume(db, CAFE).billing_status is BillingStatus.ACTIVE
    uninstall(db, CAFE)
    erased(db, watch)
    again = install(db, CAFE, shop_name="x", access_token="t")
    assert again.billing_status is BillingStatus.ACTIVE


def test_without_the_key_of_the_hash_nothing_is_erased_or_installed(
    memory: DB, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(memory)
    monkeypatch.delenv(HASH_KEY)

    with pytest.raises(SettingMissing):
        install(memory, OTHER, shop_name="x", access_token="t")
    with pytest.raises(SettingMissing):
        erase(memory, CAFE)

    shop = memory(shop_by_domain(CAFE))
    assert shop is not None
    assert shop.erasure_id is None
    assert len(memory(stored_jobs(CAFE))) == 2


def test_only_the_key_tells_which_shop_a_hash_stands_for(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(memory)
    suspend(memory, CAFE)
    erased(memory, watch)
    digest = hmac.new(os.environ[HASH_KEY].encode(), CAFE.encode(), "sha256").hexdigest()

    left = [item["PK"]["S"] for item in stored_items(memory, Shuttle) if "digest" in item]
    assert left == [f"ERASED#{digest}"] * 2

    monkeypatch.setenv(HASH_KEY, "another key")
    found = install(memory, CAFE, shop_name="x", access_token="t")
    assert found.billing_status is BillingStatus.ACTIVE


def test_an_erasure_that_fails_does_not_stop_the_others(
    memory: DB, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    lived(memory)
    lived(memory, OTHER)
    ids = [erase(memory, domain).erasure_id for domain in (CAFE, OTHER)]
    watch.wait(seconds=SETTLED_AFTER.total_seconds())

    def broken(domain: str) -> Op[OtherRecords]:
        if domain == CAFE:
            raise RuntimeError("broken")
        return other_records(domain)

    with monkeypatch.context() as patch:
        patch.setattr(erasing, "other_records", broken)
        done = finish_erasures(memory)

    assert done.finished == (ids[1],)
    assert list(done.failed) == [ids[0]]
    assert finish_erasures(memory).finished == (ids[0],)


def test_an_unknown_shop_cannot_be_purged(db: DB) -> None:
    erase(db, CAFE)
    with pytest.raises(ShopNotFound):
        purge(db, CAFE)
    for ask in (erase, purge):
        with pytest.raises(BadInput) as refused:
            ask(db, "a#b")
        assert refused.value.field == "domain"
    assert left_of_shops(db) == []
