"""The quota check: who is blocked, who is warned and how often, and what a failure does."""

import logging
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.access.executors import put_item
from tests.systems.agentcore.conftest import (
    MORNING,
    Watch,
    assigned,
    defined,
    spent,
    terms,
    tier,
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
from sortkey_systems.agentcore.design.quotas import ActionOnLimit, OverrideType, UserQuotas
from sortkey_systems.agentcore.design.summaries import UserCostSummary
from sortkey_systems.agentcore.measuring import Usage
from sortkey_systems.agentcore.overriding import give_override
from sortkey_systems.agentcore.resolving import Person

ANN = Person("ann", "ann@uni.edu", app_roles=("tutor",), jwt_roles=("Faculty",))


def told(db: DB) -> list[QuotaEvent]:
    """The events of Ann, oldest first."""
    found = db(events_of_user("ann", MORNING, MORNING + timedelta(days=99)))
    return sorted(found, key=lambda event: event.timestamp)


def limited(db: DB, *, action: ActionOnLimit = ActionOnLimit.BLOCK, soft: int = 80) -> None:
    """Ann may spend ten dollars a month."""
    defined(db, "basic", allowing=terms("10", action=action, soft=soft))
    assigned(db, "ann", "basic")


def test_without_a_quota_everything_is_allowed(db: DB) -> None:
    spent(db, "ann", "1000")

    verdict = check_quota(db, ANN)

    assert (verdict.is_allowed, verdict.reason) == (True, Reason.NO_QUOTA)
    assert told(db) == []


def test_below_the_soft_limit_nothing_is_told(db: DB) -> None:
    limited(db)
    spent(db, "ann", "7.999999")

    verdict = check_quota(db, ANN)

    assert (verdict.is_allowed, verdict.reason) == (True, Reason.WITHIN_LIMIT)
    assert verdict.usage == Usage("2033-05", Decimal("7.999999"), Decimal(10))
    assert told(db) == []


def test_who_has_spent_nothing_is_allowed(db: DB) -> None:
    limited(db)

    verdict = check_quota(db, ANN)

    assert verdict.usage == Usage("2033-05", Decimal(0), Decimal(10))


@pytest.mark.parametrize("dollars", ["10", "10.000001", "99"])
def test_at_the_limit_a_request_is_blocked_and_recorded(db: DB, dollars: str) -> None:
    limited(db)
    spent(db, "ann", dollars)

    verdict = check_quota(db, ANN)

    assert (verdict.is_allowed, verdict.reason) == (False, Reason.BLOCKED)
    [event] = told(db)
    assert (event.event_type, event.tier_id) == (EventType.BLOCK, "basic")
    assert (event.current_usage, event.quota_limit) == (Decimal(dollars), Decimal(10))
    assert list(db(events_of_tier("basic", MORNING, MORNING))) == [event]


def test_an_event_tells_the_exact_amounts_and_the_percentage_to_the_hundredth_below(
    memory: DB,
) -> None:
    defined(memory, "basic", allowing=terms("0.3", soft=33))
    assigned(memory, "ann", "basic")
    spent(memory, "ann", "0.1")

    check_quota(memory, ANN)

    [event] = told(memory)
    amounts = (event.current_usage, event.quota_limit, event.percentage_used)
    assert amounts == (Decimal("0.1"), Decimal("0.3"), Decimal("33.33"))


def test_every_block_is_recorded(db: DB, watch: Watch) -> None:
    limited(db)
    spent(db, "ann", "10")

    check_quota(db, ANN)
    check_quota(db, ANN)
    watch.wait(seconds=1)
    check_quota(db, ANN)

    assert [event.event_type for event in told(db)] == [EventType.BLOCK] * 3


def test_a_micro_below_the_limit_is_not_blocked(db: DB) -> None:
    limited(db)
    spent(db, "ann", "9.999999")

    assert check_quota(db, ANN).is_allowed


def test_a_tier_that_only_warns_lets_a_request_through_at_its_limit(db: DB) -> None:
    limited(db, action=ActionOnLimit.WARN)
    spent(db, "ann", "12")

    verdict = check_quota(db, ANN)

    assert (verdict.is_allowed, verdict.reason) == (True, Reason.OVER_LIMIT_WARNED)
    assert verdict.warned_of == 100
    [event] = told(db)
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
    spent(db, "ann", dollars)

    verdict = check_quota(db, ANN)

    assert (verdict.is_allowed, verdict.warned_of) == (True, threshold)
    assert len(told(db)) == (threshold is not None)


def test_a_threshold_is_warned_of_once_an_hour(db: DB, watch: Watch) -> None:
    limited(db)
    spent(db, "ann", "8")

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
    assert [event.timestamp for event in told(db)] == [MORNING, MORNING + timedelta(hours=1)]


def test_a_warning_that_was_given_lately_is_no_failure(memory: DB) -> None:
    limited(memory)
    spent(memory, "ann", "8")
    check_quota(memory, ANN)

    assert checked(memory)[1] == []


def test_each_threshold_and_each_user_has_an_hour_of_its_own(db: DB) -> None:
    limited(db)
    assigned(db, "bob", "basic")
    spent(db, "ann", "8")
    spent(db, "bob", "8")

    assert check_quota(db, ANN).warned_of == 80
    spent(db, "ann", "1")
    assert check_quota(db, ANN).warned_of == 90
    assert check_quota(db, Person("bob")).warned_of == 80
    assert check_quota(db, ANN).warned_of is None


def test_a_new_month_begins_with_nothing_spent(db: DB, watch: Watch) -> None:
    limited(db)
    spent(db, "ann", "10")
    assert not check_quota(db, ANN).is_allowed

    watch.now = MORNING.replace(month=6, day=1, hour=0)

    assert check_quota(db, ANN).is_allowed


def test_a_daily_tier_looks_at_the_day_alone(db: DB, watch: Watch) -> None:
    defined(db, "daily", allowing=terms("1000", daily="1"))
    assigned(db, "ann", "daily")
    spent(db, "ann", "1")
    assert not check_quota(db, ANN).is_allowed

    watch.wait(days=1)

    assert check_quota(db, ANN).is_allowed


def given_override(db: DB, kind: OverrideType, **limits: Decimal) -> None:
    until = MORNING + timedelta(days=3)
    give_override(db, "ann", kind, valid_from=MORNING, valid_until=until, reason="exams", **limits)


def test_who_has_an_unlimited_override_is_not_blocked(db: DB) -> None:
    limited(db)
    spent(db, "ann", "99")

    given_override(db, OverrideType.UNLIMITED)

    verdict = check_quota(db, ANN)
    assert (verdict.is_allowed, verdict.reason) == (True, Reason.UNLIMITED)


@pytest.mark.parametrize(("dollars", "threshold"), [("7.999999", None), ("8", 80)])
def test_an_override_warns_from_eighty_percent(
    memory: DB, dollars: str, threshold: int | None
) -> None:
    given_override(memory, OverrideType.CUSTOM_LIMIT, monthly_cost_limit=Decimal(10))
    spent(memory, "ann", dollars)

    assert check_quota(memory, ANN).warned_of == threshold


def test_of_two_limits_the_one_that_is_fuller_counts(db: DB) -> None:
    limits = {"monthly_cost_limit": Decimal(100), "daily_cost_limit": Decimal(2)}
    given_override(db, OverrideType.CUSTOM_LIMIT, **limits)
    spent(db, "ann", "2")

    verdict = check_quota(db, ANN)

    assert verdict.usage == Usage("2033-05-14", Decimal(2), Decimal(2))
    assert not verdict.is_allowed
    assert [event.tier_id for event in told(db)] == [None, None]


# What a failure does: a table that is not there stands for all that cannot be read or written.

Reports = list[tuple[str, SortkeyError]]


def database_without(table: type[Table]) -> DB:
    return DB.memory(*(each for each in TABLES if each is not table))


def checked(db: DB) -> tuple[Verdict, Reports]:
    """The verdict on Ann, and what was reported meanwhile."""
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
    broken = {**tier(memory, "basic").create().params()["Item"], "monthlyCostLimit": {"S": "ten"}}
    put_item(memory, UserQuotas, broken)

    verdict, seen = checked(memory)

    assert verdict.reason is Reason.QUOTA_UNREADABLE
    assert isinstance(seen[0][1], Unreadable)


def test_nobody_who_cannot_be_reached_is_let_through_unseen(watch: Watch) -> None:
    with DB.endpoint("http://127.0.0.1:9", *TABLES, retries=Retries(attempts=1)) as db:
        verdict, seen = checked(db)

    assert verdict.is_allowed
    assert isinstance(seen[0][1], TransportError)


def test_a_failure_is_logged_where_nobody_else_is_told(
    watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    with database_without(UserQuotas) as db, caplog.at_level(logging.ERROR):
        check_quota(db, ANN)

    assert "the quota of ann was not checked in full" in caplog.text


def test_a_block_that_cannot_be_recorded_blocks_and_is_reported(watch: Watch) -> None:
    with database_without(QuotaEvents) as db:
        limited(db)
        spent(db, "ann", "10")

        verdict, seen = checked(db)

    assert not verdict.is_allowed
    assert isinstance(seen[0][1], ResourceNotFoundException)


def test_a_warning_that_cannot_be_recorded_is_none_and_is_reported(watch: Watch) -> None:
    with database_without(QuotaEvents) as db:
        limited(db)
        spent(db, "ann", "9")

        verdict, seen = checked(db)

    assert (verdict.reason, verdict.warned_of) == (Reason.WITHIN_LIMIT, None)
    assert len(seen) == 1


# How much of a limit is used.

amounts = st.integers(1, 10**15).map(lambda micros: Decimal(micros) / 1_000_000)


@given(spent=amounts, limit=amounts, percentage=st.integers(1, 100))
def test_a_threshold_is_reached_exactly(spent: Decimal, limit: Decimal, percentage: int) -> None:
    usage = Usage("2033-05", spent, limit)

    assert usage.reaches(percentage) == (Fraction(spent) * 100 >= Fraction(limit) * percentage)
    assert Fraction(usage.percentage) <= Fraction(spent) * 100 / Fraction(limit)


def test_of_no_limit_nothing_is_used_up() -> None:
    usage = Usage("2033-05", Decimal(9), None)

    assert (usage.percentage, usage.reaches(1)) == (Decimal(0), False)
