"""Shops that have installed the application, with their plans and settings."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Annotated

from pydantic import BaseModel, StringConstraints
from pydantic.alias_generators import to_camel

from sortkey import (
    Check,
    Entity,
    Expected,
    Op,
    Page,
    Update,
    accepts_plaintext,
    missing,
    pattern,
    secret,
)
from sortkey_systems.shuttle.design.table import LONG_AGO, UNKNOWN, Count, Domain, Shuttle, Ulid


class Plan(Enum):
    """The plan that a shop pays for; `LIMITS` has the limits of each."""

    FREE = "FREE"
    SMALL = "SMALL"
    MEDIUM = "MEDIUM"
    LARGE = "LARGE"


class BillingStatus(Enum):
    """Whether a shop can submit jobs."""

    ACTIVE = "ACTIVE"
    SUSPENDED = "SUSPENDED"
    CANCELLED = "CANCELLED"


class JobMode(Enum):
    """The effect of an import on the shop's existing products."""

    OVERWRITE_EXISTING = "OVERWRITE_EXISTING"
    NEW_ONLY = "NEW_ONLY"
    NEW_AND_DRAFT = "NEW_AND_DRAFT"
    WIPE_AND_RESTORE = "WIPE_AND_RESTORE"


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a plan."""

    products: int
    imports_per_day: int
    imports_per_month: int
    has_concurrent_jobs: bool = False


LIMITS: Mapping[Plan, Limits] = {
    Plan.FREE: Limits(100, 5, 100),
    Plan.SMALL: Limits(1_000, 20, 500),
    Plan.MEDIUM: Limits(5_000, 50, 1_500, has_concurrent_jobs=True),
    Plan.LARGE: Limits(20_000, 100, 3_000, has_concurrent_jobs=True),
}


class ShopSettings(BaseModel):
    """A shop's settings for imports."""

    default_mode: JobMode = JobMode.NEW_ONLY
    notify_email: str | None = None
    locale: str = "en"


class Shop(
    Entity,
    table=Shuttle,
    stored=to_camel,
    expected=Expected(count=5_000),
    ignore={"SK610": "documented indexes have all attributes, and the token is encrypted there"},
):
    """A shop that has installed the application."""

    domain: Domain
    shop_name: Annotated[str, StringConstraints(min_length=1, max_length=255)] = UNKNOWN
    # A shop that is being erased has none.
    access_token: Annotated[str | None, secret, accepts_plaintext] = None
    plan: Plan = Plan.FREE
    billing_status: BillingStatus = BillingStatus.ACTIVE
    installed_at: datetime = LONG_AGO
    uninstalled_at: datetime | None = None
    settings: ShopSettings = ShopSettings()
    active_jobs: Count = 0
    # Added: whether the shop was suspended when it was uninstalled. It is still suspended when it
    # is installed again.
    is_suspended: bool = False
    # Added: whether the shop was uninstalled and installed again. A session that names no
    # installation is of the first one.
    is_reinstalled: bool = False
    # Added: when an installed shop last authorized the application again. It may have uninstalled
    # it before, and the notice of that comes late.
    renewed_at: datetime | None = None
    # Added: the id of the last notice of the platform that uninstalled the shop.
    uninstall_notice: str | None = None
    # Added: from this time the shop accepts no writes, until the erasure with this id has ended.
    # An erasure takes more than one transaction; it deletes only while the shop has its id.
    erasing_since: datetime | None = None
    erasure_id: Ulid | None = None

    primary = Shuttle.primary.key("SHOP#{domain}", "METADATA")
    by_installation = Shuttle.gsi1.key("SHOPS", "{installed_at}#{domain}")
    by_billing = Shuttle.gsi2.key("SHOPS#{billing_status}", "{installed_at}#{domain}")
    by_purge = Shuttle.gsi3.key("PURGE", "{uninstalled_at}#{domain}")


@pattern("A shop by its domain", rate="50/s", fresh=True)
def shop_by_domain(domain: str) -> Op[Shop | None]:
    """Read the shop consistently, since the plan decides whether a job is accepted."""
    return Shop.get(domain=domain).consistently()


@pattern(
    "All shops by install date",
    rate="1/min",
    page=50,
    where=lambda shop: True,  # noqa: ARG005 - every shop is returned
    order=lambda shop: (shop.installed_at, shop.domain),
)
def shops_by_install_date(after: str | None = None) -> Op[Page[Shop]]:
    """Return the oldest installation first."""
    return Shop.query(Shop.by_installation).page(50, after)


