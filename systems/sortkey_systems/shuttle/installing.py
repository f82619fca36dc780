"""Install and uninstall shops, and change their plans and settings."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sortkey import DB, ConditionFailed, Done, NotFound, Op, utc_now
from sortkey_systems.shuttle.design.shops import (
    BillingStatus,
    Plan,
    Shop,
    ShopSettings,
    mark_uninstalled,
    reinstall_shop,
    renew_shop,
    set_billing_status,
    set_plan,
    set_settings,
    shop_by_domain,
)
from sortkey_systems.shuttle.errors import (
    BadInput,
    ShopNotActive,
    ShopNotFound,
    raising_bad_input,
)
from sortkey_systems.shuttle.finding import find_shop
from sortkey_systems.shuttle.former_sessions import FormerSessions
from sortkey_systems.shuttle.retaining import added
from sortkey_systems.shuttle.signing_in import end_sessions

# A clock of the platform may be ahead of ours by this much.
CLOCK_SKEW = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class UninstallNotice:
    """A notice of the platform that a shop has uninstalled the application.

    The platform may deliver a notice late, and more than once: ``sent_at`` is the time of the
    event, and ``notice_id`` is the same in each delivery.
    """

    notice_id: str
    sent_at: datetime


def install(
    db: DB, domain: str, *, shop_name: str, access_token: str, settings: ShopSettings | None = None
) -> Shop:
    """Install a shop, active and on the free plan, and return it.

    A reinstalled shop starts on the free plan and keeps its usage and its suspension, so that it
    cannot reset its limits; after an erasure, this is true until the end of the month for its
    usage. An installed shop keeps its plan; only its token and name are updated.
    """
    with raising_bad_input():
        new = Shop(
            domain=domain,
            shop_name=shop_name,
            access_token=access_token,
            installed_at=utc_now(),
            settings=settings or ShopSettings(),
        )

    def decide() -> Op[Shop]:
        try:
            return _renewed(find_shop(db, domain), new)
        except ShopNotFound:
            return added(db, new)

    return db.decide(decide)


def _renewed(shop: Shop, new: Shop) -> Op[Shop]:
    left = shop.uninstalled_at
    return renew_shop(shop, new) if left is None else reinstall_shop(shop, new, left)


def uninstall(db: DB, domain: str, *, former: FormerSessions | None = None) -> Shop:
    """Uninstall a shop, which is then due for purge after 30 days, and return it.

    Its sessions end. A second call does not change the time of the first.
    """
    ended: list[Shop] = []

    def decide() -> Op[Shop]:
        ended[:] = [shop := find_shop(db, domain)]
        return Done(shop) if shop.uninstalled_at else mark_uninstalled(shop, utc_now(), None)

    left = db.decide(decide)
    _end_sessions(db, ended, former)
    return left


def _end_sessions(db: DB, ended: list[Shop], former: FormerSessions | None) -> None:
    """End the sessions of shops as they were when they left; they may be installed again."""
    for shop in ended:
        end_sessions(db, shop, former=former)


def receive_uninstall(
    db: DB, domain: str, notice: UninstallNotice, *, former: FormerSessions | None = None
) -> None:
    """Uninstall a shop on a notice of the platform.

    A notice that was sent before the shop last authorized the application changes nothing, and
    neither does one that was received before, or one for a shop that is erased.
    """
    with raising_bad_input():
        query = shop_by_domain(domain)
    if not notice.notice_id or notice.sent_at.tzinfo is None:
        raise BadInput("notice", "must have an id and a time with a time zone")
    if notice.sent_at > utc_now() + CLOCK_SKEW:
        raise BadInput("sent_at", "must not be in the future")

    ended: list[Shop] = []

    def decide() -> Op[Shop | None]:
        ended.clear()
        shop = db(query)
        if shop is None or shop.erasing_since is not None:
            return Done(None)
        if shop.uninstalled_at is not None:
            ended.append(shop)  # an earlier call may not have ended all its sessions
            return Done(shop)
        authorized_at = max(shop.installed_at, shop.renewed_at or shop.installed_at)
        if shop.uninstall_notice == notice.notice_id or notice.sent_at <= authorized_at:
            return Done(None)
        ended.append(shop)
        return mark_uninstalled(shop, utc_now(), notice.notice_id)

    db.decide(decide)
    _end_sessions(db, ended, former)


def change_plan(db: DB, domain: str, plan: Plan) -> Shop:
    """Change the plan, from the next job on, and return the shop."""
    find_shop(db, domain)
    return _while_installed(db, domain, set_plan(domain, plan))


def change_settings(db: DB, domain: str, settings: ShopSettings) -> Shop:
    """Replace the settings and return the shop."""
    find_shop(db, domain)
    return _while_installed(db, domain, set_settings(domain, settings))


def suspend(db: DB, domain: str) -> Shop:
    """Suspend the shop, which cannot submit jobs until it is resumed, and return it."""
    return _billed(db, domain, BillingStatus.SUSPENDED)


def resume(db: DB, domain: str) -> Shop:
    """Resume a suspended shop and return it."""
    return _billed(db, domain, BillingStatus.ACTIVE)


def _billed(db: DB, domain: str, status: BillingStatus) -> Shop:
    return _while_installed(db, domain, set_billing_status(find_shop(db, domain), status))


def _while_installed(db: DB, domain: str, change: Op[Shop]) -> Shop:
    try:
        return db(change)
    except (ConditionFailed, NotFound):
        raise ShopNotActive(domain, find_shop(db, domain).billing_status) from None
