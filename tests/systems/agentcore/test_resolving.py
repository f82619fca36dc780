"""The quota that applies: of the first kind that has one, the highest enabled priority."""

from datetime import timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.systems.agentcore.conftest import MORNING, Watch, assign_tier, define_tiers, terms

from sortkey import DB
from sortkey_systems.agentcore.assigning import adjust, assign
from sortkey_systems.agentcore.defining import change_tier, clear_default_tier, set_default_tier
from sortkey_systems.agentcore.design.quotas import (
    AssignmentType,
    OverrideType,
    PeriodType,
    QuotaTier,
)
from sortkey_systems.agentcore.errors import BadInput
from sortkey_systems.agentcore.mail import covering, domain_of
from sortkey_systems.agentcore.overriding import grant_override, switch_override
from sortkey_systems.agentcore.resolving import Person, Source, active_override, effective_quota

ANN = Person("ann", "Ann@cs.uni.edu", app_roles=("tutor",), jwt_roles=("Faculty", "Staff"))
KINDS = (
    (AssignmentType.DIRECT_USER, "ann"),
    (AssignmentType.APP_ROLE, "tutor"),
    (AssignmentType.JWT_ROLE, "Staff"),
    (AssignmentType.EMAIL_DOMAIN, "cs.uni.edu"),
    (AssignmentType.EMAIL_DOMAIN, "*.uni.edu"),
    (AssignmentType.EMAIL_DOMAIN, "*.edu"),
    (AssignmentType.DEFAULT_TIER, None),
)


def tier_of(db: DB, person: Person = ANN) -> str | None:
    quota = effective_quota(db, person)
    return None if quota is None else quota.tier_id


def test_each_kind_takes_precedence_over_the_next(db: DB) -> None:
    tiers = [f"t{place}" for place in range(len(KINDS))]
    define_tiers(db, *tiers)

    # A later kind never wins by its priority.
    for place in reversed(range(len(KINDS))):
        assign(db, *KINDS[place], tiers[place], priority=100 * place)
        assert tier_of(db) == tiers[place]


def test_the_configured_default_comes_last(db: DB) -> None:
    define_tiers(db, "basic", "staff")
    assert effective_quota(db, ANN) is None

    set_default_tier(db, "basic")
    quota = effective_quota(db, ANN)
    assert quota is not None
    assert (quota.source, quota.tier_id) == (Source.CONFIG, "basic")

    assign(db, AssignmentType.DEFAULT_TIER, None, "staff")
    assert tier_of(db) == "staff"


def test_a_configured_default_that_is_disabled_cleared_or_deleted_sets_no_limit(memory: DB) -> None:
    define_tiers(memory, "basic")
    set_default_tier(memory, "basic")
    assert tier_of(memory) == "basic"

    change_tier(memory, "basic", terms(enabled=False))
    assert effective_quota(memory, ANN) is None
    memory(QuotaTier.delete(tier_id="basic"))
    assert effective_quota(memory, ANN) is None
    clear_default_tier(memory)
    assert effective_quota(memory, ANN) is None


def test_of_all_roles_the_highest_priority_counts(db: DB) -> None:
    define_tiers(db, "low", "high")
    assign(db, AssignmentType.JWT_ROLE, "Faculty", "low", priority=200)
    assign(db, AssignmentType.JWT_ROLE, "Staff", "high", priority=1000)

    assert tier_of(db) == "high"


def test_a_disabled_assignment_is_skipped(db: DB) -> None:
    define_tiers(db, "low", "high")
    assign(db, AssignmentType.JWT_ROLE, "Faculty", "low", priority=1)
    top = assign(db, AssignmentType.JWT_ROLE, "Faculty", "high", priority=2)

    adjust(db, top.assignment_id, enabled=False)

    assert tier_of(db) == "low"


def test_a_disabled_tier_is_skipped_for_the_next_kind_too(db: DB) -> None:
    define_tiers(db, "own", "everybody")
    assign_tier(db, "ann", "own")
    assign(db, AssignmentType.DEFAULT_TIER, None, "everybody")

    change_tier(db, "own", terms(enabled=False))
    assert tier_of(db) == "everybody"

    change_tier(db, "everybody", terms(enabled=False))
    assert effective_quota(db, ANN) is None


def test_a_quota_has_the_limit_of_its_period(db: DB) -> None:
    define_tiers(db, "daily", allowing=terms("30", daily="2", soft=70))
    assign_tier(db, "ann", "daily")

    quota = effective_quota(db, ANN)

    assert quota is not None
    assert quota.limits == {PeriodType.DAILY: Decimal(2)}
    assert (quota.source, quota.soft_limit_percentage) == (Source.DIRECT_USER, 70)


