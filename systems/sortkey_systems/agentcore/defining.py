"""Defining quotas: tiers, their terms, and which one is everybody else's."""

from sortkey import DB, AlreadyExists, NotFound, TransactionFailed, WriteFailed, utc_now
from sortkey_systems.agentcore.design.quotas import (
    QuotaConfig,
    QuotaTier,
    TierTerms,
    add_tier,
    change_terms,
    quota_config,
    remove_tier,
    remove_tier_without_config,
    write_default_tier,
    write_no_default_tier,
)
from sortkey_systems.agentcore.errors import Contended, TierExists, TierInUse, TierNotFound, checked

ATTEMPTS = 5


def define_tier(db: DB, tier_id: str, terms: TierTerms, *, by: str) -> QuotaTier:
    """The new tier, to which nobody is assigned yet."""
    now = utc_now()
    with checked():
        tier = QuotaTier(
            tier_id=tier_id, created_at=now, updated_at=now, created_by=by, **terms.model_dump()
        )
    try:
        return db(add_tier(tier))
    except AlreadyExists as there:
        raise TierExists(f"there is a tier {tier_id} already") from there


def change_tier(db: DB, tier_id: str, terms: TierTerms) -> QuotaTier:
    """The tier with these terms, for all who are assigned to it."""
    with checked():
        change = change_terms(tier_id, terms, utc_now())
    try:
        return db(change)
    except NotFound as failed:
        raise TierNotFound(tier_id) from failed


def delete_tier(db: DB, tier_id: str) -> None:
    """The tier goes, if nobody is assigned to it and it is not the default."""
    with checked():
        where_configured, where_not = remove_tier(tier_id), remove_tier_without_config(tier_id)
    for _ in range(ATTEMPTS):
        is_configured = db(quota_config()) is not None
        try:
            return db(where_configured if is_configured else where_not)
        except TransactionFailed as failed:
            tier, config = failed.failures
            if isinstance(tier, NotFound):
                raise TierNotFound(tier_id) from failed
            if isinstance(tier, WriteFailed):
                raise TierInUse(f"somebody is assigned to the tier {tier_id}") from failed
            if not isinstance(config, WriteFailed):
                raise
            if _is_default(config, tier_id):
                raise TierInUse(f"{tier_id} is the default tier") from failed
            # The configuration was made just now: look again.
    raise Contended(f"the configuration changes while the tier {tier_id} is being deleted")


def set_default_tier(db: DB, tier_id: str) -> None:
    """From now on the tier is everybody's to whom nothing else applies."""
    with checked():
        written = write_default_tier(tier_id)
    try:
        db(written)
    except TransactionFailed as failed:
        if isinstance(failed.failures[1], NotFound):
            raise TierNotFound(tier_id) from failed
        raise


def clear_default_tier(db: DB) -> None:
    """From now on nobody is limited to whom nothing applies."""
    db(write_no_default_tier())


def _is_default(failure: WriteFailed, tier_id: str) -> bool:
    config = failure.found(QuotaConfig)
    return config is not None and config.default_tier_id == tier_id
