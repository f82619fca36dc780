"""Tiers: their terms, and when they can be deleted."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import cycle
from typing import Any

import pytest
from pydantic import ValidationError
from tests.systems.agentcore.conftest import (
    MORNING,
    Watch,
    assign_tier,
    define_tiers,
    stored_tier,
    terms,
)

from sortkey import DB, Contended
from sortkey.wire.messages import Request
from sortkey_systems.agentcore.assigning import unassign
from sortkey_systems.agentcore.defining import (
    change_tier,
    clear_default_tier,
    define_tier,
    delete_tier,
    set_default_tier,
)
from sortkey_systems.agentcore.design.quotas import (
    ActionOnLimit,
    PeriodType,
    QuotaConfig,
    TierTerms,
    all_tiers,
    quota_config,
    tier_by_id,
)
from sortkey_systems.agentcore.errors import (
    BadInput,
    TierExists,
    TierInUse,
    TierNotFound,
)


def test_a_tier_is_defined_with_its_terms_and_no_assignments(db: DB) -> None:
    made = define_tier(db, "basic", terms("7.5"), by="root")

    assert made == stored_tier(db, "basic")
    assert (made.monthly_cost_limit, made.soft_limit_percentage) == (Decimal("7.5"), 80)
    assert (made.assignment_count, made.created_by) == (0, "root")
    assert made.created_at == made.updated_at == MORNING


def test_an_existing_tier_is_not_overwritten(db: DB) -> None:
    define_tiers(db, "basic")

    with pytest.raises(TierExists):
        define_tier(db, "basic", terms("99"), by="eve")
    assert stored_tier(db, "basic").created_by == "root"


def test_a_tier_changes_its_terms_and_keeps_its_assignments(db: DB, watch: Watch) -> None:
    define_tiers(db, "basic")
    assign_tier(db, "ann", "basic")
    later = watch.wait(hours=1)

    wanted = terms(
        "20", name="Better", daily="2", soft=70, action=ActionOnLimit.WARN, enabled=False
    )
    changed = change_tier(db, "basic", wanted)

    assert changed == stored_tier(db, "basic")
    assert TierTerms.model_validate(changed.model_dump()) == wanted
    assert changed.assignment_count == 1
    assert (changed.created_at, changed.updated_at) == (MORNING, later)
    assert [found.tier_name for found in db(all_tiers())] == ["Better"]


def test_terms_without_a_daily_limit_remove_it(db: DB) -> None:
    define_tiers(db, "basic", allowing=terms(daily="1"))

    assert change_tier(db, "basic", terms("20")).daily_cost_limit is None


def test_a_missing_tier_is_not_changed(db: DB) -> None:
    with pytest.raises(TierNotFound):
        change_tier(db, "basic", terms())
    assert db(tier_by_id("basic")) is None


@pytest.mark.parametrize("monthly", ["0", "-1", "0.0000001", "NaN"])
def test_a_limit_is_positive_and_in_whole_micros(monthly: str) -> None:
    with pytest.raises(ValidationError):
        terms(monthly)


def test_a_daily_tier_has_a_daily_limit() -> None:
    with pytest.raises(ValidationError, match="a daily tier needs a daily_cost_limit"):
        TierTerms(tier_name="x", monthly_cost_limit=Decimal(1), period_type=PeriodType.DAILY)
    assert terms("10", daily="2").limits == {PeriodType.DAILY: Decimal(2)}


def test_a_monthly_tier_may_have_a_daily_limit() -> None:
    both = terms("10", daily="2").model_copy(update={"period_type": PeriodType.MONTHLY})

    assert terms("10").limits == {PeriodType.MONTHLY: Decimal(10)}
    assert both.limits == {PeriodType.MONTHLY: Decimal(10), PeriodType.DAILY: Decimal(2)}


def test_tiers_are_listed_by_their_names(memory: DB) -> None:
    for tier_id, name in (("a", "Staff"), ("b", "Basic"), ("c", "Research")):
        define_tier(memory, tier_id, terms(name=name), by="root")

    assert [found.tier_name for found in memory(all_tiers())] == ["Basic", "Research", "Staff"]


def test_an_id_that_no_key_can_hold_is_refused(db: DB) -> None:
    with pytest.raises(BadInput) as caught:
        define_tier(db, "a#b", terms(), by="root")
    assert caught.value.field == "tier_id"


def test_an_unused_tier_can_be_deleted(db: DB) -> None:
    define_tiers(db, "basic")

    delete_tier(db, "basic")

    assert db(tier_by_id("basic")) is None
    with pytest.raises(TierNotFound):
        delete_tier(db, "basic")


@pytest.mark.parametrize("configured", [True, False])
def test_a_tier_in_use_cannot_be_deleted(db: DB, *, configured: bool) -> None:
    define_tiers(db, "basic", "other")
    if configured:
        set_default_tier(db, "other")
    assignment = assign_tier(db, "ann", "basic")

    with pytest.raises(TierInUse, match="has assignments"):
        delete_tier(db, "basic")

    unassign(db, assignment.assignment_id)
    delete_tier(db, "basic")


def test_the_default_tier_cannot_be_deleted(db: DB) -> None:
    define_tiers(db, "basic", "other")
    set_default_tier(db, "basic")

    with pytest.raises(TierInUse, match="is the default"):
        delete_tier(db, "basic")
    delete_tier(db, "other")

    clear_default_tier(db)
    delete_tier(db, "basic")


def test_the_default_is_a_tier_that_exists(db: DB) -> None:
    define_tiers(db, "basic")
    set_default_tier(db, "basic")

    with pytest.raises(TierNotFound):
        set_default_tier(db, "missing")

    config = db(quota_config())
    assert config is not None
    assert config.default_tier_id == "basic"


# A configuration that changes between the read and the write of a deletion.

OTHER = QuotaConfig(default_tier_id="other").put()
OWN = QuotaConfig(default_tier_id="basic").put()
DELETED = QuotaConfig.delete()


@pytest.fixture
def before_each(memory: DB, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Make one of the writes before each transaction; return the transactions so far."""

    def make(writes: Iterator[Any]) -> list[str]:
        send, seen = memory._transport.send, list[str]()

        def late(request: Request) -> Any:
            if request.operation == "TransactWriteItems":
                seen.append(request.operation)
                memory(next(writes))
            return send(request)

        monkeypatch.setattr(memory._transport, "send", late)
        return seen

    return make


