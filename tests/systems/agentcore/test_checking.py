"""The quota check: blocks, warnings and their frequency, and failures."""

import logging
from collections import Counter
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.access.executors import put_item, stored_items
from tests.systems.agentcore.conftest import (
    MORNING,
    Watch,
    assign_tier,
    define_tiers,
    spend,
    stored_tier,
    terms,
)

from sortkey import DB, Retries, SortkeyError, Table, TransportError, Unreadable
from sortkey.wire.errors import ResourceNotFoundException
from sortkey_systems.agentcore.checking import Reason, Verdict, check_quota
from sortkey_systems.agentcore.design import TABLES
from sortkey_systems.agentcore.design.events import (
    EventType,
    QuotaEvent,
    QuotaEvents,
    events_of_tier,
    events_of_user,
)
from sortkey_systems.agentcore.design.quotas import (
    ActionOnLimit,
    OverrideType,
    PeriodType,
    UserQuotas,
)
from sortkey_systems.agentcore.design.summaries import UserCostSummary
from sortkey_systems.agentcore.measuring import Usage
from sortkey_systems.agentcore.overriding import grant_override
from sortkey_systems.agentcore.resolving import Person

ANN = Person("ann", "ann@uni.edu", app_roles=("tutor",), jwt_roles=("Faculty",))


def events_of_ann(db: DB) -> list[QuotaEvent]:
    """Return the events of Ann, oldest first."""
    found = db(events_of_user("ann", MORNING, MORNING + timedelta(days=99)))
    return sorted(found, key=lambda event: event.timestamp)


def limited(db: DB, *, action: ActionOnLimit = ActionOnLimit.BLOCK, soft: int = 80) -> None:
    """Give Ann a limit of ten dollars a month."""
    define_tiers(db, "basic", allowing=terms("10", action=action, soft=soft))
    assign_tier(db, "ann", "basic")


def test_without_a_quota_everything_is_allowed(db: DB) -> None:
    spend(db, "ann", "1000")

    verdict = check_quota(db, ANN)

    assert (verdict.is_allowed, verdict.reason) == (True, Reason.NO_QUOTA)
    assert events_of_ann(db) == []


def test_below_the_soft_limit_nothing_is_recorded(db: DB) -> None:
    limited(db)
    spend(db, "ann", "7.999999")

    verdict = check_quota(db, ANN)

    assert (verdict.is_allowed, verdict.reason) == (True, Reason.WITHIN_LIMIT)
    assert verdict.usage == Usage("2033-05", Decimal("7.999999"), Decimal(10))
    assert events_of_ann(db) == []


def test_a_user_without_costs_is_allowed(db: DB) -> None:
    limited(db)

    verdict = check_quota(db, ANN)

    assert verdict.usage == Usage("2033-05", Decimal(0), Decimal(10))


@pytest.mark.parametrize("dollars", ["10", "10.000001", "99"])
def test_at_the_limit_a_request_is_blocked_and_recorded(db: DB, dollars: str) -> None:
    limited(db)
    spend(db, "ann", dollars)

    verdict = check_quota(db, ANN)

    assert (verdict.is_allowed, verdict.reason) == (False, Reason.BLOCKED)
    [event] = events_of_ann(db)
    assert (event.event_type, event.tier_id) == (EventType.BLOCK, "basic")
    assert (event.current_usage, event.quota_limit) == (Decimal(dollars), Decimal(10))
    assert list(db(events_of_tier("basic", MORNING, MORNING))) == [event]


def test_an_event_has_exact_amounts_and_a_percentage_rounded_down(
    memory: DB,
) -> None:
    define_tiers(memory, "basic", allowing=terms("0.3", soft=33))
    assign_tier(memory, "ann", "basic")
    spend(memory, "ann", "0.1")

    check_quota(memory, ANN)

    [event] = events_of_ann(memory)
    amounts = (event.current_usage, event.quota_limit, event.percentage_used)
    assert amounts == (Decimal("0.1"), Decimal("0.3"), Decimal("33.33"))


