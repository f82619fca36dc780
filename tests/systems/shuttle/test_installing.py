"""Shops are installed, changed and uninstalled."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from tests.access.executors import stored_items
from tests.systems.shuttle.conftest import CAFE, MORNING, Watch, installed, queued, shop

from sortkey import DB, Contended
from sortkey_systems.shuttle import installing
from sortkey_systems.shuttle.design.shops import (
    BillingStatus,
    JobMode,
    Plan,
    Shop,
    ShopSettings,
    active_shops,
    shop_by_domain,
    shops_by_install_date,
    shops_due_for_purge,
)
from sortkey_systems.shuttle.design.table import Shuttle
from sortkey_systems.shuttle.design.usage import usage_of_day
from sortkey_systems.shuttle.errors import BadInput, ShopNotActive, ShopNotFound
from sortkey_systems.shuttle.installing import (
    UninstallNotice,
    change_plan,
    change_settings,
    install,
    receive_uninstall,
    resume,
    suspend,
    uninstall,
)
from sortkey_systems.shuttle.signing_in import SignIn, load_session, store_session


def test_a_shop_begins_on_the_free_plan_and_active(db: DB) -> None:
    found = install(db, CAFE, shop_name="Café Olé", access_token="shpat_1")

    assert found == shop(db)
    assert (found.plan, found.billing_status) == (Plan.FREE, BillingStatus.ACTIVE)
    assert (found.installed_at, found.active_jobs, found.access_token) == (MORNING, 0, "shpat_1")
    assert found.settings == ShopSettings()


def test_a_shop_installs_with_settings(memory: DB) -> None:
    wanted = ShopSettings(default_mode=JobMode.OVERWRITE_EXISTING, locale="fr")

    install(memory, CAFE, shop_name="Café Olé", access_token="shpat_1", settings=wanted)

    assert shop(memory).settings == wanted


def test_its_token_is_not_stored_in_clear(db: DB) -> None:
    installed(db)

    [item] = stored_items(db, Shuttle)
    assert list(item["accessToken"]) == ["B"]
    assert "shpat_1" not in str(item)


def test_its_attributes_have_the_names_of_the_document(db: DB) -> None:
    installed(db)
    uninstall(db, CAFE)

    [item] = stored_items(db, Shuttle)
    assert item["PK"] == {"S": f"SHOP#{CAFE}"}
    assert item["SK"] == {"S": "METADATA"}
    assert item["GSI1PK"] == {"S": "SHOPS"}
    assert item["GSI2PK"] == {"S": "SHOPS#CANCELLED"}
    assert item["GSI3PK"] == {"S": "PURGE"}
    assert item["GSI3SK"] == {"S": f"2032-03-01T09:30:00.000000Z#{CAFE}"}
    assert {"shopName", "activeJobs", "plan", "installedAt", "uninstalledAt"} < item.keys()
    assert {"billingStatus", "settings"} < item.keys()
    assert not {"ShopDomain", "Status"} & item.keys()


def test_a_shop_that_installs_again_without_leaving_keeps_its_plan(db: DB, watch: Watch) -> None:
    installed(db, plan=Plan.LARGE)
    watch.wait(days=1)

    again = install(db, CAFE, shop_name="Café Nuevo", access_token="shpat_2")

    assert (again.plan, again.installed_at) == (Plan.LARGE, MORNING)
    assert (again.shop_name, again.access_token) == ("Café Nuevo", "shpat_2")


def test_a_reinstalled_shop_starts_on_the_free_plan_and_keeps_its_usage(
    db: DB, watch: Watch
) -> None:
    installed(db, plan=Plan.LARGE)
    queued(db)
    uninstall(db, CAFE)
    watch.wait(hours=1)

    back = install(db, CAFE, shop_name="Café Olé", access_token="shpat_2")

    assert (back.plan, back.billing_status) == (Plan.FREE, BillingStatus.ACTIVE)
    assert (back.installed_at, back.uninstalled_at) == (watch.now, None)
    usage = db(usage_of_day(CAFE, MORNING.date()))
    assert usage is not None
    assert usage.imports_count == 1
    assert not db(shops_due_for_purge(watch.now))
    assert [found.domain for found in db(active_shops())] == [CAFE]


def test_a_shop_that_leaves_is_cancelled_and_due_for_purge(db: DB) -> None:
    installed(db)

    left = uninstall(db, CAFE)

    assert (left.billing_status, left.uninstalled_at) == (BillingStatus.CANCELLED, MORNING)
    assert not db(active_shops())
    assert [found.domain for found in db(shops_due_for_purge(MORNING))] == [CAFE]
    assert [found.domain for found in db(shops_by_install_date())] == [CAFE]


def test_uninstalling_twice_keeps_the_first_time(db: DB, watch: Watch) -> None:
    installed(db)
    uninstall(db, CAFE)
    watch.wait(days=29)

    assert uninstall(db, CAFE).uninstalled_at == MORNING


def test_a_suspended_shop_is_not_among_the_active_ones_until_it_is_resumed(db: DB) -> None:
    installed(db)

    assert suspend(db, CAFE).billing_status is BillingStatus.SUSPENDED
    assert not db(active_shops())
    assert resume(db, CAFE).billing_status is BillingStatus.ACTIVE
    assert len(db(active_shops())) == 1


def test_settings_are_replaced_as_a_whole(db: DB) -> None:
    installed(db)
    wanted = ShopSettings(default_mode=JobMode.WIPE_AND_RESTORE, notify_email="a@b.c", locale="de")

    assert change_settings(db, CAFE, wanted).settings == wanted
    assert shop(db).settings == wanted


def test_an_uninstalled_shop_does_not_change(db: DB) -> None:
    installed(db)
    uninstall(db, CAFE)

    for change in (
        lambda: change_plan(db, CAFE, Plan.LARGE),
        lambda: resume(db, CAFE),
        lambda: suspend(db, CAFE),
        lambda: change_settings(db, CAFE, ShopSettings()),
    ):
        with pytest.raises(ShopNotActive) as refused:
            change()
        assert refused.value.status is BillingStatus.CANCELLED
    assert shop(db).plan is Plan.FREE


def test_an_unknown_shop_is_not_found(db: DB) -> None:
    asks: list[Callable[[str], Shop]] = [
        lambda domain: uninstall(db, domain),
        lambda domain: suspend(db, domain),
        lambda domain: resume(db, domain),
        lambda domain: change_plan(db, domain, Plan.SMALL),
        lambda domain: change_settings(db, domain, ShopSettings()),
    ]

    for ask in asks:
        with pytest.raises(ShopNotFound):
            ask(CAFE)
        with pytest.raises(BadInput) as refused:
            ask("a#b.com")
        assert refused.value.field == "domain"
    assert stored_items(db, Shuttle) == []


@pytest.mark.parametrize("domain", ["", "cafe", "Cafe.com", "a#b.com", "cafe.com/", "a" * 260])
def test_an_invalid_domain_is_rejected_by_field_and_nothing_is_written(db: DB, domain: str) -> None:
    with pytest.raises(BadInput) as refused:
        install(db, domain, shop_name="x", access_token="t")

    assert refused.value.field == "domain"
    assert stored_items(db, Shuttle) == []


def test_a_shop_without_a_name_is_rejected_by_field(db: DB) -> None:
    with pytest.raises(BadInput) as refused:
        install(db, CAFE, shop_name="", access_token="t")

    assert refused.value.field == "shop_name"


def test_domains_that_begin_alike_are_two_shops(db: DB) -> None:
    for domain in ("shop1.com", "shop1.company", "shop12.com"):
        installed(db, domain)

    uninstall(db, "shop1.com")

    found = db(active_shops())
    assert [shop.domain for shop in found] == ["shop1.company", "shop12.com"]
    assert isinstance(db(shop_by_domain("shop1.com")), Shop)


# Changes between the read of a shop and its write.


def being_erased(db: DB) -> None:
    db(Shop.update(domain=CAFE).set(lambda s: s.erasing_since).to(MORNING))


def left(db: DB) -> None:
    uninstall(db, CAFE)


CHANGES: dict[str, Callable[[DB], Shop]] = {
    "install": lambda db: install(db, CAFE, shop_name="Café", access_token="shpat_2"),
    "uninstall": lambda db: uninstall(db, CAFE),
    "change plan": lambda db: change_plan(db, CAFE, Plan.LARGE),
    "change settings": lambda db: change_settings(db, CAFE, ShopSettings(notify_email="a@b.org")),
    "suspend": lambda db: suspend(db, CAFE),
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("meanwhile", [being_erased, left])
def test_a_shop_that_has_changed_since_the_read_is_not_written(
    db: DB,
    change: str,
    meanwhile: Callable[[DB], None],
    watch: Watch,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read = installed(db)
    meanwhile(db)
    before = stored_items(db, Shuttle)
    watch.wait(seconds=1)

    def as_it_was(db: DB, domain: str) -> Shop:
        return read

    monkeypatch.setattr(installing, "find_shop", as_it_was)

    with pytest.raises((Contended, ShopNotActive)):
        CHANGES[change](db)

    assert stored_items(db, Shuttle) == before


@pytest.mark.parametrize("change", ["install", "uninstall"])
def test_an_installation_gives_up_after_five_conflicts(
    memory: DB, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = installed(memory)
    left(memory)
    asked: list[str] = []

    def as_it_was(db: DB, domain: str) -> Shop:
        asked.append(domain)
        return read

    monkeypatch.setattr(installing, "find_shop", as_it_was)

    with pytest.raises(Contended):
        CHANGES[change](memory)

    assert asked == [CAFE] * 5


# Notices of the platform.


def notice(name: str, sent_at: datetime) -> UninstallNotice:
    return UninstallNotice(name, sent_at)


def test_a_notice_uninstalls_a_shop_once(db: DB, watch: Watch) -> None:
    installed(db)
    store_session(db, SignIn("s1", CAFE, "xyz", "token"))
    watch.wait(seconds=1)

    for _ in range(2):
        receive_uninstall(db, CAFE, notice("n1", watch.now))

    assert shop(db).uninstalled_at == watch.now
    assert load_session(db, "s1") is None
    assert stored_items(db, Shuttle) == [
        item for item in stored_items(db, Shuttle) if item["_type"] == {"S": "Shop"}
    ]


def test_a_notice_ends_the_sessions_of_the_shop(db: DB, watch: Watch) -> None:
    installed(db)
    store_session(db, SignIn("s1", CAFE, "xyz", "token"))
    watch.wait(seconds=1)

    receive_uninstall(db, CAFE, notice("n1", watch.now))

    assert [item["_type"] for item in stored_items(db, Shuttle)] == [{"S": "Shop"}]


def test_a_notice_from_before_the_installation_changes_nothing(db: DB, watch: Watch) -> None:
    installed(db)
    first = notice("n1", watch.now + timedelta(seconds=1))
    watch.wait(days=1)
    receive_uninstall(db, CAFE, first)
    watch.wait(days=1)
    installed(db, plan=Plan.LARGE)
    before = stored_items(db, Shuttle)

    for late in (first, notice("n2", MORNING), notice("n1", watch.now)):
        receive_uninstall(db, CAFE, late)

    assert stored_items(db, Shuttle) == before
    assert shop(db).plan is Plan.LARGE


def test_a_repeated_notice_changes_nothing_although_the_clock_of_the_platform_is_ahead(
    db: DB, watch: Watch
) -> None:
    installed(db)
    ahead = notice("n1", watch.now + timedelta(minutes=4))
    receive_uninstall(db, CAFE, ahead)
    assert shop(db).uninstalled_at == watch.now
    watch.wait(seconds=1)
    installed(db)

    receive_uninstall(db, CAFE, ahead)

    assert shop(db).uninstalled_at is None


def test_a_notice_that_comes_after_the_shop_has_returned_changes_nothing(
    db: DB, watch: Watch
) -> None:
    installed(db, plan=Plan.LARGE)
    left = notice("n1", watch.wait(days=1))
    watch.wait(seconds=1)
    install(db, CAFE, shop_name="Café Olé", access_token="shpat_2")
    before = stored_items(db, Shuttle)

    receive_uninstall(db, CAFE, left)

    assert stored_items(db, Shuttle) == before
    left = notice("n2", watch.wait(seconds=1))
    uninstall(db, CAFE)
    assert shop(db).uninstalled_at == watch.now
    watch.wait(seconds=1)
    installed(db)
    receive_uninstall(db, CAFE, left)
    assert shop(db).uninstalled_at is None


def test_a_notice_for_an_unknown_shop_changes_nothing(db: DB, watch: Watch) -> None:
    receive_uninstall(db, CAFE, notice("n1", watch.now))

    assert stored_items(db, Shuttle) == []


def test_a_notice_needs_an_id_and_a_time_that_has_passed(db: DB, watch: Watch) -> None:
    installed(db)

    for wrong in (
        notice("", watch.now),
        notice("n1", datetime(2032, 3, 1, 9)),  # noqa: DTZ001 - without a time zone
        notice("n1", watch.now + timedelta(hours=1)),
    ):
        with pytest.raises(BadInput):
            receive_uninstall(db, CAFE, wrong)
