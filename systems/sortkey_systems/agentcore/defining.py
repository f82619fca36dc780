"""Defining: create, change and delete tiers, and set the default tier."""

from sortkey import DB, NotFound, Op, RecordError, TransactionFailed, utc_now
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
from sortkey_systems.agentcore.errors import TierExists, TierInUse, TierNotFound, checked


def define_tier(db: DB, tier_id: str, terms: TierTerms, *, by: str) -> QuotaTier:
    """Create a tier without assignments and return it."""
    now = utc_now()
    with checked():
        tier = QuotaTier(
            tier_id=tier_id, created_at=now, updated_at=now, created_by=by, **terms.model_dump()
        )

    def explain(conflict: Exception) -> None:
        raise TierExists(f"tier {tier_id} already exists") from conflict

    return db.decide(lambda: add_tier(tier), on_conflict=explain)


def change_tier(db: DB, tier_id: str, terms: TierTerms) -> QuotaTier:
    """Replace the terms of the tier, for all its assignments, and return it."""
    with checked():
        change = change_terms(tier_id, terms, utc_now())
    try:
        return db(change)
    except NotFound as failed:
        raise TierNotFound(tier_id) from failed


def delete_tier(db: DB, tier_id: str) -> None:
    """Delete the tier, or raise `TierInUse` if it has assignments or is the default."""
    with checked():
        with_config, without_config = remove_tier(tier_id), remove_tier_without_config(tier_id)

    def decide() -> Op[None]:
        is_configured = db(quota_config()) is not None
        return with_config if is_configured else without_config

    def explain(conflict: Exception) -> None:
        match conflict:
            case TransactionFailed(failures=(NotFound(), _)):
                raise TierNotFound(tier_id) from conflict
            case TransactionFailed(failures=(RecordError(), _)):
                raise TierInUse(f"tier {tier_id} has assignments") from conflict
            case TransactionFailed(failures=(_, RecordError() as config)):
                if _is_default(config, tier_id):
                    raise TierInUse(f"tier {tier_id} is the default") from conflict
            case _:
                pass

    db.decide(decide, on_conflict=explain)


def set_default_tier(db: DB, tier_id: str) -> None:
    """Set the tier of users to whom nothing else applies."""
    with checked():
        write = write_default_tier(tier_id)
    try:
        db(write)
    except TransactionFailed as failed:
        if isinstance(failed.failures[1], NotFound):
            raise TierNotFound(tier_id) from failed
        raise


def clear_default_tier(db: DB) -> None:
    """Remove the default tier: users to whom nothing applies have no limit."""
    db(write_no_default_tier())


def _is_default(failure: RecordError, tier_id: str) -> bool:
    config = failure.found(QuotaConfig)
    return config is not None and config.default_tier_id == tier_id