def test_blocks_are_recorded_once_a_minute_for_each_user(db: DB, watch: Watch) -> None:
    limited(db)
    assign_tier(db, "bob", "basic")
    spend(db, "ann", "10")
    spend(db, "bob", "10")
    watch.wait(seconds=20)

    verdicts = [check_quota(db, person) for person in (ANN, Person("bob")) for _ in range(3)]
    watch.wait(seconds=39)
    verdicts.append(check_quota(db, ANN))
    watch.wait(seconds=1)
    verdicts.append(check_quota(db, ANN))

    assert {verdict.reason for verdict in verdicts} == {Reason.BLOCKED}
    minute = MORNING + timedelta(minutes=1)
    blocks = [(event.event_type, event.timestamp) for event in events_of_ann(db)]
    assert blocks == [(EventType.BLOCK, MORNING), (EventType.BLOCK, minute)]
    of_tier = list(db(events_of_tier("basic", MORNING, minute)))
    assert Counter(event.user_id for event in of_tier) == {"ann": 2, "bob": 1}


def test_events_are_kept_for_a_year(db: DB, watch: Watch) -> None:
    limited(db)
    spend(db, "ann", "8")
    check_quota(db, ANN)
    spend(db, "ann", "2")
    check_quota(db, ANN)
    grant(db, OverrideType.UNLIMITED)
    kinds = {EventType.WARNING, EventType.BLOCK, EventType.OVERRIDE_APPLIED}
    assert {event.event_type for event in events_of_ann(db)} == kinds

    watch.wait(days=365)

    assert events_of_ann(db) == []


def test_an_event_without_expiry_is_still_read(memory: DB) -> None:
    """Older versions stored events without one."""
    limited(memory)
    spend(memory, "ann", "10")
    check_quota(memory, ANN)
    [event] = events_of_ann(memory)

    old = memory(event.model_copy(update={"event_id": "old", "ttl": None}).create())

    [item] = [each for each in stored_items(memory, QuotaEvents) if each["eventId"]["S"] == "old"]
    assert "ttl" not in item
    assert old in events_of_ann(memory)


def test_a_micro_below_the_limit_is_not_blocked(db: DB) -> None:
    limited(db)
    spend(db, "ann", "9.999999")

    assert check_quota(db, ANN).is_allowed


def test_a_tier_that_only_warns_lets_a_request_through_at_its_limit(db: DB) -> None:
    limited(db, action=ActionOnLimit.WARN)
    spend(db, "ann", "12")

    verdict = check_quota(db, ANN)

    assert (verdict.is_allowed, verdict.reason) == (True, Reason.OVER_LIMIT_WARNED)
    assert verdict.warned_of == 100
    [event] = events_of_ann(db)
    assert (event.event_type, event.percentage_used) == (EventType.WARNING, Decimal(120))


@pytest.mark.parametrize(
    ("dollars", "soft", "threshold"),
    [
        ("7.99", 80, None),
        ("8", 80, 80),
        ("8.99", 80, 80),
        ("9", 80, 90),
        ("9", 95, 90),
        ("9.5", 95, 95),
        ("9.4", 90, 90),
        ("0.1", 1, 1),
    ],
)
def test_the_highest_threshold_that_is_reached_is_warned_of(
    db: DB, dollars: str, soft: int, threshold: int | None
) -> None:
    limited(db, soft=soft)
    spend(db, "ann", dollars)

    verdict = check_quota(db, ANN)

    assert (verdict.is_allowed, verdict.warned_of) == (True, threshold)
    assert len(events_of_ann(db)) == (threshold is not None)


