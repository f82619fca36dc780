"""Overrides: what counts for one user instead, told by an event."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from tests.systems.agentcore.conftest import MORNING, Watch, spent

from sortkey import DB
from sortkey_systems.agentcore.design.events import EventType, events_of_user
from sortkey_systems.agentcore.design.quotas import OverrideType, override_by_id, overrides_of_user
from sortkey_systems.agentcore.errors import BadInput, OverrideNotFound
from sortkey_systems.agentcore.overriding import give_override, switch_override

WEEK = timedelta(days=7)
CUSTOM = OverrideType.CUSTOM_LIMIT


def exams(db: DB, **more: Any) -> str:
    said: dict[str, Any] = {
        "override_type": CUSTOM,
        "valid_from": MORNING,
        "valid_until": MORNING + WEEK,
        "reason": "exams",
        "monthly_cost_limit": Decimal(20),
    }
    return give_override(db, "ann", **(said | more)).override_id


def test_an_override_is_stored_with_an_event_that_tells_of_it(db: DB) -> None:
    spent(db, "ann", "5")

    override_id = exams(db)

    [stored] = db(overrides_of_user("ann"))
    assert stored == db(override_by_id(override_id))
    [event] = db(events_of_user("ann", MORNING, MORNING))
    assert (event.event_type, event.tier_id) == (EventType.OVERRIDE_APPLIED, None)
    assert (event.current_usage, event.quota_limit) == (Decimal(5), Decimal(20))
    assert event.percentage_used == Decimal(25)


def test_a_daily_override_is_told_with_the_usage_of_the_day(db: DB) -> None:
    spent(db, "ann", "1")

    exams(db, monthly_cost_limit=None, daily_cost_limit=Decimal(2))

    [event] = db(events_of_user("ann", MORNING, MORNING))
    assert (event.quota_limit, event.percentage_used) == (Decimal(2), Decimal(50))


def test_an_override_that_limits_the_month_or_nothing_is_told_with_the_usage_of_the_month(
    memory: DB, watch: Watch
) -> None:
    spent(memory, "ann", "3")
    now = watch.wait(days=1)
    spent(memory, "ann", "2")

    exams(memory, daily_cost_limit=Decimal(4))
    exams(memory, override_type=OverrideType.UNLIMITED, monthly_cost_limit=None)

    told = {e.quota_limit: e for e in memory(events_of_user("ann", now, now))}
    assert {limit: e.current_usage for limit, e in told.items()} == {20: 5, None: 5}
    assert {limit: e.percentage_used for limit, e in told.items()} == {20: 25, None: 0}


def test_an_override_is_switched_off_and_on_again(db: DB) -> None:
    override_id = exams(db)

    assert switch_override(db, override_id, enabled=False).enabled is False
    assert switch_override(db, override_id, enabled=True).enabled is True
    with pytest.raises(OverrideNotFound):
        switch_override(db, "none", enabled=True)


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"monthly_cost_limit": None}, "Override"),
        ({"override_type": OverrideType.UNLIMITED}, "Override"),
        ({"valid_until": MORNING - WEEK}, "Override"),
        ({"valid_from": datetime(2033, 1, 1)}, "valid_from"),  # noqa: DTZ001 - what is refused
        ({"valid_until": datetime(2034, 1, 1)}, "valid_until"),  # noqa: DTZ001 - what is refused
        ({"reason": ""}, "reason"),
        ({"user_id": "a#b"}, "user_id"),
    ],
)
def test_an_override_that_says_nothing_clear_is_refused(
    memory: DB, said: dict[str, Any], field: str
) -> None:
    whole: dict[str, Any] = {
        "user_id": "ann",
        "override_type": CUSTOM,
        "valid_from": MORNING,
        "valid_until": MORNING + WEEK,
        "reason": "exams",
        "monthly_cost_limit": Decimal(20),
    }
    with pytest.raises(BadInput) as caught:
        give_override(memory, **(whole | said))
    assert caught.value.field == field
    assert memory(overrides_of_user("ann")) == []
