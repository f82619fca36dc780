"""Install and uninstall shops, and change their plans and settings."""

from sortkey import DB, ConditionFailed, Done, NotFound, Op, utc_now
from sortkey_systems.shuttle.design.shops import (
    BillingStatus,
    Plan,
    Shop,
    ShopSettings,
    add_shop,
    mark_uninstalled,
    reinstall_shop,
    renew_shop,
    set_billing_status,
    set_plan,
    set_settings,
    shop_by_domain,
)
from sortkey_systems.shuttle.errors import (
    ShopBeingErased,
    ShopNotActive,
    ShopNotFound,
    raising_bad_input,
)


def find_shop(db: DB, domain: str) -> Shop:
    """Return the shop; raise `ShopNotFound`, or `ShopBeingErased` during its erasure."""
    with raising_bad_input():
        query = shop_by_domain(domain)
    shop = db(query)
    if shop is None:
        raise ShopNotFound(domain)
    if shop.erasing_since is not None:
        raise ShopBeingErased(domain)
    return shop


def install(
    db: DB, domain: str, *, shop_name: str, access_token: str, settings: ShopSettings | None = None
) -> Shop:
    """Install a shop, active and on the free plan, and return it.

    A reinstalled shop starts on the free plan and keeps its usage, so that it cannot reset its
    limits. An installed shop keeps its plan; only its token and name are updated.
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
            return add_shop(new)

    return db.decide(decide)


def _renewed(shop: Shop, new: Shop) -> Op[Shop]:
    left = shop.uninstalled_at
    return renew_shop(shop, new) if left is None else reinstall_shop(shop, new, left)


def uninstall(db: DB, domain: str) -> Shop:
    """Uninstall a shop, which is then due for purge after 30 days, and return it.

    A second call does not change the time of the first.
    """

    def decide() -> Op[Shop]:
        shop = find_shop(db, domain)
        return Done(shop) if shop.uninstalled_at else mark_uninstalled(shop, utc_now())

    return db.decide(decide)


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