def test_a_threshold_is_warned_of_once_an_hour(db: DB, watch: Watch) -> None:
    limited(db)
    spend(db, "ann", "8")

    warned = [check_quota(db, ANN).warned_of]
    for wait in (
        timedelta(0),
        timedelta(minutes=59, seconds=59),
        timedelta(seconds=1),
        timedelta(minutes=1),
    ):
        watch.now += wait
        warned.append(check_quota(db, ANN).warned_of)

    assert warned == [80, None, None, 80, None]
    assert [event.timestamp for event in events_of_ann(db)] == [
        MORNING,
        MORNING + timedelta(hours=1),
    ]


def test_a_recent_warning_is_not_reported_as_a_failure(memory: DB) -> None:
    limited(memory)
    spend(memory, "ann", "8")
    check_quota(memory, ANN)

    assert checked(memory)[1] == []


def test_each_threshold_and_each_user_has_an_hour_of_its_own(db: DB) -> None:
    limited(db)
    assign_tier(db, "bob", "basic")
    spend(db, "ann", "8")
    spend(db, "bob", "8")

    assert check_quota(db, ANN).warned_of == 80
    spend(db, "ann", "1")
    assert check_quota(db, ANN).warned_of == 90
    assert check_quota(db, Person("bob")).warned_of == 80
    assert check_quota(db, ANN).warned_of is None


def test_a_new_month_begins_with_nothing_spent(db: DB, watch: Watch) -> None:
    limited(db)
    spend(db, "ann", "10")
    assert not check_quota(db, ANN).is_allowed

    watch.now = MORNING.replace(month=6, day=1, hour=0)

    assert check_quota(db, ANN).is_allowed


def test_a_daily_tier_looks_at_the_day_alone(db: DB, watch: Watch) -> None:
    define_tiers(db, "daily", allowing=terms("1000", daily="1"))
    assign_tier(db, "ann", "daily")
    spend(db, "ann", "1")
    assert not check_quota(db, ANN).is_allowed

    watch.wait(days=1)

    assert check_quota(db, ANN).is_allowed


def test_the_daily_limit_of_a_monthly_tier_counts_too(db: DB, watch: Watch) -> None:
    both = terms("5", daily="2").model_copy(update={"period_type": PeriodType.MONTHLY})
    define_tiers(db, "both", allowing=both)
    assign_tier(db, "ann", "both")
    spend(db, "ann", "2")
    assert check_quota(db, ANN).usage == Usage("2033-05-14", Decimal(2), Decimal(2))
    assert not check_quota(db, ANN).is_allowed

    watch.wait(days=1)
    assert check_quota(db, ANN).is_allowed
    spend(db, "ann", "1.5")
    watch.wait(days=1)
    spend(db, "ann", "1.5")

    verdict = check_quota(db, ANN)
    assert verdict.usage == Usage("2033-05", Decimal(5), Decimal(5))
    assert not verdict.is_allowed


def grant(db: DB, kind: OverrideType, **limits: Decimal) -> None:
    until = MORNING + timedelta(days=3)
    grant_override(db, "ann", kind, valid_from=MORNING, valid_until=until, reason="exams", **limits)


def test_a_user_with_an_unlimited_override_is_not_blocked(db: DB) -> None:
    limited(db)
    spend(db, "ann", "99")

    grant(db, OverrideType.UNLIMITED)

    verdict = check_quota(db, ANN)
    assert (verdict.is_allowed, verdict.reason) == (True, Reason.UNLIMITED)


@pytest.mark.parametrize(("dollars", "threshold"), [("7.999999", None), ("8", 80)])
def test_an_override_warns_from_eighty_percent(
    memory: DB, dollars: str, threshold: int | None
) -> None:
    grant(memory, OverrideType.CUSTOM_LIMIT, monthly_cost_limit=Decimal(10))
    spend(memory, "ann", dollars)

    assert check_quota(memory, ANN).warned_of == threshold