def grant(db: DB, start: int, end: int, limit: str | None = "5") -> str:
    """Grant an override between two days, counted from the morning."""
    override = grant_override(
        db,
        "ann",
        OverrideType.UNLIMITED if limit is None else OverrideType.CUSTOM_LIMIT,
        valid_from=MORNING + timedelta(days=start),
        valid_until=MORNING + timedelta(days=end),
        reason="exams",
        monthly_cost_limit=None if limit is None else Decimal(limit),
    )
    return override.override_id


def test_an_active_override_counts_before_everything(db: DB) -> None:
    define_tiers(db, "own")
    assign_tier(db, "ann", "own")

    grant(db, -1, 1, "77")

    quota = effective_quota(db, ANN)
    assert quota is not None
    assert (quota.source, quota.limits) == (Source.OVERRIDE, {PeriodType.MONTHLY: Decimal(77)})
    assert tier_of(db, Person("bob")) is None


def test_an_unlimited_override_has_no_limit(db: DB) -> None:
    grant(db, -1, 1, None)

    quota = effective_quota(db, ANN)

    assert quota is not None
    assert quota.limits == {}


def test_inactive_overrides_do_not_hide_an_active_one(db: DB, watch: Watch) -> None:
    watch.wait(days=-8)
    grant(db, -9, -8)
    watch.wait(days=8)
    live = grant(db, -1, 1)
    disabled = grant(db, -1, 9)
    switch_override(db, disabled, enabled=False)
    grant(db, 2, 8)

    found = active_override(db, "ann")

    assert found is not None
    assert found.override_id == live


def test_of_two_active_overrides_the_one_that_ends_last_counts(db: DB) -> None:
    grant(db, -1, 1)
    longer = grant(db, -1, 2)

    found = active_override(db, "ann")

    assert found is not None
    assert found.override_id == longer


def test_both_ends_of_an_override_are_included(db: DB, watch: Watch) -> None:
    grant(db, 1, 2)

    seen: list[bool] = []
    for passed in (timedelta(days=1, microseconds=-1), timedelta(days=1), timedelta(days=2)):
        watch.now = MORNING + passed
        seen.append(active_override(db, "ann") is not None)
    watch.wait(microseconds=1)
    seen.append(active_override(db, "ann") is not None)

    assert seen == [False, True, True, False]


def test_an_override_may_last_a_single_moment(memory: DB, watch: Watch) -> None:
    grant(memory, 1, 1)

    watch.wait(days=1)
    assert active_override(memory, "ann") is not None
    watch.wait(microseconds=1)
    assert active_override(memory, "ann") is None


def test_an_id_with_the_same_prefix_gets_no_quota(db: DB) -> None:
    define_tiers(db, "own")
    assign_tier(db, "ann1", "own")

    assert effective_quota(db, Person("ann")) is None
    assert effective_quota(db, Person("ann11")) is None


@pytest.mark.parametrize("user_id", ["", "a#b", "a" * 129])
def test_a_person_with_an_invalid_id_is_rejected(user_id: str) -> None:
    with pytest.raises(BadInput, match="user_id"):
        Person(user_id)


def test_roles_and_addresses_that_cannot_be_assigned_match_nothing(db: DB) -> None:
    define_tiers(db, "basic")
    assign(db, AssignmentType.DEFAULT_TIER, None, "basic")
    odd = ("", "a#b", "x" * 5000)

    for email in ("no address", "a@b", "a@" + "x" * 5000 + ".edu", "a@b..c", "a@#.edu"):
        assert tier_of(db, Person("ann", email, app_roles=odd, jwt_roles=odd)) == "basic"


def test_a_domain_is_covered_by_itself_and_its_parents() -> None:
    assert list(covering("a.b.edu")) == ["a.b.edu", "*.b.edu", "*.edu"]
    assert domain_of("Ann@CS.Uni.edu") == "cs.uni.edu"


@given(st.lists(st.from_regex(r"[a-z0-9-]{1,9}", fullmatch=True), min_size=2, max_size=6))
def test_every_parent_of_a_domain_covers_it_once(labels: list[str]) -> None:
    domain = ".".join(labels)

    found = list(covering(domain))

    assert found[0] == domain == domain_of(f"ann@{domain}")
    assert len(found) == len(labels) == len({*found})
    assert all(domain.endswith(cover[1:]) for cover in found[1:])
