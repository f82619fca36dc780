"""Find a shop, and write for it while it exists and accepts writes."""

from sortkey import DB, ConditionFailed, NotFound, Op, TransactionFailed
from sortkey_systems.shuttle.design.shops import Shop, shop_by_domain
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


def find_installed_shop(db: DB, domain: str) -> Shop:
    """Return the shop; raise `ShopNotActive` if it is uninstalled."""
    shop = find_shop(db, domain)
    if shop.uninstalled_at is not None:
        raise ShopNotActive(domain, shop.billing_status)
    return shop


def write_for_shop(db: DB, domain: str, write: Op[None]) -> None:
    """Send a transaction that begins with `accepts_writes` or `is_installed`."""
    try:
        with raising_bad_input():
            db(write)
    except TransactionFailed as failed:
        match failed.failures[0]:
            case NotFound():
                raise ShopNotFound(domain) from None
            case ConditionFailed():
                raise _reason(db, domain) from None
            case _:
                raise


def _reason(db: DB, domain: str) -> ShopBeingErased | ShopNotActive:
    shop = db(shop_by_domain(domain))
    if shop is None or shop.erasing_since is not None:
        return ShopBeingErased(domain)
    return ShopNotActive(domain, shop.billing_status)