@pattern(
    "Active shops by install date",
    rate="1/min",
    page=50,
    where=lambda shop: shop.billing_status is BillingStatus.ACTIVE,
    order=lambda shop: (shop.installed_at, shop.domain),
)
def active_shops(after: str | None = None) -> Op[Page[Shop]]:
    """Return the oldest installation first."""
    return Shop.query(Shop.by_billing, billing_status=BillingStatus.ACTIVE).page(50, after)


@pattern(
    "Shops due for purge, uninstalled by a given time",
    rate="1/h",
    page=50,
    where=lambda shop, until: shop.uninstalled_at is not None and shop.uninstalled_at <= until,
    order=lambda shop: (shop.uninstalled_at, shop.domain),
)
def shops_due_for_purge(until: datetime, after: str | None = None) -> Op[Page[Shop]]:
    """Return the first to leave first; the index has only uninstalled shops."""
    return Shop.query(Shop.by_purge).le(uninstalled_at=until).page(50, after)


def accepts_writes(domain: str) -> Check[Shop]:
    """Let a transaction succeed only if the shop exists and is not being erased."""
    return Shop.check(domain=domain).where(lambda s: missing(s.erasing_since))


def is_installed(domain: str) -> Check[Shop]:
    """Let a transaction succeed only if the shop is installed and is not being erased."""
    return accepts_writes(domain).where(lambda s: missing(s.uninstalled_at))


def _renewed(shop: Shop, new: Shop) -> Update[Shop]:
    return (
        shop.update()
        .set(shop_name=new.shop_name, access_token=new.access_token)
        .where(lambda s: missing(s.erasing_since))
    )


@pattern("Renew the token of an installed shop", rate="1/min")
def renew_shop(shop: Shop, new: Shop) -> Op[Shop]:
    """Update the name, the token and the time if the shop is installed."""
    renewed = _renewed(shop, new).set(renewed_at=new.installed_at)
    return renewed.where(lambda s: missing(s.uninstalled_at))


@pattern("Reinstall a shop", rate="1/h")
def reinstall_shop(shop: Shop, new: Shop, left: datetime) -> Op[Shop]:
    """Install it on the free plan, if it is still uninstalled since ``left``.

    A shop that was suspended when it left is still suspended.
    """
    status = BillingStatus.SUSPENDED if shop.is_suspended else BillingStatus.ACTIVE
    return (
        _renewed(shop, new)
        .set(plan=Plan.FREE, billing_status=status, installed_at=new.installed_at)
        .set(is_reinstalled=True)
        .remove(lambda s: s.uninstalled_at)
        .where(lambda s: s.uninstalled_at == left)
    )


def _while_installed(change: Update[Shop]) -> Update[Shop]:
    return change.where(lambda s: missing(s.uninstalled_at) & missing(s.erasing_since))


@pattern("Uninstall a shop", rate="1/h")
def mark_uninstalled(shop: Shop, at: datetime, notice: str | None) -> Op[Shop]:
    """Store the time if this installation of the shop has not ended, so that the first is kept."""
    status, installed, renewed = shop.billing_status, shop.installed_at, shop.renewed_at
    left = shop.update().set(
        uninstalled_at=at,
        billing_status=BillingStatus.CANCELLED,
        is_suspended=status is BillingStatus.SUSPENDED,
        uninstall_notice=notice,
    )
    return (
        _while_installed(left)
        .where(lambda s: (s.billing_status == status) & (s.installed_at == installed))
        .where(lambda s: s.renewed_at == renewed)
    )


@pattern("Change a shop's plan", rate="10/h")
def set_plan(domain: str, plan: Plan) -> Op[Shop]:
    """Set the plan if the shop is installed."""
    return _while_installed(Shop.update(domain=domain).set(plan=plan))


@pattern("Change a shop's settings", rate="1/min")
def set_settings(domain: str, settings: ShopSettings) -> Op[Shop]:
    """Replace the settings if the shop is installed."""
    return _while_installed(Shop.update(domain=domain).set(settings=settings))


@pattern("Suspend or resume a shop", rate="1/h")
def set_billing_status(shop: Shop, status: BillingStatus) -> Op[Shop]:
    """Set the status, which also moves the shop in the index, if the shop is installed."""
    return _while_installed(shop.update().set(billing_status=status))
