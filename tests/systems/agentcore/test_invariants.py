"""The invariants of the records, and records that break them."""

from datetime import UTC, datetime
from typing import Any

import pytest

from sortkey_systems.agentcore.design.quotas import (
    Assignment,
    QuotaConfig,
    QuotaTier,
    assignment_has_its_tier,
    counts_its_assignments,
    default_tier_exists,
)
from sortkey_systems.agentcore.design.sessions import CostRecord, covers_its_costs, is_summed_up
from sortkey_systems.agentcore.design.summaries import CostSummary, day_of, month_of

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
TIER = QuotaTier.model_construct(tier_id="t1", assignment_count=1)
ASSIGNED = Assignment.model_construct(tier_id="t1")
COST = CostRecord.model_construct(
    user_id="ada", timestamp=AT, cost_micros=5, input_tokens=3, output_tokens=2
)
ENOUGH = {"total_cost_micros": 5, "request_count": 1, "input_tokens": 3, "output_tokens": 2}


def summary(period: str, user_id: str = "ada", *, less: str = "") -> CostSummary:
    """Return a summary that covers the cost, except for one of its counts."""
    counts: dict[str, Any] = {name: enough - (name == less) for name, enough in ENOUGH.items()}
    return CostSummary.model_construct(user_id=user_id, period=period, **counts)


def test_a_summary_covers_the_costs_of_its_user_and_its_period() -> None:
    assert covers_its_costs(summary(day_of(AT)), [COST])
    assert covers_its_costs(summary("1999-01", less="total_cost_micros"), [COST])
    assert covers_its_costs(summary(month_of(AT), user_id="ben", less="request_count"), [COST])


@pytest.mark.parametrize("name", ENOUGH)
def test_a_summary_that_counts_too_little_breaks_it(name: str) -> None:
    assert not covers_its_costs(summary(day_of(AT), less=name), [COST])
    assert not covers_its_costs(summary(month_of(AT), less=name), [COST])


def test_a_cost_is_in_the_summaries_of_its_day_and_its_month() -> None:
    day, month = summary(day_of(AT)), summary(month_of(AT))

    assert is_summed_up(COST, [day, month])
    assert not is_summed_up(COST, [day])
    assert not is_summed_up(COST, [month])
    assert not is_summed_up(COST, [day, summary(month_of(AT), user_id="ben")])


def test_a_tier_counts_its_assignments() -> None:
    other = Assignment.model_construct(tier_id="t2")

    assert counts_its_assignments(TIER, [ASSIGNED, other])
    assert not counts_its_assignments(TIER, [other])
    assert not counts_its_assignments(TIER, [ASSIGNED, ASSIGNED])


def test_an_assignment_is_to_a_tier_that_exists() -> None:
    assert assignment_has_its_tier(ASSIGNED, [TIER])
    assert not assignment_has_its_tier(ASSIGNED, [QuotaTier.model_construct(tier_id="t2")])


@pytest.mark.parametrize(("default", "holds"), [(None, True), ("t1", True), ("t2", False)])
def test_the_default_tier_exists(default: str | None, holds: bool) -> None:
    assert (
        default_tier_exists(QuotaConfig.model_construct(default_tier_id=default), [TIER]) is holds
    )