def test_the_limit_with_the_higher_usage_counts(db: DB) -> None:
    limits = {"monthly_cost_limit": Decimal(100), "daily_cost_limit": Decimal(2)}
    grant(db, OverrideType.CUSTOM_LIMIT, **limits)
    spend(db, "ann", "2")

    verdict = check_quota(db, ANN)

    assert verdict.usage == Usage("2033-05-14", Decimal(2), Decimal(2))
    assert not verdict.is_allowed
    assert [event.tier_id for event in events_of_ann(db)] == [None, None]


# Failures: a missing table stands for everything that cannot be read or written.

Reports = list[tuple[str, SortkeyError]]


def database_without(table: type[Table]) -> DB:
    return DB.memory(*(each for each in TABLES if each is not table))


def checked(db: DB) -> tuple[Verdict, Reports]:
    """Return the verdict on Ann, and the reported failures."""
    seen: Reports = []
    verdict = check_quota(db, ANN, report=lambda who, failure: seen.append((who.user_id, failure)))
    return verdict, seen


@pytest.mark.parametrize("table", [UserQuotas, UserCostSummary])
def test_a_quota_that_cannot_be_read_allows_and_is_reported(
    watch: Watch, table: type[Table]
) -> None:
    with database_without(table) as db:
        if table is UserCostSummary:
            limited(db)

        verdict, seen = checked(db)

    assert (verdict.is_allowed, verdict.reason) == (True, Reason.QUOTA_UNREADABLE)
    [(who, failure)] = seen
    assert who == "ann"
    assert isinstance(failure, ResourceNotFoundException)


def test_a_record_that_cannot_be_read_allows_and_is_reported(memory: DB) -> None:
    limited(memory)
    broken = {
        **stored_tier(memory, "basic").create().params()["Item"],
        "monthlyCostLimit": {"S": "ten"},
    }
    put_item(memory, UserQuotas, broken)

    verdict, seen = checked(memory)

    assert verdict.reason is Reason.QUOTA_UNREADABLE
    assert isinstance(seen[0][1], Unreadable)


def test_an_unreachable_database_allows_and_is_reported(watch: Watch) -> None:
    with DB.endpoint("http://127.0.0.1:9", *TABLES, retries=Retries(attempts=1)) as db:
        verdict, seen = checked(db)

    assert verdict.is_allowed
    assert isinstance(seen[0][1], TransportError)


def test_a_failure_is_logged_by_default(watch: Watch, caplog: pytest.LogCaptureFixture) -> None:
    with database_without(UserQuotas) as db, caplog.at_level(logging.ERROR):
        check_quota(db, ANN)

    assert "the quota check of ann is incomplete" in caplog.text


def test_a_block_that_cannot_be_recorded_blocks_and_is_reported(watch: Watch) -> None:
    with database_without(QuotaEvents) as db:
        limited(db)
        spend(db, "ann", "10")

        verdict, seen = checked(db)

    assert not verdict.is_allowed
    assert isinstance(seen[0][1], ResourceNotFoundException)


def test_a_warning_that_cannot_be_recorded_is_reported_as_a_failure(watch: Watch) -> None:
    with database_without(QuotaEvents) as db:
        limited(db)
        spend(db, "ann", "9")

        verdict, seen = checked(db)

    assert (verdict.reason, verdict.warned_of) == (Reason.WITHIN_LIMIT, None)
    assert len(seen) == 1


# Usage of a limit.

amounts = st.integers(1, 10**15).map(lambda micros: Decimal(micros) / 1_000_000)


@given(spent=amounts, limit=amounts, percentage=st.integers(1, 100))
def test_a_threshold_is_reached_exactly(spent: Decimal, limit: Decimal, percentage: int) -> None:
    usage = Usage("2033-05", spent, limit)

    assert usage.reaches(percentage) == (Fraction(spent) * 100 >= Fraction(limit) * percentage)
    assert Fraction(usage.percentage) <= Fraction(spent) * 100 / Fraction(limit)


def test_without_a_limit_the_percentage_is_zero() -> None:
    usage = Usage("2033-05", Decimal(9), None)

    assert (usage.percentage, usage.reaches(1)) == (Decimal(0), False)
