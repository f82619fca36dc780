"""Overrides: they replace the tier of one user, and have an event."""

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from tests.systems.agentcore.conftest import MORNING, Watch, spend

from sortkey import DB
from sortkey_systems.agentcore.design.events import EventType, events_of_user
from sortkey_systems.agentcore.design.quotas import OverrideType, override_by_id, overrides_of_user
from sortkey_systems.agentcore.errors import BadInput, OverrideNotFound
from sortkey_systems.agentcore.overriding import grant_override, switch_override

WEEK = timedelta(days=7)
CUSTOM = OverrideType.CUSTOM_LIMIT


def exams(db: DB, **more: Any) -> str:
    values: dict[str, Any] = {
        "override_type": CUSTOM,
        "valid_from": MORNING,
        "valid_until": MORNING + WEEK,
        "reason": "exams",
        "monthly_cost_limit": Decimal(20),
    }
    return grant_override(db, "ann", **(values | more)).override_id


def test_an_override_is_stored_with_its_event(db: DB) -> None:
    spend(db, "ann", "5")

    override_id = exams(db)

    [stored] = db(overrides_of_user("ann"))
    assert stored == db(override_by_id(override_id))
    [event] = db(events_of_user("ann", MORNING, MORNING))
    assert (event.event_type, event.tier_id) == (EventType.OVERRIDE_APPLIED, None)
    assert (event.current_usage, event.quota_limit) == (Decimal(5), Decimal(20))
    assert event.percentage_used == Decimal(25)


def test_the_event_of_a_daily_override_has_the_usage_of_the_day(db: DB) -> None:
    spend(db, "ann", "1")

    exams(db, monthly_cost_limit=None, daily_cost_limit=Decimal(2))

    [event] = db(events_of_user("ann", MORNING, MORNING))
    assert (event.quota_limit, event.percentage_used) == (Decimal(2), Decimal(50))


def test_the_event_of_any_other_override_has_the_usage_of_the_month(
    memory: DB, watch: Watch
) -> None:
    spend(memory, "ann", "3")
    now = watch.wait(days=1)
    spend(memory, "ann", "2")

    exams(memory, daily_cost_limit=Decimal(4))
    exams(memory, override_type=OverrideType.UNLIMITED, monthly_cost_limit=None)

    events = {e.quota_limit: e for e in memory(events_of_user("ann", now, now))}
    assert {limit: e.current_usage for limit, e in events.items()} == {20: 5, None: 5}
    assert {limit: e.percentage_used for limit, e in events.items()} == {20: 25, None: 0}


def test_an_override_is_switched_off_and_on_again(db: DB) -> None:
    override_id = exams(db)

    assert switch_override(db, override_id, enabled=False).enabled is False
    assert switch_override(db, override_id, enabled=True).enabled is True
    with pytest.raises(OverrideNotFound):
        switch_override(db, "none", enabled=True)


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"monthly_cost_limit": None}, "Override"),
        ({"override_type": OverrideType.UNLIMITED}, "Override"),
        ({"valid_until": MORNING - WEEK}, "Override"),
        ({"valid_from": MORNING - 2 * WEEK, "valid_until": MORNING - WEEK}, "valid_until"),
        ({"valid_from": datetime(2033, 1, 1)}, "valid_from"),  # noqa: DTZ001 - the rejected value
        ({"valid_until": datetime(2034, 1, 1)}, "valid_until"),  # noqa: DTZ001 - the rejected value
        ({"reason": ""}, "reason"),
        ({"user_id": "a#b"}, "user_id"),
    ],
)
def test_a_contradictory_override_is_rejected(
    memory: DB, values: dict[str, Any], field: str
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
        grant_override(memory, **(whole | values))
    assert caught.value.field == field
    assert memory(overrides_of_user("ann")) == []
