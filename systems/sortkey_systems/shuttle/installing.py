"""Installing and leaving: how a shop comes, what it pays for, and how it goes."""

from sortkey import DB, AlreadyExists, ConditionFailed, NotFound, Op, utc_now
from sortkey_systems.shuttle.design import BillingStatus, Plan, Shop, ShopSettings, shop_by_domain
from sortkey_systems.shuttle.design.writes import (
    add_shop,
    mark_uninstalled,
    renew_shop,
    set_billing_status,
    set_plan,
    set_settings,
    take_back_shop,
)
from sortkey_systems.shuttle.errors import (
    ShopBeingErased,
    ShopBusy,
    ShopNotActive,
    ShopNotFound,
    checked,
)

ATTEMPTS = 5


def find_shop(db: DB, domain: str) -> Shop:
    """The shop as it is stored; `ShopNotFound`, or `ShopBeingErased` while it goes away."""
    with checked():
        asked = shop_by_domain(domain)
    shop = db(asked)
    if shop is None:
        raise ShopNotFound(domain)
    if shop.erasing_since is not None:
        raise ShopBeingErased(domain)
    return shop


def install(
    db: DB, domain: str, *, shop_name: str, access_token: str, settings: ShopSettings | None = None
) -> Shop:
    """The shop, installed: on the free plan and active.

    A shop that comes back begins its plan anew and keeps its usage, so that nobody resets a limit
    by leaving. A shop that is installed keeps its plan, and only its token and name are renewed.
    """
    with checked():
        new = Shop(
            domain=domain,
            shop_name=shop_name,
            access_token=access_token,
            installed_at=utc_now(),
            settings=settings or ShopSettings(),
        )
    for _ in range(ATTEMPTS):
        try:
            return db(add_shop(new))
        except AlreadyExists:
            pass
        try:
            return db(_renewed(find_shop(db, domain), new))
        except (ConditionFailed, NotFound, ShopNotFound):
            continue  # it left, came back or was erased in between
    raise ShopBusy(domain)


def _renewed(shop: Shop, new: Shop) -> Op[Shop]:
    left = shop.uninstalled_at
    return renew_shop(shop, new) if left is None else take_back_shop(shop, new, left)


def uninstall(db: DB, domain: str) -> Shop:
    """The shop, which has left: cancelled, and due for purge in thirty days.

    Told twice, it keeps the time at which it first left.
    """
    for _ in range(ATTEMPTS):
        shop = find_shop(db, domain)
        if shop.uninstalled_at is not None:
            return shop
        try:
            return db(mark_uninstalled(shop, utc_now()))
        except (ConditionFailed, NotFound):
            continue
    raise ShopBusy(domain)


def change_plan(db: DB, domain: str, plan: Plan) -> Shop:
    """The shop with another plan, which counts from its next job on."""
    find_shop(db, domain)
    return _while_installed(db, domain, set_plan(domain, plan))


def change_settings(db: DB, domain: str, settings: ShopSettings) -> Shop:
    """The shop with these settings."""
    find_shop(db, domain)
    return _while_installed(db, domain, set_settings(domain, settings))


def suspend(db: DB, domain: str) -> Shop:
    """The shop, which may submit nothing until it is resumed."""
    return _billed(db, domain, BillingStatus.SUSPENDED)


def resume(db: DB, domain: str) -> Shop:
    """The shop, which may work again."""
    return _billed(db, domain, BillingStatus.ACTIVE)


def _billed(db: DB, domain: str, status: BillingStatus) -> Shop:
    return _while_installed(db, domain, set_billing_status(find_shop(db, domain), status))


def _while_installed(db: DB, domain: str, change: Op[Shop]) -> Shop:
    try:
        return db(change)
    except (ConditionFailed, NotFound):
        raise ShopNotActive(domain, find_shop(db, domain).billing_status) from None