@pytest.mark.parametrize(
    ("first", "meanwhile"),
    [(DELETED, OTHER), (DELETED, QuotaConfig().put()), (OTHER, DELETED)],
    ids=["another default comes", "no default comes", "the configuration goes"],
)
def test_an_unused_tier_is_deleted_although_the_configuration_changes_meanwhile(
    memory: DB, before_each: Callable[..., list[str]], first: Any, meanwhile: Any
) -> None:
    define_tiers(memory, "basic", "other")
    memory(first)
    seen = before_each(cycle([meanwhile]))

    delete_tier(memory, "basic")

    assert memory(tier_by_id("basic")) is None
    assert len(seen) == 2


@pytest.mark.parametrize("first", [DELETED, OTHER])
def test_a_tier_that_becomes_the_default_meanwhile_is_kept(
    memory: DB, before_each: Callable[..., list[str]], first: Any
) -> None:
    define_tiers(memory, "basic")
    memory(first)
    before_each(cycle([OWN]))

    with pytest.raises(TierInUse, match="is the default"):
        delete_tier(memory, "basic")


def test_five_changed_configurations_raise_contended(
    memory: DB, before_each: Callable[..., list[str]]
) -> None:
    define_tiers(memory, "basic")
    seen = before_each(cycle([OTHER, DELETED]))

    with pytest.raises(Contended):
        delete_tier(memory, "basic")

    assert len(seen) == 5
    assert memory(tier_by_id("basic")) is not None
